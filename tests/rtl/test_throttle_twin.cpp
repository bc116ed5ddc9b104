// SPDX-License-Identifier: Apache-2.0
// The RTL interrupt throttle against the one in C++: thousands of random calls at random edges of
// its clock, as a busy device and as an idle one make them. Bound: the same interrupts and expiries
// in the same order at the same edges.
#include <gtest/gtest.h>

#include <array>

#include "models/common/clocked_throttle.h"
#include "models/rtl/interrupt_throttle.h"
#include "models/rtl/still.h"
#include "sim/random.h"
#include "tests/rtl/decision_log.h"

namespace nicsim::models::rtl {
namespace {

using namespace sim::literals;

constexpr std::uint64_t bound = 0;  ///< cycles: at the same edges

enum class Kind : std::uint8_t { model, rtl, rtl_every_clock };

struct Side {
    explicit Side(Kind kind) {
        const auto issue = sim::Callback<unsigned>::to<&Side::on_issue>(this);
        const auto expired = sim::Callback<unsigned>::to<&Side::on_expired>(this);
        const auto make = [&] {
            return make_interrupt_throttle("rtl", ThrottleStart::at_interrupt, 0, issue, expired);
        };
        if (kind == Kind::rtl)
            throttle = make();
        else if (kind == Kind::rtl_every_clock)
            throttle = with_every_clock(make);
        else
            throttle =
                make_clocked_throttle("model", ThrottleStart::at_interrupt, 0, issue, expired);
    }
    void on_issue(unsigned) { decisions.push_back({'i', 0, sim::now()}); }
    void on_expired(unsigned) { decisions.push_back({'e', 0, sim::now()}); }

