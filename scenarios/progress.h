// SPDX-License-Identifier: Apache-2.0
// A line on the terminal that says how far a run has come. The only place of the runner that looks
// at the wall clock; nothing of it reaches a result.
#pragma once

#include <chrono>

#include "sim/time.h"

namespace nicsim::scenarios {

class Progress {
public:
    /// Shown on standard error if that is a terminal and `wanted`.
    Progress(sim::Ps total, bool wanted);
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void update(sim::Ps done);
    void clear();

private:
    using WallClock = std::chrono::steady_clock;
    sim::Ps total_;
    bool shown_;
    bool drawn_ = false;
    WallClock::time_point start_ = WallClock::now();
    WallClock::time_point next_ = start_;
};

}  // namespace nicsim::scenarios
