// SPDX-License-Identifier: Apache-2.0
#include "tests/waves/fuzz/fuzz_main.h"

#include <cstddef>
#include <cstdint>

#include "waves/wave.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        nicsim::waves::read_any({reinterpret_cast<const char*>(data), size});
    } catch (const nicsim::waves::WaveError&) {
    }
    return 0;
}

// SystemC's library wants one of whoever links it, and gives its own main in return; nothing here
// starts a simulation.
extern "C" int sc_main(int /*argc*/, char** /*argv*/) {
    return 0;
}
