// SPDX-License-Identifier: Apache-2.0
// The decisions of a run as a text file: a line each, `picoseconds path value`, in order of time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/decision.h"
#include "waves/output_file.h"

namespace nicsim::scenarios {

class DecisionLog : public sim::DecisionSink {
public:
    /// Throws waves::WaveError if the target cannot be written.
    explicit DecisionLog(const std::string& file);
    ~DecisionLog() override;
    DecisionLog(const DecisionLog&) = delete;
    DecisionLog& operator=(const DecisionLog&) = delete;

    /// Listens to every decision there is.
    void attach();
    void decided(const std::string& path, sim::Ps time, std::uint64_t value) override;
    /// Completes the file.
    void close();

private:
    waves::OutputFile file_;
    std::string buffer_;
};

struct LoggedDecision {
    sim::Ps time = 0;
    std::uint64_t value = 0;
};
/// By path. Throws InputError if it is no such file.
std::map<std::string, std::vector<LoggedDecision>> read_decisions(const std::string& file);

}  // namespace nicsim::scenarios
