// SPDX-License-Identifier: Apache-2.0
#include "host_driver/far_end/traffic_generator.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "sim/timed_fifo.h"

namespace nicsim::host {
namespace {

using namespace sim::literals;
using sim::Ps;

/// A device under test that hands every frame back after a time, but for those it is told to harm.
struct Wire : sc_core::sc_module, sim::EthernetIf {
    explicit Wire(const sc_core::sc_module_name& name) : sc_module(name) { in.bind(*this); }
    void deliver(const sim::FramePtr& frame, Ps start, Ps end) override {
        starts.push_back(start);
        // Ethernet 14, source address 12 into the IP header.
        sources.push_back(std::as_const(*frame).bytes()[14 + 15]);
        const std::size_t n = starts.size() - 1;
        if (n % 10 < lose) return;
        if (n % 10 == harm) frame->bytes()[50] ^= 1;
        back.push(end + delay, frame);
        if (n % 10 == twice) copies.push(end + delay + 1_us, frame);
    }
    void emit(sim::FramePtr frame) { out->deliver(frame, sim::now(), sim::now() + 512_ns); }
    sc_core::sc_export<sim::EthernetIf> in{"in"};
    sc_core::sc_port<sim::EthernetIf> out{"out"};
    std::vector<Ps> starts;
    std::vector<unsigned> sources;  ///< last byte of the source address
    Ps delay = 3_us;
    std::size_t lose = 0;
    std::size_t harm = 99;
    std::size_t twice = 99;
    sim::TimedFifo<sim::FramePtr> back{
        "back", sim::TimedFifo<sim::FramePtr>::Action::to<&Wire::emit>(this)};
    sim::TimedFifo<sim::FramePtr> copies{
        "copies", sim::TimedFifo<sim::FramePtr>::Action::to<&Wire::emit>(this)};
};

struct Bench {
    explicit Bench(const TrafficGeneratorConfig& config, std::uint64_t seed = 1)
        : generator("generator", config, seed) {
        generator.out.bind(wire.in);
        wire.out.bind(generator.in);
    }
    void run(Ps length, Ps after = 1_ms) {
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        generator.start({2, 0, 0, 0, 0, 1}, sim::now() + length);
        generator.begin_measurement();
        sc_core::sc_start(sim::to_sc_time(length + after));
    }
    Wire wire{"wire"};
    TrafficGenerator generator;
};

TEST(TrafficGenerator, ConstantRateKeepsItsDistanceWithoutDrift) {
    TrafficGeneratorConfig c;
    c.rate = 300'007;  // no whole number of picoseconds
    Bench b(c);
    b.run(100_ms);
    const auto n = b.wire.starts.size();
    EXPECT_EQ(n, 30'001U);
    for (std::size_t i : {std::size_t{1}, std::size_t{1000}, n - 1})
        EXPECT_EQ(b.wire.starts[i] - b.wire.starts[0], i * sim::ps_per_s / c.rate) << i;
}

TEST(TrafficGenerator, FlowsTakeTurnsAndEveryFrameIsKnownAgain) {
    TrafficGeneratorConfig c;
    c.rate = 100'000;
    c.flows = 3;
    Bench b(c);
    b.run(1_ms);
    ASSERT_EQ(b.wire.sources.size(), 100U);
    for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(b.wire.sources[i], 1 + i % 3);
    EXPECT_EQ(b.generator.counters().received, 100U);
    EXPECT_EQ(b.generator.counters().wrong, 0U);
    EXPECT_EQ(b.generator.counters().foreign, 0U);
}

TEST(TrafficGenerator, BurstsLeaveAtTheRateOfTheWireAndKeepTheMeanRate) {
    TrafficGeneratorConfig c;
    c.rate = 100'000;
    c.arrivals = Arrivals::bursts;
    c.burst = 16;
    Bench b(c);
    b.run(16_ms);
    const auto& s = b.wire.starts;
    ASSERT_EQ(s.size(), 1600U);
    EXPECT_EQ(s[1] - s[0], 672_ns);  // 84 bytes at 1 Gbit/s
    EXPECT_EQ(s[15] - s[0], 15 * 672_ns);
    EXPECT_EQ(s[16] - s[0], 160_us);
}

TEST(TrafficGenerator, PoissonArrivalsHaveTheMeanRateAndNeverOverlap) {
    TrafficGeneratorConfig c;
    c.rate = 1'000'000;
    c.arrivals = Arrivals::poisson;
    Bench b(c);
    b.run(100_ms);
    const auto& s = b.wire.starts;
    EXPECT_NEAR(static_cast<double>(s.size()), 100'000.0, 1'500.0);
    for (std::size_t i = 1; i < s.size(); ++i) ASSERT_GE(s[i] - s[i - 1], 672_ns);
}

TEST(TrafficGenerator, LatencyIsFromTheLastBitSentToTheFirstBitReceived) {
    TrafficGeneratorConfig c;
    c.rate = 10'000;
    c.cable_delay = 25'000;
    c.own_latency = 100'000;
    Bench b(c);
    b.run(5_ms);
    const auto& l = b.generator.latency();
    EXPECT_EQ(l.count(), 50U);
    EXPECT_EQ(l.min(), 3_us + 150'000);
    EXPECT_EQ(l.max(), 3_us + 150'000);
}

TEST(TrafficGenerator, CountsWhatIsLostHarmedAndDoubledByNumber) {
    TrafficGeneratorConfig c;
    c.rate = 100'000;
    Bench b(c);
    b.wire.lose = 2;   // of ten
    b.wire.harm = 5;   // one of ten
    b.wire.twice = 7;  // one of ten
    b.run(10_ms);
    const auto& n = b.generator.counters();
    EXPECT_EQ(n.offered, 1000U);
    EXPECT_EQ(n.received, 700U);
    EXPECT_EQ(n.wrong, 100U);
    EXPECT_EQ(n.duplicates, 100U);
    EXPECT_EQ(n.out_of_order, 0U);
    EXPECT_EQ(b.generator.measured_lost(), 300U);
}

TEST(TrafficGenerator, StopsBeforeTheEndSoThatNothingIsOnItsWay) {
    TrafficGeneratorConfig c;
    c.rate = 1'000'000;
    c.drain = 50_us;
    Bench b(c);
    b.wire.delay = 40_us;
    b.run(1_ms, 0);
    EXPECT_EQ(b.generator.measured_offered(), 950U);
    EXPECT_EQ(b.generator.measured_lost(), 0U);
    EXPECT_NEAR(b.generator.offered_rate(), 1e6, 1.0);
}

}  // namespace
}  // namespace nicsim::host
