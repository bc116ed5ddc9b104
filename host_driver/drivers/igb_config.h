// SPDX-License-Identifier: Apache-2.0
// Settings of the igb reference driver: what ethtool, module parameters and the two patches of 2021
// on Qav packet buffers can change.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/param.h"

namespace nicsim::host {

/// How often interrupts may come (rx-usecs of ethtool).
enum class IgbItrMode : std::uint8_t {
    dynamic_conservative,  ///< adaptive, never above 20000 interrupts/s (the default)
    dynamic,               ///< adaptive
    fixed,                 ///< `itr_interval`
    off,                   ///< the shortest interval
};

/// When the tail register is written.
enum class IgbDoorbell : std::uint8_t {
    more_hint,    ///< not while more packets for the queue follow at once
    each_packet,  ///< after every packet
};

struct IgbConfig {
    std::uint64_t instance = 0;
    std::uint64_t queue_pairs = 4;
    std::uint64_t tx_ring = 256;
    std::uint64_t rx_ring = 256;
    std::uint64_t tx_pthresh = 8;
    std::uint64_t tx_hthresh = 1;
    std::uint64_t tx_wthresh = 16;
    std::uint64_t rx_pthresh = 8;
    std::uint64_t rx_hthresh = 8;
    std::uint64_t rx_wthresh = 4;
    std::uint64_t tx_stop = 21;
    std::uint64_t tx_wake = 42;
    std::uint64_t tx_work_limit = 128;
    std::uint64_t rx_refill_batch = 16;
    bool tso = true;
    bool tx_checksum = true;
    bool bql = true;
    bool watchdog = true;
    IgbDoorbell doorbell = IgbDoorbell::more_hint;
    IgbItrMode itr_mode = IgbItrMode::dynamic_conservative;
    std::uint64_t itr_interval = 50'000'000;  ///< ps
    IgbItrMode tx_itr_mode = IgbItrMode::dynamic_conservative;
    std::uint64_t tx_itr_interval = 50'000'000;  ///< ps
    std::vector<std::uint64_t> tx_packet_buffer = {6144, 6144, 6144, 6144};
    std::uint64_t max_tx_packet = 4032;
    static const sim::ParamTable& params();

    /// Each receive and each transmit queue has a vector of its own (igb_set_flag_queue_pairs).
    [[nodiscard]] bool split_vectors() const { return queue_pairs <= 2; }
    /// Vectors of queues; one more is for other causes.
    [[nodiscard]] unsigned queue_vectors() const {
        return static_cast<unsigned>(split_vectors() ? 2 * queue_pairs : queue_pairs);
    }
    /// What the table's ranges cannot say; the first thing wrong, or an empty string.
    [[nodiscard]] std::string check() const;
};

}  // namespace nicsim::host
