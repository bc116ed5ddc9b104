// SPDX-License-Identifier: Apache-2.0
// Receive of the 82599: delivery, RSS, drops of every kind and their counters, line rate, pause.
#include <gtest/gtest.h>

#include "models/common/hashes.h"
#include "sim/kernel.h"
#include "tests/models/i82599_bench.h"
#include "tests/models/rx_lives_seen.h"

namespace nicsim::models::i82599 {
namespace {

constexpr std::uint32_t done = 1U << 0, end_of_packet = 1U << 1;
constexpr std::uint32_t l4_error = 1U << 30, ip_error = 1U << 31;

TEST(I82599Rx, AFrameIsInHostMemoryByteForByteAndDescribed) {
    Bench b;
    b.enable_msix();
    const auto ring = b.enable_rx(0);
    b.give(0, ring, 0, 16);
    b.enable_receive();
    b.run(2_us);
    const Bytes frame = Bench::ip_frame(200);
    b.send(frame);
    b.run(5_us);
    const RxDescriptor d = b.rx_descriptor(ring, 0);
    EXPECT_EQ(d.status & (done | end_of_packet), done | end_of_packet);
    EXPECT_EQ(d.status & (l4_error | ip_error), 0U);
    EXPECT_EQ(d.length, 200);
    EXPECT_EQ(d.info >> 4 & 0x3FFU, 0x21U);  // IPv4, UDP
    EXPECT_EQ(Bytes(b.bus.at(ring.buffers), b.bus.at(ring.buffers) + 200), frame);
    ASSERT_EQ(b.bus.raised.size(), 1U);
    EXPECT_EQ(b.bus.raised[0].vector, 0U);
    EXPECT_EQ(b.rd(reg::RDH), 1U);
}

TEST(I82599Rx, ChecksumErrorsAreReportedInBits30And31) {
    Bench b;
    const auto ring = b.enable_rx(0);
    b.give(0, ring, 0, 16);
    b.enable_receive();
    Bytes frame = Bench::ip_frame(200);
    frame[100] ^= 1;
    b.send(frame);
    frame = Bench::ip_frame(200);
    frame[24] ^= 1;
    b.send(frame);
    b.run(5_us);
    EXPECT_EQ(b.rx_descriptor(ring, 0).status & (l4_error | ip_error), l4_error);
    EXPECT_EQ(b.rx_descriptor(ring, 1).status & (l4_error | ip_error), ip_error);
}

TEST(I82599Rx, RssSpreadsFlowsAsRetaSays) {
    Bench b;
    b.enable_receive();
    std::vector<Bench::RxRing> rings;
    for (unsigned q = 0; q < 4; ++q) {
        rings.push_back(b.enable_rx(q, 128));
        b.give(q, rings[q], 0, 127);
    }
    b.wr(reg::RXCSUM, rxcsum::PCSD);      // the hash instead of the fragment checksum
    b.wr(reg::MRQC_LEGACY, 0x0073'0001);  // with UDP ports
    for (unsigned i = 0; i < 32; ++i) b.wr(reg::RETA_LEGACY + 4 * i, 0x0302'0100);
    for (unsigned i = 0; i < 10; ++i) b.wr(reg::RSSRK_LEGACY + 4 * i, 0x9E37'79B9U * (i + 1));
    b.run(2_us);
    std::array<std::uint8_t, 40> key{};
    for (unsigned i = 0; i < 10; ++i) {
        const std::uint32_t word = 0x9E37'79B9U * (i + 1);
        std::memcpy(key.data() + std::size_t{i} * 4, &word, 4);
    }
    std::array<unsigned, 4> expected{};
    for (unsigned i = 0; i < 64; ++i) {
        const Bytes frame = Bench::ip_frame(100, static_cast<std::uint16_t>(2000 + i));
        Bytes input(frame.begin() + 26, frame.begin() + 38);
        ++expected[toeplitz(key, input) & 3U];
        b.send(frame);
    }
    b.run(50_us);
    for (unsigned q = 0; q < 4; ++q) {
        EXPECT_GT(expected[q], 0U);
        EXPECT_EQ(b.nic.rx().counts().delivered[q], expected[q]) << q;
        const RxDescriptor d = b.rx_descriptor(rings[q], 0);
        EXPECT_EQ(d.info & 0xFU, 7U);  // UDP over IPv4
        EXPECT_EQ(d.hash & 3U, q);
    }
}

TEST(I82599Rx, EveryFrameIsAccountedForUnderOverloadAndErrors) {
    Bench b;
    const auto ring = b.enable_rx(0, 64, 0x1200'0402);  // DROP_EN
    b.give(0, ring, 0, 20);
    b.enable_receive();
    b.run(2_us);
    unsigned total = 0;
    for (unsigned i = 0; i < 200; ++i, ++total) {
        Bytes frame = Bench::ip_frame(64 + i % 300);
        if (i % 7 == 3) frame[0] = 0x06;  // not for us
        b.send(frame, i % 11 != 5);
    }
    b.send(Bytes(40));    // undersize
    b.send(Bytes(2000));  // longer than MAXFRS
    total += 2;
    b.run(200_us);
    const RxCounts& c = b.nic.rx().counts();
    EXPECT_EQ(c.total_packets, total);
    EXPECT_EQ(c.accounted() + b.nic.rx().frames_inside(), total);
    EXPECT_EQ(c.delivered[0], 20U);
    EXPECT_EQ(c.undersize, 1U);
    EXPECT_EQ(c.oversize, 1U);
    EXPECT_GT(c.filtered, 0U);
    EXPECT_GT(c.crc_errors, 0U);
    EXPECT_EQ(b.rd(0x01030), 20U);                         // QPRC
    EXPECT_EQ(b.rd(0x01430), c.dropped_no_descriptor[0]);  // QPRDC
    EXPECT_EQ(b.rd(0x01430), 0U);
    EXPECT_EQ(b.rd(0x04000), c.crc_errors);
    EXPECT_EQ(b.rd(0x04074), 20 + c.dropped_no_descriptor[0]);  // GPRC
}

TEST(I82599Rx, WithoutDescriptorsThePacketBufferFillsAndThenFramesAreMissed) {
    Bench b;
    b.enable_msix();
    b.wr(reg::EIMS, eicr::RX_MISS);
    b.wr(reg::RXPBSIZE, 4096);
    const auto ring = b.enable_rx(0);
    b.enable_receive();
    for (unsigned i = 0; i < 10; ++i) b.send(Bench::ip_frame(1000));
    b.run(20_us);
    EXPECT_EQ(b.nic.rx().frames_inside(), 4U);  // 1024 bytes each
    EXPECT_EQ(b.nic.rx().counts().missed, 6U);
    EXPECT_EQ(b.rd(reg::EICS) & eicr::RX_MISS, eicr::RX_MISS);
    EXPECT_EQ(b.rd(0x03FA0), 6U);  // RXMPC
    EXPECT_EQ(b.rd(0x03FC0), 4U);  // RNBC
    b.give(0, ring, 0, 16);
    b.run(20_us);
    EXPECT_EQ(b.nic.rx().counts().delivered[0], 4U);
}

TEST(I82599Rx, StatisticsCountersFollowRqsmr) {
    Bench b;
    const auto ring = b.enable_rx(1);
    b.wr(reg::RQSMR, 0x0000'0500);  // queue 1 counts in 5
    b.wr(reg::MRQC, 0x0073'0001);
    for (unsigned i = 0; i < 32; ++i) b.wr(reg::RETA + 4 * i, 0x0101'0101);
    b.give(1, ring, 0, 16);
    b.enable_receive();
    b.send(Bench::ip_frame(100));
    b.run(10_us);
    EXPECT_EQ(b.rd(0x01030), 0U);
    EXPECT_EQ(b.rd(Bench::q(0x01030, 5)), 1U);
    EXPECT_EQ(b.rd(Bench::q(0x01034, 5)), 104U);
}

TEST(I82599Rx, SixtyFourByteFramesAtLineRateAreAllDelivered) {
    Bench b({}, 1_us);
    const auto ring = b.enable_rx(0, 4096);
    b.give(0, ring, 0, 4095);
    b.enable_receive();
    b.run(5_us);
    const Bytes frame = Bench::ip_frame(60);
    const std::uint64_t before = sim::kernel_cost.wakeups;
    for (unsigned i = 0; i < 4000; ++i) b.send(frame);
    b.run(4000 * 67'200_ps + 5_us);
    EXPECT_EQ(b.nic.rx().counts().delivered[0], 4000U);
    EXPECT_EQ(b.nic.rx().counts().missed, 0U);
    // The wire's end of each frame; descriptor reads are shared.
    EXPECT_LE(static_cast<double>(sim::kernel_cost.wakeups - before) / 4000, 1.5);
}

TEST(I82599Rx, JumboFramesTakeSeveralBuffers) {
    Bench b;
    const auto ring = b.enable_rx(0);
    b.give(0, ring, 0, 16);
    b.enable_receive();
    b.wr(reg::MAXFRS, 9018U << 16);
    const Bytes frame = Bench::ip_frame(5000);
    b.send(frame);
    b.run(10_us);
    EXPECT_EQ(b.rx_descriptor(ring, 0).status & (done | end_of_packet), done);
    EXPECT_EQ(b.rx_descriptor(ring, 2).status & (done | end_of_packet), done | end_of_packet);
    EXPECT_EQ(b.rx_descriptor(ring, 2).length, 5000 - 4096);
    EXPECT_EQ(Bytes(b.bus.at(ring.buffers + 2048), b.bus.at(ring.buffers + 4096)),
              Bytes(frame.begin() + 2048, frame.begin() + 4096));
}

TEST(I82599Rx, VlanTagsAreStrippedWhereRxdctlSaysSo) {
    Bench b;
    const auto ring = b.enable_rx(0);
    b.wr(reg::RXDCTL, dctl::ENABLE | dctl::VME);
    b.give(0, ring, 0, 16);
    b.enable_receive();
    Bytes frame = Bench::ip_frame(100);
    const Bytes tag = {0x81, 0x00, 0x20, 0x07};
    frame.insert(frame.begin() + 12, tag.begin(), tag.end());
    b.send(frame);
    b.run(10_us);
    const RxDescriptor d = b.rx_descriptor(ring, 0);
    EXPECT_EQ(d.length, 100);
    EXPECT_EQ(d.vlan, 0x2007);
    EXPECT_EQ(Bytes(b.bus.at(ring.buffers), b.bus.at(ring.buffers) + 100), Bench::ip_frame(100));
}

TEST(I82599Rx, TheLifeOfAFrameIsTheSumOfItsPartsOverTheEndOfTheRing) {
    const I82599Config config;
    const sim::Ps in_the_mac = config.rx_phy_latency + config.rx_store_latency;
    Bench b;
    RxLivesSeen observer;
    b.nic.set_life_cycle(&observer.lives);
    const auto ring = b.enable_rx(3, 16);
    b.wr(reg::MRQC_LEGACY, 0x0073'0001);
    for (unsigned i = 0; i < 32; ++i) b.wr(reg::RETA_LEGACY + 4 * i, 0x0303'0303);
    b.give(3, ring, 0, 15);
    b.enable_receive();
    b.run(2_us);
    for (unsigned i = 0; i < 40; ++i) {
        const sim::Ps end = b.send(Bench::ip_frame(200));
        b.run(5_us);
        observer.take(3, i % 16);
        b.give(3, ring, (i + 15) % 16, (i + 16) % 16);
        ASSERT_EQ(observer.seen.size(), i + 1);
        const RxLivesSeen::Life& life = observer.seen.back();
        EXPECT_EQ(life.queue, 3U);
        EXPECT_EQ(life.n, i);
        EXPECT_EQ(life.at(sim::RxStage::arrival), end + in_the_mac - 204 * 800_ps);
        EXPECT_EQ(life.at(sim::RxStage::packet_buffer), end + in_the_mac);
        EXPECT_EQ(life.at(sim::RxStage::dma_start), end + in_the_mac);
        EXPECT_EQ(life.at(sim::RxStage::dma_end), end + in_the_mac) << "a bus without time";
        EXPECT_EQ(life.at(sim::RxStage::write_back), end + in_the_mac);
        EXPECT_EQ(life.at(sim::RxStage::stack), sim::now());
    }
}

}  // namespace
}  // namespace nicsim::models::i82599
