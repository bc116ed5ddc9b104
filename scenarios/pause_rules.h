// SPDX-License-Identifier: Apache-2.0
// Rules about pause frames, and about far ends that are a slower switch: nothing that a scenario
// asks for may be without effect.
#pragma once

#include <vector>

#include "scenarios/bound.h"
#include "scenarios/grammar.h"

namespace nicsim::scenarios {

/// What is wrong with the block `far_end` by itself.
std::vector<Fault> far_end_faults(const BoundBlock& far_end);

/// What is wrong between pause frames, the device and the cables.
std::vector<Fault> pause_faults(const BoundBlock& scenario);

}  // namespace nicsim::scenarios
