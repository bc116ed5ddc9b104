// SPDX-License-Identifier: Apache-2.0
// Verilator's runtime for code that also knows SystemC. It would take the kernel's time for that of
// its models if it saw the kernel's version; ours have their own, see clock_edges.h.
#pragma once

#include <systemc>

#pragma push_macro("SYSTEMC_VERSION")
#undef SYSTEMC_VERSION
#include <verilated.h>
#pragma pop_macro("SYSTEMC_VERSION")

namespace nicsim::models::rtl {

/// A falling and a rising edge of the model's clock.
template <class Model>
void clock_cycle(Model& model) {
    model.clk = 0;
    model.eval();
    model.clk = 1;
    model.eval();
}

}  // namespace nicsim::models::rtl
