// SPDX-License-Identifier: Apache-2.0
// The highest rate at which a scenario loses no frame (RFC 2544, section 26.1): bisection over the
// rate that a generator offers, each trial a simulation of its own in another process.
//
// A trial passes if every frame that was sent in it came back whole. As bisection does, the search
// takes for granted that a rate above one that loses frames loses some too.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "scenarios/diagnostics.h"

namespace nicsim::scenarios {

struct SearchOptions {
    std::string scenario;
    std::vector<std::string> sets;
    std::string generator;         ///< empty: the only one
    std::string lowest = "1kpps";  ///< rates and times as text, checked by the search
    std::string highest;           ///< empty: the rate of the wire
    std::string resolution = "1kpps";
    std::string trial = "50ms";  ///< sending time
    std::string drain = "10ms";  ///< waiting time for the last frames
    bool json = false;
    bool quiet = false;
};

struct Trial {
    std::uint64_t rate = 0;  ///< frames per second offered
    std::uint64_t offered = 0;
    std::uint64_t lost = 0;
    std::uint64_t wrong = 0;
    double latency_mean = 0.0;  ///< ps
    double latency_p99 = 0.0;
    [[nodiscard]] bool passed() const { return offered != 0 && lost == 0 && wrong == 0; }
};

/// The bracket that bisection ends with: no loss at `passed`, loss at `failed`, no further apart
/// than the resolution. `passed` is 0 if even the lowest rate fails; `failed` is 0 if the highest
/// rate passes.
struct Bracket {
    std::uint64_t passed = 0;
    std::uint64_t failed = 0;
    std::vector<Trial> trials;  ///< in the order made
};

/// Tries the highest rate first, then the lowest, then bisects.
Bracket bisect(std::uint64_t lowest, std::uint64_t highest, std::uint64_t resolution,
               const std::function<Trial(std::uint64_t rate)>& run);

/// Returns the exit code: 1 if even the lowest rate loses frames. Throws InputError.
int run_rfc2544(const SearchOptions& options);

}  // namespace nicsim::scenarios
