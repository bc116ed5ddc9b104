// SPDX-License-Identifier: Apache-2.0
// The keys of a scenario that belong to no part of the machine: what it is called, how long it
// runs, what is expected of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/param.h"

namespace nicsim::scenarios {

struct RunConfig {
    std::string name;
    std::string description;
    std::uint64_t seed = 1;
    std::uint64_t warmup = 300'000'000'000;    ///< ps
    std::uint64_t duration = 500'000'000'000;  ///< ps, measured after the warm-up
    static const sim::ParamTable& params();
};

/// One thing that a run has to show: `value` within `tolerance`, or a bound, or both bounds.
struct ExpectConfig {
    std::string stat;
    std::string value;
    double tolerance = 0.0;
    std::string min;
    std::string max;
    static const sim::ParamTable& params();
};

/// One of several ports of the machine.
struct PortConfig {
    std::string name;
    std::vector<std::uint64_t> interrupt_affinity;  ///< empty: that of the host
    static const sim::ParamTable& params();
};

/// Where an external generator is plugged in.
struct GeneratorPlaces {
    std::string name;
    std::string into;
    std::string out_of;
    bool enabled = true;
    static const sim::ParamTable& params();
};

/// What every workload has whatever its type.
struct WorkloadConfig {
    std::string name;
    bool enabled = true;
    std::uint64_t core = 0;
    std::string nic_port;
    static const sim::ParamTable& params();
};

}  // namespace nicsim::scenarios
