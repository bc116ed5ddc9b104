// SPDX-License-Identifier: Apache-2.0
// What a host does to a read: distributions, cache, IOMMU, interrupt latency, lines of stores.
#include <algorithm>
#include <cmath>

#include "bench.h"
#include "pcie/host_cache.h"
#include "pcie/iommu.h"
#include "pcie/latency_shape.h"

namespace nicsim::pcie::test {
namespace {

const std::vector<std::uint64_t> shape_ns = {520, 560, 573, 600, 720, 747, 773};
std::vector<std::uint64_t> in_ps(const std::vector<std::uint64_t>& ns) {
    std::vector<std::uint64_t> out;
    for (const std::uint64_t v : ns) out.push_back(v * 1000);
    return out;
}

TEST(LatencyShape, GivesBackTheQuantilesItWasMadeOf) {
    const LatencyShape shape(in_ps(shape_ns));
    EXPECT_EQ(shape.offset(0.0), -40'000);
    EXPECT_EQ(shape.offset(0.5), 0);
    EXPECT_NEAR(static_cast<double>(shape.offset(0.95)), 13e3, 1.0);
    EXPECT_NEAR(static_cast<double>(shape.offset(0.99)), 40e3, 1.0);
    EXPECT_NEAR(static_cast<double>(shape.offset(0.999)), 160e3, 1.0);
    EXPECT_NEAR(static_cast<double>(shape.offset(0.9999)), 187e3, 1.0);
    EXPECT_EQ(shape.offset(1.0 - 1e-12), 213'000) << "never beyond the greatest";
}

TEST(LatencyShape, NeverDecreasesWithTheShare) {
    const LatencyShape shape(in_ps(shape_ns));
    std::int64_t last = shape.offset(0.0);
    for (int i = 1; i < 10'000; ++i) {
        const std::int64_t next = shape.offset(i / 10'000.0);
        EXPECT_GE(next, last);
        last = next;
    }
}

TEST(LatencyShape, WithoutTimesIsTheMedianAndDrawsNothing) {
    sim::RandomStream a(1, "x");
    sim::RandomStream b(1, "x");
    EXPECT_EQ(LatencyShape({}).draw(700'000, a), 700'000U);
    EXPECT_EQ(a.bits(), b.bits());
}

TEST(LatencyShape, RefusesListsThatAreNoQuantiles) {
    EXPECT_EQ(LatencyShape::check({}), "");
    EXPECT_EQ(LatencyShape::check({1, 2, 3, 4, 5, 6, 7}), "");
    EXPECT_NE(LatencyShape::check({1, 2, 3}).find("seven times"), std::string::npos);
    EXPECT_NE(LatencyShape::check({1, 2, 3, 5, 4, 6, 7}).find("must not decrease"),
              std::string::npos);
}

TEST(HostCache, KeepsWhatACoreTouchedUntilItIsThrashed) {
    HostCacheConfig c;
    c.model = CacheModel::modelled;
    c.size = 65536;
    c.ways = 4;
    HostCache cache(c);
    EXPECT_FALSE(cache.device_read(0x1000, 64));
    EXPECT_FALSE(cache.device_read(0x1000, 64)) << "reads of devices allocate nothing";
    cache.touched(0x1000, 128);
    EXPECT_TRUE(cache.device_read(0x1000, 128));
    EXPECT_FALSE(cache.device_read(0x1040, 128)) << "one line of two is missing";
    cache.flush();
    EXPECT_FALSE(cache.device_read(0x1000, 64));
}

TEST(HostCache, WritesOfDevicesAllocateInTheirFewWaysOnly) {
    HostCacheConfig c;
    c.model = CacheModel::modelled;
    c.size = 64 * 16 * 8;  // 8 sets of 16 ways
    c.ways = 16;
    c.ddio_ways = 2;
    HostCache cache(c);
    // Two ways of eight sets hold 16 lines; a window of 16 lines stays, one of 24 does not.
    const auto share = [&cache](unsigned lines) {
        for (unsigned round = 0; round < 3; ++round)
            for (unsigned l = 0; l < lines; ++l) cache.device_write(l * 64U, 64);
        unsigned hits = 0;
        for (unsigned l = 0; l < lines; ++l) hits += cache.device_read(l * 64U, 64) ? 1U : 0U;
        return hits;
    };
    EXPECT_EQ(share(16), 16U);
    cache.flush();
    EXPECT_LE(share(24), 16U);
    cache.flush();
    cache.touched(0, 64U * 128U);  // the whole cache, by a core
    EXPECT_EQ(share(100), 100U) << "lines that are there are updated where they are";
}

TEST(Iommu, HoldsAsManyPagesAsItHasEntries) {
    IommuConfig c;
    c.enabled = true;
    c.entries = 4;
    c.walkers = 1;
    Iommu iommu(c);
    sim::Ps t = 0;
    for (int round = 0; round < 3; ++round)
        for (std::uint64_t page = 0; page < 4; ++page) t = iommu.translate(t, page * 4096, 64);
    EXPECT_EQ(iommu.misses(), 4U);
    EXPECT_EQ(iommu.hits(), 8U);
    iommu.translate(t, 4 * 4096, 64);
    EXPECT_EQ(iommu.misses(), 5U);
    iommu.translate(t, 0, 64);
    EXPECT_EQ(iommu.misses(), 6U) << "the page used longest ago made room";
}

TEST(Iommu, AccountsForTheTimeInWhichNoWalkerIsFree) {
    IommuConfig c;
    c.enabled = true;
    c.walkers = 2;
    c.walk_time = 100'000;
    Iommu iommu(c);
    iommu.translate(0, 0x0000, 64);
    sc_core::sc_start(sc_core::sc_time(50, sc_core::SC_NS));
    EXPECT_EQ(iommu.walkers().spent(1), 0U) << "one walker is free";
    iommu.translate(50'000, 0x1000, 64);
    sc_core::sc_start(sc_core::sc_time(150, sc_core::SC_NS));
    EXPECT_EQ(iommu.walkers().spent(1), 50'000U) << "from 50 ns until the first ends at 100 ns";
}

TEST(Iommu, WalksInParallelUpToItsWalkersAndJoinsAWalkUnderWay) {
    IommuConfig c;
    c.enabled = true;
    c.walkers = 2;
    c.walk_time = 100'000;
    Iommu iommu(c);
    EXPECT_EQ(iommu.translate(0, 0x0000, 64), 100'000U);
    EXPECT_EQ(iommu.translate(0, 0x1000, 64), 100'000U);
    EXPECT_EQ(iommu.translate(0, 0x2000, 64), 200'000U) << "no walker is free";
    EXPECT_EQ(iommu.translate(40'000, 0x0040, 64), 100'000U) << "the walk is under way";
    EXPECT_EQ(iommu.translate(100'000, 0x0080, 64), 100'000U);
    EXPECT_EQ(iommu.translate(200'000, 0x3fff, 2), 300'000U) << "two pages, two walks";
    EXPECT_EQ(iommu.misses(), 5U);
}

Options plain() {
    Options o;
    o.device = fast_identity();
    o.link.generation = 3;
    o.link.width = 8;
    o.link.dllp = DllpCharge::none;
    return o;
}

sim::Ps timed_read(System& s, std::uint64_t address, std::uint32_t length = 64) {
    const std::size_t j = s.device.read(address, length);
    System::run(20_us);
    return s.device.jobs[j].done - s.device.jobs[j].issued;
}

TEST(HostPath, AReadThatMissesTheCacheTakesThePenaltyLonger) {
    Options o = plain();
    o.root.cache.model = CacheModel::modelled;
    o.root.memory_penalty = 70'000;
    System s(o);
    s.enumerate();
    const sim::Ps cold = timed_read(s, memory_base);
    s.rc.cache_touched(memory_base, 64);
    EXPECT_EQ(timed_read(s, memory_base), cold - 70'000);
    s.rc.cache_thrashed();
    EXPECT_EQ(timed_read(s, memory_base), cold);
    s.device.write(memory_base, bytes(64));
    System::run(1_us);
    EXPECT_EQ(timed_read(s, memory_base), cold - 70'000) << "the device's write is in the cache";
}

TEST(HostPath, LatenciesFollowTheShapeOfTheirKind) {
    Options o = plain();
    o.root.cache_latencies = in_ps(shape_ns);
    System s(o);
    s.enumerate();
    std::vector<sim::Ps> all;
    for (unsigned i = 0; i < 4000; ++i) {
        const std::size_t j = s.device.read(memory_base, 64);
        System::run(2_us);
        all.push_back(s.device.jobs[j].done - s.device.jobs[j].issued);
    }
    std::sort(all.begin(), all.end());
    const auto median = static_cast<double>(all[2000]);
    EXPECT_NEAR(static_cast<double>(all[0]), median - 40e3, 1e3);
    EXPECT_NEAR(static_cast<double>(all[3800]), median + 13e3, 2e3);
    EXPECT_NEAR(static_cast<double>(all[3960]), median + 40e3, 25e3);
    EXPECT_LE(static_cast<double>(all.back()), median + 214e3);
}

TEST(HostPath, AReadOfAPageWithoutTranslationWaitsForItsWalk) {
    Options o = plain();
    o.root.iommu.enabled = true;
    System s(o);
    s.enumerate();
    const sim::Ps first = timed_read(s, memory_base);
    EXPECT_EQ(timed_read(s, memory_base + 64), first - 250'000);
    EXPECT_EQ(timed_read(s, memory_base + 8192), first);
}

TEST(HostPath, WritesBehindAWalkKeepTheirOrderAndTheirCreditsComeBackAfterIt) {
    Options o = plain();
    o.root.iommu.enabled = true;
    o.root.posted_header_credits = 8;
    System s(o);
    s.enumerate();
    s.memory.writes.clear();
    const sim::Ps t = sim::now();
    s.device.write(memory_base + 4096, bytes(64));
    for (unsigned i = 0; i < 30; ++i) s.device.write(memory_base + 4160 + 64 * i, bytes(64));
    s.device.interrupts->raise(0);
    const std::size_t read = s.device.read(memory_base + 4096, 64);
    System::run(20_us);
    ASSERT_EQ(s.memory.writes.size(), 31U);
    EXPECT_GE(s.memory.writes.front().time - t, 250_ns);
    for (unsigned i = 1; i < 31; ++i) {
        EXPECT_GT(s.memory.writes[i].address, s.memory.writes[i - 1].address);
        EXPECT_GE(s.memory.writes[i].time, s.memory.writes[i - 1].time);
    }
    // Eight headers came before the first walk was done; the others had to wait for credits.
    EXPECT_GT(s.memory.writes[8].time, s.memory.writes[7].time + 10_ns);
    ASSERT_EQ(s.interrupts.all.size(), 1U);
    EXPECT_GE(s.interrupts.all[0].writes_before, 8U);
    EXPECT_EQ(s.device.jobs[read].data, bytes(64)) << "the read sees the writes before it";
}

TEST(HostPath, AnInterruptReachesItsControllerAfterTheLatencyOfTheHost) {
    Options o = plain();
    sim::Ps without = 0;
    { o.root.interrupt_latency = 300'000; }
    System s(o);
    s.enumerate();
    const sim::Ps t = sim::now();
    s.device.interrupts->raise(0);
    System::run(10_us);
    ASSERT_EQ(s.interrupts.all.size(), 1U);
    without = s.interrupts.all[0].time - t - 300'000;
    EXPECT_GT(without, 0U);
    EXPECT_LT(without, 20'000U) << "the wire and the way";
}

TEST(HostPath, AWriteCombiningLineLeavesAsOneTlpAndReachesAPrefetchableBar) {
    Options o = plain();
    o.device.bars[0].prefetchable = true;
    System s(o);
    s.enumerate();
    const auto type = static_cast<unsigned>(TlpType::MWr);
    const std::uint64_t before = s.link.down().counters().tlps[type];
    s.rc.mmio_write_line(bar0_base + 0x100, bytes(8));
    System::run(10_us);
    EXPECT_EQ(s.link.down().counters().tlps[type] - before, 1U);
    EXPECT_EQ(s.device.file[0x104], bytes(8)[4]);
    s.device.accesses.clear();
    s.rc.mmio_write_line(bar0_base + 0x204, bytes(60));
    System::run(10_us);
    EXPECT_EQ(s.link.down().counters().tlps[type] - before, 2U);
    ASSERT_EQ(s.device.accesses.size(), 8U) << "one of 4 bytes, seven of 8";
    for (unsigned i = 0; i < 60; ++i) EXPECT_EQ(s.device.file[0x204 + i], bytes(60)[i]);
    s.rc.mmio_write_line(bar3_base + 0x1000, bytes(64));
    System::run(10_us);
    EXPECT_EQ(s.ep.counters().unsupported, 1U) << "registers take one or two DWs";
}

}  // namespace
}  // namespace nicsim::pcie::test
