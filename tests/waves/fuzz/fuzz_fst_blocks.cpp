// SPDX-License-Identifier: Apache-2.0
// Any bytes as the blocks of an FST file, checked in this process before any decoder sees them.
#include <sstream>
#include <string>
#include <string_view>

#include "tests/waves/fuzz/fuzz_main.h"
#include "waves/fst_blocks.h"

void nicsim::waves::read_any(std::string_view bytes) {
    std::istringstream in{std::string(bytes)};
    check_fst_blocks(in, "fuzz.fst");
}
