// SPDX-License-Identifier: Apache-2.0
// The waves of a run with models beside those of the same run with RTL: both have one time base, so
// changes are compared at the times they have, within the bound of the blocks that are RTL.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/runner.h"

namespace nicsim::scenarios {

/// The first change of a signal that leaves the bound.
struct LeavingSignal {
    std::string signal;
    std::uint64_t at_ps = 0;       ///< of whichever run changes first
    std::string what;              ///< the runs do there, for people
    std::optional<double> cycles;  ///< RTL behind the model; absent if the same change never comes
    std::uint64_t changes_before = 0;
};

struct ComparedWaves {
    std::uint64_t signals = 0;
    std::uint64_t agreeing = 0;  ///< of them, with every change within the bound
    std::uint64_t changes = 0;   ///< that agree
    unsigned bound_cycles = 0;
    std::vector<LeavingSignal> leaving;  ///< the earliest first, and with it the likely cause
};

/// Cycles that the decisions of any of these blocks may be apart from its model's (docs/rtl.md).
unsigned rtl_bound_cycles(const std::vector<std::string>& blocks);

/// Throws waves::WaveError.
ComparedWaves compare_waves(const std::string& model_file, const std::string& rtl_file,
                            unsigned bound_cycles);

/// The traces of these runs: from the very beginning unless the user says from when, since what
/// parts them may lie before the driver is up.
std::vector<std::string> against_trace_arguments(const RunTraceOptions& traces);

/// Lines for people, with the commands that show more.
std::string waves_text(const ComparedWaves& waves, const RunOptions& options,
                       const std::vector<std::string>& blocks);

}  // namespace nicsim::scenarios
