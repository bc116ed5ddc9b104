// SPDX-License-Identifier: Apache-2.0
// Receive descriptors: formats, thresholds, moderation, wrap.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "i210_bench.h"
#include "rx_lives_seen.h"

namespace nicsim::models::i210 {
namespace {

constexpr std::uint32_t one_buffer = 0x0200'0002;
constexpr std::uint32_t one_kilobyte = 0x0200'0001;
constexpr std::uint32_t prefetch = 0x0000'0108;

TEST(I210RxRing, SplitsALongFrameOverItsBuffers) {
    Bench b;
    const auto ring = b.make_ring(0, 64, 0x0200'0001, prefetch, 1024);
    b.give(0, ring, 0, 32);
    b.enable_receive();
    const auto frame = Bench::udp_frame(1514);
    b.send(frame);
    b.run(50_us);
    EXPECT_EQ(b.descriptor(ring, 0).length, 1024U);
    EXPECT_EQ(b.descriptor(ring, 0).status & 3U, 1U) << "DD without EOP";
    EXPECT_EQ(b.descriptor(ring, 1).length, 490U);
    EXPECT_EQ(b.descriptor(ring, 1).status & 3U, 3U);
    EXPECT_EQ(std::memcmp(b.bus.at(Bench::buffer(ring, 0)), frame.data(), 1024), 0);
    EXPECT_EQ(std::memcmp(b.bus.at(Bench::buffer(ring, 1)), frame.data() + 1024, 490), 0);
}

TEST(I210RxRing, WritesTheLegacyFormat) {
    Bench b;
    const auto ring = b.make_ring(0, 64, 0, prefetch);
    b.give(0, ring, 0, 32);
    b.enable_receive();
    b.send(Bench::udp_frame(100));
    b.run(50_us);
    EXPECT_EQ(b.bus.load<std::uint64_t>(ring.base), Bench::buffer(ring, 0)) << "address stays";
    EXPECT_EQ(b.bus.load<std::uint16_t>(ring.base + 8), 100U);
    EXPECT_EQ(b.bus.load<std::uint8_t>(ring.base + 12) & 0x63U, 0x63U) << "DD, EOP, L4CS, IPCS";
    EXPECT_EQ(b.bus.load<std::uint8_t>(ring.base + 13), 0U);
}

TEST(I210RxRing, WrapsAndNeverWritesBeyondItsTail) {
    Bench b;
    const auto ring = b.make_ring(0, 8, one_buffer, prefetch);
    b.enable_receive();
    unsigned next = 0;
    for (int round = 0; round < 10; ++round) {
        b.give(0, ring, next, (next + 5) % 8);
        for (int i = 0; i < 5; ++i) b.send(Bench::udp_frame(100));
        b.run(100_us);
        for (unsigned i = 0; i < 5; ++i)
            EXPECT_EQ(b.descriptor(ring, (next + i) % 8).status & 3U, 3U) << round;
        next = (next + 5) % 8;
        EXPECT_EQ(b.rd(reg::RDH), next);
    }
    b.send(Bench::udp_frame(100));
    b.run(50_us);
    EXPECT_EQ(b.nic.rx().frames_inside(), 1U);
}

TEST(I210RxRing, ReadsAtMostACacheOfDescriptorsAtOnce) {
    Bench b;
    const auto ring = b.make_ring(0, 256, one_buffer, prefetch);
    b.give(0, ring, 0, 200);
    b.run(10_us);
    EXPECT_EQ(b.bus.reads, 1U) << "16 descriptors in one read, then above PTHRESH";
}

TEST(I210RxRing, GathersWriteBacksWhileTheThrottleRunsAndFlushesThemAtItsExpiry) {
    Bench b;
    b.enable_msix(eitr::CNT_IGNR | 100U << eitr::interval_shift);
    const auto ring = b.make_ring(0, 64, one_buffer, prefetch | 4U << 16);
    b.give(0, ring, 0, 32);
    b.enable_receive();
    b.send(Bench::udp_frame(100));
    b.run(10_us);
    ASSERT_EQ(b.bus.raised.size(), 1U) << "the throttle was idle: written and reported at once";
    const sim::Ps first = b.bus.raised[0].time;
    b.wr(reg::EIMS, 2);
    for (int i = 0; i < 2; ++i) b.send(Bench::udp_frame(100));
    b.run(50_us);
    EXPECT_EQ(b.descriptor(ring, 1).status, 0U) << "below WTHRESH";
    b.run(first + 100_us - sim::now());
    EXPECT_EQ(b.descriptor(ring, 1).status, 0U);
    b.run(1);
    EXPECT_EQ(b.descriptor(ring, 2).status & 1U, 1U);
    b.run(1_us);
    ASSERT_EQ(b.bus.raised.size(), 2U);
    EXPECT_EQ(b.bus.raised[1].time, first + 100_us + 8_ns) << "the edge after that of the expiry";
}

TEST(I210RxRing, WritesBackAsSoonAsTheThresholdIsReached) {
    Bench b;
    b.enable_msix(eitr::CNT_IGNR | 1000U << eitr::interval_shift);
    const auto ring = b.make_ring(0, 64, one_buffer, prefetch | 4U << 16);
    b.give(0, ring, 0, 32);
    b.enable_receive();
    b.send(Bench::udp_frame(100));
    b.run(20_us);
    for (int i = 0; i < 4; ++i) b.send(Bench::udp_frame(100));
    b.run(50_us);
    EXPECT_EQ(b.descriptor(ring, 4).status & 1U, 1U);
}

TEST(I210RxRing, WarnsWhenDescriptorsRunLow) {
    Bench b;
    b.enable_msix();
    const auto ring = b.make_ring(0, 64, one_buffer | 1U << srrctl::rdmts_shift, prefetch);
    b.give(0, ring, 0, 18);
    b.enable_receive();
    b.send(Bench::udp_frame(100));
    b.run(20_us);
    EXPECT_EQ(b.rd(reg::ICR) & icr::RXDMT0, 0U) << "17 left";
    b.send(Bench::udp_frame(100));
    b.run(20_us);
    EXPECT_EQ(b.rd(reg::ICR) & icr::RXDMT0, icr::RXDMT0) << "16 left";
}

TEST(I210RxRing, StopsWhenDisabledAndStartsAgain) {
    Bench b;
    auto ring = b.make_ring(0, 64, one_buffer, prefetch);
    b.give(0, ring, 0, 32);
    b.enable_receive();
    b.run(5_us);
    b.wr(reg::RXDCTL, prefetch);
    b.send(Bench::udp_frame(100));
    b.run(20_us);
    EXPECT_EQ(b.nic.rx().counts().dropped_queue_disabled, 1U);
    ring = b.make_ring(0, 64, one_buffer, prefetch);
    b.give(0, ring, 0, 32);
    b.send(Bench::udp_frame(100));
    b.run(20_us);
    EXPECT_EQ(b.descriptor(ring, 0).status & 3U, 3U);
}

TEST(I210RxRing, PutsATimeStampBeforeTheFrameIfAsked) {
    Bench b;
    const auto ring = b.make_ring(0, 64, one_buffer | srrctl::TIMESTAMP, prefetch);
    b.give(0, ring, 0, 32);
    b.wr(reg::TSYNCRXCTL, 1U << 4 | 4U << 1);
    b.enable_receive();
    b.run(100_us);
    const auto frame = Bench::udp_frame(100);
    b.send(frame);
    b.run(20_us);
    const RxDescriptor d = b.descriptor(ring, 0);
    EXPECT_EQ(d.length, 116U);
    EXPECT_NE(d.status & 1U << 15, 0U);
    const std::uint64_t buffer = Bench::buffer(ring, 0);
    // The start delimiter is 64 ns behind the first bit; the PHY takes 448 ns.
    EXPECT_EQ(b.bus.load<std::uint32_t>(buffer + 8), 100'512U);
    EXPECT_EQ(b.bus.load<std::uint32_t>(buffer + 12), 0U);
    EXPECT_EQ(std::memcmp(b.bus.at(buffer + 16), frame.data(), 100), 0);
}

TEST(I210RxRing, TheLifeOfAFrameHasTheTimeOfItsWriteBack) {
    Bench b;
    RxLivesSeen observer;
    b.nic.set_life_cycle(&observer.lives);
    b.enable_msix(eitr::CNT_IGNR | 100U << eitr::interval_shift);
    // Two buffers of 1 KiB for each frame; written back when the throttle says so.
    const auto ring = b.make_ring(0, 16, one_kilobyte, prefetch | 6U << 16);
    b.give(0, ring, 0, 15);
    b.enable_receive();
    b.send(Bench::udp_frame(1200));
    b.run(50_us);
    ASSERT_EQ(b.bus.raised.size(), 1U);
    const sim::Ps first = b.bus.raised[0].time;
    b.wr(reg::EIMS, 2);
    std::array<sim::Ps, 2> end{};
    for (sim::Ps& e : end) e = b.send(Bench::udp_frame(1200));
    b.run(first + 101_us - sim::now());
    observer.take(0, 0);
    EXPECT_TRUE(observer.seen.empty()) << "a frame has the name of its last descriptor";
    for (const unsigned place : {1U, 3U, 5U}) observer.take(0, place);
    ASSERT_EQ(observer.seen.size(), 3U);
    EXPECT_LE(observer.seen[0].at(sim::RxStage::write_back), first);
    for (unsigned i = 0; i < 2; ++i) {
        const RxLivesSeen::Life& life = observer.seen[i + 1];
        EXPECT_LT(life.at(sim::RxStage::arrival), end[i]);
        EXPECT_GE(life.at(sim::RxStage::packet_buffer), end[i]);
        EXPECT_GE(life.at(sim::RxStage::dma_end), life.at(sim::RxStage::dma_start));
        EXPECT_EQ(life.at(sim::RxStage::write_back), first + 100_us);
    }
    // A ring that starts anew has no part in what was before.
    b.send(Bench::udp_frame(1200));
    b.run(20_us);
    const auto again = b.make_ring(0, 16, one_kilobyte, prefetch);
    b.give(0, again, 0, 15);
    observer.take(0, 1);
    EXPECT_EQ(observer.seen.size(), 3U);
    b.send(Bench::udp_frame(60));
    b.run(20_us);
    observer.take(0, 0);
    EXPECT_EQ(observer.seen.size(), 4U);
    observer.lives.received().tell_unfinished();
    ASSERT_EQ(observer.seen.size(), 5U) << "of before: nobody took it";
    EXPECT_EQ(observer.seen[4].at(sim::RxStage::stack), 0U);
}

}  // namespace
}  // namespace nicsim::models::i210
