// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/interrupt_throttle.h"

#include <cassert>
#include <stdexcept>
#include <string>

#include "models/rtl/edges.h"
#include "models/rtl/still.h"
#include "models/rtl/verilated_model.h"
#include "sim/ring_queue.h"
// Generated; wants verilated_model.h before it.
#include "Vinterrupt_throttle.h"
#include "Vinterrupt_throttle___024root.h"

namespace nicsim::models::rtl {
namespace {

constexpr std::uint64_t cycles_per_us = sim::ps_per_us / clock_period;
constexpr std::uint64_t longest_us = 8191;

std::uint64_t microseconds(sim::Ps t) {
    if (t % sim::ps_per_us != 0 || t / sim::ps_per_us > longest_us)
        throw std::invalid_argument(
            "the RTL of the interrupt throttle counts whole microseconds, at most 8191");
    return t / sim::ps_per_us;
}

class InterruptThrottleRtl final : public sc_core::sc_module, public InterruptThrottleIf {
public:
    InterruptThrottleRtl(const sc_core::sc_module_name& name, unsigned index,
                         sim::Callback<unsigned> issue, sim::Callback<unsigned> expired)
        : sc_module(name),
          index_(index),
          issue_(issue),
          expired_(expired),
          edges_(sim::Callback<>::to<&InterruptThrottleRtl::on_edge>(this)) {
        model_->rst = 1;
        clock_cycle(*model_);
        model_->rst = 0;
    }
    ~InterruptThrottleRtl() override { model_->final(); }

    void set_interval(sim::Ps interval) override {
        model_->interval = static_cast<SData>(microseconds(interval));
        interval_ = interval;
    }
    [[nodiscard]] sim::Ps interval() const override { return interval_; }
    void set_counter(sim::Ps left) override {
        tell({Call::counter, static_cast<SData>(microseconds(left))});
    }
    void request() override {
        if (requested_) return;
        set_requested(true);
        tell({Call::request, 0});
    }
    void withdraw() override {
        if (!requested_) return;
        set_requested(false);
        tell({Call::withdraw, 0});
    }
    void expect_expiry() override {
        if (expecting_) return;
        expecting_ = true;
        tell({Call::expect, 0});
    }
    [[nodiscard]] bool running() const override { return sim::now() < zero_at(); }
    [[nodiscard]] sim::Ps remaining() const override {
        return running() ? zero_at() - sim::now() : 0;
    }
    [[nodiscard]] bool requested() const override { return requested_; }
    [[nodiscard]] const std::uint64_t& issued() const override { return issued_; }
    [[nodiscard]] const std::uint64_t& delayed() const override { return delayed_; }
    void reset() override {
        calls_.clear();
        expecting_ = false;
        set_requested(false);
        show_counter(0);
        set_interval(0);
        tell({Call::reset, 0});
    }

private:
    enum class Call : std::uint8_t { counter, request, withdraw, expect, reset };
    struct Told {
        Call call = Call::reset;
        SData value = 0;
    };

    void set_requested(bool requested) {
        requested_ = requested;
        show_cause(requested);
    }
    void tell(Told told) {
        calls_.push(told);
        edges_.ask(sim::now());
    }
    [[nodiscard]] std::uint64_t cycles_left() const {
        return model_->left_us * cycles_per_us + model_->left_cycles;
    }
    [[nodiscard]] sim::Ps zero_at() const { return Edges::time_of(edges_.done() + cycles_left()); }
    void tick() {
        edges_.advance();
        clock_cycle(*model_);
    }

    void on_edge() {
        const std::uint64_t edge = edges_.next(sim::now());
        edges_.advance(still_.run(edge - 1 - edges_.done(), [this] { tick(); }));
        const bool told = !calls_.empty();
        const bool loaded = told && calls_.front().call == Call::counter;
        if (told) set_inputs(calls_.pop());
        tick();
        if (told) clear_inputs();
        const bool expired = model_->expired != 0, issue = model_->issue != 0;
        if (model_->held != 0) ++delayed_;
        if (loaded || issue) show_counter(remaining());
        if (expired) {
            expecting_ = false;
            if (expired_) expired_(index_);  // causes that this raises are part of what is issued
        }
        if (issue) {
            set_requested(false);
            ++issued_;
            issue_(index_);
        }
        if (!calls_.empty())
            edges_.ask(sim::now());
        else if (requested_ || expecting_)
            edges_.ask(zero_at());
    }
    void set_inputs(const Told& told) {
        model_->rst = told.call == Call::reset;
        model_->set_counter = told.call == Call::counter;
        model_->counter = told.value;
        model_->request = told.call == Call::request;
        model_->withdraw = told.call == Call::withdraw;
        model_->expect_zero = told.call == Call::expect;
    }
    void clear_inputs() {
        model_->rst = model_->set_counter = model_->request = 0;
        model_->withdraw = model_->expect_zero = 0;
    }

    unsigned index_;
    sim::Callback<unsigned> issue_;
    sim::Callback<unsigned> expired_;
    VerilatedContext verilated_;
    std::unique_ptr<Vinterrupt_throttle> model_ =
        std::make_unique<Vinterrupt_throttle>(&verilated_);
    Still<Vinterrupt_throttle___024root> still_{*model_->rootp};
    Edges edges_;
    sim::RingQueue<Told> calls_;
    sim::Ps interval_ = 0;
    bool requested_ = false;
    bool expecting_ = false;
    std::uint64_t issued_ = 0;
    std::uint64_t delayed_ = 0;
};

}  // namespace

std::unique_ptr<InterruptThrottleIf> make_interrupt_throttle(const char* name, ThrottleStart start,
                                                             unsigned index,
                                                             sim::Callback<unsigned> issue,
                                                             sim::Callback<unsigned> expired) {
    if (start != ThrottleStart::at_interrupt)
        throw std::invalid_argument(
            "the RTL throttle is built for counters that an interrupt loads");
    return std::make_unique<InterruptThrottleRtl>(name, index, issue, expired);
}

}  // namespace nicsim::models::rtl
