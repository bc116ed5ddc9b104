// SPDX-License-Identifier: Apache-2.0
#include "scenarios/decision_log.h"

#include <fmt/format.h>

#include <fstream>

#include "scenarios/diagnostics.h"

namespace nicsim::scenarios {
namespace {

constexpr std::size_t chunk = 1 << 16;

}  // namespace

DecisionLog::DecisionLog(const std::string& file) : file_(file) {}

DecisionLog::~DecisionLog() {
    for (sim::Decision* d : sim::Decision::all()) d->attach(nullptr);
}

void DecisionLog::attach() {
    for (sim::Decision* d : sim::Decision::all()) d->attach(this);
}

void DecisionLog::decided(const std::string& path, sim::Ps time, std::uint64_t value) {
    fmt::format_to(std::back_inserter(buffer_), "{} {} {}\n", time, path, value);
    if (buffer_.size() < chunk) return;
    file_.write(buffer_);
    buffer_.clear();
}

void DecisionLog::close() {
    file_.write(buffer_);
    buffer_.clear();
    file_.commit();
}

std::map<std::string, std::vector<LoggedDecision>> read_decisions(const std::string& file) {
    std::map<std::string, std::vector<LoggedDecision>> out;
    std::ifstream in(file);
    if (!in) throw InputError(fmt::format("{}: cannot be read\n", printable(file, 200)));
    LoggedDecision d;
    std::string path;
    std::uint64_t line = 0;
    while (in >> d.time >> path >> d.value) {
        out[path].push_back(d);
        ++line;
    }
    if (!in.eof())
        throw InputError(
            fmt::format("{}: line {} is no decision\n", printable(file, 200), line + 1));
    return out;
}

}  // namespace nicsim::scenarios
