// SPDX-License-Identifier: Apache-2.0
// What the receive side counts. Every frame that comes in while receive is enabled ends in exactly
// one of `delivered`, a drop or an error; see RxCounts::accounted.
#pragma once

#include <array>
#include <cstdint>

#include "models/i210/registers.h"

namespace nicsim::models::i210 {

struct RxCounts {
    // ---- at the MAC ----
    std::uint64_t total_packets = 0;  ///< TPR
    std::uint64_t total_octets = 0;   ///< TOR, with FCS
    std::uint64_t crc_errors = 0;     ///< CRCERRS
    std::uint64_t undersize = 0;      ///< RUC
    std::uint64_t oversize = 0;       ///< ROC
    std::uint64_t filtered = 0;       ///< no filter wanted it
    // ---- good frames that passed the filters ----
    std::uint64_t good_packets = 0;  ///< GPRC
    std::uint64_t good_octets = 0;   ///< GORC, with FCS
    std::uint64_t multicast = 0;     ///< MPRC
    std::uint64_t broadcast = 0;     ///< BPRC
    /// By size with FCS: 64, 65-127, 128-255, 256-511, 512-1023, 1024 and more.
    std::array<std::uint64_t, 6> by_size{};
    // ---- and what became of them ----
    std::uint64_t missed = 0;      ///< MPC: no room in the packet buffer
    std::uint64_t no_buffers = 0;  ///< RNBC: had to wait for a descriptor or was dropped for one
    std::array<std::uint64_t, queues> dropped_no_descriptor{};  ///< RQDPC: DROP_EN
    std::uint64_t dropped_queue_disabled = 0;
    std::uint64_t dropped_by_reset = 0;
    std::array<std::uint64_t, queues> delivered{};         ///< PQGPRC
    std::array<std::uint64_t, queues> delivered_octets{};  ///< PQGORC
    std::array<std::uint64_t, queues> delivered_multicast{};

    [[nodiscard]] std::uint64_t accounted() const {
        std::uint64_t sum = crc_errors + undersize + oversize + filtered + missed +
                            dropped_queue_disabled + dropped_by_reset;
        for (unsigned q = 0; q < queues; ++q) sum += dropped_no_descriptor[q] + delivered[q];
        return sum;
    }
};

}  // namespace nicsim::models::i210
