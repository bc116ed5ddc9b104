// SPDX-License-Identifier: Apache-2.0
// Any bytes as an FST file, with the decoder in its child process as users have it. The child may
// die of a damaged file; this process may not, and after each file it has neither a child nor a
// descriptor more than before. What the child covers is seen here too, since both share the
// counters.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "tests/waves/fuzz/fuzz_main.h"
#include "waves/fst_reader.h"

void share_counters();  // share_counters.cpp

namespace {

using namespace nicsim::waves;

/// What must not grow: children, and the lowest free descriptor. (libFuzzer has some of its own.)
struct Held {
    int next_descriptor = 0;
    std::string children;
    bool operator==(const Held&) const = default;
};
Held held_now() {
    Held held;
    held.next_descriptor = ::dup(0);
    ::close(held.next_descriptor);
    std::getline(std::ifstream("/proc/thread-self/children"), held.children);
    return held;
}

void read_all(const std::string& name) {
    ReaderOptions options;
    options.decoder_seconds = 1;
    options.decoder_memory = std::uint64_t{256} << 20U;
    options.name_bytes = std::uint64_t{16} << 20U;
    FstReader reader(name, options);
    Change change;
    std::uint64_t time = 0;
    for (std::uint64_t n = 0; n < 100'000 && reader.next(change); ++n) {
        if (change.handle >= reader.handles() || change.time < time) std::abort();
        time = change.time;
    }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
    share_counters();
    return 0;
}

void nicsim::waves::read_any(std::string_view bytes) {
    // A name that the child can open too, without a disk.
    static const int fd = memfd_create("fuzz", 0);
    static const std::string name =
        "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(fd);
    const Held before = held_now();
    if (ftruncate(fd, 0) != 0 ||
        pwrite(fd, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        return;
    try {
        read_all(name);
    } catch (const WaveError& error) {
        // Every failure names the file and more than that.
        if (std::string(error.what()).size() < name.size() + 10) std::abort();
    }
    if (held_now() != before) std::abort();
}
