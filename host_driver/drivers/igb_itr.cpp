// SPDX-License-Identifier: Apache-2.0
#include "host_driver/drivers/igb_itr.h"

#include <algorithm>

namespace nicsim::host::igb {

std::uint32_t ring_itr(std::uint32_t current, ItrWork rx, ItrWork tx, bool gigabit,
                       IgbItrMode mode) {
    if (!gigabit) return itr_4k;
    std::uint32_t size = 0;
    if (rx.packets != 0) size = rx.bytes / rx.packets;
    if (tx.packets != 0) size = std::max(size, tx.bytes / tx.packets);
    if (size == 0) return current;
    size = std::min(size + 24U, 3000U);  // preamble, FCS and gap; large frames are not starved
    std::uint32_t itr = size > 300 && size < 1200 ? size / 3 : size / 2;
    if (mode == IgbItrMode::dynamic_conservative) itr = std::max(itr, itr_20k);
    return itr;
}

LatencyClass latency_class(LatencyClass current, ItrWork work) {
    if (work.packets == 0) return current;
    const std::uint32_t size = work.bytes / work.packets;
    switch (current) {
        case LatencyClass::lowest:
            if (size > 8000) return LatencyClass::bulk;
            if (work.packets < 5 && work.bytes > 512) return LatencyClass::low;
            break;
        case LatencyClass::low:
            if (work.bytes > 10000) {
                if (size > 8000 || work.packets < 10 || size > 1200) return LatencyClass::bulk;
                if (work.packets > 35) return LatencyClass::lowest;
            } else if (size > 2000) {
                return LatencyClass::bulk;
            } else if (work.packets <= 2 && work.bytes < 512) {
                return LatencyClass::lowest;
            }
            break;
        case LatencyClass::bulk:
            if (work.bytes > 25000) {
                if (work.packets > 35) return LatencyClass::low;
            } else if (work.bytes < 1500) {
                return LatencyClass::low;
            }
            break;
    }
    return current;
}

std::uint32_t class_itr(LatencyClass rx, LatencyClass tx, bool gigabit, IgbItrMode mode) {
    std::uint32_t itr = itr_4k;
    if (gigabit) {
        LatencyClass slower = std::max(rx, tx);
        if (slower == LatencyClass::lowest && mode == IgbItrMode::dynamic_conservative)
            slower = LatencyClass::low;
        itr = slower == LatencyClass::lowest ? itr_70k
              : slower == LatencyClass::low  ? itr_20k
                                             : itr_4k;
    }
    return itr;
}

}  // namespace nicsim::host::igb
