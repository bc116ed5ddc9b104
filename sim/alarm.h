// SPDX-License-Identifier: Apache-2.0
// A one-shot timer with a callback: one event, one SC_METHOD. The only way a block of the
// data path asks to be woken at a time of its own.
#pragma once

#include <systemc>

#include "sim/callback.h"
#include "sim/kernel.h"
#include "sim/time.h"

namespace nicsim::sim {

class Alarm : public sc_core::sc_module {
public:
    using Action = Callback<>;

    SC_HAS_PROCESS(Alarm);
    Alarm(const sc_core::sc_module_name& name, Action action) : sc_module(name), action_(action) {
        SC_METHOD(fire);
        sensitive << event_;
        dont_initialize();
    }

    /// Arms the alarm for the absolute time `t` (at or after now); an earlier arming is replaced.
    void at(Ps t) {
        if (t == due_) return;
        if (due_ != never) event_.cancel();
        due_ = t;
        event_.notify(to_sc_time(t - now()));
    }
    void after(Ps delay) { at(now() + delay); }
    /// Arms for `t` unless it is armed for an earlier time already.
    void at_latest(Ps t) {
        if (t < due_) at(t);
    }
    void cancel() {
        if (due_ == never) return;
        event_.cancel();
        due_ = never;
    }
    [[nodiscard]] bool armed() const { return due_ != never; }
    /// When it fires; `never` if it is not armed.
    [[nodiscard]] Ps due() const { return due_; }

private:
    void fire() {
        count_wakeup();
        due_ = never;
        action_();
    }

    sc_core::sc_event event_;
    Action action_;
    Ps due_ = never;
};

}  // namespace nicsim::sim
