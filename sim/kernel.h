// SPDX-License-Identifier: Apache-2.0
// What the simulation costs the kernel: every process activation is counted.
#pragma once

#include <cstdint>

namespace nicsim::sim {

struct KernelCost {
    std::uint64_t wakeups = 0;  ///< process activations since the start of the program
};

/// One process runs one simulation, so one counter serves.
inline KernelCost kernel_cost;  // NOLINT(*-avoid-non-const-global-variables)

/// Called by every process body of nicsim when the kernel activates it.
inline void count_wakeup() {
    ++kernel_cost.wakeups;
}

}  // namespace nicsim::sim