    std::unique_ptr<InterruptThrottleIf> throttle;
    Decisions decisions;
};

enum class Action : std::uint8_t { request, withdraw, interval, counter, zero_counter, expect };

struct Load {
    std::uint64_t longest_gap;  ///< cycles between calls
    unsigned requests;          ///< of 20 calls, at least
};

void apply(Side& side, Action action, std::uint64_t value, bool running) {
    switch (action) {
        case Action::request:
            return side.throttle->request();
        case Action::withdraw:
            return side.throttle->withdraw();
        case Action::interval:
            return side.throttle->set_interval(value * sim::ps_per_us);
        case Action::counter:
            return side.throttle->set_counter(value * sim::ps_per_us);
        case Action::zero_counter:
            return side.throttle->set_counter(0);
        case Action::expect:
            if (running) side.throttle->expect_expiry();
    }
}

/// `calls` random calls.
void run(const Load& load, unsigned calls, std::uint64_t seed, Kind kind = Kind::model) {
    Side model(kind), rtl(Kind::rtl);
    sim::RandomStream random(seed, "throttle");
    for (unsigned i = 0; i < calls; ++i) {
        sc_core::sc_start(sim::to_sc_time((1 + random.below(load.longest_gap)) * clock_period));
        auto action = Action::request;
        if (random.below(20) >= load.requests) action = static_cast<Action>(random.below(6));
        const std::uint64_t us = random.below(4) == 0 ? 0 : random.below(60);
        const bool running = model.throttle->running();
        EXPECT_EQ(running, rtl.throttle->running()) << "call " << i;
        EXPECT_EQ(model.throttle->remaining(), rtl.throttle->remaining()) << "call " << i;
        apply(model, action, us, running);
        apply(rtl, action, us, running);
        if (::testing::Test::HasFailure()) return;
    }
    sc_core::sc_start(sim::to_sc_time(1_ms));
    EXPECT_GT(model.decisions.size(), calls / 40)
        << "a stimulus that decides nothing proves nothing";
    EXPECT_EQ(model.throttle->issued(), rtl.throttle->issued());
    EXPECT_EQ(model.throttle->delayed(), rtl.throttle->delayed());
    compare(model.decisions, rtl.decisions, bound);
    ::testing::Test::RecordProperty("decisions", static_cast<int>(model.decisions.size()));
}

TEST(ThrottleTwin, DecidesAsTheModelUnderFullLoad) {
    run({400, 14}, 20'000, 1);
}

TEST(ThrottleTwin, DecidesAsTheModelWhenIdle) {
    run({20'000, 5}, 4'000, 2);
}

TEST(ThrottleTwin, DecidesAsTheModelWhenACauseComesWithEveryClock) {
    run({3, 16}, 20'000, 3);
}

TEST(ThrottleTwin, DecidesTheSameAtTheSameTimesWithClocksLeftOut) {
    run({400, 14}, 10'000, 4, Kind::rtl_every_clock);
}

TEST(ThrottleTwin, DecidesTheSameAtTheSameTimesWithClocksLeftOutWhenIdle) {
    run({20'000, 5}, 1'000, 5, Kind::rtl_every_clock);
}

TEST(ThrottleTwin, LetsAnInterruptGoExactlyOneIntervalAfterTheOneBefore) {
    Side rtl(Kind::rtl);
    rtl.throttle->set_interval(5_us);
    sc_core::sc_start(sim::to_sc_time(16_ns));
    rtl.throttle->request();
    sc_core::sc_start(sim::to_sc_time(1_us));
    rtl.throttle->request();
    sc_core::sc_start(sim::to_sc_time(10_us));
    ASSERT_EQ(rtl.decisions.size(), 2U);
    EXPECT_EQ(rtl.decisions[0].time, 16_ns);
    EXPECT_EQ(rtl.decisions[1].time, 5_us + 16_ns) << "625 cycles, not one more or less";
}

TEST(ThrottleTwin, TakesACallBetweenEdgesAtTheNextOne) {
    Side rtl(Kind::rtl);
    sc_core::sc_start(sim::to_sc_time(17_ns));
    rtl.throttle->request();
    sc_core::sc_start(sim::to_sc_time(1_us));
    ASSERT_EQ(rtl.decisions.size(), 1U);
    EXPECT_EQ(rtl.decisions[0].time, 24_ns);
}

/// Causes that come and go in one instant, as software makes them that takes no time.
TEST(ThrottleTwin, TakesACauseForWhatItIsAtTheEdge) {
    std::array<Side, 2> sides{Side(Kind::model), Side(Kind::rtl)};
    const auto for_each = [&sides](auto call) {
        for (Side& side : sides) call(*side.throttle);
    };
    for_each([](InterruptThrottleIf& t) { t.set_interval(10_us); });
    sc_core::sc_start(sim::to_sc_time(1_us + 1));
    for_each([](InterruptThrottleIf& t) {
        t.request();
        t.withdraw();
    });
    sc_core::sc_start(sim::to_sc_time(100_us));
    for (const Side& side : sides)
        EXPECT_TRUE(side.decisions.empty()) << "it was gone before anything was decided";
    const auto come_go_and_come = [](InterruptThrottleIf& t) {
        t.request();
        t.withdraw();
        t.request();
    };
    for_each(come_go_and_come);
    sc_core::sc_start(sim::to_sc_time(1_us));
    for_each(come_go_and_come);  // while the counter runs
    sc_core::sc_start(sim::to_sc_time(20_us));
    for (const Side& side : sides) {
        ASSERT_EQ(side.decisions.size(), 2U) << "nobody forgot it";
        EXPECT_EQ(side.decisions[0].time, 101_us + 8_ns);
        EXPECT_EQ(side.decisions[1].time, 111_us + 8_ns);
    }
}

TEST(ThrottleTwin, CostsTheKernelNothingWhileNothingWaits) {
    Side rtl(Kind::rtl);
    rtl.throttle->set_interval(5_us);
    rtl.throttle->request();
    sc_core::sc_start(sim::to_sc_time(10_us));
    const std::uint64_t before = sim::kernel_cost.wakeups;
    sc_core::sc_start(sim::to_sc_time(100_ms));
    EXPECT_EQ(sim::kernel_cost.wakeups, before);
}

}  // namespace
}  // namespace nicsim::models::rtl
