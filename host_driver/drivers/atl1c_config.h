// SPDX-License-Identifier: Apache-2.0
// Settings of the atl1c reference driver: constants of its source, what its patches of 2021 changed
// and what ethtool and ip can change.
#pragma once

#include <cstdint>
#include <string>

#include "sim/param.h"

namespace nicsim::host {

/// When the producer index of a transmit ring is written.
enum class Atl1cDoorbell : std::uint8_t {
    each,     ///< after every packet, until 5.13
    batched,  ///< when byte queue limits say that no other packet follows at once, or on a stop
};

struct Atl1cConfig {
    std::uint64_t instance = 0;
    std::uint64_t queues = 1;
    std::uint64_t tx_ring = 1024;
    std::uint64_t rx_ring = 512;
    std::uint64_t tx_imt = 1000;  ///< units of 2 us
    std::uint64_t rx_imt = 200;   ///< units of 2 us
    std::uint64_t tpd_burst = 5;
    std::uint64_t rfd_burst = 8;
    std::uint64_t interrupt_clear_timer = 50'000;  ///< units of 2 us
    Atl1cDoorbell doorbell = Atl1cDoorbell::each;
    bool threaded_napi = true;
    bool tso = true;
    bool tx_checksum = true;
    bool bql = true;
    bool promiscuous = false;
    bool all_multicast = false;
    std::uint64_t statistics_interval = 0;  ///< ps; 0: nobody asks
    static const sim::ParamTable& params();

    /// What the table's ranges cannot say; the first thing wrong, or an empty string.
    [[nodiscard]] std::string check() const;
};

}  // namespace nicsim::host
