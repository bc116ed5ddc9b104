// SPDX-License-Identifier: Apache-2.0
// What every receive side counts, from the MAC to the packet buffer; a device adds what its own
// registers count. Every frame that comes in while receive is enabled ends in exactly one of the
// errors, a drop, or delivery.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/frame_sizes.h"
#include "models/common/mac_rx.h"
#include "models/common/rx_path.h"
#include "sim/stat.h"

namespace nicsim::models {

struct RxMacCounts {
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
    std::uint64_t missed = 0;      ///< no room in the packet buffer
    std::uint64_t no_buffers = 0;  ///< RNBC: came in while its ring had no descriptor
    std::uint64_t dropped_queue_disabled = 0;
    std::uint64_t dropped_by_reset = 0;

    /// Counts a frame that came in; false if it ends here because it is faulty.
    bool arrived(const MacRx::Arrival& arrival);
    /// Counts a good frame that the filters let pass.
    void passed(const RxStored& stored);
    /// Frames that ended before a queue took them.
    [[nodiscard]] std::uint64_t ended_before_queue() const {
        return crc_errors + undersize + oversize + control + filtered + missed +
               dropped_queue_disabled + dropped_by_reset;
    }
    /// `longest`: the rule that makes a frame oversize, as "RLPML or 1522 bytes".
    void register_stats(sim::StatGroup& group, const char* longest) const;
};

}  // namespace nicsim::models
