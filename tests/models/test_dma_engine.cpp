// SPDX-License-Identifier: Apache-2.0
#include "models/common/dma_engine.h"

#include <gtest/gtest.h>

#include <numeric>

#include "sim/random.h"
#include "sim/tlm_base_checker.h"
#include "tests/models/fake_bus.h"

namespace nicsim::models {
namespace {

using namespace sim::literals;

constexpr std::uint64_t base = FakeBus::memory_base;

struct Bench : sc_core::sc_module {
    explicit Bench(const sc_core::sc_module_name& name) : sc_module(name) {
        dma.socket.bind(dma_checker.target);
        dma_checker.initiator.bind(bus.socket);
        std::iota(bus.memory.begin(), bus.memory.end(), std::uint8_t{0});
        for (std::size_t i = 0; i < bus.memory.size(); i += 251) bus.memory[i] ^= 0x5a;
        data = dma.add_channel({"data", sim::DmaPurpose::tx_data, 6, 1, true});
        descriptor = dma.add_channel({"descriptor", sim::DmaPurpose::tx_descriptor, 1, 2, true});
        writeback = dma.add_channel({"writeback", sim::DmaPurpose::tx_writeback, 1, 0, false});
    }
    void start(std::uint32_t mrrs = 512, std::uint32_t mps = 128) {
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        sim::BusLimits limits;
        limits.max_read_request = mrrs;
        limits.max_payload = mps;
        limits.bus_master = true;
        dma.set_limits(limits);
    }
    void on_done(std::uint64_t cookie, bool ok) {
        done.push_back(cookie);
        done_at.push_back(sim::now());
        if (!ok) ++failed;
    }
    void read(DmaEngine::Channel channel, std::vector<DmaSegment> pieces, std::uint8_t* destination,
              std::uint64_t cookie = 0) {
        dma.read(channel, pieces, destination, DmaEngine::Done::to<&Bench::on_done>(this), cookie);
    }
    [[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint32_t>> requests() const {
        std::vector<std::pair<std::uint64_t, std::uint32_t>> result;
        for (const auto& s : bus.seen) result.emplace_back(s.address - base, s.length);
        return result;
    }

    FakeBus bus{"bus"};
    DmaEngine dma{"dma", DmaEngineConfig{}};
    sim::TlmBaseChecker dma_checker{"dma_checker"};
    DmaEngine::Channel data = 0, descriptor = 0, writeback = 0;
    std::vector<std::uint64_t> done;
    std::vector<sim::Ps> done_at;
    unsigned failed = 0;
    std::vector<std::uint8_t> to = std::vector<std::uint8_t>(65536);
};
using Requests = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

TEST(DmaEngine, CutsReadsAtTheSmallerOfItsOwnLimitAndTheBusLimit) {
    Bench bench("bench");
    bench.start(4096);
    bench.read(bench.data, {{base, 4096}}, bench.to.data());
    EXPECT_EQ(bench.requests(), (Requests{{0, 2048}, {2048, 2048}}));
    bench.bus.seen.clear();
    sc_core::sc_start(1, sc_core::SC_US);
    bench.start(512);
    bench.read(bench.data, {{base, 1514}}, bench.to.data());
    EXPECT_EQ(bench.requests(), (Requests{{0, 512}, {512, 512}, {1024, 490}}));
}

TEST(DmaEngine, CutsAtALineWhenItMustCut) {
    Bench bench("bench");
    bench.start(512);
    bench.read(bench.data, {{base + 10, 600}}, bench.to.data());
    EXPECT_EQ(bench.requests(), (Requests{{10, 502}, {512, 98}}));
    bench.bus.seen.clear();
    sc_core::sc_start(1, sc_core::SC_US);
    bench.read(bench.data, {{base + 50, 512}}, bench.to.data());  // fits: not cut
    EXPECT_EQ(bench.requests(), (Requests{{50, 512}}));
}

TEST(DmaEngine, NeverCrosses4KiB) {
    Bench bench("bench");
    bench.start(512);
    bench.read(bench.data, {{base + 4090, 20}}, bench.to.data());
    bench.dma.write(bench.writeback, base + 8190, std::vector<std::uint8_t>(4));
    EXPECT_EQ(bench.requests(), (Requests{{4090, 6}, {4096, 14}, {8190, 2}, {8192, 2}}));
}

TEST(DmaEngine, CutsWritesAtTheMaxPayload) {
    Bench bench("bench");
    bench.start(512, 128);
    std::vector<std::uint8_t> bytes(300);
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
    bench.dma.write(bench.writeback, base + 16, bytes);
    EXPECT_EQ(bench.requests(), (Requests{{16, 112}, {128, 128}, {256, 60}}));
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), bench.bus.at(base + 16)));
}

TEST(DmaEngine, GathersAnyPiecesInOrderWhateverTheOrderOfAnswers) {
    Bench bench("bench");
    bench.start(256);
    bench.bus.latency = 500_ns;
    bench.bus.answer_backwards = true;
    sim::RandomStream random(1, "gather");
    for (unsigned round = 0; round < 100; ++round) {
        std::vector<DmaSegment> pieces;
        std::vector<std::uint8_t> expected;
        for (unsigned i = 0; i < 1 + random.below(8); ++i) {
            const DmaSegment p{base + random.below(1 << 20),
                               static_cast<std::uint32_t>(random.below(3000))};
            pieces.push_back(p);
            expected.insert(expected.end(), bench.bus.at(p.address),
                            bench.bus.at(p.address) + p.length);
        }
        if (expected.empty()) continue;
        bench.read(bench.data, pieces, bench.to.data(), round);
        sc_core::sc_start(1, sc_core::SC_MS);
        ASSERT_EQ(bench.done.back(), round);
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), bench.to.begin()));
    }
    EXPECT_EQ(bench.bus.reads_in_flight, 0U);
}

