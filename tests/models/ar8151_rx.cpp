// SPDX-License-Identifier: Apache-2.0
// Reception of the AR8151 and the MikroTik card: free and return descriptors, gathering of return
// descriptors with its timing gates, the FIFO and what is lost, filters, checksums, VLAN, queues.
#include <gtest/gtest.h>

#include <set>

#include "models/common/hashes.h"
#include "tests/models/ar8151_bench.h"
#include "tests/models/rx_lives_seen.h"

namespace nicsim::models::ar8151 {
namespace {

using sim::Ps;

constexpr Ps wire_60 = 84 * 8_ns;

TEST(Ar8151Rx, AFrameLiesInItsBufferWithFcsAndItsReturnDescriptorSaysSo) {
    Bench b;
    b.up();
    const Bytes frame = Bench::ip_frame(300);
    b.send(Bench::ip_frame(60));
    b.send(frame);
    b.run(20_us);
    const Rrd d = b.rrd_at(0, 1);
    EXPECT_TRUE(d.updated());
    EXPECT_EQ(d.size(), 304U);
    EXPECT_EQ(d.rfds(), 1U);
    EXPECT_EQ(d.rfd(), 1U);
    EXPECT_EQ(d.hash, 0U);
    EXPECT_EQ(d.word3 >> rrd::protocol_shift & 7U, rrd::protocol_ipv4_udp);
    const std::uint8_t* memory = b.bus.at(b.rx[0].buffers + 2048);
    EXPECT_TRUE(std::equal(frame.begin(), frame.end(), memory));
    const std::uint32_t fcs = ethernet_fcs(frame);
    EXPECT_EQ(b.bus.load<std::uint32_t>(b.rx[0].buffers + 2048 + 300), fcs);
    EXPECT_FALSE(b.rrd_at(0, 2).updated());
    EXPECT_EQ(b.rd(reg::MB_RFD01_CONS_IDX), 2U);
}

TEST(Ar8151Rx, AFrameLongerThanTheBuffersTakesSeveralFreeDescriptors) {
    Bench b;
    b.up();
    b.wr(reg::RX_BUF_SIZE, 512);
    const Bytes frame = Bench::ip_frame(1300);
    b.send(frame);
    b.run(50_us);
    EXPECT_EQ(b.rrd_at(0, 0).rfds(), 3U);
    EXPECT_EQ(b.rrd_at(0, 0).size(), 1304U);
    EXPECT_FALSE(b.rrd_at(0, 1).updated());
    for (unsigned i = 0; i < 2; ++i)
        EXPECT_TRUE(std::equal(frame.begin() + 512 * i, frame.begin() + 512 * (i + 1),
                               b.bus.at(b.rx[0].buffers + i * 2048)));
    EXPECT_EQ(b.rd(reg::MB_RFD01_CONS_IDX), 3U);
}

TEST(Ar8151Rx, SmallFramesArriveAtLineRateOverTheEndOfTheRings) {
    Bench b;
    b.up();
    unsigned given = Bench::rfds - 1, taken = 0;
    for (unsigned i = 0; i < 1500; ++i) {
        b.send(Bench::ip_frame(60, static_cast<std::uint16_t>(i)));
        if (i % 64 != 63) continue;
        b.run(64 * wire_60);
        const unsigned n = b.harvest(0);
        taken += n;
        b.give(0, given, (given + n) % Bench::rfds);
        given = (given + n) % Bench::rfds;
    }
    b.run(100_us);
    taken += b.harvest(0);
    EXPECT_EQ(taken, 1500U);
    EXPECT_EQ(b.nic.rx().counts().missed, 0U);
    EXPECT_EQ(b.rd(0x1700), 1500U);           // RX_OK
    EXPECT_EQ(b.rd(0x171C), 1500U * 60U);     // RX_BYTE_CNT
    EXPECT_EQ(b.rd(0x1700 + 4 * 10), 1500U);  // 64 bytes
    EXPECT_EQ(b.rd(0x1700), 0U) << "cleared by the read";
}

TEST(Ar8151Rx, AReadOfFreeDescriptorsCarriesOneBurst) {
    Bench b;
    b.up();
    b.run(20_us);
    EXPECT_EQ(b.counter("rx.queue0.ring.fetched"), 32U) << "as many as the die holds";
    EXPECT_EQ(b.counter("rx.queue0.ring.fetches"), 4U) << "of eight";
}

TEST(Ar8151Rx, WritesAreCutAtTheWriteBlock) {
    Bench b;
    b.nic.set_bus_limits({.max_read_request = 512, .max_payload = 256, .bus_master = true});
    b.up();
    const auto requests = [&b](std::uint32_t dma_ctrl) {
        b.wr(reg::DMA_CTRL, dma_ctrl);
        const std::uint64_t before = b.counter("dma.rx_data.writes");
        b.send(Bench::ip_frame(1020));  // 1024 with FCS
        b.run(30_us);
        return b.counter("dma.rx_data.writes") - before;
    };
    EXPECT_EQ(requests(0x0004'7C24), 8U) << "128 bytes";
    EXPECT_EQ(requests(0x0004'7CA4), 4U) << "256 bytes";
    EXPECT_EQ(requests(0x0004'7D24), 4U) << "512 bytes, but the bus allows 256";
}

TEST(Ar8151Rx, ReturnDescriptorsAreGatheredToTheThreshold) {
    Bench b;
    b.up();
    b.wr(reg::RXD_DMA_CTRL, 8);  // 64 bytes: four of them
    for (unsigned i = 0; i < 3; ++i) b.send(Bench::ip_frame(60));
    b.run(100_us);
    EXPECT_FALSE(b.rrd_at(0, 0).updated());
    EXPECT_TRUE(b.bus.raised.empty());
    b.send(Bench::ip_frame(60));
    b.run(100_us);
    EXPECT_EQ(b.harvest(0), 4U);
    EXPECT_EQ(b.counter("rx.queue0.ring.return_writes"), 1U);
    EXPECT_EQ(b.bus.raised.size(), 1U);
}

TEST(Ar8151Rx, TheTimerOfGatheredReturnDescriptorsRunsFromTheFirstOfThem) {
    Bench b;
    b.up();
    b.run(10_us);
    b.wr(reg::RXD_DMA_CTRL, 10U << rxd_dma::timer_shift | 8);
    const Ps end = b.send(Bench::ip_frame(60));
    b.run_until(end + 10_us);
    b.send(Bench::ip_frame(60));  // does not prolong it
    b.run_until(end + 20_us);
    EXPECT_FALSE(b.rrd_at(0, 0).updated()) << "not one picosecond before";
    b.run(1);
    EXPECT_EQ(b.harvest(0), 2U);
    EXPECT_EQ(b.counter("rx.queue0.ring.return_writes_by_timer"), 1U);
}

TEST(Ar8151Rx, FramesWaitInTheFifoForFreeDescriptorsAndSoftwareHearsOfItOnce) {
    Bench b;
    b.up(1000, 200, Bench::tpds, 8);  // seven free descriptors
    for (unsigned i = 0; i < 20; ++i) b.send(Bench::ip_frame(60, static_cast<std::uint16_t>(i)));
    b.run(50_us);
    EXPECT_EQ(b.harvest(0), 7U);
    EXPECT_EQ(b.nic.rx().frames_inside(), 13U);
    EXPECT_EQ(b.rd(reg::ISR), isr::RX_PKT_0 | isr::RFD0_UR);
    EXPECT_EQ(b.counter("interrupts.other_causes"), 1U);
    b.give(0, 7, 6);
    b.run(50_us);
    EXPECT_EQ(b.harvest(0), 7U);
    b.give(0, 6, 5);
    b.run(50_us);
    EXPECT_EQ(b.harvest(0), 6U);
    EXPECT_EQ(b.nic.rx().counts().missed, 0U);
}

TEST(Ar8151Rx, WhatFindsNoRoomInTheFifoIsLostAndCounted) {
    Bench b;
    b.up(1000, 200, Bench::tpds, 8);
    constexpr unsigned sent = 500;
    for (unsigned i = 0; i < sent; ++i) b.send(Bench::ip_frame(60));
    b.run(1_ms);
    const RxCounts& counts = b.nic.rx().counts();
    const unsigned room = 16'384 / 64;
    EXPECT_EQ(b.nic.rx().frames_inside(), room);
    EXPECT_EQ(counts.missed, sent - 7 - room);
    EXPECT_EQ(counts.total_packets, counts.accounted() + b.nic.rx().frames_inside());
    EXPECT_EQ(b.rd(reg::ISR) & isr::HW_RXF_OV, isr::HW_RXF_OV);
    EXPECT_EQ(b.counter("interrupts.other_causes"), 2U) << "once each";
    EXPECT_EQ(b.rd(0x1700 + 4 * 18), counts.missed);
    b.wr(reg::MASTER_CTRL, Bench::atl1c_master | master::SOFT_RST);
    EXPECT_EQ(counts.total_packets, counts.accounted()) << "a reset loses what was inside";
}

TEST(Ar8151Rx, BadFramesEndInTheirCounters) {
    Bench b;
    b.up();
    b.send(Bench::ip_frame(100), false);
    b.send(Bytes(40, 2));
    b.send(Bench::ip_frame(1519));  // 1523 with FCS, MTU is 1522
    b.send(Bench::ip_frame(1518));
    b.run(100_us);
    const RxCounts& counts = b.nic.rx().counts();
    EXPECT_EQ(counts.crc_errors, 1U);
    EXPECT_EQ(counts.undersize, 1U);
    EXPECT_EQ(counts.oversize, 1U);
    EXPECT_EQ(counts.delivered[0], 1U);
    EXPECT_EQ(counts.total_packets, counts.accounted());
    EXPECT_EQ(b.rd(0x1700 + 4 * 5), 1U);   // RX_FCS_ERR
    EXPECT_EQ(b.rd(0x1700 + 4 * 8), 1U);   // RX_RUNT
    EXPECT_EQ(b.rd(0x1700 + 4 * 17), 1U);  // RX_SZ_OV
}

TEST(Ar8151Rx, FiltersLetThroughWhatTheyAreToldTo) {
    Bench b;
    b.up();
    Bytes other = Bench::ip_frame(60), broadcast = other, group = other;
    other[5] = 9;
    std::fill_n(broadcast.begin(), 6, std::uint8_t{0xFF});
    const std::uint8_t address[] = {0x01, 0x00, 0x5E, 0x00, 0x00, 0x01};
    std::copy(std::begin(address), std::end(address), group.begin());
    const auto arrives = [&b](const Bytes& frame) {
        b.send(frame);
        b.run(20_us);
        return b.harvest(0) == 1;
    };
    EXPECT_TRUE(arrives(Bench::ip_frame(60)));
    EXPECT_FALSE(arrives(other));
    EXPECT_TRUE(arrives(broadcast));
    EXPECT_FALSE(arrives(group));
    // What Linux' ether_crc_le and atl1c_hash_mc_addr make of the address: the CRC's bits in
    // reverse order, their top bit the word, the five below the bit.
    const std::uint32_t crc = ~ethernet_fcs(address);
    std::uint32_t reversed = 0;
    for (unsigned i = 0; i < 32; ++i) reversed |= (crc >> i & 1U) << (31 - i);
    b.wr(reg::RX_HASH_TABLE + 4 * (reversed >> 31), 1U << (reversed >> 26 & 31U));
    EXPECT_TRUE(arrives(group));
    group[5] = 2;
    EXPECT_FALSE(arrives(group));
    b.wr(reg::MAC_CTRL, Bench::atl1c_mac | mac::MC_ALL_EN);
    EXPECT_TRUE(arrives(group));
    b.wr(reg::MAC_CTRL, Bench::atl1c_mac & ~mac::BC_EN);
    EXPECT_FALSE(arrives(broadcast));
    b.wr(reg::MAC_CTRL, Bench::atl1c_mac | mac::PROMIS_EN);
    EXPECT_TRUE(arrives(other));
    EXPECT_EQ(b.nic.rx().counts().filtered, 4U);
}

TEST(Ar8151Rx, AVlanTagIsTakenOutAndReported) {
    Bench b;
    b.up();
    Bytes frame = Bench::ip_frame(100);
    const std::uint8_t tag[] = {0x81, 0x00, 0x50, 0x64};
    frame.insert(frame.begin() + 12, std::begin(tag), std::end(tag));
    b.send(frame);
    b.run(20_us);
    const Rrd d = b.rrd_at(0, 0);
    EXPECT_EQ(d.size(), 104U);
    EXPECT_NE(d.word3 & rrd::VLAN_INS, 0U);
    EXPECT_EQ(d.vlan, 0x6450) << "as it stood on the wire";
    EXPECT_EQ(get_be16(std::span<const std::uint8_t>(b.bus.at(b.rx[0].buffers), 20), 12), 0x0800);
    b.wr(reg::MAC_CTRL, Bench::atl1c_mac & ~mac::RMV_VLAN);
    b.send(frame);
    b.run(20_us);
    EXPECT_EQ(b.rrd_at(0, 1).size(), 108U);
    EXPECT_EQ(b.rrd_at(0, 1).word3 & rrd::VLAN_INS, 0U);
}

TEST(Ar8151Rx, WrongChecksumsAreReportedIfSoftwareWantsIt) {
    Bench b;
    b.up();
    Bytes frame = Bench::ip_frame(100);
    frame[60] ^= 1U;
    constexpr std::uint32_t errors = rrd::ERR_IP_CSUM | rrd::ERR_L4_CSUM;
    b.send(frame);
    b.run(10_us);
    EXPECT_EQ(b.rrd_at(0, 0).word3 & errors, 0U);
    b.wr(reg::MAC_CTRL, Bench::atl1c_mac | mac::RX_CHKSUM_EN);
    b.send(frame);
    frame[60] ^= 1U;
    frame[22] ^= 1U;
    b.send(frame);
    b.run(10_us);
    EXPECT_EQ(b.rrd_at(0, 1).word3 & errors, rrd::ERR_L4_CSUM);
    EXPECT_EQ(b.rrd_at(0, 2).word3 & errors, rrd::ERR_IP_CSUM);
}

TEST(MikrotikRx, OneBitSaysThatTcpOrUdpIsRight) {
    Bench b{MikrotikConfig()};
    b.up();
    Bytes frame = Bench::ip_frame(100);
    b.send(frame);
    frame[60] ^= 1U;
    b.send(frame);
    b.run(10_us);
    EXPECT_NE(b.rrd_at(0, 0).word3 & rrd::MT_L4_CHECKED, 0U);
    EXPECT_EQ(b.rrd_at(0, 1).word3 & rrd::MT_L4_CHECKED, 0U);
}

TEST(MikrotikRx, FourQueuesShareFlowsAndOneTakesAllWithoutTheMode) {
    MikrotikConfig config;
    config.queues = 4;
    Bench b(config);
    b.up();
    for (std::uint16_t port = 0; port < 200; ++port) b.send(Bench::ip_frame(60, port));
    b.run(100_us);
    unsigned all = 0;
    for (unsigned q = 0; q < 4; ++q) {
        const unsigned n = b.harvest(q);
        EXPECT_GT(n, 20U) << q;
        all += n;
    }
    EXPECT_EQ(all, 200U);
    for (unsigned i = 0; i < 8; ++i) b.send(Bench::ip_frame(60, 77));
    b.run(100_us);
    std::set<unsigned> used;
    for (unsigned q = 0; q < 4; ++q)
        if (b.harvest(q) != 0) used.insert(q);
    EXPECT_EQ(used.size(), 1U) << "a flow stays in its queue";
    b.wr(reg::MT_MODE, 0);
    for (std::uint16_t port = 0; port < 50; ++port) b.send(Bench::ip_frame(60, port));
    b.run(100_us);
    EXPECT_EQ(b.harvest(0), 50U);
}

TEST(Ar8151Rx, TheLifeOfAFrameHasTheTimeOfItsReturnDescriptor) {
    Bench b;
    RxLivesSeen observer;
    b.nic.set_life_cycle(&observer.lives);
    b.up(1000, 200, Bench::tpds, 16);
    b.wr(reg::RXD_DMA_CTRL, 8);  // 64 bytes: four of them
    std::array<Ps, 4> end{};
    for (unsigned round = 0; round < 6; ++round) {
        for (Ps& e : end) e = b.send(Bench::ip_frame(60));
        b.run(100_us);
        ASSERT_EQ(b.harvest(0), 4U);
        for (unsigned i = 0; i < 4; ++i) observer.take(0, (4 * round + i) % 16);
        ASSERT_EQ(observer.seen.size(), 4 * round + 4);
        const Ps written = observer.seen.back().at(sim::RxStage::dma_end);
        EXPECT_GE(written, end[3]);
        for (unsigned i = 0; i < 4; ++i) {
            const RxLivesSeen::Life& life = observer.seen[4 * round + i];
            EXPECT_GE(life.at(sim::RxStage::packet_buffer), end[i]);
            EXPECT_LT(life.at(sim::RxStage::dma_end), end[i] + 1_us);
            EXPECT_EQ(life.at(sim::RxStage::write_back), written);
        }
        b.give(0, (4 * round + 15) % 16, (4 * round + 19) % 16);
    }
}

}  // namespace
}  // namespace nicsim::models::ar8151
