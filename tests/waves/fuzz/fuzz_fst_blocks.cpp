// SPDX-License-Identifier: Apache-2.0
// Any bytes as the blocks of an FST file, checked in this process before any decoder sees them.
#include <cstdint>
#include <sstream>
#include <string>

#include "waves/fst_blocks.h"
#include "waves/wave.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
    try {
        nicsim::waves::check_fst_blocks(in, "fuzz.fst");
    } catch (const nicsim::waves::WaveError&) {
    }
    return 0;
}

extern "C" int sc_main(int /*argc*/, char** /*argv*/) {
    return 0;
}