TEST(DmaEngine, HoldsEachChannelToItsReadsInFlight) {
    Bench bench("bench");
    bench.start(512);
    bench.bus.latency = 1_us;
    bench.read(bench.data, {{base, 8192}}, bench.to.data());
    EXPECT_EQ(bench.dma.reads_in_flight(bench.data), 6U);
    EXPECT_FALSE(bench.dma.ready(bench.data));
    EXPECT_TRUE(bench.dma.pending_above(bench.descriptor));
    bench.read(bench.descriptor, {{base, 1024}}, bench.to.data() + 16384);
    EXPECT_EQ(bench.dma.reads_in_flight(bench.descriptor), 1U);
    sc_core::sc_start(10, sc_core::SC_US);
    EXPECT_EQ(bench.bus.most_reads_in_flight, 7U);
    EXPECT_EQ(bench.done.size(), 2U);
    EXPECT_TRUE(bench.dma.ready(bench.data));
}

TEST(DmaEngine, IssuesAllRequestsOfAJobBeforeTheNextOfItsChannel) {
    Bench bench("bench");
    bench.start(512);
    bench.bus.latency = 1_us;
    bench.read(bench.data, {{base, 4096}}, bench.to.data(), 1);
    bench.read(bench.data, {{base + 8192, 4096}}, bench.to.data() + 8192, 2);
    sc_core::sc_start(20, sc_core::SC_US);
    for (std::size_t i = 1; i < bench.bus.seen.size(); ++i)
        EXPECT_GT(bench.bus.seen[i].address, bench.bus.seen[i - 1].address);
    EXPECT_EQ(bench.done, (std::vector<std::uint64_t>{1, 2}));
}

TEST(DmaEngine, LetsTheHigherPriorityGoFirstWhenTheBusTakesRequestsLate) {
    Bench bench("bench");
    bench.start(512);
    bench.bus.accept_delay = 100_ns;
    bench.read(bench.descriptor, {{base, 64}}, bench.to.data());  // waits for the bus
    bench.read(bench.data, {{base + 4096, 1024}}, bench.to.data() + 64);
    bench.dma.write(bench.writeback, base + 65536, std::vector<std::uint8_t>(16));
    EXPECT_EQ(bench.bus.seen.size(), 1U);
    sc_core::sc_start(10, sc_core::SC_US);
    ASSERT_EQ(bench.bus.seen.size(), 4U);
    EXPECT_TRUE(bench.bus.seen[1].is_write);
    EXPECT_EQ(bench.bus.seen[1].time, 100_ns);
    EXPECT_EQ(bench.bus.seen[2].address, base + 4096);
    EXPECT_EQ(bench.done.size(), 2U);
}

TEST(DmaEngine, WaitsForTheBusMasterEnable) {
    Bench bench("bench");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    bench.read(bench.data, {{base, 64}}, bench.to.data());
    sc_core::sc_start(1, sc_core::SC_US);
    EXPECT_TRUE(bench.bus.seen.empty());
    bench.start();
    sc_core::sc_start(1, sc_core::SC_US);
    EXPECT_EQ(bench.done.size(), 1U);
}

TEST(DmaEngine, ReportsErrorsOfTheBus) {
    Bench bench("bench");
    bench.start();
    bench.read(bench.data, {{0x1000, 64}}, bench.to.data());
    sc_core::sc_start(1, sc_core::SC_US);
    EXPECT_EQ(bench.failed, 1U);
    EXPECT_EQ(bench.to[0], 0xff);
}

TEST(DmaEngine, ForgetsJobsAtResetAndIgnoresTheirAnswers) {
    Bench bench("bench");
    bench.start();
    bench.bus.latency = 1_us;
    bench.read(bench.data, {{base, 8192}}, bench.to.data(), 1);
    bench.dma.reset();
    bench.read(bench.data, {{base + 512, 64}}, bench.to.data(), 2);
    EXPECT_EQ(bench.bus.seen.size(), 6U);  // the old six still count
    sc_core::sc_start(10, sc_core::SC_US);
    EXPECT_EQ(bench.done, std::vector<std::uint64_t>{2});
    EXPECT_TRUE(std::equal(bench.to.begin(), bench.to.begin() + 64, bench.bus.at(base + 512)));
    EXPECT_EQ(bench.dma.reads_in_flight(bench.data), 0U);
}

}  // namespace
}  // namespace nicsim::models
