// SPDX-License-Identifier: Apache-2.0
// What the benchmarks measure, each in a process of its own: the kernel's event, the floor, and a
// scenario on the whole machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/floor.h"
#include "bench/isolated.h"

namespace nicsim::bench {

/// Timed SC_METHOD events and nothing else; `packets` of the answer are events. One is called U.
Cost measure_kernel_events(std::uint64_t events);

Cost measure_floor(const FloorConfig& config);

/// A shipped scenario, from the end of its warm-up for its duration. `packets` are frames that the
/// device put on the wire.
Cost measure_scenario(const std::string& scenario, const std::vector<std::string>& sets);

}  // namespace nicsim::bench
