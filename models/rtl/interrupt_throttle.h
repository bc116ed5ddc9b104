// SPDX-License-Identifier: Apache-2.0
// Puts the RTL of an interrupt throttle (interrupt_throttle.sv, by Verilator) in the place of
// models::InterruptThrottle. Its clock is run on demand, see edges.h; calls are handed to it one
// per clock, in their order. Intervals must be whole microseconds, at most 8191.
#pragma once

#include <memory>

#include "models/common/interrupt_throttle.h"

namespace nicsim::models::rtl {

std::unique_ptr<InterruptThrottleIf> make_interrupt_throttle(const char* name, ThrottleStart start,
                                                             unsigned index,
                                                             sim::Callback<unsigned> issue,
                                                             sim::Callback<unsigned> expired);

}  // namespace nicsim::models::rtl
