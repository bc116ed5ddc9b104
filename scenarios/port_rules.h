// SPDX-License-Identifier: Apache-2.0
// The rules of a scenario with several ports: which names there are, who is plugged in where.
#pragma once

#include <vector>

#include "scenarios/bound.h"
#include "scenarios/grammar.h"

namespace nicsim::scenarios {

/// The lists `ports` and `generators`.
Field ports_field();
Field generators_field();

/// What is wrong with them and with the workloads that name ports.
std::vector<Fault> port_faults(const BoundBlock& scenario);

}  // namespace nicsim::scenarios
