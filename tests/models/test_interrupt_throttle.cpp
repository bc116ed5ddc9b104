// SPDX-License-Identifier: Apache-2.0
// Timing gates of moderation. The faults named in the tests are ones that moderation models and
// real designs have had.
#include <gtest/gtest.h>

#include <vector>

#include "models/common/interrupt_throttle.h"
#include "sim/kernel.h"

namespace nicsim::models {
namespace {

using namespace sim::literals;
using sim::Ps;

struct Bench : sc_core::sc_module {
    explicit Bench(ThrottleStart start = ThrottleStart::at_interrupt)
        : sc_module(sc_core::sc_module_name("bench")),
          throttle("throttle", start, 3, sim::Callback<unsigned>::to<&Bench::on_issue>(this),
                   sim::Callback<unsigned>::to<&Bench::on_expired>(this)) {
        throttle.set_interval(50_us);
    }
    void on_issue(unsigned index) {
        EXPECT_EQ(index, 3U);
        issued.push_back(sim::now());
        if (request_again) throttle.request();
    }
    void on_expired(unsigned) {
        expired.push_back(sim::now());
        if (request_on_expiry) throttle.request();
    }
    /// Up to `t`, without what happens at `t` itself.
    void run_to(Ps t) { sc_core::sc_start(sim::to_sc_time(t - sim::now())); }

