// SPDX-License-Identifier: Apache-2.0
#include "models/common/clocked_throttle.h"

#include <cassert>
#include <utility>

namespace nicsim::models {

ClockedThrottle::ClockedThrottle(const sc_core::sc_module_name& name, unsigned index,
                                 sim::Callback<unsigned> issue, sim::Callback<unsigned> expired)
    : sc_module(name),
      index_(index),
      issue_(issue),
      expired_(expired),
      edges_(sim::Callback<>::to<&ClockedThrottle::on_edge>(this)) {}

void ClockedThrottle::set_counter(sim::Ps left) {
    told_.set_counter = true;
    told_.counter = left;
    ask();
}

void ClockedThrottle::request() {
    if (requested_) return;
    set_requested(true);
    ask();
}

void ClockedThrottle::withdraw() {
    if (!requested_) return;
    set_requested(false);
    ask();
}

void ClockedThrottle::expect_expiry() {
    if (expecting_) return;
    expecting_ = told_.expect_zero = true;
    ask();
}

void ClockedThrottle::reset() {
    told_ = {};
    told_.reset = true;
    expecting_ = waiting_ = false;
    set_requested(false);
    show_counter(0);
    set_interval(0);
    ask();
}

ClockedThrottle::Told ClockedThrottle::take_told() {
    Told told = std::exchange(told_, {});
    if (told.reset) {
        // What was told after the reset counts at the edge behind it.
        told_ = std::exchange(told, Told{.reset = true});
        told_.reset = false;
        return told;
    }
    told.request = requested_ && !waiting_;
    told.withdraw = !requested_ && waiting_;
    waiting_ = requested_;
    return told;
}

void ClockedThrottle::on_edge() {
    const Told told = take_told();
    const Decided decided = clock(edges_.next(sim::now()), told);
    if (decided.held) ++delayed_;
    if (told.set_counter || decided.issue) show_counter(remaining());
    if (decided.expired) {
        expecting_ = false;
        if (expired_) expired_(index_);  // a cause that this raises counts at the next edge
    }
    if (decided.issue) {
        waiting_ = false;
        set_requested(false);
        ++issued_;
        issue_(index_);
    }
    if (told.reset || told_.set_counter || told_.expect_zero || requested_ != waiting_)
        ask();
    else if (waiting_ || expecting_)
        edges_.ask(zero_at());
}

namespace {

class ThrottleModel final : public ClockedThrottle {
public:
    ThrottleModel(const sc_core::sc_module_name& name, unsigned index,
                  sim::Callback<unsigned> issue, sim::Callback<unsigned> expired)
        : ClockedThrottle(name, index, issue, expired) {}

private:
    Decided clock(std::uint64_t edge, const Told& told) override {
        advance(edge - edges_done());
        if (told.reset) {
            waiting_ = expecting_ = false;
            zero_edge_ = edge;
            return {};
        }
        const bool waited = waiting_;
        if (told.set_counter) zero_edge_ = edge + told.counter / clock_period;
        if (told.request) waiting_ = true;
        if (told.withdraw) waiting_ = false;
        if (told.expect_zero) expecting_ = true;
        const bool zero = edge >= zero_edge_;
        const Decided decided{waiting_ && zero, expecting_ && zero, waiting_ && !waited && !zero};
        if (decided.issue) {
            waiting_ = false;
            zero_edge_ = edge + interval() / clock_period;
        }
        if (decided.expired) expecting_ = false;
        return decided;
    }
    [[nodiscard]] std::uint64_t zero_edge() const override { return zero_edge_; }

    std::uint64_t zero_edge_ = 0;
    bool waiting_ = false;
    bool expecting_ = false;
};

}  // namespace

std::unique_ptr<InterruptThrottleIf> make_clocked_throttle(const char* name, ThrottleStart start,
                                                           unsigned index,
                                                           sim::Callback<unsigned> issue,
                                                           sim::Callback<unsigned> expired) {
    assert(start == ThrottleStart::at_interrupt);
    (void)start;
    return std::make_unique<ThrottleModel>(name, index, issue, expired);
}

}  // namespace nicsim::models
