// SPDX-License-Identifier: Apache-2.0
// What a scenario expects of its statistics, checked for sense before the run and for truth after.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/bound.h"
#include "scenarios/stat_view.h"

namespace nicsim::scenarios {

struct Expectation {
    std::string stat;
    std::string unit;
    std::optional<double> value, min, max;
    double tolerance = 0.0;
    // Filled in by `judge`.
    double simulated = 0.0;
    std::optional<double> error;  ///< relative, of `value`
    bool met = false;
};

/// Throws InputError if a statistic does not exist or a number makes no sense.
std::vector<Expectation> read_expectations(const BoundBlock& scenario, const StatReader& stats);
void judge(std::vector<Expectation>& expectations, const StatReader& stats);

/// How a statistic's unit is written in scenarios.
sim::Unit unit_of_statistic(const std::string& unit);

}  // namespace nicsim::scenarios
