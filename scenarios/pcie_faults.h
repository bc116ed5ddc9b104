// SPDX-License-Identifier: Apache-2.0
// Faults of the bus in a scenario: `pcie.faults`, a list whose items have a `type`.
#pragma once

#include <string>
#include <vector>

#include "pcie/faults.h"
#include "scenarios/bound.h"
#include "scenarios/grammar.h"

namespace nicsim::scenarios {

/// The list as a field of the block `pcie`.
Field pcie_faults_field();

constexpr const char* only_link = "link";
constexpr const char* switch_link = "link_to_switch";
/// The link of a network card: `link`, or `link_NAME` if its port has a name.
std::string device_link(const std::string& port);

/// The faults of the link `link`; if that is the first device's, also those that name none.
std::vector<pcie::Fault> pcie_faults(const BoundBlock& pcie_block, const std::string& link,
                                     bool first_device);

/// Faults on links that the scenario's machine does not have. `device_links` are the names of the
/// links that its devices hang on.
std::vector<Fault> pcie_fault_links(const BoundBlock& scenario,
                                    std::vector<std::string> device_links);

}  // namespace nicsim::scenarios
