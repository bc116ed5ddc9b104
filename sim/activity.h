// SPDX-License-Identifier: Apache-2.0
// What a resource spends its time on: busy, starved (nothing to do) or blocked, and by what.
// The bottleneck analysis of a run reads these accounts and nothing else.
#pragma once

#include <string>
#include <vector>

#include "sim/time.h"

namespace nicsim::sim {

enum class ActivityKind { busy, starved, blocked };

struct ActivityState {
    std::string name;  ///< short, for tables: `free_space`
    ActivityKind kind = ActivityKind::starved;
    std::string sentence;  ///< e.g. "free packet-buffer space not above DTXMXPKTSZ"
};

/// The time account of one resource. State 0 is where it starts.
class Activity {
public:
    explicit Activity(std::vector<ActivityState> states)
        : states_(std::move(states)), spent_(states_.size(), 0) {}

    void enter(std::size_t state) {
        settle();
        until_ = never;
        move_to(state, now());
    }
    /// Enters `state` now and leaves it for `then` at the time `until`, without a wake-up. The next
    /// call replaces the plan if `until` has not come yet.
    void enter_until(std::size_t state, Ps until, std::size_t then) {
        settle();
        move_to(state, now());
        until_ = until;
        then_ = then;
    }
    [[nodiscard]] std::size_t current() const { return until_ <= now() ? then_ : current_; }
    [[nodiscard]] const std::vector<ActivityState>& states() const { return states_; }
    /// Time in `state` since the last reset, up to now.
    [[nodiscard]] Ps spent(std::size_t state) const {
        const Ps t = now();
        if (until_ > t) return spent_[state] + (state == current_ ? t - since_ : 0);
        return spent_[state] + (state == current_ ? until_ - since_ : 0) +
               (state == then_ ? t - until_ : 0);
    }
    void reset() {
        settle();
        for (Ps& s : spent_) s = 0;
        since_ = now();
    }

private:
    void move_to(std::size_t state, Ps t) {
        if (state == current_) return;
        spent_[current_] += t - since_;
        since_ = t;
        current_ = state;
    }
    void settle() {
        if (until_ > now()) return;
        move_to(then_, until_);
        until_ = never;
    }

    std::vector<ActivityState> states_;
    std::vector<Ps> spent_;
    std::size_t current_ = 0;
    Ps since_ = 0;
    Ps until_ = never;  ///< when `then_` is entered
    std::size_t then_ = 0;
};

}  // namespace nicsim::sim
