// SPDX-License-Identifier: Apache-2.0
// Transmit of the AR8151 and the MikroTik card: doorbells and consumer indices, bursts, request
// sizes and order, the FIFO, latency and rates against their closed forms, offloads.
#include <gtest/gtest.h>

#include "models/common/packet_parser.h"
#include "sim/life_cycle.h"
#include "sim/random.h"
#include "tests/models/ar8151_bench.h"

namespace nicsim::models::ar8151 {
namespace {

using sim::Ps;

constexpr Ps read_latency = 800_ns;
constexpr Ps wire_60 = 84 * 8_ns;      ///< 60 bytes with FCS, preamble and gap at 1 Gbit/s
constexpr Ps wire_1514 = 1538 * 8_ns;  ///< the same for 1514 bytes

Bytes sent_bytes(const Bench& b, std::size_t i) {
    const auto bytes = std::as_const(*b.bus.sent.at(i).frame).bytes();
    return {bytes.begin(), bytes.end()};
}

/// Mean distance of frame starts after `skip` frames, in picoseconds.
double spacing(const Bench& b, std::size_t skip) {
    const auto& sent = b.bus.sent;
    return static_cast<double>(sent.back().start - sent[skip].start) /
           static_cast<double>(sent.size() - 1 - skip);
}

void post_many(Bench& b, unsigned queue, unsigned count, std::uint32_t length) {
    for (unsigned i = 0; i < count; ++i)
        b.post(queue, Bench::ip_frame(length, static_cast<std::uint16_t>(i)));
    b.kick(queue);
}

TEST(Ar8151Tx, WhatIsPostedIsOnTheWireByteForByteInOrder) {
    Bench b;
    b.up();
    post_many(b, 0, 20, 300);
    b.run(100_us);
    ASSERT_EQ(b.bus.sent.size(), 20U);
    for (unsigned i = 0; i < 20; ++i)
        EXPECT_EQ(sent_bytes(b, i), Bench::ip_frame(300, static_cast<std::uint16_t>(i)));
    EXPECT_EQ(b.rd16(reg::TPD_PRI0_CIDX), 20U);
    EXPECT_EQ(b.rd(0x1760), 20U);           // TX_OK
    EXPECT_EQ(b.rd(0x177C), 20U * 300U);    // TX_BYTE_CNT, without FCS
    EXPECT_EQ(b.rd(0x1760 + 4 * 11), 20U);  // 256 to 511
    EXPECT_EQ(b.rd(0x1760), 0U) << "cleared by the read";
}

TEST(Ar8151Tx, ADoorbellOfSixteenBitsRingsForItsQueueOnly) {
    Bench b;
    b.up();
    b.post(0, Bench::ip_frame(60, 1));
    b.post(1, Bench::ip_frame(60, 2));
    b.kick(0);
    b.run(20_us);
    ASSERT_EQ(b.bus.sent.size(), 1U);
    EXPECT_EQ(sent_bytes(b, 0), Bench::ip_frame(60, 1));
    EXPECT_EQ(b.counter("tx.queue0.doorbells"), 1U);
    EXPECT_EQ(b.counter("tx.queue1.doorbells"), 0U);
    b.kick(1);
    b.run(20_us);
    EXPECT_EQ(b.bus.sent.size(), 2U);
    EXPECT_EQ(b.rd16(reg::TPD_PRI1_CIDX), 1U);
    EXPECT_EQ(b.rd(reg::TPD_PRI1_CIDX), 0x0001'0001U) << "both in one double word";
    EXPECT_EQ(b.rd(reg::TPD_PRI1_PIDX), 0x0001'0001U);
}

TEST(Ar8151Tx, ARingNeedsLoadPtrAndTxqEnable) {
    Bench b;
    b.up();
    b.wr(reg::TXQ_CTRL, 0x0200'00D5);
    b.post(0, Bench::ip_frame(60));
    b.kick(0);
    b.run(20_us);
    EXPECT_EQ(b.bus.reads, b.counter("dma.rx_descriptor.reads")) << "nothing is read for transmit";
    b.wr(reg::TXQ_CTRL, 0x0200'00F5);
    b.run(20_us);
    EXPECT_EQ(b.bus.sent.size(), 1U);
    b.wr(reg::MAC_CTRL, 0);
    b.post(0, Bench::ip_frame(60));
    b.kick(0);
    b.run(20_us);
    EXPECT_EQ(b.bus.sent.size(), 1U) << "the MAC does not send without TX_EN";
    b.wr(reg::MAC_CTRL, Bench::atl1c_mac);
    b.run(20_us);
    EXPECT_EQ(b.bus.sent.size(), 2U);
}

TEST(Ar8151Tx, AReadOfDescriptorsCarriesOneBurst) {
    Bench b;
    b.up();
    const auto reads = [&b](std::uint32_t burst) {
        b.wr(reg::TXQ_CTRL, 0x0200'00F0 | burst);
        const std::uint64_t before = b.counter("tx.queue0.descriptors.fetches");
        post_many(b, 0, 20, 60);
        b.run(100_us);
        return b.counter("tx.queue0.descriptors.fetches") - before;
    };
    EXPECT_EQ(reads(5), 4U);
    EXPECT_EQ(reads(1), 20U);
    EXPECT_EQ(b.counter("tx.queue0.descriptors.fetched"), 40U);
}

TEST(Ar8151Tx, DataRequestsAreCutAtTheReadBlockAndTheBurst) {
    Bench b;
    b.up();
    const auto requests = [&b](std::uint32_t dma_ctrl, std::uint32_t txq) {
        b.wr(reg::DMA_CTRL, dma_ctrl);
        b.wr(reg::TXQ_CTRL, txq);
        const std::uint64_t before = b.counter("dma.tx_data.reads");
        b.post(0, Bench::ip_frame(1514));
        b.kick(0);
        b.run(50_us);
        return b.counter("dma.tx_data.reads") - before;
    };
    EXPECT_EQ(requests(0x0004'7C24, 0x0200'00F5), 3U) << "512 bytes";
    EXPECT_EQ(requests(0x0004'7C04, 0x0200'00F5), 12U) << "128 bytes";
    EXPECT_EQ(requests(0x0004'7C24, 0x0100'00F5), 6U) << "a burst of 256 bytes";
    EXPECT_EQ(requests(0x0004'7C34, 0x0000'00F5), 3U) << "1024 bytes, but the bus allows 512";
}

TEST(Ar8151Tx, AnUnloadedPacketLeavesTwoReadLatenciesAfterItsDoorbell) {
    Bench b({}, read_latency);
    b.up();
    b.run(10_us);
    b.post(0, Bench::ip_frame(60));
    const Ps doorbell = sim::now();
    b.kick(0);
    b.run_until(doorbell + read_latency);
    EXPECT_EQ(b.counter("dma.tx_data.reads"), 0U);
    b.run_until(doorbell + 2 * read_latency);
    EXPECT_EQ(b.rd16(reg::TPD_PRI0_CIDX), 0U);
    b.run(1);
    EXPECT_EQ(b.rd16(reg::TPD_PRI0_CIDX), 1U) << "consumed when its bytes are in the FIFO";
    b.run(10_us);
    ASSERT_EQ(b.bus.sent.size(), 1U);
    EXPECT_EQ(b.bus.sent[0].start, doorbell + 2 * read_latency);
}

TEST(Ar8151Tx, SmallFramesLeaveAtLineRate) {
    Bench b({}, read_latency);
    b.up();
    b.post_same(0, b.copy(Bench::ip_frame(60)), 60, 1000);
    b.kick(0);
    b.run(1_ms);
    ASSERT_EQ(b.bus.sent.size(), 1000U);
    EXPECT_DOUBLE_EQ(spacing(b, 20), static_cast<double>(wire_60));
}

TEST(Ar8151Tx, InOrderModeKeepsOneReadInFlight) {
    // One read after the other: the rate is one frame for each read latency, if no descriptor read
    // is in the way.
    Bench b({}, read_latency);
    b.up();
    b.wr(reg::DMA_CTRL, (Bench::atl1c_dma & ~7U) | dma_ctrl::order_in);
    b.post_same(0, b.copy(Bench::ip_frame(60)), 60, 500);
    b.kick(0);
    b.run(1_ms);
    ASSERT_EQ(b.bus.sent.size(), 500U);
    EXPECT_NEAR(spacing(b, 20), static_cast<double>(read_latency), 1000);
}

TEST(Ar8151Tx, LongFramesLeaveAtLineRate) {
    Bench b({}, read_latency);
    b.up();
    b.post_same(0, b.copy(Bench::ip_frame(1514)), 1514, 200);
    b.kick(0);
    b.run(3_ms);
    ASSERT_EQ(b.bus.sent.size(), 200U);
    EXPECT_DOUBLE_EQ(spacing(b, 20), static_cast<double>(wire_1514));
}

TEST(Ar8151Tx, AFrameIsFetchedOnlyWhenTheFifoHasRoomForAllOfIt) {
    Ar8151Config config;
    config.tx_fifo = 2048;
    Bench b(config, read_latency);
    b.up();
    b.post_same(0, b.copy(Bench::ip_frame(1514)), 1514, 20);
    b.kick(0);
    b.run(1_ms);
    ASSERT_EQ(b.bus.sent.size(), 20U);
    // Room comes when the gap behind the frame before is over; then its bytes are read.
    EXPECT_DOUBLE_EQ(spacing(b, 2), static_cast<double>(wire_1514 + read_latency));
}

TEST(Ar8151Tx, AFrameLongerThanTheFifoIsGivenUpAndCounted) {
    Ar8151Config config;
    config.tx_fifo = 2048;
    Bench b(config);
    b.up();
    b.post(0, Bench::ip_frame(3000));
    b.post(0, Bench::ip_frame(60));
    b.kick(0);
    b.run(50_us);
    EXPECT_EQ(b.bus.sent.size(), 1U);
    EXPECT_EQ(b.counter("tx.queue0.bad_packets"), 1U);
    EXPECT_EQ(b.rd16(reg::TPD_PRI0_CIDX), 2U);
}

TEST(Ar8151Tx, TheHighPriorityQueueGoesFirst) {
    Bench b;
    b.up();
    post_many(b, 0, 40, 1000);
    b.run(5_us);
    for (unsigned i = 0; i < 5; ++i) b.post(1, Bench::ip_frame(200));
    b.kick(1);
    b.run(1_ms);
    ASSERT_EQ(b.bus.sent.size(), 45U);
    std::size_t last = 0;
    for (std::size_t i = 0; i < 45; ++i)
        if (b.bus.sent[i].frame->length() == 200) last = i;
    EXPECT_LT(last, 20U) << "only what was in the FIFO already is before it";
}

TEST(Ar8151Tx, ACustomChecksumIsPutWhereTheDescriptorSays) {
    Bench b;
    b.up();
    Bytes frame = Bench::ip_frame(200);
    const Bytes expected = frame;
    put_be16(frame, 40, static_cast<std::uint16_t>(ones_complement_sum({}, Bench::pseudo(frame))));
    b.post(0, frame, 0x0050'0111);  // sum from 0x11 x 2, put at 0x14 x 2
    b.kick(0);
    b.run(20_us);
    ASSERT_EQ(b.bus.sent.size(), 1U);
    EXPECT_EQ(sent_bytes(b, 0), expected);
}

TEST(Ar8151Tx, IpAndTcpChecksumsAreInserted) {
    Bench b;
    b.up();
    Bytes frame = Bench::ip_frame(200, 7, true);
    const Bytes expected = frame;
    put_be16(frame, 24, 0);
    put_be16(frame, 50, static_cast<std::uint16_t>(ones_complement_sum({}, Bench::pseudo(frame))));
    b.post(0, frame, tpd::IP_CSUM | tpd::TCP_CSUM | 34);
    b.kick(0);
    b.run(20_us);
    ASSERT_EQ(b.bus.sent.size(), 1U);
    EXPECT_EQ(sent_bytes(b, 0), expected);
}

/// Each frame has right checksums, and together they carry the payload in order.
void expect_segments(const Bench& b, const Bytes& packet, std::uint32_t header, std::uint32_t mss) {
    const std::uint32_t payload = static_cast<std::uint32_t>(packet.size()) - header;
    ASSERT_EQ(b.bus.sent.size(), (payload + mss - 1) / mss);
    Bytes together;
    for (std::size_t i = 0; i < b.bus.sent.size(); ++i) {
        const Bytes f = sent_bytes(b, i);
        const ParsedPacket p = parse_packet(f);
        EXPECT_TRUE(p.tcp);
        EXPECT_NE(p.ip_checksum, Checksum::bad);
        EXPECT_EQ(p.l4_checksum, Checksum::good) << i;
        EXPECT_EQ(get_be32(f, p.l4 + 4), get_be32(packet, p.l4 + 4) + together.size());
        together.insert(together.end(), f.begin() + header, f.end());
    }
    EXPECT_EQ(together, Bytes(packet.begin() + header, packet.end()));
}

TEST(Ar8151Tx, TcpIsSegmentedFromAHeaderAndADataDescriptor) {
    Bench b;
    b.up();
    constexpr std::uint32_t header = 54, mss = 1448;
    Bytes packet = Bench::ip_frame(header + 7000, 9, true);
    put_be16(packet, 50,
             ones_complement_sum(std::span<const std::uint8_t>(packet).subspan(26, 8), 6));
    const std::uint64_t address = b.copy(packet);
    constexpr std::uint32_t flags = 0x16A1'1022;
    b.put(0, address, header, flags);
    b.put(0, address + header, 7000, flags | tpd::EOP);
    b.kick(0);
    b.run(200_us);
    expect_segments(b, packet, header, mss);
    EXPECT_EQ(b.rd16(reg::TPD_PRI0_CIDX), 2U);
    EXPECT_EQ(b.counter("interrupts.tx0.events"), 1U);
}

TEST(Ar8151Tx, TcpOverIpv6IsSegmentedBehindAnExtendedDescriptor) {
    Bench b;
    b.up();
    constexpr std::uint32_t header = 74, mss = 1000;
    Bytes packet(header + 3500, 0);
    packet[0] = 0x02;
    packet[6] = 0x02;
    put_be16(packet, 12, 0x86DD);
    packet[14] = 0x60;
    packet[20] = 6;
    packet[21] = 64;
    for (unsigned i = 22; i < 54; ++i) packet[i] = static_cast<std::uint8_t>(i);
    put_be32(packet, 58, 0x1000);
    packet[66] = 0x50;
    for (std::size_t i = header; i < packet.size(); ++i)
        packet[i] = static_cast<std::uint8_t>(i * 3);
    put_be16(packet, 70,
             ones_complement_sum(std::span<const std::uint8_t>(packet).subspan(22, 32), 6));
    const std::uint64_t address = b.copy(packet);
    constexpr std::uint32_t flags = mss << tpd::mss_shift | tpd::LSO_EN | tpd::LSO_VER | 54;
    b.put(0, packet.size(), 0, tpd::LSO_EN | tpd::LSO_VER);  // extended: the whole length
    b.put(0, address, header, flags);
    b.put(0, address + header, 3500, flags | tpd::EOP);
    b.kick(0);
    b.run(200_us);
    expect_segments(b, packet, header, mss);
    EXPECT_EQ(b.rd16(reg::TPD_PRI0_CIDX), 3U);
}

TEST(Ar8151Tx, AVlanTagIsInserted) {
    Bench b;
    b.up();
    const Bytes frame = Bench::ip_frame(100);
    b.put(0, b.copy(frame), 100, tpd::EOP | tpd::INS_VTAG, 0x6450);  // 0x5064 as on the wire
    b.kick(0);
    b.run(20_us);
    ASSERT_EQ(b.bus.sent.size(), 1U);
    const Bytes sent = sent_bytes(b, 0);
    ASSERT_EQ(sent.size(), 104U);
    EXPECT_EQ(get_be16(sent, 12), 0x8100);
    EXPECT_EQ(get_be16(sent, 14), 0x5064);
    EXPECT_TRUE(std::equal(frame.begin() + 12, frame.end(), sent.begin() + 16));
}

TEST(Ar8151Tx, NothingIsLostThatIsNotCounted) {
    Bench b;
    b.up();
    sim::RandomStream random(1, "frames");
    std::uint64_t bytes = 0;
    unsigned posted = 0;
    for (unsigned round = 0; round < 40; ++round) {
        const auto count = static_cast<unsigned>(random.below(60));
        for (unsigned i = 0; i < count; ++i, ++posted) {
            const auto length = static_cast<std::uint32_t>(60 + random.below(1455));
            const Bytes frame = Bench::ip_frame(length, static_cast<std::uint16_t>(posted));
            const std::uint64_t address = b.copy(frame);
            const auto cut = static_cast<std::uint32_t>(1 + random.below(length - 1));
            b.put(0, address, cut, 0);
            b.put(0, address + cut, length - cut, tpd::EOP);
            bytes += length;
        }
        b.kick(0);
        b.run(count * 13_us + 10_us);
    }
    EXPECT_EQ(b.bus.sent.size(), posted);
    std::uint64_t seen = 0;
    for (const auto& s : b.bus.sent) seen += s.frame->length();
    EXPECT_EQ(seen, bytes);
    EXPECT_EQ(b.counter("dma.tx_data.bytes"), bytes);
    EXPECT_EQ(b.counter("tx.queue0.descriptors.fetched"), 2 * posted);
    EXPECT_EQ(b.rd16(reg::TPD_PRI0_CIDX), b.tx[0].next) << "over the end of the ring";
    EXPECT_EQ(b.counter("interrupts.tx0.events"), posted);
    EXPECT_EQ(b.rd(reg::IDLE_STATUS), 0U);
}

TEST(Ar8151Tx, ThePacketsLifeIsStamped) {
    Bench b;
    sim::LifeCycle life(2);
    b.nic.set_life_cycle(&life);
    b.up();
    b.run(10_us);
    b.post(0, Bench::ip_frame(60));
    life.stamp(0, 0, sim::TxStage::doorbell, sim::now());
    b.kick(0);
    b.run(20_us);
    life.stamp(0, 0, sim::TxStage::clean, sim::now());
    EXPECT_EQ(life.stage_time(sim::TxStage::descriptor_fetch).max(), read_latency);
    EXPECT_EQ(life.stage_time(sim::TxStage::packet_buffer).max(), read_latency);
    EXPECT_EQ(life.stage_time(sim::TxStage::wire_end).max(), 72 * 8_ns);
}

TEST(MikrotikTx, SmallFramesLeaveAtTenGigabitLineRateFromFourQueuesInTurn) {
    MikrotikConfig config;
    config.queues = 4;
    Bench b(config, read_latency);
    b.up();
    EXPECT_EQ(b.rd(reg::MT_MODE), mt_mode_four_queues);
    for (unsigned q = 0; q < 4; ++q) {
        b.post_same(q, b.copy(Bench::ip_frame(60, static_cast<std::uint16_t>(q))), 60, 500);
        b.kick(q);
    }
    b.run(1_ms);
    ASSERT_EQ(b.bus.sent.size(), 2000U);
    EXPECT_NEAR(spacing(b, 200), 67'200, 10);
    std::array<unsigned, 4> share{};
    for (unsigned i = 200; i < 600; ++i) ++share[b.bus.sent[i].frame->queue];
    for (const unsigned s : share) EXPECT_NEAR(s, 100, 5);
    EXPECT_EQ(b.rd(reg::TPD_PRI3_CIDX), 500U << 16 | 500U);
}

}  // namespace
}  // namespace nicsim::models::ar8151
