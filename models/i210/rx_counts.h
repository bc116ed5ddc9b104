// SPDX-License-Identifier: Apache-2.0
// What the receive side counts. Every frame that comes in while receive is enabled ends in exactly
// one of `delivered`, a drop or an error; see RxCounts::accounted.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/rx_counts.h"
#include "models/i210/registers.h"

namespace nicsim::models::i210 {

struct RxCounts : RxMacCounts {
    std::array<std::uint64_t, queues> dropped_no_descriptor{};  ///< RQDPC: DROP_EN
    std::array<std::uint64_t, queues> delivered{};              ///< PQGPRC
    std::array<std::uint64_t, queues> delivered_octets{};       ///< PQGORC
    std::array<std::uint64_t, queues> delivered_multicast{};

    [[nodiscard]] std::uint64_t accounted() const {
        std::uint64_t sum = ended_before_queue();
        for (unsigned q = 0; q < queues; ++q) sum += dropped_no_descriptor[q] + delivered[q];
        return sum;
    }
};

}  // namespace nicsim::models::i210
