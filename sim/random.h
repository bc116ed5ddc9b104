// SPDX-License-Identifier: Apache-2.0
// Named random streams: each is derived from the scenario's seed and its own name, so adding a
// stream never changes the numbers of another. Same bytes on every machine.
#pragma once

#include <cstdint>
#include <random>
#include <string_view>

#include "sim/time.h"

namespace nicsim::sim {

class RandomStream {
public:
    RandomStream(std::uint64_t seed, std::string_view name);

    std::uint64_t bits() { return engine_(); }
    /// Uniform in [0, 1).
    double uniform() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }
    /// Uniform in [0, bound); bound > 0. The bias is below bound / 2^64.
    std::uint64_t below(std::uint64_t bound) {
        return static_cast<std::uint64_t>((static_cast<Uint128>(engine_()) * bound) >> 64);
    }
    /// Standard normal (polar method, independent of the library's distributions).
    double normal();

private:
    std::mt19937_64 engine_;
    double spare_ = 0.0;
    bool has_spare_ = false;
};

}  // namespace nicsim::sim
