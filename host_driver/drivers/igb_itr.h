// SPDX-License-Identifier: Apache-2.0
// How igb adapts the interrupt interval to the traffic. Values are as written to EITR: units of
// a quarter microsecond with the two low bits unused, so 196 is 49 us.
#pragma once

#include <cstdint>

#include "host_driver/drivers/igb_config.h"
#include "host_driver/drivers/intel_ring.h"

namespace nicsim::host::igb {

constexpr std::uint32_t itr_start = 648;
constexpr std::uint32_t itr_4k = 980;   ///< 4000 interrupts/s
constexpr std::uint32_t itr_20k = 196;  ///< 20000
constexpr std::uint32_t itr_70k = 56;   ///< 70000

using ItrWork = intel::Work;

/// With a vector per queue pair: by the average frame (igb_update_ring_itr). Returns the new value,
/// `current` if no work was done.
std::uint32_t ring_itr(std::uint32_t current, ItrWork rx, ItrWork tx, bool gigabit,
                       IgbItrMode mode);

/// With one vector for all: by class of traffic, each direction on its own (igb_update_itr).
enum class LatencyClass : std::uint8_t { lowest, low, bulk };
LatencyClass latency_class(LatencyClass current, ItrWork work);
/// The value for the slower of both classes. (igb_set_itr also means to lengthen the interval
/// gradually, but takes the maximum of the step and the goal, which is the goal.)
std::uint32_t class_itr(LatencyClass rx, LatencyClass tx, bool gigabit, IgbItrMode mode);

/// What goes to the register for a value (igb_write_itr).
constexpr std::uint32_t eitr_register(std::uint32_t itr) {
    const std::uint32_t interval = itr & 0x7ffcU;
    return (interval == 0 ? 4U : interval) | (1U << 31);
}

}  // namespace nicsim::host::igb
