// SPDX-License-Identifier: Apache-2.0
#include "models/common/clocked_throttle.h"

#include <cassert>

namespace nicsim::models {

ClockedThrottle::ClockedThrottle(const sc_core::sc_module_name& name, unsigned index,
                                 sim::Callback<unsigned> issue, sim::Callback<unsigned> expired)
    : sc_module(name),
      index_(index),
      issue_(issue),
      expired_(expired),
      edges_(sim::Callback<>::to<&ClockedThrottle::on_edge>(this)) {}

void ClockedThrottle::request() {
    if (requested_) return;
    set_requested(true);
    tell({Call::request, 0});
}

void ClockedThrottle::withdraw() {
    if (!requested_) return;
    set_requested(false);
    tell({Call::withdraw, 0});
}

void ClockedThrottle::expect_expiry() {
    if (expecting_) return;
    expecting_ = true;
    tell({Call::expect, 0});
}

void ClockedThrottle::reset() {
    calls_.clear();
    expecting_ = false;
    set_requested(false);
    show_counter(0);
    set_interval(0);
    tell({Call::reset, 0});
}

void ClockedThrottle::tell(Told told) {
    calls_.push(told);
    edges_.ask(sim::now());
}

void ClockedThrottle::on_edge() {
    const Told told = calls_.empty() ? Told{} : calls_.pop();
    const Decided decided = clock(edges_.next(sim::now()), told);
    if (decided.held) ++delayed_;
    if (told.call == Call::counter || decided.issue) show_counter(remaining());
    if (decided.expired) {
        expecting_ = false;
        if (expired_) expired_(index_);  // causes that this raises are part of what is issued
    }
    if (decided.issue) {
        set_requested(false);
        ++issued_;
        issue_(index_);
    }
    if (!calls_.empty())
        edges_.ask(sim::now());
    else if (requested_ || expecting_)
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
        const bool waited = waiting_;
        switch (told.call) {
            case Call::none:
                break;
            case Call::counter:
                zero_edge_ = edge + told.left / clock_period;
                break;
            case Call::request:
                waiting_ = true;
                break;
            case Call::withdraw:
                waiting_ = false;
                break;
            case Call::expect:
                expecting_ = true;
                break;
            case Call::reset:
                waiting_ = expecting_ = false;
                zero_edge_ = edge;
                return {};
        }
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
