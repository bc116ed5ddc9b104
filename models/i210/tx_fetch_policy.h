// SPDX-License-Identifier: Apache-2.0
// Which queue's data are fetched next, among those that may fetch (TQAVCTRL.DataFetchARB).
#pragma once

#include <array>
#include <cstdint>

#include "models/common/packet_buffer.h"
#include "models/i210/registers.h"

namespace nicsim::models::i210 {

using QueueSet = std::array<bool, queues>;

class FetchPolicy {
public:
    virtual ~FetchPolicy() = default;
    /// One of `candidates`, of which there is at least one.
    virtual unsigned pick(const QueueSet& candidates, const PacketBufferIf& buffer) = 0;
};

}  // namespace nicsim::models::i210
