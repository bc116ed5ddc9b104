// SPDX-License-Identifier: Apache-2.0
// Faults of the bus in a scenario: `pcie.faults`, a list whose items have a `type`.
#pragma once

#include <vector>

#include "pcie/faults.h"
#include "scenarios/bound.h"
#include "scenarios/grammar.h"

namespace nicsim::scenarios {

/// The list as a field of the block `pcie`.
Field pcie_faults_field();

/// The faults of a bound block `pcie`.
std::vector<pcie::Fault> pcie_faults(const BoundBlock& pcie_block);

}  // namespace nicsim::scenarios
