// SPDX-License-Identifier: Apache-2.0
// Statistics by their dotted path: listing them, reading one, reading a part of one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/stat.h"

namespace nicsim::scenarios {

struct StatView {
    std::string path;
    const sim::Stat* stat = nullptr;
};

/// Every statistic of the tree in the order of registration, statistics of a group before its
/// groups.
std::vector<StatView> flatten(const sim::StatGroup& root);

/// Share of the measured time that a resource spent in one state.
struct StateShare {
    const sim::ActivityState* state = nullptr;
    double share = 0.0;
};
std::vector<StateShare> shares(const sim::Activity& activity);
/// Sum of the shares of one kind.
double share_of(const sim::Activity& activity, sim::ActivityKind kind);

/// What a path such as `nic.tx.packets`, `latency.total.p99` or `nic.tx.wire.busy` means. Counters
/// mean their growth while measuring; `.whole_run` the growth since the start.
class StatReader {
public:
    explicit StatReader(const sim::StatGroup& root) : stats_(flatten(root)) {}

    [[nodiscard]] std::optional<double> read(const std::string& path) const;
    /// Empty if the path can be read; else what is wrong, with the nearest path.
    [[nodiscard]] std::string complaint(const std::string& path) const;
    /// Unit of what is read.
    [[nodiscard]] std::string unit(const std::string& path) const;
    [[nodiscard]] const std::vector<StatView>& all() const { return stats_; }

private:
    struct Found {
        const sim::Stat* stat = nullptr;
        std::string part;  ///< `p99`, `busy`, `whole_run`, or empty
    };
    [[nodiscard]] Found find(const std::string& path) const;

    std::vector<StatView> stats_;
};

/// The parts that a distribution is reported by, in order.
const std::vector<std::pair<std::string, double>>& percentiles();

}  // namespace nicsim::scenarios
