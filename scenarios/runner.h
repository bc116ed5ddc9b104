// SPDX-License-Identifier: Apache-2.0
// One run from a scenario file to its results. A process can make one run only, since it can hold
// one simulation only.
#pragma once

#include <string>
#include <vector>

#include "scenarios/run_traces.h"

namespace nicsim::scenarios {

struct RunOptions {
    std::string scenario;
    std::vector<std::string> sets;
    std::string out;         ///< folder for result.json; empty for none
    std::string tlp;         ///< file for the TLP capture; empty for none
    std::string tlp_filter;  ///< which TLPs
    bool json = false;       ///< result on standard output instead of the table
    bool quiet = false;      ///< no progress bar, no table
    RunTraceOptions traces;
};

enum ExitCode : int {
    exit_ok = 0,
    exit_missed = 1,     ///< an expectation or a fidelity goal was not met
    exit_bad_input = 2,  ///< scenario, arguments or output folder
    exit_internal = 3,
    exit_interrupted = 130,
};

/// Returns the exit code. Throws InputError.
int run_scenario(const RunOptions& options);

/// From now on, SIGINT and SIGTERM are noted instead of ending the program.
void note_interrupts();
/// The signal that was noted, or 0.
int interrupted();

}  // namespace nicsim::scenarios
