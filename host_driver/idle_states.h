// SPDX-License-Identifier: Apache-2.0
// Idle states of a core (C-states) and the rule that chooses one.
//
// A core with nothing to run enters the deepest allowed state whose target residency is not above
// the idle time predicted; if none fits it polls and wakes at once. What wakes it - an interrupt, a
// timer, work from another core - is answered late by the state's exit latency. Before it enters a
// state it takes its entry time, in which it is still awake: the switch to the idle task, the
// choice of the state, the stopped tick.
//
// The prediction is the shorter of two: the time to the core's next timer, which is known, and the
// mean of its last eight idle times, once there are eight. Linux' menu governor looks at the same
// two things; it also drops outliers and corrects by past errors, which is not modelled. Neither
// are frequency changes, package states and caches that lose their contents.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/param.h"
#include "sim/stat.h"
#include "sim/time.h"

namespace nicsim::host {

struct IdleState {
    std::string name;
    std::uint64_t exit_latency = 0;      ///< ps
    std::uint64_t target_residency = 0;  ///< ps; a shorter stay does not pay
    static const sim::ParamTable& params();
};

struct IdleConfig {
    static constexpr const char* no_state = "none";
    std::string deepest = no_state;
    std::uint64_t entry_time = 2'000'000;    ///< ps
    std::vector<IdleState> states;           ///< the core's table, shallowest first
    static const sim::ParamTable& params();  ///< without the table
    /// Empty, or "key: what is wrong and what is allowed".
    [[nodiscard]] std::string check() const;
    /// The states that may be entered.
    [[nodiscard]] std::vector<IdleState> allowed() const;
};

class IdleGovernor {
public:
    explicit IdleGovernor(std::vector<IdleState> states);

    [[nodiscard]] bool off() const { return states_.empty(); }
    /// The core has nothing to run until `next_timer`, as far as it knows.
    void enter(sim::Ps next_timer);
    /// Something came up. How long the core takes to leave its state.
    sim::Ps leave();
    void register_stats(sim::StatGroup& group);

    /// Where it is, or was last: an index of its states, or polling.
    [[nodiscard]] std::size_t state() const { return state_; }
    [[nodiscard]] bool polling() const { return state_ == states_.size(); }
    [[nodiscard]] sim::Ps predicted(sim::Ps next_timer) const;
    [[nodiscard]] std::uint64_t entries(std::size_t state) const { return uses_[state].entries; }
    [[nodiscard]] sim::Ps residency(std::size_t state) const { return uses_[state].residency; }

private:
    static constexpr std::size_t remembered = 8;  ///< drivers/cpuidle/governors/menu.c, INTERVALS
    struct Use {
        std::uint64_t entries = 0;
        std::uint64_t residency = 0;  ///< ps, without leaving
        std::uint64_t too_deep = 0;   ///< stays shorter than the target residency
    };

    std::vector<IdleState> states_;
    std::vector<Use> uses_;  ///< one more than states: polling, last
    std::array<sim::Ps, remembered> stays_{};
    std::size_t next_stay_ = 0;
    bool all_remembered_ = false;
    std::size_t state_ = 0;
    sim::Ps entered_ = 0;
    std::uint64_t exit_time_ = 0;
};

}  // namespace nicsim::host
