// SPDX-License-Identifier: Apache-2.0
// Rules of a whole scenario, over parts that know nothing of one another.
#pragma once

#include <vector>

#include "scenarios/bound.h"
#include "scenarios/grammar.h"

namespace nicsim::scenarios {

/// Everything that is wrong with a scenario in which every part is right by itself.
std::vector<Fault> scenario_faults(const BoundBlock& scenario);

}  // namespace nicsim::scenarios
