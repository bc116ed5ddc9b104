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
        if (state == current_) return;
        const Ps t = now();
        spent_[current_] += t - since_;
        since_ = t;
        current_ = state;
    }
    [[nodiscard]] std::size_t current() const { return current_; }
    [[nodiscard]] const std::vector<ActivityState>& states() const { return states_; }
    /// Time in `state` since the last reset, up to now.
    [[nodiscard]] Ps spent(std::size_t state) const {
        return spent_[state] + (state == current_ ? now() - since_ : 0);
    }
    void reset() {
        for (Ps& s : spent_) s = 0;
        since_ = now();
    }

private:
    std::vector<ActivityState> states_;
    std::vector<Ps> spent_;
    std::size_t current_ = 0;
    Ps since_ = 0;
};

}  // namespace nicsim::sim
