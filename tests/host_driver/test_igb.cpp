// SPDX-License-Identifier: Apache-2.0
#include "host_driver/drivers/igb.h"

#include <gtest/gtest.h>

#include <cstring>

#include "host_driver/qdisc_etf.h"
#include "host_driver/qdisc_mq.h"
#include "tests/host_driver/igb_bench.h"

namespace nicsim::host {
namespace {

using namespace igb;
using namespace testing;
using namespace sim::literals;
using Values = std::vector<std::uint32_t>;

IgbConfig no_bql() {
    IgbConfig c;
    c.bql = false;
    return c;
}

// ---------------------------------------------------------------- probe and up

TEST(Igb, ProbesOpensAndTakesItsAddressFromTheDevice) {
    IgbBench b;
    ASSERT_EQ(b.start(), "");
    EXPECT_TRUE(b.driver.device().carrier());
    const std::array<std::uint8_t, 6> mac = {0x00, 0x02, 0x1b, 0x21, 0x33, 0x04};
    EXPECT_EQ(b.driver.mac_address(), mac);
    EXPECT_EQ(b.driver.link_bits_per_second(), 1'000'000'000U);
}

TEST(Igb, WritesTheValuesThatTheRealDriverWrites) {
    IgbBench b;
    ASSERT_EQ(b.start(), "");
    EXPECT_EQ(b.device.reg(GPIE), 0xc0000011U);
    EXPECT_EQ(b.device.reg(EIAC), 0x1fU);
    EXPECT_EQ(b.device.reg(EIAM), 0x1fU);
    EXPECT_EQ(b.device.reg(EIMS), 0x1fU);
    EXPECT_EQ(b.device.reg(IMS), 0x50000004U);
    EXPECT_EQ(b.device.reg(IVAR(0)), 0x82828181U);
    EXPECT_EQ(b.device.reg(IVAR(1)), 0x84848383U);
    EXPECT_EQ(b.device.reg(IVAR_MISC), 0x8000U);
    EXPECT_EQ(b.device.reg(TCTL), 0x0103f0faU);
    EXPECT_EQ(b.device.reg(RCTL), 0x04048022U);
    EXPECT_EQ(b.device.reg(TXPBSIZE), 0x04000014U);
    EXPECT_EQ(b.device.reg(DTXMXPKTSZ), 0x98U);
    EXPECT_EQ(b.device.reg(TQAVCTRL) & 1U, 0U);
    for (unsigned q = 0; q < 4; ++q) {
        EXPECT_EQ(b.device.reg(TX_RING(q) + DCTL), 0x02100108U);
        EXPECT_EQ(b.device.reg(RX_RING(q) + DCTL), 0x02040808U);
        EXPECT_EQ(b.device.reg(TX_RING(q) + DLEN), 0x1000U);
        EXPECT_EQ(b.device.reg(RX_RING(q) + SRRCTL), 0xc2000402U);
        EXPECT_EQ(b.device.reg(RX_RING(q) + DTAIL), 255U) << "all but one descriptor are given";
    }
}

TEST(Igb, FailsWithAReasonWhenTheDeviceIsNotAsExpected) {
    IgbBench b;
    b.device.nvm_good = false;
    EXPECT_NE(b.start().find("NVM checksum"), std::string::npos);
}

TEST(Igb, FailsWithAReasonForAnUnknownPhy) {
    IgbBench b;
    b.device.phy_id = 0x12345678;
    EXPECT_NE(b.start().find("PHY id 0x12345678"), std::string::npos);
}

TEST(Igb, FailsWithAReasonWhenTheSemaphoreIsStuck) {
    IgbBench b;
    b.device.semaphore_stuck = true;
    EXPECT_NE(b.start().find("SWSM.SMBI"), std::string::npos);
}

TEST(Igb, RefusesConfigurationsThatContradictThemselves) {
    const auto wrong = [](auto change) {
        IgbConfig c;
        change(c);
        return c.check();
    };
    EXPECT_EQ(IgbConfig{}.check(), "");
    EXPECT_EQ(wrong([](IgbConfig& c) { c.tx_packet_buffer = {8192, 8192, 4096, 4096}; }), "");
    EXPECT_NE(wrong([](IgbConfig& c) {
                  c.tx_packet_buffer = {8192, 8192, 8192, 1024};
              }).find("25600 B together; the device has 24576"),
              std::string::npos);
    EXPECT_NE(wrong([](IgbConfig& c) { c.tx_packet_buffer[2] = 6100; }).find("6100"),
              std::string::npos);
    EXPECT_NE(wrong([](IgbConfig& c) { c.max_tx_packet = 4000; }).find("multiple of 64"),
              std::string::npos);
    EXPECT_NE(wrong([](IgbConfig& c) { c.tx_ring = 100; }).find("multiple of 8"),
              std::string::npos);
    EXPECT_NE(wrong([](IgbConfig& c) { c.rx_ring = 100; }).find("multiple of 8"),
              std::string::npos);
    EXPECT_NE(wrong([](IgbConfig& c) { c.tx_wake = 10; }).find("below tx_stop"), std::string::npos);
    EXPECT_NE(wrong([](IgbConfig& c) { c.tx_itr_mode = IgbItrMode::off; }).find("tx_itr_mode"),
              std::string::npos)
        << "four pairs share their vectors";
}

// ---------------------------------------------------------------- descriptors

TEST(Igb, PlainPacketTakesOneDescriptorWithExactBits) {
    IgbBench b(no_bql());
    ASSERT_EQ(b.start(), "");
    const SkbPtr skb = b.packet(1514);
    b.on_core([&](Core& c) { EXPECT_TRUE(b.driver.start_xmit(c, skb, 0, false)); });
    const auto d = b.device.tx_descriptor(0, 0);
    EXPECT_EQ(d[0], skb->linear.address);
    EXPECT_EQ(d[1], 0U);
    EXPECT_EQ(d[2], 0x2b300000U | 1514U) << "RS, IFCS, EOP, DEXT, data";
    EXPECT_EQ(d[3], 1514U << 14);
    EXPECT_EQ(b.device.reg(TX_RING(0) + DTAIL), 1U);
}

TEST(Igb, ChecksumTakesAContextDescriptorBeforeThePacket) {
    IgbBench b(no_bql());
    ASSERT_EQ(b.start(), "");
    const SkbPtr skb = b.packet(66, 2);
    skb->l4 = L4::tcp;
    skb->transport_header_bytes = 32;
    skb->checksum_partial = true;
    b.on_core([&](Core& c) { (void)b.driver.start_xmit(c, skb, 1, false); });
    const auto context = b.device.tx_descriptor(1, 0);
    EXPECT_EQ(context[0], 14U << 9 | 20U);
    EXPECT_EQ(context[1], 0U);
    EXPECT_EQ(context[2], 0x20200000U | 1U << 11);
    EXPECT_EQ(context[3], 0U);
    EXPECT_EQ(b.device.tx_descriptor(1, 1)[2], 0x22300000U | 66U) << "no EOP, no RS";
    EXPECT_EQ(b.device.tx_descriptor(1, 2)[2], 0x22300000U | 256U);
    const auto last = b.device.tx_descriptor(1, 3);
    EXPECT_EQ(last[2], 0x2b300000U | 256U);
    EXPECT_EQ(last[3], (66U + 512U) << 14 | 1U << 9) << "PAYLEN, TXSM";
    EXPECT_EQ(b.device.reg(TX_RING(1) + DTAIL), 4U);
}

TEST(Igb, SegmentationClearsLengthsAndStatesThem) {
    IgbBench b(no_bql());
    ASSERT_EQ(b.start(), "");
    const SkbPtr skb = b.packet(66);
    skb->frags[0] = {b.host.memory().allocate(40'000), 40'000};
    skb->frag_count = 1;
    skb->length = 66 + 40'000;
    skb->l4 = L4::tcp;
    skb->transport_header_bytes = 32;
    skb->checksum_partial = true;
    skb->gso_size = 1448;
    skb->gso_segments = 28;
    std::uint8_t* ip = b.host.memory().at(skb->linear.address, 66) + 14;
    std::memset(ip, 0x11, 52);
    const std::uint32_t l4_length = 40'032;
    b.on_core([&](Core& c) { (void)b.driver.start_xmit(c, skb, 0, false); });
    const auto context = b.device.tx_descriptor(0, 0);
    EXPECT_EQ(context[2], 0x20200000U | 1U << 11 | 1U << 10) << "TCP over IPv4";
    EXPECT_EQ(context[3], 1448U << 16 | 32U << 8);
    EXPECT_EQ(b.device.tx_descriptor(0, 1)[2], 0xa2300000U | 66U) << "TSE";
    EXPECT_EQ(b.device.tx_descriptor(0, 2)[2], 0xa2300000U | 32'768U) << "cut at 32 KiB";
    const auto last = b.device.tx_descriptor(0, 3);
    EXPECT_EQ(last[2], 0xab300000U | (40'000U - 32'768U));
    EXPECT_EQ(last[3], 40'000U << 14 | 3U << 8) << "payload only, TXSM and IXSM";
    EXPECT_EQ(ip[2] << 8 | ip[3], 0) << "IP length";
    std::uint32_t sum = (std::uint32_t{ip[36]} << 8 | ip[37]) + l4_length;
    sum = (sum & 0xffffU) + (sum >> 16);
    EXPECT_EQ(sum, 0x1111U) << "the TCP length is taken out of the partial checksum";
}

TEST(Igb, LaunchTimeGoesInUnitsOf32NsWithinTheSecond) {
    IgbBench b(no_bql());
    ASSERT_EQ(b.start(), "");
    b.on_core([&](Core& c) { EXPECT_EQ(b.driver.setup_etf(c, 0, true), ""); }, 1_s);
    const SkbPtr skb = b.packet(1514);
    skb->transmit_time = 7_s + 123'456'789_ns;
    b.on_core([&](Core& c) { (void)b.driver.start_xmit(c, skb, 0, false); });
    const auto context = b.device.tx_descriptor(0, 0);
    EXPECT_EQ(context[1], 123'456'789U / 32U);
    EXPECT_EQ(context[2], 0x20200000U) << "a context descriptor although no checksum is wanted";
    EXPECT_EQ(context[0], 14U << 9);
}

// ---------------------------------------------------------------- ring arithmetic

TEST(Igb, StopsWhenFewerThan21AreFreeAndWakesAt42) {
    IgbConfig config = no_bql();
    config.tx_ring = 80;
    IgbBench b(config);
    ASSERT_EQ(b.start(), "");
    TxQueue& queue = b.driver.device().queue(0);
    unsigned sent = 0;
    b.on_core([&](Core& c) {
        // 79 can be used; after 58 there are 21 free, after 59 there are 20.
        while (!queue.stopped_by_driver && sent < 79) {
            ASSERT_TRUE(b.driver.start_xmit(c, b.packet(60), 0, false));
            ++sent;
            if (sent == 58) {
                EXPECT_EQ(b.driver.tx_ring(0).unused(), 21U);
                EXPECT_FALSE(queue.stopped_by_driver) << "21 free are enough";
            }
        }
    });
    EXPECT_EQ(sent, 59U);
    EXPECT_EQ(b.driver.tx_ring(0).unused(), 20U);
    // 21 completed: 41 free, still stopped; one more wakes it.
    const std::uint64_t ring = b.device.reg(TX_RING(0) + DBAL);
    const auto complete = [&](std::uint32_t i) {
        b.host.memory().store(ring + 16 * i + 12, std::uint32_t{1});
    };
    for (std::uint32_t i = 0; i < 21; ++i) complete(i);
    b.device.interrupt(1);
    b.run(20_us);
    EXPECT_EQ(b.driver.tx_ring(0).unused(), 41U);
    EXPECT_TRUE(queue.stopped_by_driver);
    complete(21);
    b.device.interrupt(1);
    b.run(20_us);
    EXPECT_EQ(b.driver.tx_ring(0).unused(), 42U);
    EXPECT_FALSE(queue.stopped_by_driver);
    EXPECT_EQ(queue.stops, 1U);
    EXPECT_EQ(queue.wakes, 1U);
}

TEST(Igb, RefusesAPacketThatNeedsMoreThanIsFree) {
    IgbConfig config = no_bql();
    config.tx_ring = 80;
    config.tx_stop = 4;
    IgbBench b(config);
    ASSERT_EQ(b.start(), "");
    b.on_core([&](Core& c) {
        for (int i = 0; i < 70; ++i) ASSERT_TRUE(b.driver.start_xmit(c, b.packet(60), 0, false));
        // 9 are free: 6 buffers and 3 in reserve just fit, 7 do not.
        EXPECT_FALSE(b.driver.start_xmit(c, b.packet(60, 6), 0, false));
        EXPECT_TRUE(b.driver.device().queue(0).stopped_by_driver);
        EXPECT_TRUE(b.driver.start_xmit(c, b.packet(60, 5), 0, false));
    });
}

TEST(Igb, CleansInOrderAcrossTheEndOfTheRingAndLosesNothing) {
    IgbConfig config = no_bql();
    config.tx_ring = 80;
    IgbBench b(config);
    ASSERT_EQ(b.start(), "");
    struct Owner : SkbOwner {
        void skb_freed(SkBuff& skb) override { order.push_back(skb.cookie); }
        std::vector<std::uint64_t> order;
    } owner;
    for (std::uint64_t i = 0; i < 100; ++i) {
        b.on_core(
            [&](Core& c) {
                SkbPtr skb = b.packet(100, static_cast<unsigned>(i % 4));
                skb->owner = &owner;
                skb->cookie = i;
                ASSERT_TRUE(b.driver.start_xmit(c, skb, 2, false));
            },
            5_us);
        if (i % 5 == 4) {
            EXPECT_EQ(b.device.complete_tx(2), 5U);
            b.device.interrupt(3);
            b.run(20_us);
        }
    }
    ASSERT_EQ(owner.order.size(), 100U);
    for (std::uint64_t i = 0; i < 100; ++i) EXPECT_EQ(owner.order[i], i);
    EXPECT_EQ(b.driver.tx_ring(2).unused(), 79U);
    EXPECT_EQ(b.driver.device().queue(2).packets, 100U);
}

// ---------------------------------------------------------------- doorbells

TEST(Igb, DoorbellWaitsForTheEndOfABurst) {
    IgbBench b(no_bql());
    ASSERT_EQ(b.start(), "");
    const std::size_t before = b.doorbells();
    b.on_core([&](Core& c) {
        (void)b.driver.start_xmit(c, b.packet(60), 0, true);
        (void)b.driver.start_xmit(c, b.packet(60), 0, true);
        EXPECT_EQ(b.doorbells(), before);
        (void)b.driver.start_xmit(c, b.packet(60), 0, false);
    });
    EXPECT_EQ(b.doorbells(), before + 1);
    EXPECT_EQ(b.device.reg(TX_RING(0) + DTAIL), 3U);
}

TEST(Igb, DoorbellIsRungDespiteTheHintWhenTheQueueStops) {
    IgbBench b(no_bql());
    ASSERT_EQ(b.start(), "");
    const std::size_t before = b.doorbells();
    b.on_core([&](Core& c) {
        while (!b.driver.device().queue(0).stopped_by_driver)
            (void)b.driver.start_xmit(c, b.packet(60), 0, true);
    });
    EXPECT_EQ(b.doorbells(), before + 1);
}

TEST(Igb, DoorbellForEachPacketIsASetting) {
    IgbConfig config = no_bql();
    config.doorbell = IgbDoorbell::each_packet;
    IgbBench b(config);
    ASSERT_EQ(b.start(), "");
    const std::size_t before = b.doorbells();
    b.on_core([&](Core& c) {
        for (int i = 0; i < 5; ++i) (void)b.driver.start_xmit(c, b.packet(60), 0, i < 4);
    });
    EXPECT_EQ(b.doorbells(), before + 5);
}

// ---------------------------------------------------------------- moderation

TEST(IgbItr, FollowsTheAverageFrame) {
    const auto mode = IgbItrMode::dynamic_conservative;
    EXPECT_EQ(ring_itr(648, {}, {15140, 10}, true, mode) & 0x7ffcU, 768U) << "(1514+24)/2 = 769";
    EXPECT_EQ(ring_itr(648, {}, {600, 10}, true, mode), 196U) << "never below 49 us";
    EXPECT_EQ(ring_itr(648, {}, {600, 10}, true, IgbItrMode::dynamic), 42U) << "(60+24)/2";
    EXPECT_EQ(ring_itr(648, {}, {9000, 10}, true, mode), 308U) << "(900+24)/3";
    EXPECT_EQ(ring_itr(648, {}, {9000, 1}, true, mode), 1500U) << "capped at 3000";
    EXPECT_EQ(ring_itr(648, {15140, 10}, {600, 10}, true, mode), 769U) << "the larger direction";
    EXPECT_EQ(ring_itr(648, {}, {}, true, mode), 648U) << "no work, no change";
    EXPECT_EQ(ring_itr(648, {}, {600, 10}, false, mode), 980U) << "below 1 Gbit/s";
    EXPECT_EQ(eitr_register(769), 0x80000300U);
    EXPECT_EQ(eitr_register(648), 0x80000288U);
    EXPECT_EQ(eitr_register(0), 0x80000004U);
}

TEST(Igb, WritesANewIntervalFromTheNextInterrupt) {
    IgbBench b(no_bql());
    ASSERT_EQ(b.start(), "");
    const auto round = [&] {
        b.on_core([&](Core& c) { (void)b.driver.start_xmit(c, b.packet(1514), 0, false); }, 5_us);
        (void)b.device.complete_tx(0);
        b.device.interrupt(1);
        b.run(20_us);
    };
    round();
    EXPECT_EQ(b.device.written_to(EITR(1)), Values{0x80000288});
    round();
    round();
    EXPECT_EQ(b.device.written_to(EITR(1)), (Values{0x80000288, 0x80000300}))
        << "768 for 1514-byte frames, written once";
    EXPECT_EQ(b.device.written_to(EIMS).back(), 1U << 1) << "the poll lets its vector through";
}

TEST(Igb, GivesEveryQueueAVectorWithUpToTwoPairs) {
    IgbConfig config;
    config.queue_pairs = 2;
    IgbBench b(config);
    ASSERT_EQ(b.start(), "");
    EXPECT_EQ(b.device.reg(IVAR(0)), 0x84828381U) << "receive on 1 and 2, transmit on 3 and 4";
    EXPECT_EQ(b.device.reg(EIMS), 0x1fU);
    EXPECT_EQ(b.device.reg(RX_RING(0) + SRRCTL), 0xc2000402U);
}

TEST(Igb, SharesVectorsFromThreePairsOn) {
    IgbConfig config;
    config.queue_pairs = 3;
    IgbBench b(config);
    ASSERT_EQ(b.start(), "");
    EXPECT_EQ(b.device.reg(IVAR(0)), 0x82828181U);
    EXPECT_EQ(b.device.reg(IVAR(1)), 0x8383U);
    EXPECT_EQ(b.device.reg(EIMS), 0xfU);
}

TEST(Igb, OnePairModeratesReceiveAndTransmitEachOnItsOwn) {
    IgbConfig config = no_bql();
    config.queue_pairs = 1;
    IgbBench b(config);
    ASSERT_EQ(b.start(), "");
    EXPECT_EQ(b.device.reg(IVAR(0)), 0x8281U);
    EXPECT_EQ(b.device.reg(EIMS), 0x7U);
    EXPECT_EQ(b.device.reg(RX_RING(0) + SRRCTL), 0x42000402U) << "one queue holds nobody up";
    for (int i = 0; i < 3; ++i) {
        b.on_core([&](Core& c) { (void)b.driver.start_xmit(c, b.packet(1514), 0, false); }, 5_us);
        (void)b.device.complete_tx(0);
        b.device.interrupt(2);
        b.device.receive(0, 60);
        b.device.interrupt(1);
        b.run(20_us);
    }
    EXPECT_EQ(b.device.written_to(EITR(1)), (Values{0x80000288, 0x80000000U | 196U}));
    EXPECT_EQ(b.device.written_to(EITR(2)), (Values{0x80000288, 0x80000300}));
    EXPECT_EQ(b.driver.device().queue(0).packets, 3U) << "freed by the vector of transmit";
    EXPECT_EQ(b.driver.rx_ring(0).packets, 3U);
}

TEST(Igb, TransmitHasAnIntervalOfItsOwnWhereItHasVectorsOfItsOwn) {
    IgbConfig config = no_bql();
    config.queue_pairs = 1;
    config.tx_itr_mode = IgbItrMode::fixed;
    config.tx_itr_interval = 125_us;
    IgbBench b(config);
    ASSERT_EQ(b.start(), "");
    b.device.interrupt(1);
    b.device.interrupt(2);
    b.run(20_us);
    EXPECT_EQ(b.device.written_to(EITR(1)), Values{0x80000288});
    EXPECT_EQ(b.device.written_to(EITR(2)), Values{0x80000000U | 500U});
}

TEST(Igb, FixedIntervalStaysWhateverTheTraffic) {
    IgbConfig config = no_bql();
    config.itr_mode = IgbItrMode::fixed;
    config.itr_interval = 125_us;
    IgbBench b(config);
    ASSERT_EQ(b.start(), "");
    for (int i = 0; i < 3; ++i) {
        b.on_core([&](Core& c) { (void)b.driver.start_xmit(c, b.packet(1514), 0, false); }, 5_us);
        (void)b.device.complete_tx(0);
        b.device.interrupt(1);
        b.run(20_us);
    }
    EXPECT_EQ(b.device.written_to(EITR(1)), Values{0x80000000U | 500U});
}

// ---------------------------------------------------------------- receive

TEST(Igb, HandsUpReceivedBytesAndGivesBuffersBack) {
    IgbBench b;
    ASSERT_EQ(b.start(), "");
    struct Handler : PacketHandler {
        void receive(Core&, const std::uint8_t* bytes, std::uint32_t length) override {
            ++packets;
            for (std::uint32_t i = 0; i < length; ++i)
                good = good && bytes[i] == static_cast<std::uint8_t>(i);
            last = length;
        }
        int packets = 0;
        std::uint32_t last = 0;
        bool good = true;
    } handler;
    b.driver.device().set_handler(&handler);
    for (int round = 0; round < 40; ++round) {
        for (int i = 0; i < 20; ++i) b.device.receive(1, 90);
        b.device.interrupt(2);
        b.run(50_us);
    }
    EXPECT_EQ(handler.packets, 800);
    EXPECT_EQ(handler.last, 90U);
    EXPECT_TRUE(handler.good);
    EXPECT_EQ(b.driver.rx_ring(1).unused(), 0U);
    EXPECT_EQ(b.device.reg(RX_RING(1) + DTAIL), (255U + 800U) % 256U);
}

TEST(Igb, PollsAgainWithoutInterruptsWhileTheBudgetIsUsedUp) {
    IgbBench b;
    ASSERT_EQ(b.start(), "");
    const std::size_t before = b.device.written_to(EIMS).size();
    for (int i = 0; i < 200; ++i) b.device.receive(0, 60);
    b.device.interrupt(1);
    b.run(1_ms);
    EXPECT_EQ(b.driver.rx_ring(0).packets, 200U);
    EXPECT_EQ(b.device.written_to(EIMS).size(), before + 1) << "let through once, at the end";
}

// ---------------------------------------------------------------- observers

TEST(Igb, StampsThePacketsOfAQueueInOrder) {
    IgbBench b(no_bql());
    sim::LifeCycle lives(4);
    struct Seen {
        std::vector<std::uint64_t> order;
        std::array<sim::Ps, sim::tx_stages> last{};
        static void life(void* self, unsigned, std::uint64_t n,
                         const std::array<sim::Ps, sim::tx_stages>& at) {
            static_cast<Seen*>(self)->order.push_back(n);
            static_cast<Seen*>(self)->last = at;
        }
    } seen;
    lives.listen(&seen, &Seen::life);
    b.driver.set_life_cycle(&lives);
    ASSERT_EQ(b.start(), "");
    b.on_core([&](Core& c) {
        for (int i = 0; i < 3; ++i) (void)b.driver.start_xmit(c, b.packet(100), 0, i < 2);
    });
    (void)b.device.complete_tx(0);
    b.device.interrupt(1);
    b.run(20_us);
    for (unsigned n = 0; n < 3; ++n) lives.stamp(0, n, sim::TxStage::wire_end, sim::now());
    EXPECT_EQ(seen.order, (std::vector<std::uint64_t>{0, 1, 2}));
    const auto& doorbell = lives.stage_time(sim::TxStage::doorbell);
    EXPECT_EQ(doorbell.count(), 3U);
    EXPECT_EQ(lives.stage_time(sim::TxStage::clean).count(), 3U);
}

}  // namespace
}  // namespace nicsim::host
