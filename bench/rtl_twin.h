// SPDX-License-Identifier: Apache-2.0
// What the RTL of the transmit packet buffer costs beside its model, on the same stimulus.
#pragma once

#include <cstdint>

#include "bench/isolated.h"

namespace nicsim::bench {

/// A stream of frames through the I210's transmit side on a plain bus, at line rate in Qav mode.
/// All but the packet buffer is the same with `rtl` and without.
Cost measure_transmit(bool rtl, std::uint32_t length, std::uint64_t frames);

}  // namespace nicsim::bench
