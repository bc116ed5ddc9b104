// SPDX-License-Identifier: Apache-2.0
// Interrupt moderation of one vector: a down counter that is computed, not clocked. The kernel is
// woken only when the counter reaches zero while somebody waits for that.
//
// Three kinds of counter are known:
//  at_interrupt    loaded when an interrupt is issued. A cause that comes while it runs waits for
//                  zero; a counter that reached zero with no cause stays there, so the next cause
//                  interrupts at once (Intel EITR).
//  at_first_cause  loaded by the first cause after an interrupt, which is issued when it reaches
//                  zero: a delay (coalescing timers of simpler MACs).
//  at_rearm        loaded by rearm(), when software lets the cause interrupt again; between an
//                  interrupt and that nothing is issued. From there on as at_interrupt: a cause
//                  waits for zero, and at zero the next one interrupts at once (Atheros).
// Not modelled here: causes, masks, auto-clear; that is the device's. An interrupt is issued by the
// `issue` callback at the very moment it happens, so the device clears and masks only then.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>

#include "sim/alarm.h"
#include "sim/callback.h"
#include "sim/probe.h"
#include "sim/time.h"

namespace nicsim::models {

enum class ThrottleStart : std::uint8_t { at_interrupt, at_first_cause, at_rearm };

/// A throttle, whatever it is made of.
class InterruptThrottleIf {
public:
    virtual ~InterruptThrottleIf() = default;
    /// Offers `<path>.counter`, in nanoseconds as loaded and 0 once it has run out, and
    /// `<path>.cause`, a cause that waits, as signals.
    void offer_signals(const std::string& path) { signals_ = std::make_unique<Signals>(path); }
    /// What the counter is loaded with from now on. A running counter is not touched.
    virtual void set_interval(sim::Ps interval) = 0;
    [[nodiscard]] virtual sim::Ps interval() const = 0;
    /// Software writes the counter; 0 lets a waiting cause interrupt at once.
    virtual void set_counter(sim::Ps left) = 0;

    /// There is an enabled cause.
    virtual void request() = 0;
    /// There is none any more (masked or cleared before the interrupt was issued).
    virtual void withdraw() = 0;
    /// `expired` is to be called when the counter reaches zero. Only while running().
    virtual void expect_expiry() = 0;

    [[nodiscard]] virtual bool running() const = 0;
    [[nodiscard]] virtual sim::Ps remaining() const = 0;
    [[nodiscard]] virtual bool requested() const = 0;
    [[nodiscard]] virtual const std::uint64_t& issued() const = 0;
    [[nodiscard]] virtual const std::uint64_t& delayed() const = 0;

    /// Counter at zero, nothing waits, interval 0.
    virtual void reset() = 0;

protected:
    void show_counter(sim::Ps left) {
        if (signals_) signals_->counter.load(left / sim::ps_per_ns, left);
    }
    void show_cause(bool waits) {
        if (signals_) signals_->cause.set(waits ? 1 : 0);
    }

private:
    struct Signals {
        explicit Signals(const std::string& path)
            : counter(path + ".counter", 32), cause(path + ".cause", 1) {}
        sim::RunDownProbe counter;
        sim::Probe cause;
    };
    std::unique_ptr<Signals> signals_;
};
/// Name, kind, index for the callbacks `issue` and `expired`.
using ThrottleFactory = std::function<std::unique_ptr<InterruptThrottleIf>(
    const char*, ThrottleStart, unsigned, sim::Callback<unsigned>, sim::Callback<unsigned>)>;

class InterruptThrottle final : public sc_core::sc_module, public InterruptThrottleIf {
public:
    /// `index` is handed to the callbacks. `expired`: the counter reached zero and expect_expiry
    /// had been called; a request made from inside of it interrupts at once.
    InterruptThrottle(const sc_core::sc_module_name& name, ThrottleStart start, unsigned index,
                      sim::Callback<unsigned> issue, sim::Callback<unsigned> expired);

    void set_interval(sim::Ps interval) override { interval_ = interval; }
    [[nodiscard]] sim::Ps interval() const override { return interval_; }
    void set_counter(sim::Ps left) override;

    void request() override;
    void withdraw() override;
    /// Of the kind at_rearm: loads the counter if an interrupt was issued since the last time.
    void rearm();
    /// Of the same kind: an interrupt was issued and rearm() has not come yet.
    [[nodiscard]] bool held() const { return held_; }
    void expect_expiry() override;

    [[nodiscard]] bool running() const override { return sim::now() < zero_at_; }
    [[nodiscard]] sim::Ps remaining() const override {
        return running() ? zero_at_ - sim::now() : 0;
    }
    [[nodiscard]] bool requested() const override { return requested_; }
    [[nodiscard]] const std::uint64_t& issued() const override { return issued_; }
    [[nodiscard]] const std::uint64_t& delayed() const override { return delayed_; }

    void reset() override;

private:
    void on_zero();
    void fire();
    void load(sim::Ps left) {
        zero_at_ = sim::now() + left;
        show_counter(left);
    }
    void set_requested(bool requested) {
        requested_ = requested;
        show_cause(requested);
    }
    void wait_for_zero();

    ThrottleStart start_;
    unsigned index_;
    sim::Callback<unsigned> issue_;
    sim::Callback<unsigned> expired_;
    sim::Alarm alarm_;
    sim::Ps interval_ = 0;
    sim::Ps zero_at_ = 0;
    bool requested_ = false;
    bool held_ = false;
    bool expiry_expected_ = false;
    std::uint64_t issued_ = 0;
    std::uint64_t delayed_ = 0;  ///< of those issued: had to wait for the counter
};

}  // namespace nicsim::models
