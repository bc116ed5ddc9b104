// SPDX-License-Identifier: Apache-2.0
// Puts the counters of what is covered into memory that children share. Compiled without counters
// of its own: the compiler's declarations of the bounds and these do not agree in one file.
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

extern "C" {
// The linker defines these; the weak names stand for nothing without counters.
extern char __start___sancov_cntrs __attribute__((weak, visibility("hidden")));  // NOLINT
extern char __stop___sancov_cntrs __attribute__((weak, visibility("hidden")));   // NOLINT
}

// The counters begin with a page; behind them come tables that nobody writes.
__asm__(".pushsection __sancov_cntrs,\"aw\"\n.balign 4096\n.popsection");

void share_counters();
void share_counters() {
    constexpr std::uintptr_t page = 4096;
    const auto from = reinterpret_cast<std::uintptr_t>(&__start___sancov_cntrs);
    auto to = reinterpret_cast<std::uintptr_t>(&__stop___sancov_cntrs);
    if (from % page != 0) std::abort();
    to = (to + page - 1) / page * page;
    auto* place = reinterpret_cast<char*>(from);  // NOLINT: an address is what it is
    const std::string kept(place, to - from);
    if (::mmap(place, to - from, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1,
               0) != place)
        std::abort();
    std::memcpy(place, kept.data(), kept.size());
}
