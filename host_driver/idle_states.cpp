// SPDX-License-Identifier: Apache-2.0
#include "host_driver/idle_states.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace nicsim::host {

const sim::ParamTable& IdleState::params() {
    static const sim::ParamTable table =
        sim::ParamTableBuilder<IdleState>()
            .add("name", &IdleState::name,
                 {.sentence = "Name of the state, as `deepest` and the statistics use it.",
                  .source = sim::assumed("part of a host's profile")})
            .add("exit_latency", &IdleState::exit_latency,
                 {.unit = sim::Unit::time,
                  .max = 1e10,
                  .sentence = "From what wakes the core to the first instruction.",
                  .source = sim::assumed("part of a host's profile")})
            .add("target_residency", &IdleState::target_residency,
                 {.unit = sim::Unit::time,
                  .max = 1e12,
                  .sentence = "Shortest idle time for which the state is chosen.",
                  .source = sim::assumed("part of a host's profile")})
            .build();
    return table;
}

const sim::ParamTable& IdleConfig::params() {
    static const sim::ParamTable table =
        sim::ParamTableBuilder<IdleConfig>()
            .add("deepest", &IdleConfig::deepest,
                 {.sentence = "Deepest idle state that a core may enter, by its name in `states`; "
                              "`none`: an idle core answers at once.",
                  .source = sim::assumed("off where a measurement does not involve it")})
            .add("entry_time", &IdleConfig::entry_time,
                 {.unit = sim::Unit::time,
                  .max = 1e9,
                  .sentence = "From the last work of a core to its idle state; what comes up "
                              "before is answered at once.",
                  .source = sim::assumed("a switch to the idle task, as long as one to a woken "
                                         "task (1.2 us), the governor and the stopped tick")})
            .build();
    return table;
}

std::string IdleConfig::check() const {
    std::string names = no_state;
    bool known = deepest == no_state;
    for (std::size_t i = 0; i < states.size(); ++i) {
        const IdleState& s = states[i];
        if (s.name.empty() || s.name == no_state || s.name == "polling")
            return fmt::format("states: state {} needs a name other than '{}' and 'polling'", i,
                               no_state);
        if (i > 0 && (s.exit_latency < states[i - 1].exit_latency ||
                      s.target_residency < states[i - 1].target_residency))
            return fmt::format(
                "states: '{}' leaves faster or pays earlier than '{}' before it; the shallowest "
                "state stands first",
                s.name, states[i - 1].name);
        known = known || s.name == deepest;
        names += ", " + s.name;
    }
    if (!known) return fmt::format("deepest: '{}' is not one of {}", deepest, names);
    return {};
}

std::vector<IdleState> IdleConfig::allowed() const {
    for (std::size_t i = 0; i < states.size(); ++i)
        if (states[i].name == deepest)
            return {states.begin(), states.begin() + static_cast<std::ptrdiff_t>(i) + 1};
    return {};
}

IdleGovernor::IdleGovernor(std::vector<IdleState> states)
    : states_(std::move(states)), uses_(states_.size() + 1) {}

sim::Ps IdleGovernor::predicted(sim::Ps next_timer) const {
    const sim::Ps known = next_timer == sim::never ? sim::never : next_timer - sim::now();
    if (!all_remembered_) return known;
    const sim::Ps mean = std::accumulate(stays_.begin(), stays_.end(), sim::Ps{0}) / remembered;
    return std::min(known, mean);
}

void IdleGovernor::enter(sim::Ps next_timer) {
    const sim::Ps expected = predicted(next_timer);
    state_ = states_.size();
    for (std::size_t i = 0; i < states_.size(); ++i)
        if (states_[i].target_residency <= expected) state_ = i;
    entered_ = sim::now();
    ++uses_[state_].entries;
}

sim::Ps IdleGovernor::leave() {
    const sim::Ps stay = sim::now() - entered_;
    stays_[next_stay_] = stay;
    next_stay_ = (next_stay_ + 1) % remembered;
    all_remembered_ = all_remembered_ || next_stay_ == 0;
    uses_[state_].residency += stay;
    if (polling()) return 0;
    if (stay < states_[state_].target_residency) ++uses_[state_].too_deep;
    exit_time_ += states_[state_].exit_latency;
    return states_[state_].exit_latency;
}

void IdleGovernor::register_stats(sim::StatGroup& group) {
    for (std::size_t i = 0; i < uses_.size(); ++i) {
        const std::string name = i == states_.size() ? "polling" : states_[i].name;
        sim::StatGroup& g = group.group(name);
        g.counter("entries", "times", "Times that the state was entered.", uses_[i].entries);
        g.counter("residency", "ps", "Time spent in it, up to what woke the core last.",
                  uses_[i].residency);
        if (i != states_.size())
            g.counter("too_deep", "times", "Stays shorter than its target residency.",
                      uses_[i].too_deep);
    }
    group.counter("exit_time", "ps", "Time spent on leaving idle states.", exit_time_);
}

}  // namespace nicsim::host
