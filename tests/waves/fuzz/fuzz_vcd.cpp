// SPDX-License-Identifier: Apache-2.0
// Any bytes as a VCD file, with any part of its signals selected.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "waves/vcd_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace nicsim::waves;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    try {
        VcdReader reader("fuzz.vcd", std::make_unique<MemorySource>(bytes));
        if (size % 3 == 0) {
            std::vector<bool> wanted(reader.handles());
            for (std::size_t i = 0; i < wanted.size(); i += 2) wanted[i] = true;
            reader.select(std::move(wanted));
        }
        Change change;
        std::uint64_t time = 0;
        while (reader.next(change)) {
            // What a reader promises.
            if (change.handle >= reader.handles() || change.time < time) std::abort();
            time = change.time;
        }
    } catch (const WaveError&) {
    }
    return 0;
}

extern "C" int sc_main(int /*argc*/, char** /*argv*/) {
    return 0;
}
