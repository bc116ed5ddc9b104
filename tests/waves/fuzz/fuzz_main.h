// SPDX-License-Identifier: Apache-2.0
// What a fuzzer of the readers of waves/ is made of: a function; fuzz_main.cpp is the rest.
#pragma once

#include <string_view>

namespace nicsim::waves {

/// Reads `bytes`, whatever they are. A WaveError is as good as the end; what a reader promises and
/// does not keep ends the program.
void read_any(std::string_view bytes);

}  // namespace nicsim::waves