    InterruptThrottle throttle;
    std::vector<Ps> issued;
    std::vector<Ps> expired;
    bool request_again = false;
    bool request_on_expiry = false;
};

TEST(InterruptThrottle, LetsTheFirstCauseInterruptAtOnce) {
    Bench b;
    b.run_to(7_us);
    b.throttle.request();
    EXPECT_EQ(b.issued, std::vector<Ps>{7_us}) << "not after a whole interval";
}

TEST(InterruptThrottle, HoldsACauseUntilExactlyOneIntervalAfterTheLastInterrupt) {
    Bench b;
    b.run_to(10_us);
    b.throttle.request();
    b.run_to(11_us);
    b.throttle.request();
    b.run_to(60_us);
    EXPECT_EQ(b.issued.size(), 1U);
    b.run_to(60_us + 1);
    EXPECT_EQ(b.issued, (std::vector<Ps>{10_us, 60_us}));
}

TEST(InterruptThrottle, MakesOneInterruptOfManyCauses) {
    Bench b;
    b.run_to(1_us);
    for (int i = 0; i < 10; ++i) b.throttle.request();
    b.run_to(500_us);
    EXPECT_EQ(b.issued, (std::vector<Ps>{1_us, 51_us}));
    EXPECT_EQ(b.throttle.delayed(), 1U);
}

TEST(InterruptThrottle, StaysAtZeroWithoutACauseAndDoesNotInterruptAtExpiry) {
    Bench b;
    b.run_to(1_us);
    b.throttle.request();
    b.run_to(400_us);
    EXPECT_EQ(b.issued.size(), 1U) << "no interrupt without a cause";
    b.throttle.request();
    EXPECT_EQ(b.issued, (std::vector<Ps>{1_us, 400_us})) << "and none is held back after zero";
}

TEST(InterruptThrottle, StartsAgainAfterADelayedInterrupt) {
    Bench b;
    b.run_to(1_us);
    b.throttle.request();
    b.throttle.request();
    b.run_to(52_us);
    b.throttle.request();
    b.run_to(300_us);
    EXPECT_EQ(b.issued, (std::vector<Ps>{1_us, 51_us, 101_us}));
}

TEST(InterruptThrottle, PacesASourceThatNeverStops) {
    Bench b;
    b.request_again = true;
    b.run_to(1_us);
    b.throttle.request();
    b.run_to(201_us + 1);
    EXPECT_EQ(b.issued, (std::vector<Ps>{1_us, 51_us, 101_us, 151_us, 201_us}));
}

TEST(InterruptThrottle, ForgetsACauseThatIsWithdrawn) {
    Bench b;
    b.run_to(1_us);
    b.throttle.request();
    b.throttle.request();
    b.throttle.withdraw();
    b.run_to(300_us);
    EXPECT_EQ(b.issued.size(), 1U);
}

TEST(InterruptThrottle, LetsSoftwareForceTheWaitingInterruptByACounterOfZero) {
    Bench b;
    b.run_to(1_us);
    b.throttle.request();
    b.throttle.request();
    b.run_to(20_us);
    b.throttle.set_counter(0);
    b.run_to(60_us);
    EXPECT_EQ(b.issued, (std::vector<Ps>{1_us, 20_us}));
}

TEST(InterruptThrottle, FollowsACounterThatSoftwareWrites) {
    Bench b;
    b.run_to(1_us);
    b.throttle.request();
    b.throttle.request();
    b.throttle.set_counter(8_us);
    b.run_to(9_us);
    EXPECT_EQ(b.issued.size(), 1U);
    b.run_to(9_us + 1);
    EXPECT_EQ(b.issued.size(), 2U);
}

TEST(InterruptThrottle, UsesANewIntervalOnlyFromTheNextInterruptOn) {
    Bench b;
    b.run_to(1_us);
    b.throttle.request();
    b.throttle.set_interval(10_us);
    b.throttle.request();
    b.run_to(52_us);
    b.throttle.request();
    b.run_to(300_us);
    EXPECT_EQ(b.issued, (std::vector<Ps>{1_us, 51_us, 61_us}));
}

TEST(InterruptThrottle, TellsOfItsExpiryOnlyWhoExpectsIt) {
    Bench b;
    b.request_on_expiry = true;
    b.run_to(1_us);
    b.throttle.request();
    b.run_to(100_us);
    EXPECT_TRUE(b.expired.empty());
    b.throttle.request();  // at 100
    b.throttle.expect_expiry();
    b.run_to(300_us);
    EXPECT_EQ(b.expired, std::vector<Ps>{150_us});
    EXPECT_EQ(b.issued, (std::vector<Ps>{1_us, 100_us, 150_us}))
        << "a cause made at expiry interrupts at once";
}

TEST(InterruptThrottle, WithoutIntervalEveryCauseInterrupts) {
    Bench b;
    b.throttle.set_interval(0);
    for (int i = 0; i < 3; ++i) b.throttle.request();
    EXPECT_EQ(b.issued.size(), 3U);
}

TEST(InterruptThrottle, CostsTheKernelNothingWhileNothingWaits) {
    Bench b;
    b.run_to(1_us);
    b.throttle.request();
    const std::uint64_t before = sim::kernel_cost.wakeups;
    b.run_to(5000_us);
    EXPECT_EQ(sim::kernel_cost.wakeups, before);
}

TEST(InterruptThrottle, OfTheDelayKindCountsFromTheFirstCause) {
    Bench b(ThrottleStart::at_first_cause);
    b.run_to(10_us);
    b.throttle.request();
    b.run_to(40_us);
    b.throttle.request();
    b.run_to(60_us);
    EXPECT_TRUE(b.issued.empty());
    b.run_to(200_us);
    EXPECT_EQ(b.issued, std::vector<Ps>{60_us}) << "later causes do not extend the delay";
    b.throttle.request();
    b.run_to(400_us);
    EXPECT_EQ(b.issued, (std::vector<Ps>{60_us, 250_us}));
}

TEST(InterruptThrottle, OfTheRearmedKindLetsTheFirstCauseInterruptAtOnce) {
    Bench b(ThrottleStart::at_rearm);
    b.run_to(7_us);
    b.throttle.request();
    EXPECT_EQ(b.issued, std::vector<Ps>{7_us}) << "not after a whole interval";
}

TEST(InterruptThrottle, OfTheRearmedKindIssuesNothingBeforeItIsRearmed) {
    Bench b(ThrottleStart::at_rearm);
    b.throttle.request();
    b.throttle.request();
    EXPECT_TRUE(b.throttle.held());
    b.run_to(1000_us);
    EXPECT_EQ(b.issued.size(), 1U);
    b.throttle.rearm();
    b.run_to(1050_us);
    EXPECT_EQ(b.issued.size(), 1U) << "the interval begins with the rearming";
    b.run_to(1050_us + 1);
    EXPECT_EQ(b.issued, (std::vector<Ps>{0, 1050_us}));
}

TEST(InterruptThrottle, OfTheRearmedKindStaysAtZeroWithoutACause) {
    Bench b(ThrottleStart::at_rearm);
    b.throttle.request();
    b.run_to(10_us);
    b.throttle.rearm();
    b.run_to(400_us);
    EXPECT_EQ(b.issued.size(), 1U) << "no interrupt without a cause";
    b.throttle.request();
    EXPECT_EQ(b.issued, (std::vector<Ps>{0, 400_us})) << "and none is held back after zero";
}

TEST(InterruptThrottle, OfTheRearmedKindIsNotProlongedByRearmingAgain) {
    Bench b(ThrottleStart::at_rearm);
    b.throttle.request();
    b.run_to(10_us);
    b.throttle.rearm();
    b.run_to(20_us);
    b.throttle.request();
    b.run_to(40_us);
    b.throttle.rearm();  // of somebody else's interrupt
    b.run_to(61_us);
    EXPECT_EQ(b.issued, (std::vector<Ps>{0, 60_us}));
}

TEST(InterruptThrottle, OfTheRearmedKindForgetsACauseThatIsWithdrawnWhileHeld) {
    Bench b(ThrottleStart::at_rearm);
    b.throttle.request();
    b.throttle.request();
    b.throttle.withdraw();
    b.throttle.rearm();
    b.run_to(300_us);
    EXPECT_EQ(b.issued.size(), 1U);
}

}  // namespace
}  // namespace nicsim::models
