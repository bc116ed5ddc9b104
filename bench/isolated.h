// SPDX-License-Identifier: Apache-2.0
// Runs one simulation in a child process, since a process can hold only one, and says what it cost.
#pragma once

#include <cstdint>
#include <functional>

namespace nicsim::bench {

/// What a simulation did and cost. Plain data: it crosses a pipe.
struct Cost {
    std::uint64_t packets = 0;
    std::uint64_t wakeups = 0;     ///< process activations
    double cpu_seconds = 0.0;      ///< user and system time of the measured part
    std::uint64_t peak_bytes = 0;  ///< greatest resident size of the child
};

/// CPU time (user and system) of the calling process so far, in seconds.
double cpu_seconds_now();

/// Forks, lets the child run `simulation`, and returns what it reported with the peak memory filled
/// in. Throws std::runtime_error if the child fails.
Cost run_isolated(const std::function<Cost()>& simulation);

}  // namespace nicsim::bench
