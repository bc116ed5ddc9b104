// SPDX-License-Identifier: Apache-2.0
// For builds with AddressSanitizer: SystemC names to it the stacks of SC_THREADs when it switches
// to them, but has no bounds for the stack of main when it switches back. From then on an exception
// thrown on main's stack leaves poison behind and sound code is reported.
#pragma once

namespace nicsim::sim {

/// Names main's stack again. Call on it after sc_start has returned or thrown. Nothing in builds
/// without AddressSanitizer.
void name_main_stack_to_sanitizer();

}  // namespace nicsim::sim
