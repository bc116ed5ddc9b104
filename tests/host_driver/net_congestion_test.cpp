// SPDX-License-Identifier: Apache-2.0
// CUBIC against its closed form, HyStart at its thresholds, the timeout against RFC 6298.
#include <gtest/gtest.h>

#include <cmath>

#include "host_driver/net/tcp_congestion.h"
#include "host_driver/net/tcp_rtt.h"

namespace nicsim::host {
namespace {

using namespace sim::literals;

TcpConfig fast_clock() {
    TcpConfig c;
    c.tick_rate = 1000;
    return c;
}

TEST(Cubic, CubeRootIsTheWholePart) {
    for (const std::uint64_t v :
         {0ULL, 1ULL, 7ULL, 8ULL, 26ULL, 27ULL, 1'000'000ULL, 999'999ULL, ~0ULL}) {
        const std::uint64_t r = cube_root(v);
        EXPECT_LE(static_cast<sim::Uint128>(r) * r * r, v);
        EXPECT_GT(static_cast<sim::Uint128>(r + 1) * (r + 1) * (r + 1), v);
    }
}

TEST(Cubic, LossReducesTheWindowToSevenTenths) {
    Congestion control{fast_clock()};
    CongestionState s;
    s.cwnd = 100;
    EXPECT_EQ(control.loss(s), 70U);
}

TEST(Cubic, SlowStartGrowsByOneSegmentPerSegmentAcknowledged) {
    Congestion control{fast_clock()};
    CongestionState s;
    control.grow(s, 2, 1000);
    control.grow(s, 3, 2000);
    EXPECT_EQ(s.cwnd, 15U);
}

TEST(Cubic, WindowFollowsTheCubicFunctionAfterALoss) {
    // W(t) = 0.4 (t - K)^3 + W_max with K = cbrt(0.3 W_max / 0.4), RFC 8312.
    Congestion control{fast_clock()};
    CongestionState s;
    s.cwnd = 400;
    s.ssthresh = s.cwnd = control.loss(s);
    ASSERT_EQ(s.cwnd, 280U);
    const double k = std::cbrt(0.3 * 400 / 0.4);
    const std::uint64_t rtt_us = 50'000;
    std::uint64_t start = 0;
    double worst = 0.0;
    for (std::uint64_t now = 10'000'000; now < 24'000'000;) {
        const std::uint32_t acks = s.cwnd / 2;  // one per two segments, spread over the RTT
        for (std::uint32_t i = 0; i < acks; ++i) {
            const std::uint64_t t = now + i * rtt_us / acks;
            if (start == 0) start = t;
            control.grow(s, 2, t);
        }
        now += rtt_us;
        const double t = static_cast<double>(now - start) * 1e-6;
        const double expected = 0.4 * std::pow(t - k, 3) + 400;
        worst = std::max(worst, std::abs(s.cwnd - expected) / expected);
    }
    EXPECT_LT(worst, 0.02);
    EXPECT_GT(s.cwnd, 500U);  // well into the convex part
}

TEST(Cubic, WithoutAnyLossTheWindowGrowsByFivePercentPerRoundTrip) {
    Congestion control{fast_clock()};
    CongestionState s;
    s.cwnd = s.ssthresh = 200;
    control.grow(s, 1, 1'000'000);
    const std::uint32_t before = s.cwnd;
    for (unsigned i = 0; i < 200; ++i) control.grow(s, 1, 1'000'000);
    EXPECT_EQ(s.cwnd - before, 10U);
}

TEST(Cubic, IsAtLeastAsFastAsRenoAtSmallRoundTripTimes) {
    // At 1 ms RTT the cubic function needs seconds; a Reno-like sender gains 0.53 segments per RTT.
    Congestion control{fast_clock()};
    CongestionState s;
    s.cwnd = 100;
    s.ssthresh = s.cwnd = control.loss(s);
    std::uint64_t now = 1'000'000;
    for (unsigned round = 0; round < 40; ++round) {
        for (std::uint32_t i = 0, n = s.cwnd; i < n; ++i) control.grow(s, 1, now);
        now += 1000;
    }
    EXPECT_NEAR(s.cwnd, 70 + 40 * 0.53, 4);
}

TEST(Reno, WindowGrowsByOneSegmentPerRoundTrip) {
    TcpConfig config;
    config.congestion = CongestionControl::reno;
    Congestion control{config};
    CongestionState s;
    s.cwnd = s.ssthresh = 50;
    for (unsigned i = 0; i < 25; ++i) control.grow(s, 2, 1000);
    EXPECT_EQ(s.cwnd, 51U);
    EXPECT_EQ(control.loss(s), 25U);
}

struct HystartBench {
    Congestion control{fast_clock()};
    CongestionState s;
    HystartBench() {
        s.cwnd = 16;
        s.pacing_rate = 0;  // no slack for the sender's own bursts
        s.snd_nxt = 100'000;
        s.snd_una = 1;
    }
};

TEST(Hystart, AckTrainEndsSlowStartOnlyBeyondHalfOfTheLeastRoundTripTime) {
    HystartBench b;
    b.control.rtt_sample(b.s, 1000, 1'000'000);  // opens the round
    for (std::uint64_t t = 100; t <= 500; t += 100) {
        b.control.rtt_sample(b.s, 1000, 1'000'000 + t);
        ASSERT_FALSE(b.control.hystart_found()) << t;
    }
    b.control.rtt_sample(b.s, 1000, 1'000'501);
    EXPECT_TRUE(b.control.hystart_found());
    EXPECT_EQ(b.s.ssthresh, 16U);
}

TEST(Hystart, AckTrainIsGivenTheWholeRoundTripTimeIfPacingIsEnforced) {
    HystartBench b;
    b.s.paced = true;
    b.control.rtt_sample(b.s, 1000, 1'000'000);
    b.control.rtt_sample(b.s, 1000, 1'001'000);
    EXPECT_FALSE(b.control.hystart_found());
    b.control.rtt_sample(b.s, 1000, 1'001'001);
    EXPECT_TRUE(b.control.hystart_found());
}

TEST(Hystart, AGapInTheTrainKeepsSlowStart) {
    HystartBench b;
    b.control.rtt_sample(b.s, 1000, 1'000'000);
    b.control.rtt_sample(b.s, 1000, 1'002'001);  // more than 2 ms later
    EXPECT_FALSE(b.control.hystart_found());
}

TEST(Hystart, DelayIncreaseAboveAnEighthEndsSlowStartAfterEightSamples) {
    for (const std::uint64_t excess : {5000U, 5001U}) {  // 40 ms / 8 = 5 ms
        HystartBench b;
        std::uint64_t now = 1'000'000;
        b.control.rtt_sample(b.s, 40'000, now);
        b.s.snd_una = 100'001;  // a new round
        b.s.snd_nxt = 200'000;
        for (unsigned i = 0; i < 8; ++i) {
            b.control.rtt_sample(b.s, 40'000 + excess, now += 3000);
            ASSERT_FALSE(b.control.hystart_found()) << i;
        }
        b.control.rtt_sample(b.s, 40'000 + excess, now += 3000);
        EXPECT_EQ(b.control.hystart_found(), excess == 5001U);
    }
}

TEST(Hystart, SmallWindowsAreLeftAlone) {
    HystartBench b;
    b.s.cwnd = 15;
    b.control.rtt_sample(b.s, 1000, 1'000'000);
    b.control.rtt_sample(b.s, 1000, 1'001'900);
    EXPECT_FALSE(b.control.hystart_found());
}

TEST(Rtt, FirstSampleSetsMeanAndTimeoutAndTheTimeoutHasAFloor) {
    RttEstimator r(200_ms, 1_s);
    EXPECT_EQ(r.rto(0), 1_s);
    r.sample(10'000, 0, 1000);
    EXPECT_EQ(r.srtt8_us(), 80'000U);
    EXPECT_EQ(r.rto(0), 210_ms);  // mean plus the floor of the deviation
    EXPECT_EQ(r.rto(1), 420_ms);
    EXPECT_EQ(r.rto(30), 120_s);
}

TEST(Rtt, MeanMovesByAnEighthAndLeastIsKept) {
    RttEstimator r(200_ms, 1_s);
    r.sample(1000, 0, 1000);
    r.sample(1800, 0, 1000);
    EXPECT_EQ(r.srtt8_us(), 8800U);
    r.sample(800, 0, 1000);
    EXPECT_EQ(r.min_us(), 800U);
}

TEST(Rtt, LargeDeviationRaisesTheTimeoutAboveTheFloor) {
    RttEstimator r(200_ms, 1_s);
    r.sample(500'000, 0, 1000);
    EXPECT_EQ(r.rto(0), 1500_ms);  // srtt + 4 * (rtt / 2)
}

}  // namespace
}  // namespace nicsim::host
