// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/i210/tx_fetch_policy.h"

namespace nicsim::models::i210 {

/// The queue with the most free bytes in its packet buffer; at equal space the lower number, which
/// has the higher priority.
class FetchMostEmpty : public FetchPolicy {
public:
    unsigned pick(const QueueSet& candidates, const PacketBufferIf& buffer) override {
        unsigned best = queues;
        for (unsigned q = 0; q < queues; ++q) {
            if (!candidates[q]) continue;
            if (best == queues || buffer.free_bytes(q) > buffer.free_bytes(best)) best = q;
        }
        return best;
    }
};

}  // namespace nicsim::models::i210
