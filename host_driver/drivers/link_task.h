// SPDX-License-Identifier: Apache-2.0
// What a driver does where it may sleep: follows the link when an interrupt says that something
// changed, and looks after the device from time to time (watchdog or service task).
#pragma once

#include <optional>

#include "host_driver/core.h"

namespace nicsim::host {

class LinkTask final : public Task {
public:
    using Check = sim::Callback<Core&>;
    explicit LinkTask(Check check) : check_(check) {}

    enum class When : std::uint8_t {
        exact,
        whole_seconds,  ///< as timers that need not be exact are set (round_jiffies)
    };
    /// Runs now on `core`, and from then on `period` after each run.
    void repeat(Core& core, sim::Ps period, When when) {
        period_ = period;
        when_ = when;
        home_ = &core;
        timer_.emplace(core, Job::Action::to<&LinkTask::on_timer>(this));
        core.wake(*this);
    }
    /// Runs soon: where it repeats, or on `core`.
    void wake(Core& core) { (home_ != nullptr ? *home_ : core).wake(*this); }
    void stop() {
        period_ = 0;
        if (timer_) timer_->cancel();
    }
    bool step(Core& core) override {
        check_(core);
        if (period_ == 0) return false;
        const sim::Ps next = core.local_time() + period_;
        timer_->at(when_ == When::exact ? next : rounded(next));
        return false;
    }

    /// To the whole second before in its first quarter, else to the next.
    static constexpr sim::Ps rounded(sim::Ps t) {
        const sim::Ps rest = t % sim::ps_per_s;
        return rest < sim::ps_per_s / 4 ? t - rest : t - rest + sim::ps_per_s;
    }

private:
    void on_timer(Core& core) { core.wake(*this); }

    Check check_;
    sim::Ps period_ = 0;  ///< 0: only when woken
    When when_ = When::exact;
    Core* home_ = nullptr;  ///< where it repeats
    std::optional<Timer> timer_;
};

}  // namespace nicsim::host
