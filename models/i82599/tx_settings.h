// SPDX-License-Identifier: Apache-2.0
// What software has set for the transmit side, decoded from the registers once at each write.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/tx_segment.h"
#include "models/i82599/registers.h"

namespace nicsim::models::i82599 {

struct TxSettings {
    bool enabled = false;                 ///< DMATXCTL.TE and not RTTDCS.ARBDIS
    std::uint32_t outstanding_limit = 0;  ///< bytes, DTXMXSZRQ
    std::uint32_t class_mode = 0;         ///< MTQC
    std::array<std::uint32_t, traffic_classes> buffer_bytes{};     ///< TXPBSIZE
    std::array<std::uint32_t, traffic_classes> threshold_bytes{};  ///< TXPBTHRESH
    TcpFlagMasks tcp_flags;

    /// The traffic class, and with it the packet buffer, that a queue belongs to (MTQC).
    [[nodiscard]] unsigned class_of(unsigned queue) const {
        if ((class_mode & mtqc::RT_ENA) == 0) return 0;
        const bool eight = (class_mode >> mtqc::num_tc_shift & 3U) == 3;
        // With pools the classes of a pool stand side by side.
        if ((class_mode & mtqc::VT_ENA) != 0) return queue % (eight ? 8 : 4);
        if (eight)
            return queue < 64   ? queue / 32
                   : queue < 96 ? 2 + (queue - 64) / 16
                                : 4 + (queue - 96) / 8;
        return queue < 64 ? 0 : queue < 96 ? 1 : 2 + (queue - 96) / 16;
    }
};

}  // namespace nicsim::models::i82599
