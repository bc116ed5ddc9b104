// SPDX-License-Identifier: Apache-2.0
#include "host_driver/drivers/ixgbe_itr.h"

#include <algorithm>

namespace nicsim::host::ixgbe {
namespace {

/// An interval by the size of the packets, so that about as many come as a socket's buffer takes:
/// 256ths of a microsecond, piecewise linear up to one that grows no more.
constexpr std::uint32_t interval_by_size(std::uint32_t bytes) {
    if (bytes <= 60) return 5120;
    if (bytes <= 316) return bytes * 40 + 2720;
    if (bytes <= 1084) return bytes * 15 + 11452;
    return bytes < 1968 ? bytes * 5 + 22420 : 32256;
}

constexpr std::uint32_t by_size(const intel::Work& work, bool for_latency, bool slow) {
    std::uint32_t parts = interval_by_size(work.bytes / work.packets);
    if (for_latency) parts /= 2;
    if (slow) parts = std::min(parts, 8064U);
    const std::uint32_t per_step = AdaptiveSide::step_us * (slow ? 64 : 256);
    return (parts + per_step - 1) / per_step * AdaptiveSide::step_us;
}

/// What the packets of the interval that ends say; `us` is that interval.
std::uint32_t next_interval(const AdaptiveSide& side, const intel::Work& work, std::uint32_t us,
                            bool slow) {
    using Side = AdaptiveSide;
    constexpr std::uint32_t too_few = 48;
    constexpr std::uint32_t enough = 96;
    constexpr std::uint32_t far_too_many = 256;
    const std::uint32_t longer = std::min(us + Side::step_us, Side::max_us);
    if (work.packets == 0) return longer + (side.interval & Side::latency);
    if (work.packets < 4 && work.bytes < 9000) return Side::latency + by_size(work, true, slow);
    if (work.packets < too_few) return longer;
    if (work.packets < enough) return us;
    if (work.packets < far_too_many) return std::max(us / 2, Side::min_us);
    return by_size(work, false, slow);
}

}  // namespace

void adapt(AdaptiveSide& side, intel::Work& work, std::uint32_t itr, bool slow, std::uint64_t now) {
    // After a pause, or when polling went on for long, the interval says nothing.
    side.interval = now > side.good_until ? AdaptiveSide::min_us | AdaptiveSide::latency
                                          : next_interval(side, work, itr >> 2, slow);
    side.good_until = now + 1;
    work = {};
}

LatencyClass update_class(LatencyClass current, intel::Work& work, std::uint32_t itr) {
    constexpr std::uint32_t low_above = 10;  // bytes per microsecond
    constexpr std::uint32_t bulk_above = 20;
    const std::uint32_t microseconds = itr >> 2;
    if (work.packets == 0 || microseconds == 0) return current;
    const std::uint32_t rate = work.bytes / microseconds;
    work = {};
    switch (current) {
        case LatencyClass::lowest:
            return rate > low_above ? LatencyClass::low : current;
        case LatencyClass::low:
            if (rate > bulk_above) return LatencyClass::bulk;
            return rate <= low_above ? LatencyClass::lowest : current;
        case LatencyClass::bulk:
            return rate <= bulk_above ? LatencyClass::low : current;
    }
    return current;
}

}  // namespace nicsim::host::ixgbe
