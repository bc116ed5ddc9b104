// SPDX-License-Identifier: Apache-2.0
// How igb adapts the interrupt interval to the traffic. Values are as written to EITR: units of
// a quarter microsecond with the two low bits unused, so 196 is 49 us.
// Not modelled: the classes of traffic that igb uses with one vector for all (MSI).
#pragma once

#include <cstdint>

#include "host_driver/drivers/igb_config.h"
#include "host_driver/drivers/intel_ring.h"

namespace nicsim::host::igb {

constexpr std::uint32_t itr_start = 648;
constexpr std::uint32_t itr_4k = 980;   ///< 4000 interrupts/s
constexpr std::uint32_t itr_20k = 196;  ///< 20000

using ItrWork = intel::Work;

/// By the average frame of the vector's rings (igb_update_ring_itr). Returns the new value,
/// `current` if no work was done.
std::uint32_t ring_itr(std::uint32_t current, ItrWork rx, ItrWork tx, bool gigabit,
                       IgbItrMode mode);

/// What goes to the register for a value (igb_write_itr).
constexpr std::uint32_t eitr_register(std::uint32_t itr) {
    const std::uint32_t interval = itr & 0x7ffcU;
    return (interval == 0 ? 4U : interval) | (1U << 31);
}

}  // namespace nicsim::host::igb
