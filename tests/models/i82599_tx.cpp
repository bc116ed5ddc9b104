// SPDX-License-Identifier: Apache-2.0
// Transmit of the 82599: packet buffer, outstanding requests, peak rates against their closed
// forms, segmentation.
#include <gtest/gtest.h>

#include <cmath>

#include "models/common/packet_parser.h"
#include "sim/kernel.h"
#include "sim/life_cycle.h"
#include "tests/models/i82599_bench.h"

namespace nicsim::models::i82599 {
namespace {

constexpr sim::Ps gap = 61 * 2'048_ns;
constexpr double wire_60 = 67'200;  // ps: (60 + 24) bytes at 10 Gbit/s

/// Mean distance of frame starts after `skip` frames have settled the pipeline, in picoseconds.
double spacing(const Bench& b, std::size_t skip) {
    const auto& sent = b.bus.sent;
    return static_cast<double>(sent.back().start - sent[skip].start) /
           static_cast<double>(sent.size() - 1 - skip);
}

TEST(I82599Tx, WhatIsPostedIsOnTheWireByteForByteInOrder) {
    Bench b;
    b.enable_tx(0);
    post_many(b, 0, 20, 300);
    b.run(100_us);
    ASSERT_EQ(b.bus.sent.size(), 20U);
    for (unsigned i = 0; i < 20; ++i) {
        const auto bytes = b.bus.sent[i].frame->bytes();
        EXPECT_EQ(Bytes(bytes.begin(), bytes.end()),
                  Bench::ip_frame(300, static_cast<std::uint16_t>(i)));
    }
    EXPECT_EQ(b.rd(reg::TDH), 20U);
    EXPECT_EQ(b.rd(0x04080), 20U);         // GPTC
    EXPECT_EQ(b.rd(0x04090), 20U * 304U);  // GOTCL
    EXPECT_EQ(b.rd(0x06030), 20U);         // QPTC
    EXPECT_EQ(b.rd(0x06030), 0U);          // cleared by the read
}

/// 1514 bytes take 1536 of a packet buffer; without link nothing leaves it. A fetch is allowed
/// while less than TXPBTHRESH KB are taken.
std::uint64_t frames_in_buffer(unsigned threshold_kib) {
    Bench b;
    b.nic.ethernet_in->link_changed(false);
    b.wr(reg::TXPBTHRESH, threshold_kib);
    b.enable_tx(0);
    post_many(b, 0, 200, 1514);
    b.run(1_ms);
    return counter(b, "tx.queue0.fetch.frames");
}

TEST(I82599Tx, ThePacketBufferIsFilledUpToItsThreshold) {
    EXPECT_EQ(frames_in_buffer(150), 100U);  // 150 KB are exactly 100 frames
}

TEST(I82599Tx, AThresholdBelowLetsOneFrameLessIn) {
    EXPECT_EQ(frames_in_buffer(148), 99U);  // 98 frames are below 148 KB, 99 are above
}

TEST(I82599Tx, LeavesTheDefaultsOfItsPacketBuffer) {
    Bench b;
    EXPECT_EQ(b.rd(reg::TXPBSIZE), 160U * 1024U);
    EXPECT_EQ(b.rd(reg::TXPBTHRESH), 150U);
    EXPECT_EQ(b.rd(reg::DTXMXSZRQ), 16U);
}

/// 64-byte rate with requests bound by DTXMXSZRQ: a request is made while the bytes under way are
/// not above 256 n, so floor(256 n / 60) + 1 frames are under way, and come back after the latency.
TEST(I82599Tx, DtxmxszrqBoundsTheRateByBytesUnderWay) {
    constexpr sim::Ps latency = 1_us;
    Bench b({}, latency);
    b.wr(reg::DTXMXSZRQ, 1);
    b.enable_tx(0);
    post_many(b, 0, 500, 60);
    b.run(500_us);
    ASSERT_EQ(b.bus.sent.size(), 500U);
    const double under_way = std::floor(256.0 / 60) + 1;
    EXPECT_NEAR(spacing(b, 100), static_cast<double>(latency) / under_way, 0.01 * 200'000);
}

/// 64-byte rate with n reads in flight: n / latency.
TEST(I82599Tx, ReadsInFlightBoundTheRate) {
    constexpr sim::Ps latency = 1_us;
    I82599Config config;
    config.tx_data_reads_in_flight = 8;
    Bench b(config, latency);
    b.enable_tx(0);
    post_many(b, 0, 500, 60);
    b.run(500_us);
    ASSERT_EQ(b.bus.sent.size(), 500U);
    EXPECT_NEAR(spacing(b, 100), static_cast<double>(latency) / 8, 0.01 * 125'000);
}

/// With nothing else in the way 64-byte frames follow each other at 10 Gbit/s: 14.88 Mpps. One
/// queue needs its descriptors at that rate, and the data path 1 us / 67.2 ns = 15 reads in flight.
TEST(I82599Tx, SixtyFourByteFramesReachLineRateFromOneQueue) {
    Bench b({}, 1_us);
    b.enable_tx(0);
    post_many(b, 0, 500, 60);
    b.run(100_us);
    ASSERT_EQ(b.bus.sent.size(), 500U);
    EXPECT_NEAR(spacing(b, 100), wire_60, 1);
}

TEST(I82599Tx, LargestFramesReachLineRate) {
    Bench b({}, 1_us);
    b.enable_tx(0);
    post_many(b, 0, 300, 1514);
    b.run(1_ms);
    ASSERT_EQ(b.bus.sent.size(), 300U);
    EXPECT_NEAR(spacing(b, 50), 1538 * 800.0, 1);
}

/// Unloaded: descriptor read, data read, then the wire's next byte clock.
TEST(I82599Tx, ALonePacketLeavesAfterTwoReads) {
    Bench b({}, 800_ns);
    b.enable_tx(0);
    b.run(100_ns);
    post_many(b, 0, 1, 60);
    b.run(10_us);
    ASSERT_EQ(b.bus.sent.size(), 1U);
    EXPECT_EQ(b.bus.sent[0].start, (100_ns + 2 * 800_ns + 799) / 800 * 800);
}

struct Stages {
    static void on_clean(void* self, unsigned, std::uint64_t,
                         const std::array<sim::Ps, sim::tx_stages>& at) {
        static_cast<Stages*>(self)->at = at;
    }
    [[nodiscard]] sim::Ps of(sim::TxStage stage) const { return at[static_cast<unsigned>(stage)]; }
    std::array<sim::Ps, sim::tx_stages> at{};
};

TEST(I82599Tx, TheLifeOfALonePacketIsTheSumOfItsParts) {
    constexpr sim::Ps latency = 800_ns, doorbell = 8_us;
    Bench b({}, latency);
    sim::LifeCycle life(16);
    Stages stages;
    life.listen(&stages, &Stages::on_clean);
    b.nic.set_life_cycle(&life);
    b.enable_tx(3);
    b.run_until(doorbell);
    post_many(b, 3, 1, 60);
    b.run(20_us);
    life.stamp(3, 0, sim::TxStage::clean, sim::now());
    EXPECT_EQ(stages.of(sim::TxStage::descriptor_fetch), doorbell + latency);
    EXPECT_EQ(stages.of(sim::TxStage::data_fetch_start), doorbell + latency);
    EXPECT_EQ(stages.of(sim::TxStage::packet_buffer), doorbell + 2 * latency);
    EXPECT_EQ(stages.of(sim::TxStage::wire_start), doorbell + 2 * latency);
    EXPECT_EQ(stages.of(sim::TxStage::wire_end), doorbell + 2 * latency + 57'600_ps);
    EXPECT_EQ(stages.of(sim::TxStage::write_back), doorbell + 2 * latency);
}

TEST(I82599Tx, TheWireIsBusyAtLineRateAndTheFetchSaysWhatHoldsItBack) {
    Bench b({}, 1_us);
    sim::StatGroup stats("nic");
    b.nic.register_stats(stats);
    b.wr(reg::DTXMXSZRQ, 1);
    b.enable_tx(0);
    post_many(b, 0, 500, 60);
    b.run(20_us);
    stats.begin_measurement();
    b.run(50_us);
    const auto& wire = *std::get<sim::ActivityStat>(stats.find("tx.wire.activity")->value).activity;
    // Five frames of 67.2 ns for each microsecond of latency.
    EXPECT_NEAR(static_cast<double>(wire.spent(1)), 50e6 * 5 * 0.0672, 0.5e6);
    EXPECT_NEAR(static_cast<double>(wire.spent(0)), 50e6 * (1 - 5 * 0.0672), 0.5e6);
}

TEST(I82599Tx, ArbitersOffMeansNothingIsFetched) {
    Bench b;
    b.enable_tx(0);
    b.wr(reg::RTTDCS, rttdcs::ARBDIS);
    post_many(b, 0, 2, 60);
    b.run(10_us);
    EXPECT_TRUE(b.bus.sent.empty());
    b.wr(reg::RTTDCS, 0);
    b.run(10_us);
    EXPECT_EQ(b.bus.sent.size(), 2U);
}

TEST(I82599Tx, QueuesAreServedInTurn) {
    Bench b;
    for (unsigned queue = 0; queue < 4; ++queue) b.enable_tx(queue);
    b.wr(reg::DMATXCTL, 0);
    for (unsigned queue = 0; queue < 4; ++queue) post_many(b, queue, 20, 1000);
    b.run(20_us);
    b.wr(reg::DMATXCTL, 1);
    b.run(200_us);
    ASSERT_EQ(b.bus.sent.size(), 80U);
    for (unsigned i = 0; i < 80; ++i) EXPECT_EQ(b.bus.sent[i].frame->queue, i % 4) << i;
}

TEST(I82599Tx, QueuesBeyondTheConfiguredOnesCannotBeEnabled) {
    Bench b;
    b.enable_tx(15);
    EXPECT_NE(b.rd(Bench::q(reg::TXDCTL, 15)) & dctl::ENABLE, 0U);
    b.wr(Bench::q(reg::TXDCTL, 16), Bench::ixgbe_txdctl);
    EXPECT_EQ(b.rd(Bench::q(reg::TXDCTL, 16)) & dctl::ENABLE, 0U);
    b.wr(Bench::q(reg::TDBAL, 127), 0x1234'5680);
    EXPECT_EQ(b.rd(Bench::q(reg::TDBAL, 127)), 0x1234'5680U);
}

TEST(I82599Tx, MapsQueuesToTrafficClassesAsMtqcSays) {
    TxSettings s;
    EXPECT_EQ(s.class_of(127), 0U);
    s.class_mode = mtqc::RT_ENA | 3U << mtqc::num_tc_shift;
    const std::array<unsigned, 8> first_of_eight = {0, 32, 64, 80, 96, 104, 112, 120};
    s.class_mode = mtqc::RT_ENA | 3U << mtqc::num_tc_shift;
    for (unsigned tc = 0; tc < 8; ++tc) {
        EXPECT_EQ(s.class_of(first_of_eight[tc]), tc);
        if (tc > 0) {
            EXPECT_EQ(s.class_of(first_of_eight[tc] - 1), tc - 1);
        }
    }
    s.class_mode = mtqc::RT_ENA | 2U << mtqc::num_tc_shift;
    const std::array<unsigned, 4> first_of_four = {0, 64, 96, 112};
    for (unsigned tc = 0; tc < 4; ++tc) EXPECT_EQ(s.class_of(first_of_four[tc]), tc);
}

TEST(I82599Tx, SegmentsAreWholePacketsWithRightHeaders) {
    Bench b;
    b.enable_tx(0);
    constexpr std::uint32_t payload = 4'000, mss = 1'448;
    Bytes big = Bench::ip_frame(54 + payload, 99, true);
    put_be16(big, 50, 0);
    // Software leaves the pseudo header without length.
    const std::uint32_t pseudo = ones_complement_sum(std::span(big).subspan(26, 8), 6);
    put_be16(big, 50, static_cast<std::uint16_t>(pseudo));
    b.post(0, big, TxOffload{.tso = true, .mss = mss});
    b.kick(0);
    b.run(50_us);
    ASSERT_EQ(b.bus.sent.size(), 3U);
    Bytes stream;
    for (unsigned i = 0; i < 3; ++i) {
        const auto frame = b.bus.sent[i].frame->bytes();
        const ParsedPacket p = parse_packet(frame);
        EXPECT_EQ(p.ip_checksum, Checksum::good);
        EXPECT_EQ(p.l4_checksum, Checksum::good);
        EXPECT_EQ(p.ip_identification, 0x1234 + i);
        EXPECT_EQ(get_be32(frame, 38), i * mss);
        stream.insert(stream.end(), frame.begin() + 54, frame.end());
    }
    EXPECT_EQ(stream, Bytes(big.begin() + 54, big.end()));
    EXPECT_EQ(b.rd(reg::TDH), 2U);
}

TEST(I82599Tx, InsertsChecksumsWithAContext) {
    Bench b;
    b.enable_tx(0);
    Bytes frame = Bench::ip_frame(200, 7, true);
    const Bytes right = frame;
    put_be16(frame, 24, 0);
    const std::uint32_t pseudo = ones_complement_sum(std::span(frame).subspan(26, 8), 6 + 200 - 34);
    put_be16(frame, 50, static_cast<std::uint16_t>(pseudo));
    b.post(0, frame, TxOffload{});
    b.kick(0);
    b.run(10_us);
    ASSERT_EQ(b.bus.sent.size(), 1U);
    const auto sent = b.bus.sent[0].frame->bytes();
    EXPECT_EQ(Bytes(sent.begin(), sent.end()), right);
}

/// A driver without a cost that cleans and refills only when it is interrupted: what it can have
/// outstanding per interval is all it can send, (512 - 21) / (61 x 2.048 us) = 3.930 Mpps. ixgbe
/// with pktgen has been measured at 3.930 Mpps with this ring.
TEST(I82599Tx, ARingThatOnlyInterruptsRefillSendsItsLengthPerInterval) {
    constexpr unsigned ring = 512, outstanding = ring - 21;
    Bench b;
    b.enable_msix();
    b.enable_tx(0, ring);
    const Bytes frame = Bench::ip_frame(60);
    const std::uint64_t address = b.bus.allocate(64, 64);
    std::copy(frame.begin(), frame.end(), b.bus.at(address));
    unsigned clean = 0, used = 0;
    std::uint64_t cleaned = 0;
    const auto fill = [&] {
        for (; used < outstanding; ++used) {
            b.put(0, address, 60U | 3U << 20 | 0x2B00'0000 | std::uint64_t{60} << (32 + 14));
            b.kick(0);  // one doorbell per packet
        }
    };
    const auto poll = [&] {
        while (used != 0 && b.done(0, clean)) {
            b.bus.store<std::uint32_t>(b.tx_rings[0].base + clean * 16U + 12, 0);
            clean = (clean + 1) % ring;
            --used;
            ++cleaned;
        }
        fill();
        b.unmask(0);
    };
    fill();
    std::size_t seen = 0;
    std::uint64_t cleaned_before = 0;
    sim::Ps first = 0, last = 0;
    while (b.bus.raised.size() < 42) {
        b.run(50_ns);
        if (b.bus.raised.size() == seen) continue;
        seen = b.bus.raised.size();
        if (seen == 12) {
            first = b.bus.raised.back().time;
            cleaned_before = cleaned;
        }
        last = b.bus.raised.back().time;
        if (seen < 42) poll();
    }
    EXPECT_EQ(last - first, 30 * gap);
    const double rate =
        static_cast<double>(cleaned - cleaned_before) / sim::to_seconds(last - first);
    const double expected = outstanding / sim::to_seconds(gap);
    EXPECT_NEAR(expected, 3.930e6, 0.001e6);
    EXPECT_NEAR(rate, expected, 0.002 * expected);
}

TEST(I82599Tx, ALinePacketCostsFewWakeUpsAndAnIdleDeviceNone) {
    Bench b({}, 1_us);
    b.enable_msix();
    b.enable_tx(0);
    b.enable_receive();
    post_many(b, 0, 500, 60);
    const std::uint64_t before = sim::kernel_cost.wakeups;
    b.run(200_us);
    ASSERT_EQ(b.bus.sent.size(), 500U);
    // The answer of the fake host, the wire's gap; descriptors and write-backs are shared.
    EXPECT_LE(static_cast<double>(sim::kernel_cost.wakeups - before) / 500, 2.5);
    const std::uint64_t idle = sim::kernel_cost.wakeups;
    b.run(10_ms);
    EXPECT_EQ(sim::kernel_cost.wakeups, idle);
}

TEST(I82599Tx, AResetForgetsWhatIsUnderWayAndStartsAgain) {
    Bench b;
    b.enable_msix();
    b.enable_tx(0);
    post_many(b, 0, 100, 1000);
    b.run(3_us);
    b.wr(reg::CTRL, ctrl::RST);
    EXPECT_EQ(b.rd(reg::CTRL), 0U);
    EXPECT_EQ(b.rd(reg::TXDCTL), 0U);
    const std::size_t before = b.bus.sent.size();
    b.run(100_us);
    EXPECT_LE(b.bus.sent.size(), before + 1);
    b.bus.sent.clear();
    b.enable_tx(0);
    post_many(b, 0, 10, 100);
    b.run(100_us);
    EXPECT_EQ(b.bus.sent.size(), 10U);
}

}  // namespace
}  // namespace nicsim::models::i82599
