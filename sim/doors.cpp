// SPDX-License-Identifier: Apache-2.0
#include "sim/doors.h"

#include <array>

namespace nicsim::sim {

const char* name_of(DmaPurpose purpose) {
    static constexpr std::array<const char*, dma_purposes> names = {
        "other",         "tx_descriptor", "tx_data",     "tx_writeback",
        "rx_descriptor", "rx_data",       "rx_writeback"};
    return names[static_cast<unsigned>(purpose)];
}

}  // namespace nicsim::sim
