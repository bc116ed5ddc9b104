// SPDX-License-Identifier: Apache-2.0
// How ixgbe adapts the interrupt interval to the traffic. Values are quarter microseconds; EITR
// takes them as they are, so that its unit of 2.048 us starts at bit 3.
//
// Until Linux 4.14: each direction is put into a class by its bytes per microsecond, the higher
// class names the interval aimed at, and the interval moves there by integer steps.
// Since 4.15: each direction finds an interval, in microseconds, from the packets of the interval
// that ends, and the shorter one is taken at once.
#pragma once

#include <cstdint>

#include "host_driver/drivers/intel_ring.h"
#include "sim/time.h"

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

/// One direction since 4.15 (ixgbe_ring_container).
struct AdaptiveSide {
    static constexpr std::uint32_t min_us = 10;
    static constexpr std::uint32_t max_us = 126;
    static constexpr std::uint32_t step_us = 2;
    /// Marks an interval that was chosen for latency; its direction then leaves the choice to the
    /// other one, unless that is so marked, too.
    static constexpr std::uint32_t latency = 0x80;

    std::uint32_t interval = max_us | latency;  ///< microseconds, with the mark
    std::uint64_t good_until = 0;               ///< tick
};
/// The kernel's ticks up to `t` (CONFIG_HZ=250 of Debian and Ubuntu).
constexpr std::uint64_t ticks(sim::Ps t) {
    return t / (4 * sim::ps_per_ms);
}
/// Looks at `work` done under the interval `itr` up to the tick `now` (ixgbe_update_itr). `work`
/// starts anew. `slow`: the link has 1 Gbit/s or less.
void adapt(AdaptiveSide& side, intel::Work& work, std::uint32_t itr, bool slow, std::uint64_t now);
/// The interval of both directions (ixgbe_set_itr).
constexpr std::uint32_t shorter_itr(const AdaptiveSide& a, const AdaptiveSide& b) {
    const std::uint32_t us = a.interval < b.interval ? a.interval : b.interval;
    return (us & ~AdaptiveSide::latency) << 2;
}

/// What goes to EITR (ixgbe_write_eitr): the counter that runs is not touched.
constexpr std::uint32_t eitr_register(std::uint32_t itr) {
    return (itr & 0xff8U) | (1U << 31);
}

}  // namespace nicsim::host::ixgbe
