// SPDX-License-Identifier: Apache-2.0
// result.json: everything that a run leaves behind, in a fixed order and without a trace of the
// machine or the moment that it was simulated on.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "scenarios/bottleneck.h"
#include "scenarios/bound.h"
#include "scenarios/expectation.h"
#include "scenarios/machine.h"

namespace nicsim::scenarios {

constexpr const char* result_schema = "nicsim-result/1";
extern const char* const nicsim_version;

/// What is known after a run.
struct RunResult {
    const BoundBlock* scenario = nullptr;
    std::vector<Flow> flows;
    std::vector<Loss> losses;
    std::vector<UnmodelledRegister> unmodelled;
    std::vector<std::string> warnings;
    Why why;
    /// Of machines with named ports: each with what limited it.
    std::vector<std::pair<PortReport, Why>> ports;
    std::vector<Expectation> expectations;
    double wakeups_per_packet = 0.0;
    std::uint64_t wakeups = 0;
    std::uint64_t packets = 0;
    [[nodiscard]] bool as_expected() const {
        for (const Expectation& e : expectations)
            if (!e.met) return false;
        return true;
    }
};

nlohmann::ordered_json result_json(const RunResult& result, const sim::StatGroup& stats);

/// The table on the terminal.
std::string result_table(const RunResult& result, const sim::StatGroup& stats);

/// Writes `text` to `folder/name` so that the file is there whole or not at all. Throws InputError.
void write_atomically(const std::string& folder, const std::string& name, const std::string& text);

}  // namespace nicsim::scenarios
