// SPDX-License-Identifier: Apache-2.0
// Who may use the wire: launch time, guard, shaper, priorities, legacy order.
#include <gtest/gtest.h>

#include <algorithm>

#include "models/common/credit_shaper.h"
#include "tests/models/tx_bench.h"

namespace nicsim::models::i210 {
namespace {

using namespace sim::literals;

constexpr std::uint32_t qav_timed =
    tqavctrl::TRANSMIT_MODE | tqavctrl::DATA_TRAN_TIM | tqavctrl::SP_WAIT_SR | 0xffffU << 16;
constexpr sim::Ps clock_tick = 8_ns;
constexpr sim::Ps wire_1514 = 12'304_ns;
constexpr sim::Ps guard = 4032 * 8_ns;  // 63 x 64 bytes at 1 Gbit/s

/// Queue 0 with launch times, queues 2 and 3 best effort, DTXMXPKTSZ as igb sets it. With `latency`
/// and nothing else on the bus a frame is in its buffer two latencies after the tail write.
void set_up(TxBench& bench, sim::Ps latency, std::uint32_t control = qav_timed) {
    bench.start();
    bench.bus.latency = latency;
    bench.qav({8, 8, 4, 4}, 63, control);
    bench.make_sr(0);
    for (unsigned q = 0; q < queues; ++q) bench.enable_queue(q);
}

/// Start of a best-effort frame that is stored at `stored` while a frame with launch time `launch`
/// waits in queue 0.
sim::Ps best_effort_start(TxBench& bench, sim::Ps stored, sim::Ps launch) {
    bench.post_timed(0, make_frame(1514, 1), launch / 1_ns);
    bench.kick(0);
    bench.run_until(stored - 2 * bench.bus.latency);
    bench.post(3, make_frame(1514, 2));
    bench.kick(3);
    bench.run_until(launch + 100_us);
    return bench.wire.of(3).at(0).start;
}

TEST(Guard, LetsBestEffortStartOneTickBeforeLaunchMinusLargestPacket) {
    TxBench bench("bench");
    set_up(bench, 1_us);
    const sim::Ps launch = 200 * 32_ns * 32;
    const sim::Ps stored = launch - guard - clock_tick;
    EXPECT_EQ(best_effort_start(bench, stored, launch), stored);
    EXPECT_EQ(bench.wire.of(0).at(0).start, launch);
}

TEST(Guard, HoldsBestEffortFromLaunchMinusLargestPacketUntilTheFrameHasLeft) {
    TxBench bench("bench");
    set_up(bench, 1_us);
    const sim::Ps launch = 200 * 32_ns * 32;
    EXPECT_EQ(best_effort_start(bench, launch - guard, launch), launch + wire_1514);
    EXPECT_EQ(bench.wire.of(0).at(0).start, launch);
}

TEST(Guard, IsOffWithoutSpWaitSr) {
    TxBench bench("bench");
    set_up(bench, 1_us, qav_timed & ~tqavctrl::SP_WAIT_SR);
    const sim::Ps launch = 200 * 32_ns * 32;
    EXPECT_EQ(best_effort_start(bench, launch - guard, launch), launch - guard);
}

TEST(Guard, FollowsTheLinkRate) {
    TxBench bench("bench");
    bench.start(100'000'000);
    bench.bus.latency = 1_us;
    bench.qav({8, 8, 4, 4}, 63, qav_timed);
    bench.make_sr(0);
    bench.enable_queue(0);
    bench.enable_queue(3);
    const sim::Ps launch = 32_ns * 32'000;
    const sim::Ps stored = launch - 10 * guard - clock_tick;
    EXPECT_EQ(best_effort_start(bench, stored, launch), sim::Clock(80_ns).edge_at_or_after(stored));
}

TEST(LaunchTime, DoesNotBlockLowerQueuesOutsideOfTheGuard) {
    TxBench bench("bench");
    set_up(bench, 100_ns);
    const sim::Ps launch = 32_ns * 10'000;  // 320 us
    bench.post_timed(0, make_frame(1514, 1), launch / 1_ns);
    bench.kick(0);
    for (unsigned i = 0; i < 100; ++i) bench.post(3, make_frame(1514, i));
    bench.kick(3);
    bench.run_until(1_ms);
    const auto sent = bench.wire.of(3);
    const auto before =
        std::count_if(sent.begin(), sent.end(), [&](const auto& s) { return s.start < launch; });
    // From 0.2 us to launch - 32.256 us; a 4 KiB buffer adds the fetch (0.1 us) to each wire time.
    EXPECT_EQ(before, static_cast<long>((launch - guard - 200_ns) / (wire_1514 + 104_ns)) + 1);
    EXPECT_EQ(bench.wire.of(0).at(0).start, launch);
}

/// 30 cycles of 125 us with one launch-time frame each while queue 3 saturates.
void run_cycles(TxBench& bench, std::array<unsigned, queues> split) {
    bench.start();
    bench.use_pcie_like_bus(700_ns);
    bench.qav(split, 63, qav_timed);
    bench.make_sr(0);
    bench.enable_queue(0);
    bench.enable_queue(3, 512);
    for (unsigned i = 1; i <= 30; ++i)
        bench.post_timed(0, make_frame(1514, i), i * 125'000U / 32 * 32);
    bench.kick(0);
    for (unsigned i = 0; i < 400; ++i) bench.post(3, make_frame(1514, i));
    bench.kick(3);
    bench.run_until(31 * 125_us);
}

/// Best-effort frames that start in cycle `i`.
long in_cycle(const std::vector<Wire::Sent>& sent, unsigned i) {
    return std::count_if(sent.begin(), sent.end(), [i](const auto& s) {
        return s.start >= i * 125_us && s.start < (i + 1) * 125_us;
    });
}

TEST(LaunchTime, IsMetTo32NanosecondsWhileBestEffortSaturates) {
    TxBench bench("bench");
    run_cycles(bench, {6, 6, 6, 6});
    const auto timed = bench.wire.of(0);
    ASSERT_EQ(timed.size(), 30U);
    for (unsigned i = 0; i < 30; ++i) {
        const sim::Ps launch = (i + 1) * 125'000U / 32 * 32_ns;
        EXPECT_GE(timed[i].start, launch);
        EXPECT_LE(timed[i].start, launch + 32_ns);
    }
}

// Window for starts: launch + 12.304 us to launch + 125 - 32.256 us. Seven periods of 12.304 us
// fit.
TEST(Cycle, CarriesSevenBestEffortFramesWith6KiB) {
    TxBench bench("bench");
    run_cycles(bench, {6, 6, 6, 6});
    const auto sent = bench.wire.of(3);
    for (unsigned i = 2; i < 29; ++i) EXPECT_EQ(in_cycle(sent, i), 7) << "cycle " << i;
}

// Five periods of wire plus serial fetch (20.03 us) fit.
TEST(Cycle, CarriesFiveBestEffortFramesWith4KiB) {
    TxBench bench("bench");
    run_cycles(bench, {8, 8, 4, 4});
    const auto sent = bench.wire.of(3);
    long total = 0;
    for (unsigned i = 2; i < 29; ++i) total += in_cycle(sent, i);
    EXPECT_EQ(total, 27 * 5);
}

TEST(LaunchTime, FetchWaitsForTheFetchTime) {
    TxBench bench("bench");
    bench.start();
    bench.bus.latency = 100_ns;
    constexpr std::uint32_t delta = 100;  // 3.2 us
    bench.qav({8, 8, 4, 4}, 63, tqavctrl::TRANSMIT_MODE | tqavctrl::DATA_TRAN_TIM | delta << 16);
    bench.make_sr(0);
    bench.enable_queue(0);
    const sim::Ps launch = 32_ns * 1000;
    bench.post_timed(0, make_frame(1514, 1), launch / 1_ns);
    bench.kick(0);
    bench.run_until(100_us);
    EXPECT_EQ(bench.bus.seen_for(sim::DmaPurpose::tx_data).at(0).time, launch - delta * 32_ns);
    EXPECT_EQ(bench.wire.of(0).at(0).start, launch);
}

TEST(LaunchTime, AddsLaunchOs0AndWrapsAtTheSecond) {
    TxBench bench("bench");
    bench.clock.set(999'999'000);  // 1 us before the next second
    set_up(bench, 100_ns);
    bench.write(reg::LAUNCH_OS0, 10);
    bench.post_timed(0, make_frame(100, 1), 32 * 20);
    bench.kick(0);
    bench.run_until(10_us);
    EXPECT_EQ(bench.wire.of(0).at(0).start, 1_us + 30 * 32_ns);
}

/// Two reads of 100 ns, and the edges of the 8 ns clock at which the data fetch is granted and the
/// frame is put on the wire.
constexpr sim::Ps at_once = 104_ns + 104_ns;

TEST(LaunchTime, OfLessThanHalfASecondAgoIsReachedAtOnce) {
    TxBench bench("bench");
    bench.clock.set(500'000'000);
    set_up(bench, 100_ns);
    bench.post_timed(0, make_frame(100, 1), 320'000);  // 0.4997 s ago
    bench.kick(0);
    bench.run_until(1_us);
    EXPECT_EQ(bench.wire.of(0).at(0).start, at_once);
}

TEST(LaunchTime, IsIgnoredInLegacyMode) {
    TxBench bench("bench");
    bench.start();
    bench.bus.latency = 100_ns;
    bench.enable_queue(0);
    bench.post_timed(0, make_frame(100, 1), 320'000);
    bench.kick(0);
    bench.run_until(1_us);
    EXPECT_EQ(bench.wire.of(0).at(0).start, at_once);
}

TEST(StrictPriority, LowerQueueNumbersGoFirst) {
    TxBench bench("bench");
    bench.start();
    bench.bus.latency = 1_us;
    bench.qav({6, 6, 6, 6}, 63);
    for (unsigned q = 0; q < queues; ++q) bench.enable_queue(q);
    for (unsigned q : {3U, 2U, 1U, 0U}) {
        for (unsigned i = 0; i < 2; ++i) bench.post(q, make_frame(1514, q));
        bench.kick(q);
    }
    bench.run_until(200_us);
    std::vector<unsigned> order;
    for (const auto& s : bench.wire.sent) order.push_back(s.queue);
    // Queue 3 was first on the wire; everything else was stored while it was there.
    EXPECT_EQ(order, (std::vector<unsigned>{3, 0, 0, 1, 1, 2, 2, 3}));
}

TEST(LegacyMode, FramesLeaveInOrderOfFetch) {
    TxBench bench("bench");
    bench.start();
    bench.bus.latency = 1_us;
    for (unsigned q = 0; q < queues; ++q) bench.enable_queue(q);
    const std::vector<unsigned> posted = {3, 1, 2, 0, 3, 0};
    for (unsigned i = 0; i < posted.size(); ++i) {
        bench.post(posted[i], make_frame(1514 - 200 * i, i));
        bench.kick(posted[i]);
        bench.run_for(3_us);
    }
    bench.run_for(200_us);
    std::vector<unsigned> order;
    for (const auto& s : bench.wire.sent) order.push_back(s.queue);
    EXPECT_EQ(order, posted);
}

TEST(LegacyMode, SendsBackToBackFromTheSharedBuffer) {
    TxBench bench("bench");
    bench.start();
    bench.use_pcie_like_bus(700_ns);
    bench.enable_queue(1, 256, 0);
    for (unsigned i = 0; i < 20; ++i) bench.post(1, make_frame(1514, i));
    bench.kick(1);
    bench.run_for(1_ms);
    ASSERT_EQ(bench.wire.sent.size(), 20U);
    for (unsigned i = 1; i < 20; ++i)
        EXPECT_EQ(bench.wire.sent[i].start - bench.wire.sent[i - 1].start, wire_1514);
}

TEST(Shaper, CarriesIdleSlopeInTheLongRunAndLeavesTheRestToBestEffort) {
    TxBench bench("bench");
    bench.start();
    bench.use_pcie_like_bus(100_ns);
    bench.qav({6, 6, 6, 6}, 63, tqavctrl::TRANSMIT_MODE | tqavctrl::DATA_TRAN_ARB);
    bench.make_sr(0, 15'259, 1514);  // x 16.384 kbit/s = 250.0 Mbit/s
    bench.enable_queue(0, 2048);
    bench.enable_queue(3, 2048);
    for (unsigned i = 0; i < 1000; ++i) {
        bench.post(0, make_frame(1514, i));
        bench.post(3, make_frame(1514, i));
    }
    bench.kick(0);
    bench.kick(3);
    bench.run_until(10_ms);
    const double share = static_cast<double>(bench.wire.of(0).size()) * 12.304e-6 / 10e-3;
    EXPECT_NEAR(share, 0.250, 0.0025);
    const double all = static_cast<double>(bench.wire.sent.size()) * 12.304e-6 / 10e-3;
    EXPECT_GT(all, 0.998);
}

TEST(Shaper, SendsTheNextFrameWhenCreditIsBackAtZeroAndNotBefore) {
    TxBench bench("bench");
    bench.start();
    bench.bus.latency = 100_ns;
    bench.qav({8, 6, 6, 4}, 63, tqavctrl::TRANSMIT_MODE | tqavctrl::DATA_TRAN_ARB);
    bench.make_sr(0, 12'207, 0);  // 199'999'488 bit/s
    bench.enable_queue(0);
    for (unsigned i = 0; i < 3; ++i) bench.post(0, make_frame(1514, i));
    bench.kick(0);
    bench.run_until(1_ms);
    const auto sent = bench.wire.of(0);
    ASSERT_EQ(sent.size(), 3U);
    // Credit falls by 1538 x 8 x (1 - slope / rate) bits, and comes back at the slope: in all
    // 1538 x 8 bits / slope from start to start, to the next edge of the byte clock.
    const sim::Ps exact = sim::serialisation_time(1538, 12'207 * 16'384ULL);
    for (unsigned i = 1; i < 3; ++i) {
        EXPECT_GE(sent[i].start - sent[i - 1].start, exact - clock_tick);
        EXPECT_LT(sent[i].start - sent[i - 1].start, exact + clock_tick);
    }
}

TEST(CreditShaper, LosesPositiveCreditWithoutBacklogAndRecoversNegativeToZero) {
    CreditShaper shaper;
    shaper.set_link_rate(1'000'000'000);
    shaper.set_idle_slope(500'000'000, 0);
    shaper.set_hi_credit(1000, 0);
    shaper.set_backlog(true, sim::now());
    sc_core::sc_start(10, sc_core::SC_US);  // 625 bytes
    EXPECT_EQ(shaper.credit_bytes(), 625);
    shaper.set_backlog(false, sim::now());
    sc_core::sc_start(1, sc_core::SC_US);
    EXPECT_EQ(shaper.credit_bytes(), 0);
    shaper.transmit(sim::now(), sim::now() + 8_us);  // -500
    sc_core::sc_start(8, sc_core::SC_US);
    EXPECT_EQ(shaper.credit_bytes(), -500);
    EXPECT_FALSE(shaper.may_send());
    EXPECT_EQ(shaper.ready_at(), sim::now() + 8_us);
    sc_core::sc_start(100, sc_core::SC_US);
    EXPECT_EQ(shaper.credit_bytes(), 0);
    shaper.set_backlog(true, sim::now());
    sc_core::sc_start(100, sc_core::SC_US);
    EXPECT_EQ(shaper.credit_bytes(), 1000);
}

TEST(Link, HoldsFramesUntilItIsUp) {
    TxBench bench("bench");
    bench.start(0);
    bench.bus.latency = 100_ns;
    bench.enable_queue(0);
    bench.post(0, make_frame(60, 1));
    bench.kick(0);
    bench.run_until(5_us);
    EXPECT_TRUE(bench.wire.sent.empty());
    EXPECT_EQ(bench.clean(0), 1U);  // buffered is done
    bench.tx.set_link(1'000'000'000);
    bench.run_until(10_us);
    EXPECT_EQ(bench.wire.sent.at(0).start, 5_us);
}

}  // namespace
}  // namespace nicsim::models::i210
