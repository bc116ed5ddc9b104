// SPDX-License-Identifier: Apache-2.0
#include "host_driver/drivers/ixgbe_itr.h"

namespace nicsim::host::ixgbe {

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
