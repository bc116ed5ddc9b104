// SPDX-License-Identifier: Apache-2.0
// The command line of nicsim.
#pragma once

namespace nicsim::scenarios {

/// Returns the exit code of the program; never throws.
int command_line(int argc, char** argv);

}  // namespace nicsim::scenarios
