// SPDX-License-Identifier: Apache-2.0
// The grammar of nicsim's scenario files and how one is loaded.
#pragma once

#include <string>
#include <vector>

#include "scenarios/bound.h"

namespace nicsim::scenarios {

/// The grammar, made of the parameter tables of every part and the registry of kinds.
const Block& scenario_grammar();

/// Loads, overrides and binds. Throws InputError with every problem found.
BoundBlock load_scenario(const std::string& path, const std::vector<std::string>& sets);

}  // namespace nicsim::scenarios
