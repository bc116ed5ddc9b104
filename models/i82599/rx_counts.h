// SPDX-License-Identifier: Apache-2.0
// What the receive side counts. Every frame that comes in while receive is enabled ends in exactly
// one of `delivered`, a drop or an error; see RxCounts::accounted.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "models/common/rx_counts.h"
#include "models/i82599/registers.h"

namespace nicsim::models::i82599 {

struct RxCounts : RxMacCounts {
    explicit RxCounts(unsigned queues)
        : dropped_no_descriptor(queues), delivered(queues), delivered_octets(queues) {}

    std::vector<std::uint64_t> dropped_no_descriptor;
    std::vector<std::uint64_t> delivered;
    std::vector<std::uint64_t> delivered_octets;
    std::uint64_t dma_packets = 0;  ///< RXDGPC: all delivered
    /// By statistics counter, to which RQSMR maps queues: QPRC, QBRC, QPRDC.
    std::array<std::uint64_t, statistics_counters> counter_packets{};
    std::array<std::uint64_t, statistics_counters> counter_octets{};
    std::array<std::uint64_t, statistics_counters> counter_drops{};

    [[nodiscard]] std::uint64_t accounted() const {
        std::uint64_t sum = ended_before_queue();
        sum = std::accumulate(delivered.begin(), delivered.end(), sum);
        return std::accumulate(dropped_no_descriptor.begin(), dropped_no_descriptor.end(), sum);
    }
};

}  // namespace nicsim::models::i82599
