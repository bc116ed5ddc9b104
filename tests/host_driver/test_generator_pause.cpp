// SPDX-License-Identifier: Apache-2.0
// The traffic generator and the pause frames of the port that it sends into.
#include <gtest/gtest.h>

#include <vector>

#include "host_driver/far_end/pause_tap.h"
#include "host_driver/far_end/traffic_generator.h"
#include "sim/pause.h"

namespace nicsim::host {
namespace {

using namespace sim::literals;
using sim::Ps;

constexpr Ps cable = 100'000;
constexpr Ps quantum = 512'000;  // at 1 Gbit/s

struct Port : sc_core::sc_module, sim::EthernetIf {
    explicit Port(const sc_core::sc_module_name& name) : sc_module(name) { in.bind(*this); }
    void deliver(const sim::FramePtr& frame, Ps start, Ps) override {
        (void)frame;
        starts.push_back(start);
    }
    sc_core::sc_export<sim::EthernetIf> in{"in"};
    std::vector<Ps> starts;
};

struct Bench {
    explicit Bench(bool obeys, std::uint64_t rate = 100'000, Arrivals arrivals = Arrivals::constant)
        : generator("generator", config(obeys, rate, arrivals), 1), tap("tap", generator) {
        generator.out.bind(port.in);
        tap.out.bind(others.in);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    static TrafficGeneratorConfig config(bool obeys, std::uint64_t rate, Arrivals arrivals) {
        TrafficGeneratorConfig c;
        c.rate = rate;
        c.arrivals = arrivals;
        c.burst = 8;
        c.cable_delay = cable;
        c.flow_control = obeys;
        return c;
    }
    void start(Ps end) {
        generator.start({2, 0, 0, 0, 0, 1}, end);
        generator.begin_measurement();
    }
    static void run_until(Ps t) { sc_core::sc_start(sim::to_sc_time(t - sim::now())); }
    /// A pause frame leaves the device now. Gives from when on no frame reaches the device that
    /// left the generator later: two cables after its last bit.
    Ps pause(std::uint16_t quanta) {
        const Ps end = sim::now() + 576_ns;
        const auto frame = sim::make_pause_frame({2, 0, 0, 0, 0, 1}, quanta);
        static_cast<sim::EthernetIf&>(tap.in).deliver(frame, sim::now(), end);
        return end + 2 * cable;
    }
    TrafficGenerator generator;
    PauseTap tap;
    Port port{"port"}, others{"others"};
};

TEST(GeneratorPause, ByDefaultItCountsPauseFramesAndGoesOn) {
    Bench b(false);
    b.start(1_ms);
    (void)b.pause(0xffff);
    Bench::run_until(2_ms);
    EXPECT_EQ(b.port.starts.size(), 100U);
    EXPECT_TRUE(b.others.starts.empty()) << "a pause frame ends in the tester's MAC";
}

TEST(GeneratorPause, OtherFramesPassTheTap) {
    Bench b(true);
    const auto frame = sim::frame_pool().make();
    frame->resize(60);
    static_cast<sim::EthernetIf&>(b.tap.in).deliver(frame, 0, 576_ns);
    const auto spoiled = sim::make_pause_frame({2, 0, 0, 0, 0, 1}, 5);
    spoiled->fcs_good = false;
    static_cast<sim::EthernetIf&>(b.tap.in).deliver(spoiled, 0, 576_ns);
    EXPECT_EQ(b.others.starts.size(), 2U);
}

TEST(GeneratorPause, StopsTheClockOfItsScheduleAndMakesNothingUp) {
    Bench b(true);
    b.start(10_ms);
    Bench::run_until(34_us);  // frames left at 0, 10, 20, 30
    const Ps stop = b.pause(100);
    const Ps go = stop + 100 * quantum;
    Bench::run_until(10_ms);
    ASSERT_GT(b.port.starts.size(), 6U);
    EXPECT_EQ(b.port.starts[3], 30_us);
    EXPECT_EQ(b.port.starts[4], go + (40_us - stop)) << "what was left of the distance";
    EXPECT_EQ(b.port.starts[5], b.port.starts[4] + 10_us);
    EXPECT_EQ(b.port.starts.size(), 1 + (10_ms - 1 - 100 * quantum) / 10_us);
}

TEST(GeneratorPause, NoFrameLeavesABitTimeTooEarlyOrTooLate) {
    Bench b(true, 1'400'000);  // 714 ns apart, 672 on the wire
    b.start(10_ms);
    Bench::run_until(100_us);
    const Ps stop = b.pause(50);
    Bench::run_until(1_ms);
    const Ps go = stop + 50 * quantum;
    Ps last = 0, first = sim::never;
    for (const Ps s : b.port.starts) {
        if (s < stop) last = s;
        if (s >= stop) first = std::min(first, s);
    }
    EXPECT_GE(last + 715_ns, stop) << "it went on as long as it might";
    EXPECT_GE(first, go);
    EXPECT_LE(first, go + 715_ns);
}

TEST(GeneratorPause, XonLetsItGoOn) {
    Bench b(true);
    b.start(10_ms);
    Bench::run_until(34_us);
    const Ps stop = b.pause(0xffff);
    Bench::run_until(500_us);
    EXPECT_EQ(b.port.starts.size(), 4U);
    const Ps go = b.pause(0);
    Bench::run_until(1_ms);
    ASSERT_GT(b.port.starts.size(), 4U);
    EXPECT_EQ(b.port.starts[4], go + (40_us - stop));
}

TEST(GeneratorPause, APauseBeyondTheEndIsEndedByXon) {
    Bench b(true);
    b.start(2_ms);
    Bench::run_until(34_us);
    (void)b.pause(0xffff);  // 33 ms
    Bench::run_until(500_us);
    (void)b.pause(0);
    Bench::run_until(3_ms);
    EXPECT_GT(b.port.starts.size(), 100U);
    EXPECT_LT(b.port.starts.back(), 2_ms);
}

TEST(GeneratorPause, ABurstGoesOnAtTheRateOfTheWire) {
    Bench b(true, 100'000, Arrivals::bursts);
    b.start(1_ms);
    Bench::run_until(1_us);
    const Ps stop = b.pause(20);
    Bench::run_until(79_us);
    ASSERT_EQ(b.port.starts.size(), 8U);
    for (std::size_t i = 1; i < 8; ++i) {
        const Ps gap = b.port.starts[i] - b.port.starts[i - 1];
        if (b.port.starts[i - 1] < stop && b.port.starts[i] >= stop)
            EXPECT_EQ(b.port.starts[i], stop + 20 * quantum);
        else
            EXPECT_EQ(gap, 672_ns);
    }
}

TEST(GeneratorPause, PausesBeforeItsStartCostNothing) {
    Bench b(true);
    (void)b.pause(10);
    Bench::run_until(100_us);
    b.start(1_ms);
    Bench::run_until(1_ms);
    ASSERT_GT(b.port.starts.size(), 1U);
    EXPECT_EQ(b.port.starts[0], 100_us);
    EXPECT_EQ(b.port.starts[1], 110_us);
}

}  // namespace
}  // namespace nicsim::host
