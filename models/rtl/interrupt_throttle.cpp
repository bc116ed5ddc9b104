// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/interrupt_throttle.h"

#include <stdexcept>
#include <string>

#include "models/common/clocked_throttle.h"
#include "models/rtl/still.h"
#include "models/rtl/verilated_model.h"
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

class InterruptThrottleRtl final : public ClockedThrottle {
public:
    InterruptThrottleRtl(const sc_core::sc_module_name& name, unsigned index,
                         sim::Callback<unsigned> issue, sim::Callback<unsigned> expired)
        : ClockedThrottle(name, index, issue, expired) {
        model_->rst = 1;
        clock_cycle(*model_);
        model_->rst = 0;
    }
    ~InterruptThrottleRtl() override { model_->final(); }

    void set_interval(sim::Ps interval) override {
        model_->interval = static_cast<SData>(microseconds(interval));
        ClockedThrottle::set_interval(interval);
    }

private:
    Decided clock(std::uint64_t edge, const Told& told) override {
        advance(still_.run(edge - 1 - edges_done(), [this] { tick(); }));
        model_->rst = told.reset;
        model_->set_counter = told.set_counter;
        model_->counter = static_cast<SData>(microseconds(told.counter));
        model_->request = told.request;
        model_->withdraw = told.withdraw;
        model_->expect_zero = told.expect_zero;
        tick();
        model_->rst = model_->set_counter = model_->request = 0;
        model_->withdraw = model_->expect_zero = 0;
        return {model_->issue != 0, model_->expired != 0, model_->held != 0};
    }
    [[nodiscard]] std::uint64_t zero_edge() const override {
        return edges_done() + model_->left_us * cycles_per_us + model_->left_cycles;
    }
    void tick() {
        advance(1);
        clock_cycle(*model_);
    }

    VerilatedContext verilated_;
    std::unique_ptr<Vinterrupt_throttle> model_ =
        std::make_unique<Vinterrupt_throttle>(&verilated_);
    Still<Vinterrupt_throttle___024root> still_{*model_->rootp};
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
