// SPDX-License-Identifier: Apache-2.0
// What the receive side counts. Every frame that comes in while receive is enabled ends in exactly
// one of `delivered`, a drop or an error; see RxCounts::accounted.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "models/common/frame_sizes.h"
#include "models/i82599/registers.h"

namespace nicsim::models::i82599 {

struct RxCounts {
    explicit RxCounts(unsigned queues)
        : dropped_no_descriptor(queues), delivered(queues), delivered_octets(queues) {}

    // ---- at the MAC ----
    std::uint64_t total_packets = 0;  ///< TPR
    std::uint64_t total_octets = 0;   ///< TOR, with FCS
    std::uint64_t crc_errors = 0;     ///< CRCERRS
    std::uint64_t undersize = 0;      ///< RUC
    std::uint64_t oversize = 0;       ///< ROC
    std::uint64_t control = 0;        ///< pause and other MAC control frames that end in the MAC
    std::uint64_t filtered = 0;       ///< no filter wanted it
    // ---- good frames that passed the filters ----
    std::uint64_t good_packets = 0;  ///< GPRC
    std::uint64_t good_octets = 0;   ///< GORC, with FCS
    std::uint64_t multicast = 0;     ///< MPRC
    std::uint64_t broadcast = 0;     ///< BPRC
    std::array<std::uint64_t, frame_size_classes> by_size{};
    // ---- and what became of them ----
    std::uint64_t missed = 0;      ///< RXMPC: no room in the packet buffer
    std::uint64_t no_buffers = 0;  ///< RNBC: came in while its ring had no descriptor
    std::vector<std::uint64_t> dropped_no_descriptor;
    std::uint64_t dropped_queue_disabled = 0;
    std::uint64_t dropped_by_reset = 0;
    std::vector<std::uint64_t> delivered;
    std::vector<std::uint64_t> delivered_octets;
    std::uint64_t dma_packets = 0;  ///< RXDGPC: all delivered
    /// By statistics counter, to which RQSMR maps queues: QPRC, QBRC, QPRDC.
    std::array<std::uint64_t, statistics_counters> counter_packets{};
    std::array<std::uint64_t, statistics_counters> counter_octets{};
    std::array<std::uint64_t, statistics_counters> counter_drops{};

    [[nodiscard]] std::uint64_t accounted() const {
        std::uint64_t sum = crc_errors + undersize + oversize + control + filtered + missed +
                            dropped_queue_disabled + dropped_by_reset;
        sum = std::accumulate(delivered.begin(), delivered.end(), sum);
        return std::accumulate(dropped_no_descriptor.begin(), dropped_no_descriptor.end(), sum);
    }
};

}  // namespace nicsim::models::i82599
