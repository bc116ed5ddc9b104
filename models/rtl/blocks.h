// SPDX-License-Identifier: Apache-2.0
// Which parts of a device exist as RTL, and putting them into one.
#pragma once

#include <string>
#include <vector>

#include "models/i210/blocks.h"

namespace nicsim::models::rtl {

/// Whether this build has the RTL blocks (it was made with Verilator at hand).
bool available();

/// `tx_packet_buffer`, `interrupt_throttle`, `descriptor_prefetcher`
const std::vector<std::string>& i210_block_names();
/// `names`: some of them. Only if available().
i210::Blocks i210_blocks(const std::vector<std::string>& names);

}  // namespace nicsim::models::rtl
