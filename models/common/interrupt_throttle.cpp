// SPDX-License-Identifier: Apache-2.0
#include "models/common/interrupt_throttle.h"

namespace nicsim::models {

InterruptThrottle::InterruptThrottle(const sc_core::sc_module_name& name, ThrottleStart start,
                                     unsigned index, sim::Callback<unsigned> issue,
                                     sim::Callback<unsigned> expired)
    : sc_module(name),
      start_(start),
      index_(index),
      issue_(issue),
      expired_(expired),
      alarm_("alarm", sim::Alarm::Action::to<&InterruptThrottle::on_zero>(this)) {}

void InterruptThrottle::set_counter(sim::Ps left) {
    load(left);
    if (left == 0) {
        alarm_.cancel();
        on_zero();
    } else if (requested_ || expiry_expected_) {
        alarm_.at(zero_at_);
    }
}

void InterruptThrottle::request() {
    if (requested_) return;
    set_requested(true);
    if (start_ == ThrottleStart::at_first_cause && !running()) load(interval_);
    if (held_) {
        ++delayed_;
    } else if (running()) {
        ++delayed_;
        wait_for_zero();
    } else if (!expiry_expected_) {
        fire();
    }  // else the alarm is due at this very instant and takes the request along
}

void InterruptThrottle::withdraw() {
    set_requested(false);
    if (!expiry_expected_) alarm_.cancel();
}

void InterruptThrottle::expect_expiry() {
    expiry_expected_ = true;
    wait_for_zero();
}

void InterruptThrottle::wait_for_zero() {
    if (!alarm_.armed()) alarm_.at(zero_at_);
}

void InterruptThrottle::on_zero() {
    if (expiry_expected_) {
        expiry_expected_ = false;
        if (expired_) expired_(index_);
    }
    if (requested_ && !running() && !held_) fire();
}

void InterruptThrottle::rearm() {
    if (!held_) return;
    held_ = false;
    load(interval_);
    if (!requested_) return;
    if (running())
        wait_for_zero();
    else
        fire();
}

void InterruptThrottle::fire() {
    set_requested(false);
    ++issued_;
    held_ = start_ == ThrottleStart::at_rearm;
    if (start_ == ThrottleStart::at_interrupt) load(interval_);
    issue_(index_);
}

void InterruptThrottle::reset() {
    alarm_.cancel();
    expiry_expected_ = held_ = false;
    set_requested(false);
    interval_ = 0;
    zero_at_ = 0;
    show_counter(0);
}

}  // namespace nicsim::models
