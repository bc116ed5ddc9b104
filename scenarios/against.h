// SPDX-License-Identifier: Apache-2.0
// `nicsim run SCENARIO --against rtl`: the same scenario with models and with RTL blocks, and how
// far their decisions, results and waves are apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/against_waves.h"
#include "scenarios/runner.h"

namespace nicsim::scenarios {

/// Decisions of one kind (`nic.tx.arbiter.send`) of both runs.
struct ComparedDecisions {
    std::string path;
    std::uint64_t model = 0;  ///< how many
    std::uint64_t rtl = 0;
    bool of_rtl = true;  ///< taken by a block that is RTL in the one run; only these have to agree
    bool same = true;    ///< the same values in the same order
    /// Of rings: compared descriptor by descriptor, since how many one read or write-back carries
    /// hangs on when software rings the doorbell, and so on every cycle before.
    bool by_descriptor = false;
    std::uint64_t of_one_size = 0;  ///< decisions about the very same descriptors, then
    std::uint64_t first_difference = 0;
    std::string model_text, rtl_text;  ///< there
    double largest_cycles = 0.0;       ///< distance in time of those that belong together
    double mean_cycles = 0.0;
};

struct ComparedFigure {
    std::string path;
    double model = 0.0;
    double rtl = 0.0;
    double percent = 0.0;  ///< of the model's
};

struct Against {
    std::vector<std::string> blocks;
    std::vector<ComparedDecisions> decisions;
    std::vector<ComparedFigure> goodput;
    std::uint64_t statistics = 0;           ///< numbers compared
    std::vector<ComparedFigure> differing;  ///< of them, the largest error first
    ComparedWaves waves;
    std::string more;  ///< lines about the waves, with the commands that show more

    /// Every decision of the blocks is the same and no goodput is off by more than 0.1 %.
    [[nodiscard]] bool same() const;
};

/// `against`: `rtl` or `rtl:BLOCK,BLOCK`. Runs both, prints, and returns the exit code: 0 the same,
/// 1 different. Throws InputError.
int run_against(const RunOptions& options, const std::string& against);

/// What two logs of decisions have in common. What one has more at its very end, less than a
/// microsecond before `end`, is not a difference.
std::vector<ComparedDecisions> compare_decisions(const std::string& model_log,
                                                 const std::string& rtl_log, sim::Ps end);

std::string to_text(const Against& result);
std::string to_json(const Against& result);

}  // namespace nicsim::scenarios
