// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>

#include "models/common/tx_queue.h"
#include "models/i210/registers.h"

namespace nicsim::models::i210 {

/// What there is to be fetched.
class TxOffersIf {
public:
    virtual ~TxOffersIf() = default;
    /// The queue's packet whose next frame can be fetched; null if there is none.
    [[nodiscard]] virtual const TxPacket* offered(unsigned queue) = 0;
};

using TxQueues = std::array<std::unique_ptr<TxQueue>, queues>;

}  // namespace nicsim::models::i210
