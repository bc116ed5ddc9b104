// SPDX-License-Identifier: Apache-2.0
// From the wire to host memory: filters, queues, packet buffer, drops, conservation.
#include <gtest/gtest.h>

#include <cstring>

#include "i210_bench.h"
#include "models/common/hashes.h"

namespace nicsim::models::i210 {
namespace {

constexpr std::uint32_t one_buffer = 0x0200'0002;  // advanced, 2 KiB
constexpr std::uint32_t prefetch = 0x0000'0108;    // PTHRESH 8, HTHRESH 1, WTHRESH 0

std::uint64_t delivered(const RxCounts& c) {
    std::uint64_t sum = 0;
    for (unsigned q = 0; q < queues; ++q) sum += c.delivered[q];
    return sum;
}

TEST(I210Rx, WritesAFrameToHostMemoryAndSaysSo) {
    Bench b;
    b.enable_msix();
    const auto ring = b.make_ring(0, 64, one_buffer, prefetch);
    b.give(0, ring, 0, 32);
    b.enable_receive();
    const auto frame = Bench::udp_frame(200);
    b.send(frame);
    b.run(50_us);
    const RxDescriptor d = b.descriptor(ring, 0);
    EXPECT_EQ(d.status & 3U, 3U) << "DD and EOP";
    EXPECT_EQ(d.length, 200U) << "without FCS";
    EXPECT_EQ(std::memcmp(b.bus.at(Bench::buffer(ring, 0)), frame.data(), 200), 0);
    EXPECT_EQ(b.descriptor(ring, 1).status, 0U);
    EXPECT_EQ(b.rd(reg::RDH), 1U);
    ASSERT_EQ(b.bus.raised.size(), 1U);
    EXPECT_EQ(b.bus.raised[0].vector, 1U);
    EXPECT_EQ(b.rd(reg::ICR) & icr::RXT0, icr::RXT0);
}

TEST(I210Rx, IsIdleUntilReceiveIsEnabled) {
    Bench b;
    const auto ring = b.make_ring(0, 64, one_buffer, prefetch);
    b.give(0, ring, 0, 32);
    b.send(Bench::udp_frame(100));
    b.run(20_us);
    EXPECT_EQ(b.nic.rx().counts().total_packets, 0U);
    EXPECT_EQ(b.descriptor(ring, 0).status, 0U);
}

TEST(I210Rx, ReportsGoodAndBadChecksums) {
    Bench b;
    const auto ring = b.make_ring(0, 64, one_buffer, prefetch);
    b.give(0, ring, 0, 32);
    b.enable_receive();
    auto frame = Bench::udp_frame(100);
    b.send(frame);
    frame[60] ^= 1;  // payload
    b.send(frame);
    frame = Bench::udp_frame(100);
    frame[22] ^= 1;  // TTL
    b.send(frame);
    b.run(50_us);
    constexpr std::uint32_t ipcs = 1U << 6, udpcs = 1U << 4, l4cs = 1U << 5;
    constexpr std::uint32_t l4e = 1U << 29, ipe = 1U << 30;
    EXPECT_EQ(b.descriptor(ring, 0).status & (ipcs | udpcs | l4cs | l4e | ipe),
              ipcs | udpcs | l4cs);
    EXPECT_EQ(b.descriptor(ring, 1).status & (l4e | ipe), l4e);
    EXPECT_EQ(b.descriptor(ring, 2).status & (l4e | ipe), ipe);
    b.wr(reg::RXCSUM, 0);
    b.send(frame);
    b.run(50_us);
    EXPECT_EQ(b.descriptor(ring, 3).status & (ipcs | udpcs | l4cs | l4e | ipe), 0U);
}

TEST(I210Rx, SpreadsFlowsOverQueuesByRss) {
    Bench b;
    Bench::Ring rings[queues];
    for (unsigned q = 0; q < queues; ++q) {
        rings[q] = b.make_ring(q, 64, one_buffer, prefetch);
        b.give(q, rings[q], 0, 63);
    }
    std::array<std::uint8_t, 40> key{};
    for (unsigned i = 0; i < 40; ++i) key[i] = static_cast<std::uint8_t>(i * 37 + 11);
    for (unsigned i = 0; i < 10; ++i) {
        std::uint32_t word = 0;
        std::memcpy(&word, key.data() + i * 4, 4);
        b.wr(reg::RSSRK + 4 * i, word);
    }
    for (unsigned i = 0; i < 32; ++i) b.wr(reg::RETA + 4 * i, 0x0302'0100);
    b.wr(reg::MRQC, 0x0037'0002 | 1U << 22);
    b.wr(reg::RXCSUM, rxcsum::PCSD);
    b.enable_receive();
    std::array<unsigned, queues> expected{};
    for (std::uint16_t port = 1000; port < 1032; ++port) {
        const auto frame = Bench::udp_frame(80, port);
        const std::uint32_t hash = toeplitz(key, std::span(frame).subspan(26, 12));
        const unsigned q = hash & 3U;
        b.send(frame);
        b.run(30_us);
        const RxDescriptor d = b.descriptor(rings[q], expected[q]++);
        EXPECT_EQ(d.status & 1U, 1U) << port;
        EXPECT_EQ(d.hash, hash);
        EXPECT_EQ(d.info & 0xFU, 7U) << "IPv4 with UDP was hashed";
    }
    for (unsigned q = 0; q < queues; ++q) {
        EXPECT_GT(expected[q], 0U);
        EXPECT_EQ(b.nic.rx().counts().delivered[q], expected[q]);
    }
}

TEST(I210Rx, CountsWhatNoFilterWants) {
    Bench b;
    const auto ring = b.make_ring(0, 64, one_buffer, prefetch);
    b.give(0, ring, 0, 32);
    b.wr(reg::RCTL, rctl::EN | rctl::SECRC);
    auto frame = Bench::udp_frame(100);
    frame[5] = 2;  // somebody else's
    b.send(frame);
    std::fill_n(frame.begin(), 6, 0xFF);
    b.send(frame);
    b.run(20_us);
    EXPECT_EQ(b.nic.rx().counts().filtered, 2U);
    b.wr(reg::RCTL, rctl::EN | rctl::SECRC | rctl::BAM);
    b.send(frame);
    b.run(20_us);
    EXPECT_EQ(b.nic.rx().counts().broadcast, 1U);
    EXPECT_EQ(delivered(b.nic.rx().counts()), 1U);
}

TEST(I210Rx, FiltersVlansAndStripsTheirTags) {
    Bench b;
    const auto ring = b.make_ring(0, 64, one_buffer, prefetch);
    b.give(0, ring, 0, 32);
    b.enable_receive(rctl::VFE);
    auto frame = Bench::udp_frame(100);
    const std::uint8_t tag[] = {0x81, 0x00, 0x60, 0x05};
    frame.insert(frame.begin() + 12, std::begin(tag), std::end(tag));
    b.send(frame);
    b.run(20_us);
    EXPECT_EQ(b.nic.rx().counts().filtered, 1U);
    b.wr(reg::VFTA, 1U << 5);
    b.wr(reg::CTRL, b.rd(reg::CTRL) | ctrl::VME);
    b.send(frame);
    b.run(20_us);
    const RxDescriptor d = b.descriptor(ring, 0);
    EXPECT_EQ(d.vlan, 0x6005U);
    EXPECT_EQ(d.length, 100U);
    EXPECT_EQ(std::memcmp(b.bus.at(Bench::buffer(ring, 0)), Bench::udp_frame(100).data(), 100), 0);
}

TEST(I210Rx, KeepsTheFcsIfItIsNotTold) {
    Bench b;
    const auto ring = b.make_ring(0, 64, one_buffer, prefetch);
    b.give(0, ring, 0, 32);
    b.wr(reg::RCTL, rctl::EN | rctl::BAM);
    const auto frame = Bench::udp_frame(100);
    b.send(frame);
    b.run(20_us);
    EXPECT_EQ(b.descriptor(ring, 0).length, 104U);
    EXPECT_EQ(b.bus.load<std::uint32_t>(Bench::buffer(ring, 0) + 100), ethernet_fcs(frame));
}

TEST(I210Rx, HoldsFramesUntilDescriptorsCome) {
    Bench b;
    const auto ring = b.make_ring(0, 64, one_buffer, prefetch);
    b.enable_receive();
    for (int i = 0; i < 3; ++i) b.send(Bench::udp_frame(100));
    b.run(50_us);
    EXPECT_EQ(b.nic.rx().frames_inside(), 3U);
    EXPECT_EQ(b.nic.rx().counts().no_buffers, 3U);
    b.give(0, ring, 0, 8);
    b.run(50_us);
    EXPECT_EQ(b.nic.rx().frames_inside(), 0U);
    EXPECT_EQ(b.nic.rx().buffered_bytes(), 0U);
    EXPECT_EQ(delivered(b.nic.rx().counts()), 3U);
    EXPECT_EQ(b.rd(0x40A0), 3U) << "RNBC";
}

TEST(I210Rx, DropsForWantOfDescriptorsIfDropIsEnabledAndClearsTheCounterByAWrite) {
    Bench b;
    b.make_ring(0, 64, one_buffer | srrctl::DROP_EN, prefetch);
    b.enable_receive();
    for (int i = 0; i < 3; ++i) b.send(Bench::udp_frame(100));
    b.run(50_us);
    EXPECT_EQ(b.nic.rx().frames_inside(), 0U);
    EXPECT_EQ(b.rd(reg::RQDPC), 3U);
    EXPECT_EQ(b.rd(reg::RQDPC), 3U);
    b.wr(reg::RQDPC, 0);
    EXPECT_EQ(b.rd(reg::RQDPC), 0U);
}

TEST(I210Rx, MissesFramesWhenThePacketBufferIsFull) {
    Bench b;
    b.make_ring(0, 64, one_buffer, prefetch);
    b.enable_msix();
    b.wr(reg::RXPBSIZE, 2);  // KiB
    b.enable_receive();
    // 1 KiB each in the buffer: 1020 + FCS = 1024
    for (int i = 0; i < 3; ++i) b.send(Bench::udp_frame(1020));
    b.run(100_us);
    EXPECT_EQ(b.nic.rx().frames_inside(), 2U);
    EXPECT_EQ(b.nic.rx().buffered_bytes(), 2048U);
    EXPECT_EQ(b.rd(0x4010), 1U) << "MPC";
    EXPECT_EQ(b.rd(reg::ICR) & icr::RXO, icr::RXO);
}

TEST(I210Rx, AccountsForEveryFrame) {
    Bench b;
    const auto ring = b.make_ring(0, 16, one_buffer, prefetch);
    b.make_ring(1, 16, one_buffer | srrctl::DROP_EN, prefetch);
    b.wr(reg::RXPBSIZE, 4);
    b.wr(reg::MRQC, 0x0047'0002);
    for (unsigned i = 0; i < 10; ++i) b.wr(reg::RSSRK + 4 * i, 0x1234'5678 * (i + 1));
    for (unsigned i = 0; i < 32; ++i) b.wr(reg::RETA + 4 * i, 0x0001'0001);
    b.give(0, ring, 0, 15);
    b.enable_receive();
    for (std::uint16_t i = 0; i < 200; ++i) {
        auto frame =
            Bench::udp_frame(i % 3 == 0 ? 1514 : 60 + i % 5, static_cast<std::uint16_t>(i * 31));
        if (i % 11 == 0) frame[5] = 9;
        if (i % 17 == 0) frame.resize(50);
        b.send(frame, i % 13 != 0);
    }
    b.run(3_ms);
    const RxCounts& c = b.nic.rx().counts();
    EXPECT_EQ(c.total_packets, 200U);
    EXPECT_EQ(c.accounted() + b.nic.rx().frames_inside(), 200U);
    EXPECT_GT(c.missed, 0U);
    EXPECT_GT(c.crc_errors, 0U);
    EXPECT_GT(c.filtered, 0U);
    EXPECT_GT(c.undersize, 0U);
    EXPECT_EQ(delivered(c), 15U) << "one per descriptor given";
    b.wr(reg::CTRL, ctrl::RST);
    EXPECT_EQ(b.nic.rx().frames_inside(), 0U);
    EXPECT_EQ(c.accounted(), 200U);
}

TEST(I210Rx, TakesTheRateOfTheWireInOneStreamOfFullFrames) {
    Bench b;
    const auto ring = b.make_ring(0, 256, one_buffer, 0x0004'0108);
    b.give(0, ring, 0, 255);
    b.enable_receive();
    for (int i = 0; i < 200; ++i) b.send(Bench::udp_frame(1514));
    b.run(200 * 12'304_ns + 20_us);
    EXPECT_EQ(delivered(b.nic.rx().counts()), 200U);
    EXPECT_EQ(b.nic.rx().counts().missed, 0U);
}

TEST(I210Rx, LosesNothingUncountedInAReset) {
    Bench b;
    const auto ring = b.make_ring(0, 64, one_buffer, prefetch);
    b.give(0, ring, 0, 32);
    b.enable_receive();
    b.bus.hold_writes = true;
    b.send(Bench::udp_frame(1000));
    b.run(30_us);
    b.wr(reg::CTRL, ctrl::RST);
    b.bus.release_writes();
    b.run(30_us);
    EXPECT_EQ(b.nic.rx().counts().dropped_by_reset, 1U);
    EXPECT_EQ(b.nic.rx().counts().accounted(), 1U);
    const auto again = b.make_ring(0, 64, one_buffer, prefetch);
    b.give(0, again, 0, 32);
    b.enable_receive();
    b.send(Bench::udp_frame(300));
    b.run(30_us);
    EXPECT_EQ(b.descriptor(again, 0).length, 300U);
}

}  // namespace
}  // namespace nicsim::models::i210
