// SPDX-License-Identifier: Apache-2.0
// How ixgbe of 2014 adapts the interrupt interval to the traffic: each direction is put into a
// class by its bytes per microsecond, the higher class names the interval aimed at, and the
// interval moves there by integer steps. Values are quarter microseconds; EITR takes them as they
// are, so that its unit of 2.048 us starts at bit 3.
#pragma once

#include <cstdint>

#include "host_driver/drivers/intel_ring.h"

namespace nicsim::host::ixgbe {

constexpr std::uint32_t itr_100k = 40;  ///< 100000 interrupts/s
constexpr std::uint32_t itr_20k = 200;

enum class LatencyClass : std::uint8_t { lowest, low, bulk };

/// The class of one direction after work was done under the interval `itr` (ixgbe_update_itr).
/// `work` starts anew if it was looked at.
LatencyClass update_class(LatencyClass current, intel::Work& work, std::uint32_t itr);

/// The interval aimed at; `bulk` is that of bulk traffic.
constexpr std::uint32_t target_itr(LatencyClass higher, std::uint32_t bulk) {
    return higher == LatencyClass::lowest ? itr_100k : higher == LatencyClass::low ? itr_20k : bulk;
}

/// One step towards the target (ixgbe_set_itr). The division drops the remainder, so that from
/// below it comes to rest short of the target: at 490 for 500, 190 for 200, 326 for 336.
constexpr std::uint32_t smoothed_itr(std::uint32_t current, std::uint32_t target) {
    if (current == target) return target;
    return 10 * target * current / (9 * target + current);
}

/// What goes to EITR (ixgbe_write_eitr): the counter that runs is not touched.
constexpr std::uint32_t eitr_register(std::uint32_t itr) {
    return (itr & 0xff8U) | (1U << 31);
}

}  // namespace nicsim::host::ixgbe
