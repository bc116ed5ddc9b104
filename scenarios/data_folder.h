// SPDX-License-Identifier: Apache-2.0
// Where the shipped scenarios, profiles and reference measurements are.
#pragma once

#include <string>
#include <vector>

namespace nicsim::scenarios {

/// `$NICSIM_DATA`, or the installed folder beside the program, or the source folder that it was
/// built from. Throws InputError if there is none.
std::string data_folder();

struct ShippedScenario {
    std::string name;  ///< `i210/qav_8844`
    std::string path;
    std::string description;  ///< first line
};
/// In order of their names; profiles and reference data are not scenarios.
std::vector<ShippedScenario> shipped_scenarios();

/// The file that a user means: a path, or the name of a shipped scenario. Throws InputError with
/// the nearest name.
std::string find_scenario(const std::string& given);

/// The path of the running program.
std::string program_path();

}  // namespace nicsim::scenarios
