// SPDX-License-Identifier: Apache-2.0
// `nicsim waves`: look into wave files and compare them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "scenarios/run_traces.h"
#include "waves/diff.h"
#include "waves/inspect.h"

namespace nicsim::scenarios {

/// What `nicsim run` can trace.
void add_trace_options(CLI::App& run, RunTraceOptions& options);

class WavesCommand {
public:
    /// Adds the command to `app`; must live as long as it parses.
    explicit WavesCommand(CLI::App& app);
    WavesCommand(const WavesCommand&) = delete;
    WavesCommand& operator=(const WavesCommand&) = delete;

    [[nodiscard]] bool parsed() const { return command_->parsed(); }
    /// Prints, and returns the exit code: for `diff` 0 same, 1 different. Throws waves::WaveError.
    int run();

private:
    void add_ls();
    void add_show();
    void add_diff();
    void add_diff_axis();
    int run_ls() const;
    int run_show() const;
    int run_diff();

    CLI::App* command_;
    CLI::App* ls_ = nullptr;
    CLI::App* show_ = nullptr;
    CLI::App* diff_ = nullptr;

    std::string file_;
    std::string pattern_;
    bool json_ = false;
    waves::ShowOptions show_options_;
    waves::DiffOptions diff_options_;
    std::string clock_;
    std::string event_;
    std::string map_file_;
    std::uint64_t max_ = 20;
    bool quiet_ = false;
};

}  // namespace nicsim::scenarios
