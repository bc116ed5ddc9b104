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

}  // namespace nicsim::host::igb
