// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/common/tx_store.h"
#include "models/i210/registers.h"
#include "models/i210/tx_transmit_policy.h"

namespace nicsim::models::i210 {

/// One packet buffer for all: frames leave in the order in which their fetch began, whatever their
/// queue (datasheet table 7-46). A frame that is still being read holds up those behind it.
class LegacyOrder : public TransmitPolicy {
public:
    explicit LegacyOrder(TxStore& store) : store_(store) {}
    TransmitChoice choose() override {
        int first = -1;
        std::uint64_t earliest = ~std::uint64_t{0};
        for (unsigned q = 0; q < queues; ++q) {
            const StoredFrame* frame = store_.oldest(q);
            if (frame == nullptr || frame->fetch_number > earliest) continue;
            earliest = frame->fetch_number;
            first = static_cast<int>(q);
        }
        TransmitChoice choice;
        if (first >= 0 && store_.ready(static_cast<unsigned>(first)) != 0) choice.queue = first;
        return choice;
    }

private:
    TxStore& store_;
};

}  // namespace nicsim::models::i210
