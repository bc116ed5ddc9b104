// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/i210/tx_fetch_policy.h"

namespace nicsim::models::i210 {

/// The queue after the last one served; a turn is one frame.
class FetchRoundRobin : public FetchPolicy {
public:
    unsigned pick(const QueueSet& candidates, const PacketBufferIf&) override {
        do {
            last_ = (last_ + 1) % queues;
        } while (!candidates[last_]);
        return last_;
    }

private:
    unsigned last_ = queues - 1;
};

}  // namespace nicsim::models::i210
