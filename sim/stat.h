// SPDX-License-Identifier: Apache-2.0
// Declared statistics: every figure has a name, a unit and a sentence. Blocks count in plain
// members and register them here once; formatting is somebody else's work.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <variant>

#include "sim/activity.h"
#include "sim/histogram.h"

namespace nicsim::sim {

/// A counter that only grows; the report shows its growth since the measurement began.
struct CounterStat {
    const std::uint64_t* value = nullptr;
    std::uint64_t at_start = 0;
    bool loss = false;  ///< of what is lost here
    [[nodiscard]] std::uint64_t measured() const { return *value - at_start; }
    [[nodiscard]] std::uint64_t whole_run() const { return *value; }
};
/// A figure computed when asked (a level, a rate, a ratio).
struct FormulaStat {
    std::function<double()> value;
};
/// A distribution of durations in picoseconds or of plain numbers.
struct DistributionStat {
    Histogram* histogram = nullptr;
};
/// Shares of time of a resource.
struct ActivityStat {
    Activity* activity = nullptr;
};

struct Stat {
    std::string name;
    std::string unit;  ///< `packets`, `B`, `ps`, `bit/s`, `1`, ...
    std::string sentence;
    std::variant<CounterStat, FormulaStat, DistributionStat, ActivityStat> value;
};

/// A tree of statistics that mirrors the structure of the model. What is registered must outlive
/// the group's last use.
class StatGroup {
public:
    explicit StatGroup(std::string name) : name_(std::move(name)) {}
    StatGroup(const StatGroup&) = delete;
    StatGroup& operator=(const StatGroup&) = delete;

    /// The child with this name, made on first use.
    StatGroup& group(const std::string& name);

    void counter(std::string name, std::string unit, std::string sentence,
                 const std::uint64_t& value);
    /// A counter of packets or messages that end here. Registered where it happens and nowhere
    /// else, so that the sum of these counters is what a run lost.
    void loss(std::string name, std::string unit, std::string sentence, const std::uint64_t& value);
    void formula(std::string name, std::string unit, std::string sentence,
                 std::function<double()> value);
    void distribution(std::string name, std::string unit, std::string sentence,
                      Histogram& histogram);
    void activity(std::string name, std::string sentence, Activity& activity);

    /// Warm-up is over: counters are measured from here, distributions and time accounts restart.
    void begin_measurement();

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const std::deque<Stat>& stats() const { return stats_; }
    [[nodiscard]] const std::deque<StatGroup>& groups() const { return groups_; }
    /// The statistic at a dotted path below this group, or null.
    [[nodiscard]] const Stat* find(const std::string& path) const;

private:
    std::string name_;
    std::deque<Stat> stats_;
    std::deque<StatGroup> groups_;
};

}  // namespace nicsim::sim
