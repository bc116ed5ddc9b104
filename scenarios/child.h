// SPDX-License-Identifier: Apache-2.0
// Runs nicsim itself in another process and takes what it prints.
#pragma once

#include <string>
#include <vector>

namespace nicsim::scenarios {

struct ChildResult {
    int code = -1;       ///< exit code; 128 + signal if it was killed; -1 if it did not start
    std::string output;  ///< standard output
    std::string errors;  ///< standard error
};
ChildResult run_child(const std::string& program, const std::vector<std::string>& arguments);

}  // namespace nicsim::scenarios
