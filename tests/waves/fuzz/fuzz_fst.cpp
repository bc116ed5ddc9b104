// SPDX-License-Identifier: Apache-2.0
// Any bytes as an FST file. The decoder runs in a child that may die; this process may not.
// libFuzzer's handlers live on in the child, so crash-* and oom-* files of damaged inputs appear;
// what counts is that the run ends with `Done` and exit code 0.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "waves/fst_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace nicsim::waves;
    // A name that the child can open too, without a disk.
    static const int fd = memfd_create("fuzz", 0);
    static const std::string name =
        "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(fd);
    if (ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != static_cast<ssize_t>(size)) return 0;
    ReaderOptions options;
    options.decoder_seconds = 1;
    options.decoder_memory = std::uint64_t{256} << 20U;
    try {
        FstReader reader(name, options);
        Change change;
        std::uint64_t time = 0;
        for (std::uint64_t n = 0; n < 100'000 && reader.next(change); ++n) {
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
