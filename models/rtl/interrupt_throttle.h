// SPDX-License-Identifier: Apache-2.0
// Puts the RTL of an interrupt throttle (interrupt_throttle.sv, by Verilator) behind
// models::ClockedThrottle, in the place of the counter in C++. Intervals must be whole
// microseconds, at most 8191.
#pragma once

#include <memory>

#include "models/common/interrupt_throttle.h"

namespace nicsim::models::rtl {

std::unique_ptr<InterruptThrottleIf> make_interrupt_throttle(const char* name, ThrottleStart start,
                                                             unsigned index,
                                                             sim::Callback<unsigned> issue,
                                                             sim::Callback<unsigned> expired);

}  // namespace nicsim::models::rtl
