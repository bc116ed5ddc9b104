// SPDX-License-Identifier: Apache-2.0
#include "pcie/root_complex.h"

#include <algorithm>

#include "bench.h"
#include "ends.h"
#include "sim/kernel.h"

namespace nicsim::pcie::test {
namespace {

/// A link whose DLLPs cost nothing, so that latencies are plain sums.
Options plain() {
    Options o;
    o.link.dllp = DllpCharge::none;
    o.link.propagation_delay = 11'000;
    return o;
}

TEST(RootComplex, AnUnloadedReadTakesTheSumOfItsParts) {
    System s(plain());
    s.enumerate();
    const std::size_t j = s.device.read(memory_base, 64);
    System::run(10_us);
    // MRd 20 bytes at 4 ns, the way, 700 ns in the host, CplD 84 bytes, the way.
    EXPECT_EQ(s.device.jobs[j].done - s.device.jobs[j].issued,
              20 * 4_ns + 11_ns + 700_ns + 84 * 4_ns + 11_ns);
}

TEST(RootComplex, AnUnloadedWriteIsInMemoryAfterTheSumOfItsParts) {
    System s(plain());
    s.enumerate();
    const sim::Ps t = sim::now();
    s.device.write(memory_base, bytes(64));
    System::run(10_us);
    ASSERT_EQ(s.memory.writes.size(), 1U);
    EXPECT_EQ(s.memory.writes[0].time - t, 84 * 4_ns + 11_ns);
}

TEST(RootComplex, ARegisterReadTakesTheSumOfItsParts) {
    System s(plain());
    s.enumerate();
    s.device.access_time = 100'000;
    const sim::Ps t = sim::now();
    sim::Ps done = 0;
    s.rc.mmio_read(bar0_base + 8, 4, [&done](std::uint64_t) { done = sim::now(); });
    System::run(10_us);
    EXPECT_EQ(done - t, 250_ns + 20 * 4_ns + 11_ns + 100_ns + 24 * 4_ns + 11_ns + 250_ns);
}

TEST(RootComplex, AReadIsServedWithWhatMemoryHoldsAtTheEndOfItsLatency) {
    System s(plain());
    s.enumerate();
    const std::size_t j = s.device.read(memory_base, 4);
    const std::size_t k = s.device.read(memory_base + 64, 4);
    // Both arrive after 91 and 171 ns, and are served at 791 and 871 ns.
    System::run(791_ns);
    s.memory.set(memory_base, 0x99);
    System::run(10_ns);
    s.memory.set(memory_base + 64, 0x77);
    System::run(10_us);
    EXPECT_EQ(s.device.jobs[j].data[0], 0x99) << "one picosecond before";
    EXPECT_EQ(s.device.jobs[k].data[0], 0x77);
    const std::size_t l = s.device.read(memory_base, 4);
    System::run(792_ns);
    s.memory.set(memory_base, 0x11);
    System::run(10_us);
    EXPECT_EQ(s.device.jobs[l].data[0], 0x99) << "too late";
}

TEST(RootComplex, AWriteOfTheDevicePushedAheadOfItsReadIsSeenByTheRead) {
    System s(plain());
    s.enumerate();
    s.device.write(memory_base, bytes(256, 77));
    const std::size_t j = s.device.read(memory_base, 256);
    System::run(20_us);
    EXPECT_EQ(s.device.jobs[j].data, bytes(256, 77));
}

TEST(RootComplex, CostsThreeWakeUpsPerReadAndOnePerWrite) {
    System s(plain());
    s.enumerate();
    std::uint64_t before = sim::kernel_cost.wakeups;
    s.device.read(memory_base, 64);
    System::run(100_us);
    EXPECT_EQ(sim::kernel_cost.wakeups - before, 3U);
    before = sim::kernel_cost.wakeups;
    s.device.write(memory_base, bytes(64));
    System::run(100_us);
    EXPECT_EQ(sim::kernel_cost.wakeups - before, 1U);
    before = sim::kernel_cost.wakeups;
    s.rc.mmio_write(bar0_base, 4, 1);
    System::run(100_us);
    EXPECT_EQ(sim::kernel_cost.wakeups - before, 2U);
    before = sim::kernel_cost.wakeups;
    System::run(5_ms);
    EXPECT_EQ(sim::kernel_cost.wakeups, before) << "at rest";
}

TEST(RootComplex, OnAFullLinkAReadCostsAtMostThreeAndAHalfWakeUpsAndAWriteOneAndAHalf) {
    Options o;
    o.device = fast_identity();
    o.device.tags = 64;
    o.link.generation = 3;
    o.link.width = 8;
    System s(o);
    s.enumerate();
    constexpr unsigned n = 2000;
    std::uint64_t before = sim::kernel_cost.wakeups;
    for (unsigned i = 0; i < n; ++i) s.device.read(memory_base + 64 * i, 64);
    System::run(1_ms);
    ASSERT_EQ(s.device.done, n);
    EXPECT_LE(sim::kernel_cost.wakeups - before, n * 7 / 2);
    before = sim::kernel_cost.wakeups;
    for (unsigned i = 0; i < n; ++i) s.device.write(memory_base + 64 * i, bytes(64));
    System::run(1_ms);
    ASSERT_EQ(s.device.done, 2 * n);
    EXPECT_LE(sim::kernel_cost.wakeups - before, n * 3 / 2);
}

TEST(RootComplex, ReadsOvertakeEachOtherWhenTheirLatenciesDiffer) {
    Options o = plain();
    o.device = fast_identity();
    o.root.read_latency_spread = 200'000;
    o.link.generation = 3;
    o.link.width = 8;
    System s(o);
    s.enumerate();
    for (unsigned i = 0; i < 200; ++i) s.device.read(memory_base + 64 * i, 64);
    System::run(100_us);
    ASSERT_EQ(s.device.done, 200U);
    bool overtaken = false;
    for (unsigned i = 0; i < 200; ++i) {
        const Device::Job& j = s.device.jobs[i];
        ASSERT_TRUE(j.ok);
        for (std::size_t b = 0; b < 64; ++b) ASSERT_EQ(j.data[b], Memory::pattern(j.address + b));
        overtaken = overtaken || (i > 0 && j.done < s.device.jobs[i - 1].done);
    }
    EXPECT_TRUE(overtaken);
}

TEST(RootComplex, LatenciesFollowTheirDistribution) {
    Options o = plain();
    o.device = fast_identity();
    o.link.generation = 5;
    o.link.width = 16;
    o.root.read_latency_spread = 50'000;
    o.root.read_tail_probability = 0.1;
    o.root.read_tail_latency = 2'000'000;
    System s(o);
    s.enumerate();
    std::vector<double> body;
    double tail = 0;
    constexpr unsigned n = 2000;
    for (unsigned i = 0; i < n; ++i) {
        const std::size_t j = s.device.read(memory_base, 64);
        System::run(5_us);
        const auto latency = static_cast<double>(s.device.jobs[j].done - s.device.jobs[j].issued);
        if (latency > 2e6)
            tail += 1;
        else
            body.push_back(latency);
    }
    EXPECT_NEAR(tail / n, 0.1, 0.02);
    double mean = 0;
    for (const double x : body) mean += x / static_cast<double>(body.size());
    double variance = 0;
    for (const double x : body)
        variance += (x - mean) * (x - mean) / static_cast<double>(body.size());
    EXPECT_NEAR(mean, 700e3 + 22e3, 5e3);
    EXPECT_NEAR(std::sqrt(variance), 50e3, 5e3);
}

TEST(RootComplex, CompletionsOfSeveralRequestsInterleaveWhenMemoryDeliversPieceByPiece) {
    Options o = plain();
    o.link.max_payload = 128;
    o.root.completion_interval = 1'000'000;
    System s(o);
    s.enumerate();
    const std::size_t a = s.device.read(memory_base, 512);
    const std::size_t b = s.device.read(memory_base + 4096, 512);
    System::run(50_us);
    EXPECT_TRUE(s.device.jobs[a].ok && s.device.jobs[b].ok);
    EXPECT_LT(s.device.jobs[b].done - s.device.jobs[a].done, 1_us);
    EXPECT_EQ(s.link.down().counters().tlps[static_cast<unsigned>(TlpType::CplD)], 8U);
}

TEST(RootComplex, LatenciesAreDrawnFromTheStreamOfTheSeedAndTheirName) {
    Options o = plain();
    o.root.read_latency_spread = 100'000;
    System s(o);
    s.enumerate();
    s.device.read(memory_base, 64);
    System::run(20_us);
    sim::RandomStream same(1, "root_complex");
    const double first = 700e3 + same.normal() * 100e3;
    EXPECT_EQ(s.device.jobs[0].done - s.device.jobs[0].issued,
              static_cast<sim::Ps>(std::llround(first)) + 20 * 4_ns + 84 * 4_ns + 22_ns);
}

TEST(RootComplex, ARegisterReadWithoutAnswerEndsAsAllOnesAtItsTimeout) {
    Memory memory(memory_base, 4096);
    Interrupts interrupts(memory);
    RootComplexConfig config;
    config.completion_timeout = 50'000'000;
    RootComplex rc("rc", config, memory, interrupts, 1);
    End mute;
    Beside beside({nobody_asked});  // the completion that comes twice
    Link link("link", LinkConfig{}, rc.port(), mute);
    beside.watch(link);
    std::uint64_t value = 0;
    sim::Ps at = 0;
    rc.config_read(device_at, 0, 4, [&](std::uint64_t v) {
        value = v;
        at = sim::now();
    });
    sc_core::sc_start(sim::to_sc_time(1_ms));
    EXPECT_EQ(value, 0xffff'ffffU);
    EXPECT_EQ(at, 250_ns + 50_us + 250_ns);
    EXPECT_EQ(rc.counters().timeouts, 1U);
    EXPECT_EQ(rc.host_reads_in_flight(), 0U);
    // The late answer is not taken for anybody else's.
    TlpPtr late = completion(4, mute.arrivals.at(0).tlp->tag);
    mute.out->send(late);
    sc_core::sc_start(sim::to_sc_time(1_us));
    EXPECT_EQ(rc.counters().unexpected, 1U);
    mute.out->send(completion(4, late->tag));
    sc_core::sc_start(sim::to_sc_time(1_us));
    EXPECT_EQ(rc.counters().unexpected, 2U);
}

TEST(RootComplex, MoreRegisterReadsThanTagsWaitForTheirTurn) {
    System s;
    s.enumerate();
    unsigned done = 0;
    for (unsigned i = 0; i < 100; ++i) {
        s.device.file[4 * i] = static_cast<std::uint8_t>(i);
        s.rc.mmio_read(bar0_base + 4 * i, 4, [&done, i](std::uint64_t v) {
            EXPECT_EQ(v, i);
            EXPECT_EQ(done, i);
            ++done;
        });
    }
    System::run(1_ms);
    EXPECT_EQ(done, 100U);
}

TEST(RootComplex, APoisonedWriteIsNotPutIntoMemory) {
    Memory memory(memory_base, 4096);
    Interrupts interrupts(memory);
    RootComplex rc("rc", {}, memory, interrupts, 1);
    End device;
    Beside beside({"the enabled bytes must be contiguous"});
    Link link("link", LinkConfig{}, rc.port(), device);
    beside.watch(link);
    TlpPtr bad = write(64, 0, memory_base);
    bad->poisoned = true;
    device.out->send(bad);
    TlpPtr holes = write(8, 0, memory_base + 8);
    for (auto& b : holes->data()) b = 0xee;
    holes->first_be = 0b0101;
    holes->last_be = 0b1000;
    device.out->send(holes);
    sc_core::sc_start(sim::to_sc_time(10_us));
    EXPECT_EQ(rc.counters().poisoned, 1U);
    for (unsigned i = 0; i < 16; ++i) {
        const bool written = i == 8 || i == 10 || i == 15;
        EXPECT_EQ(memory.at(memory_base + i), written ? 0xee : Memory::pattern(memory_base + i))
            << i;
    }
}

TEST(RootComplex, SeveralPortsLeadToSeveralDevices) {
    Memory memory(memory_base, 4096);
    Interrupts interrupts(memory);
    RootComplex rc("rc", {}, memory, interrupts, 1);
    End one;
    End two;
    Beside beside_first, beside_second;
    Link first("first", LinkConfig{}, rc.port(0), one);
    Link second("second", LinkConfig{}, rc.port(1), two);
    beside_first.watch(first);
    beside_second.watch(second);
    rc.config_read({2, 0, 0}, 0, 4, [](std::uint64_t) {});
    sc_core::sc_start(sim::to_sc_time(10_us));
    EXPECT_EQ(one.arrivals.size(), 0U);
    ASSERT_EQ(two.arrivals.size(), 1U);
    EXPECT_EQ(two.arrivals[0].tlp->target, (Bdf{2, 0, 0}));
}

}  // namespace
}  // namespace nicsim::pcie::test
