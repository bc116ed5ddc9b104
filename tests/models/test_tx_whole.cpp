// SPDX-License-Identifier: Apache-2.0
// The transmit unit as a whole: conservation, reset, errors, what observers see, and its cost.
#include <gtest/gtest.h>

#include <map>

#include "sim/kernel.h"
#include "sim/random.h"
#include "tests/models/tx_bench.h"

namespace nicsim::models::i210 {
namespace {

using namespace sim::literals;

void expect_empty_packet_buffer() {
    for (const sim::Probe* probe : sim::Probe::all()) {
        if (probe->path().find("packet_buffer_bytes") == std::string::npos) continue;
        EXPECT_EQ(probe->value(), 0U) << probe->path();
    }
}

/// Random traffic on all queues; checks that every packet leaves once, whole and in order, and that
/// every descriptor comes back.
void soak(TxBench& bench, unsigned packets) {
    sim::RandomStream random(7, "soak");
    std::array<std::vector<Bytes>, queues> posted;
    std::array<std::vector<std::uint64_t>, queues> numbers;  ///< of those that can be sent
    std::array<unsigned, queues> count{}, cleaned{};
    for (unsigned i = 0; i < packets; ++i) {
        const auto q = static_cast<unsigned>(random.below(queues));
        cleaned[q] += bench.clean(q);
        while (bench.unused(q) < 8) {
            bench.run_for(20_us);
            bench.tx.flush_writebacks(q);
            cleaned[q] += bench.clean(q);
        }
        Bytes frame = make_frame(60 + static_cast<std::uint32_t>(random.below(1455)), i);
        PacketSpec spec;
        spec.report = true;
        while (spec.pieces.size() < random.below(3) + 1) spec.pieces.push_back(1);
        spec.pieces.back() = static_cast<std::uint32_t>(frame.size() + 1 - spec.pieces.size());
        bench.post(q, frame, spec);
        numbers[q].push_back(count[q]++);
        posted[q].push_back(std::move(frame));
        if (random.below(20) == 0) {  // and one that cannot be sent: segments of no bytes
            PacketSpec impossible;
            impossible.context = ContextSpec{};
            impossible.tso = true;
            bench.post(q, make_frame(100, i), impossible);
            ++count[q];
        }
        if (random.below(3) == 0) bench.kick(q);
        if (random.below(10) == 0) bench.run_for(random.below(20'000'000));
    }
    for (unsigned q = 0; q < queues; ++q) bench.kick(q);
    bench.run_for(50_ms);
    std::uint64_t octets = 0;
    for (unsigned q = 0; q < queues; ++q) {
        bench.tx.flush_writebacks(q);
        cleaned[q] += bench.clean(q);
        EXPECT_EQ(cleaned[q], count[q]);
        EXPECT_EQ(bench.interrupts.causes[q] > 0, !posted[q].empty());
        const auto sent = bench.wire.of(q);
        ASSERT_EQ(sent.size(), posted[q].size());
        for (std::size_t i = 0; i < sent.size(); ++i) {
            ASSERT_EQ(sent[i].bytes, posted[q][i]) << "queue " << q << " packet " << i;
            ASSERT_EQ(sent[i].sequence, numbers[q][i]);
            octets += sent[i].bytes.size() + 4;
        }
        EXPECT_EQ(bench.file.read(reg::TDH + 0x40 * q), bench.file.read(reg::TDT + 0x40 * q));
    }
    EXPECT_EQ(bench.tx.counts().octets, octets);
    EXPECT_EQ(bench.tx.counts().packets, bench.wire.frames);
    EXPECT_EQ(bench.wire.frames, packets);
    EXPECT_EQ(bench.bus.reads_in_flight, 0U);
    expect_empty_packet_buffer();
    sim::Ps free_at = 0;
    for (const auto& s : bench.wire.sent) {
        EXPECT_GE(s.start, free_at);
        free_at = s.end + 12 * 8_ns;
    }
    for (const auto& r : bench.bus.seen)
        ASSERT_EQ(r.address / 4096, (r.address + r.length - 1) / 4096);
}

TEST(Conservation, HoldsInLegacyMode) {
    TxBench bench("bench");
    bench.start();
    bench.use_pcie_like_bus(700_ns);
    for (unsigned q = 0; q < queues; ++q) bench.enable_queue(q, 64, 8, 1, 16);
    soak(bench, 3000);
}

TEST(Conservation, HoldsInQavModeWithAnswersInAnyOrderAndALateBus) {
    TxBench bench("bench");
    bench.start();
    bench.use_pcie_like_bus(700_ns);
    bench.bus.answer_backwards = true;
    bench.bus.accept_delay = 40_ns;
    bench.qav({8, 8, 4, 4}, 63);
    for (unsigned q = 0; q < queues; ++q) bench.enable_queue(q, 80, 8, 4, 0);
    soak(bench, 3000);
}

TEST(Reset, InTheMiddleOfTrafficLeavesNothingBehind) {
    TxBench bench("bench");
    bench.start();
    bench.use_pcie_like_bus(700_ns);
    for (unsigned round = 0; round < 20; ++round) {
        bench.qav({6, 6, 6, 6}, 63);
        for (unsigned q = 0; q < queues; ++q) {
            bench.enable_queue(q, 256, 8, 1, 16);
            for (unsigned i = 0; i < 30; ++i) bench.post(q, make_frame(1514, i));
            bench.kick(q);
        }
        bench.run_for(30_us + round * 1'234_ns);
        bench.dma.reset();
        bench.file.reset();
        bench.tx.reset();
        bench.write(reg::TCTL, tctl::EN);
    }
    bench.run_for(100_us);
    EXPECT_EQ(bench.bus.reads_in_flight, 0U);
    const auto before = bench.wire.frames;
    bench.enable_queue(1, 256, 8, 1, 16);
    for (unsigned i = 0; i < 30; ++i) bench.post(1, make_frame(1514, i));
    bench.kick(1);
    bench.run_for(1_ms);
    bench.tx.flush_writebacks(1);
    EXPECT_EQ(bench.wire.frames, before + 30);
    EXPECT_EQ(bench.clean(1), 30U);
    expect_empty_packet_buffer();
}

TEST(BusError, OfFrameDataDropsThatFrameOnly) {
    TxBench bench("bench");
    bench.start();
    bench.bus.latency = 100_ns;
    bench.enable_queue(0);
    bench.post(0, make_frame(200, 1));
    bench.post(0, make_frame(200, 2));
    *bench.bus.at(FakeBus::memory_base + 6) = 0x7f;  // buffer address of the first: nowhere
    bench.kick(0);
    bench.run_for(50_us);
    ASSERT_EQ(bench.wire.sent.size(), 1U);
    EXPECT_EQ(bench.wire.sent[0].bytes, make_frame(200, 2));
    EXPECT_EQ(bench.clean(0), 2U);
}

TEST(BusError, OfDescriptorsStopsTheQueue) {
    TxBench bench("bench");
    bench.start();
    bench.bus.latency = 100_ns;
    bench.enable_queue(0);
    bench.enable_queue(1);
    bench.write(reg::TXDCTL, 0);
    bench.write(reg::TDBAH, 0x7f);
    bench.write(reg::TXDCTL, 8 | 1 << 8 | dctl::ENABLE);
    for (unsigned q : {0U, 1U}) {
        bench.post(q, make_frame(200, q));
        bench.kick(q);
    }
    bench.run_for(50_us);
    EXPECT_EQ(bench.wire.of(0).size(), 0U);
    EXPECT_EQ(bench.wire.of(1).size(), 1U);
}

TEST(LegacyDescriptor, IsSentWithItsChecksum) {
    TxBench bench("bench");
    bench.start();
    bench.enable_queue(0);
    Bytes frame = make_frame(100, 1);
    bench.post(0, frame);
    std::uint8_t* d = bench.bus.at(FakeBus::memory_base);
    d[10] = 50;                           // CSO
    d[11] = 1U << 0 | 1U << 2 | 1U << 3;  // EOP, IC, RS; no DEXT
    d[13] = 14;                           // CSS
    bench.kick(0);
    bench.run_for(50_us);
    std::uint32_t sum = 0;
    for (std::size_t i = 14; i < 100; i += 2) sum += frame[i] * 256U + frame[i + 1];
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
    frame[50] = static_cast<std::uint8_t>(~sum >> 8);
    frame[51] = static_cast<std::uint8_t>(~sum);
    EXPECT_EQ(bench.wire.sent.at(0).bytes, frame);
    EXPECT_EQ(bench.clean(0), 1U);
}

struct Stages {
    std::vector<std::array<sim::Ps, sim::tx_stages>> lives;
    static void on_clean(void* self, unsigned, std::uint64_t,
                         const std::array<sim::Ps, sim::tx_stages>& at) {
        static_cast<Stages*>(self)->lives.push_back(at);
    }
};

TEST(LifeCycle, IsTheSumOfItsPartsOnAnIdleDevice) {
    TxBench bench("bench");
    sim::LifeCycle life(queues);
    Stages stages;
    life.listen(&stages, &Stages::on_clean);
    bench.tx.set_life_cycle(&life);
    bench.start();
    bench.use_pcie_like_bus(700_ns);
    bench.enable_queue(2);
    bench.run_until(8_us);
    bench.post(2, make_frame(1514, 1));
    bench.kick(2);
    bench.run_for(100_us);
    life.stamp(2, 0, sim::TxStage::clean, sim::now());
    ASSERT_EQ(stages.lives.size(), 1U);
    const auto at = [&](sim::TxStage s) { return stages.lives[0][static_cast<unsigned>(s)]; };
    const sim::Clock clock(8_ns);
    const sim::Ps descriptor = 8_us + 700_ns + 36 * 4_ns;
    const sim::Ps granted = clock.edge_at_or_after(descriptor);
    const sim::Ps stored = granted + 700_ns + (1514 + 12 * 20) * 4_ns;
    EXPECT_EQ(at(sim::TxStage::descriptor_fetch), descriptor);
    EXPECT_EQ(at(sim::TxStage::data_fetch_start), granted);
    EXPECT_EQ(at(sim::TxStage::packet_buffer), stored);
    EXPECT_EQ(at(sim::TxStage::write_back), stored);
    EXPECT_EQ(at(sim::TxStage::wire_start), clock.edge_at_or_after(stored));
    EXPECT_EQ(at(sim::TxStage::wire_end), at(sim::TxStage::wire_start) + 1526 * 8_ns);
}

TEST(Why, NamesTheFreeSpaceRuleAsTheLimitWith4KiB) {
    TxBench bench("bench");
    bench.start();
    bench.use_pcie_like_bus(700_ns);
    bench.qav({8, 8, 4, 4}, 63);
    bench.enable_queue(3);
    for (unsigned i = 0; i < 200; ++i) bench.post(3, make_frame(1514, i));
    sim::StatGroup root("tx");
    bench.tx.register_stats(root);
    bench.kick(3);
    bench.run_for(100_us);
    root.begin_measurement();
    bench.run_for(2_ms);
    const auto share = [&](const char* path, const char* state) {
        const sim::Activity& a = *std::get<sim::ActivityStat>(root.find(path)->value).activity;
        for (std::size_t i = 0; i < a.states().size(); ++i)
            if (a.states()[i].name == state) return sim::to_seconds(a.spent(i)) / 2e-3;
        ADD_FAILURE() << state;
        return 0.0;
    };
    EXPECT_NEAR(share("queue3.fetch.activity", "free_space"), 0.61, 0.02);
    EXPECT_NEAR(share("queue3.fetch.activity", "fetching"), 0.39, 0.02);
    EXPECT_NEAR(share("wire.activity", "busy"), 0.61, 0.02);
    EXPECT_NEAR(share("wire.activity", "starved"), 0.39, 0.02);
    EXPECT_NEAR(share("queue0.fetch.activity", "starved"), 1.0, 1e-9);
}

/// Wake-ups of the device alone for each of 2000 packets of `length`.
double wakeups_per_packet(TxBench& bench, std::uint32_t length) {
    bench.start();
    bench.use_pcie_like_bus(700_ns);
    bench.bus.record = false;
    bench.wire.record = false;
    bench.enable_queue(0, 4096, 8, 1, 16);
    for (unsigned i = 0; i < 2000; ++i) bench.post(0, make_frame(length, i));
    bench.kick(0);
    const auto before = sim::kernel_cost.wakeups;
    bench.run_for(40_ms);
    EXPECT_EQ(bench.wire.frames, 2000U);
    // The fake bus counts its answers itself, beside the wake-ups of its own alarms.
    return static_cast<double>(sim::kernel_cost.wakeups - before - bench.bus.wakeups) / 2000;
}

TEST(Cost, OfEachPacketAreFewWakeUpsOfTheDevice) {
    TxBench bench("bench");
    // One for the gap after the frame; two for each edge of the clock at which something is decided
    // between others' events, one if it is decided in their instant.
    EXPECT_LE(wakeups_per_packet(bench, 60), 6);
}

TEST(Cost, OfAnIdleDeviceIsNothing) {
    TxBench bench("bench");
    bench.start();
    for (unsigned q = 0; q < queues; ++q) bench.enable_queue(q);
    bench.run_for(10_us);
    const auto before = sim::kernel_cost.wakeups;
    bench.run_for(1_s);
    EXPECT_EQ(sim::kernel_cost.wakeups, before);
}

}  // namespace
}  // namespace nicsim::models::i210
