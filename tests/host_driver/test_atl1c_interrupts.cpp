// SPDX-License-Identifier: Apache-2.0
// The atl1c reference driver in front of registers: interrupt handler, completion, receive, link
// changes, resets, and what MikroTik's card has of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/host_driver/atl1c_bench.h"

namespace nicsim::host {
namespace {

using namespace atl1c;
using namespace testing;
using namespace sim::literals;
using Values = std::vector<std::uint32_t>;

constexpr std::uint32_t imr_up = 0x0401f71c;

std::vector<std::pair<std::uint32_t, std::uint32_t>> written(const FakeAr8151& device) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
    for (const auto& w : device.writes) all.emplace_back(w.reg, w.value);
    return all;
}

struct Frames : PacketHandler {
    void receive(Core&, const std::uint8_t* bytes, std::uint32_t length) override {
        lengths.push_back(length);
        firsts.push_back(bytes[0]);
    }
    std::vector<std::uint32_t> lengths;
    std::vector<std::uint8_t> firsts;
};

// ---------------------------------------------------------------- transmit interrupt

class Atl1cTransmitInterrupt : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Napi, Atl1cTransmitInterrupt, ::testing::Values(false, true),
                         [](const auto& p) { return p.param ? "threaded" : "softirq"; });

TEST_P(Atl1cTransmitInterrupt, TakesTheAccessesThatTheRealDriverTakes) {
    Atl1cConfig config;
    config.threaded_napi = GetParam();
    Atl1cBench b(config);
    ASSERT_EQ(b.start(), "");
    ASSERT_EQ(b.send(3), 3U);
    b.device.complete_tx();
    b.forget();
    const std::uint64_t reads = b.host.core().count_of(Op::mmio_read);
    const std::uint64_t writes = b.host.core().count_of(Op::mmio_write);
    b.device.raise(ISR_TX[0]);
    b.run(100_us);
    EXPECT_EQ(b.device.reads, (Values{ISR, ISR, TPD_CIDX[0]}));
    EXPECT_EQ(written(b.device),
              (std::vector<std::pair<std::uint32_t, std::uint32_t>>{
                  {ISR, 0x80008000}, {IMR, imr_up & ~ISR_TX[0]}, {ISR, 0}, {IMR, imr_up}}));
    EXPECT_EQ(b.host.core().count_of(Op::mmio_read) - reads, 3U) << "each is charged";
    EXPECT_EQ(b.host.core().count_of(Op::mmio_write) - writes, 4U);
    EXPECT_GE(b.host.core().time_in(Op::mmio_read), 3 * b.device.round_trip);
    EXPECT_EQ(b.driver.tx_ring(0).used(), 0U);
    EXPECT_EQ(b.driver.device().queue(0).packets, 3U);
    EXPECT_EQ(b.driver.device().queue(0).bytes, 180U);
}

TEST(Atl1cTransmit, FreesEverythingAtOnceAndReadsTheIndexAgainWhenThatWasMuch) {
    Atl1cBench b;
    ASSERT_EQ(b.start(), "");
    ASSERT_EQ(b.send(1023), 1023U);
    EXPECT_EQ(b.send(1), 0U);
    b.device.complete_tx();
    b.forget();
    b.device.raise(ISR_TX[0]);
    b.run(1_ms);
    EXPECT_EQ(b.driver.tx_ring(0).used(), 0U);
    EXPECT_EQ(std::count(b.device.reads.begin(), b.device.reads.end(), TPD_CIDX[0]), 2);
    EXPECT_FALSE(b.driver.device().queue(0).stopped_by_driver);
    EXPECT_EQ(b.driver.device().queue(0).wakes, 1U);
}

TEST(Atl1cTransmit, WithLessThanTheWeightTheCauseIsLetThroughAgainAtOnce) {
    Atl1cBench b;
    ASSERT_EQ(b.start(), "");
    ASSERT_EQ(b.send(63), 63U);
    b.device.complete_tx();
    b.forget();
    b.device.raise(ISR_TX[0]);
    b.run(1_ms);
    EXPECT_EQ(b.driver.tx_ring(0).used(), 0U);
    EXPECT_EQ(std::count(b.device.reads.begin(), b.device.reads.end(), TPD_CIDX[0]), 1);
}

TEST(Atl1cTransmit, AStoppedQueueWakesEvenIfNothingWasFreed) {
    Atl1cConfig config;
    config.tx_ring = 32;
    Atl1cBench b(config);
    ASSERT_EQ(b.start(), "");
    ASSERT_EQ(b.send(32), 31U);
    ASSERT_TRUE(b.driver.device().queue(0).stopped_by_driver);
    b.device.raise(ISR_TX[0]);
    b.run(1_ms);
    EXPECT_FALSE(b.driver.device().queue(0).stopped_by_driver);
    EXPECT_EQ(b.driver.tx_ring(0).used(), 31U);
}

TEST(Atl1cTransmit, ADeviceThatIsGoneFreesNothing) {
    Atl1cBench b;
    ASSERT_EQ(b.start(), "");
    ASSERT_EQ(b.send(3), 3U);
    b.device.set_reg(TPD_CIDX[0], 0xffff);
    b.device.raise(ISR_TX[0]);
    b.run(1_ms);
    EXPECT_EQ(b.driver.tx_ring(0).used(), 3U);
}

TEST(Atl1cInterrupt, ACauseThatComesWhileTheHandlerRunsTakesAnotherRoundUpToFive) {
    Atl1cBench b;
    ASSERT_EQ(b.start(), "");
    b.forget();
    const std::uint64_t before = b.driver.interrupts();
    b.device.insist = 7;  // times that the cause comes again when it is acknowledged
    b.device.raise(1U << 4);
    b.run(1_ms);
    EXPECT_EQ(b.driver.interrupts() - before, 2U);
    // Five rounds and out; the second interrupt takes three, and looks once more.
    EXPECT_EQ(std::count(b.device.reads.begin(), b.device.reads.end(), ISR), 5 + 4);
    EXPECT_EQ(b.device.pending(), 0U);
    EXPECT_TRUE(b.device.written_to(IMR).empty()) << "only queues are masked";
}

// ---------------------------------------------------------------- receive

TEST(Atl1cReceive, HandsFramesUpWithoutFcsAndGivesTheirBuffersBackInOneWrite) {
    Atl1cBench b;
    ASSERT_EQ(b.start(), "");
    Frames frames;
    b.driver.device().set_handler(&frames);
    b.forget();
    for (const std::uint32_t length : {60U, 1514U, 100U}) b.device.receive(length);
    b.device.raise(ISR_RX(0));
    b.run(100_us);
    EXPECT_EQ(frames.lengths, (Values{60, 1514, 100}));
    EXPECT_EQ(frames.firsts, (std::vector<std::uint8_t>{0, 1, 2})) << "each from its own buffer";
    EXPECT_EQ(b.device.written_to(MB_RFD_PROD_IDX(0)), Values{2}) << "0x1ff and three more";
    EXPECT_EQ(b.device.free_buffers(), 511U);
    EXPECT_EQ(b.device.written_to(IMR), (Values{imr_up & ~ISR_RX(0), imr_up}));
}

TEST(Atl1cReceive, PollsInBudgetsOf64WithOneProducerWriteEach) {
    Atl1cBench b;
    ASSERT_EQ(b.start(), "");
    Frames frames;
    b.driver.device().set_handler(&frames);
    b.forget();
    for (int i = 0; i < 100; ++i) b.device.receive(60);
    b.device.raise(ISR_RX(0));
    b.run(1_ms);
    EXPECT_EQ(frames.lengths.size(), 100U);
    EXPECT_EQ(b.device.written_to(MB_RFD_PROD_IDX(0)), (Values{63, 99}));
}

TEST(Atl1cReceive, GoesRoundTheRingsManyTimes) {
    Atl1cConfig config;
    config.rx_ring = 50;
    Atl1cBench b(config);
    ASSERT_EQ(b.start(), "");
    Frames frames;
    b.driver.device().set_handler(&frames);
    for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 37; ++i) b.device.receive(60);
        b.device.raise(ISR_RX(0));
        b.run(200_us);
    }
    EXPECT_EQ(frames.lengths.size(), 740U);
    EXPECT_EQ(b.device.free_buffers(), 49U);
    for (std::size_t i = 0; i < frames.firsts.size(); ++i)
        ASSERT_EQ(frames.firsts[i], i % 50) << "frame " << i;
}

TEST(Atl1cReceive, DropsFramesWithErrorsAndUsesTheirBuffersAgain) {
    Atl1cBench b;
    ASSERT_EQ(b.start(), "");
    Frames frames;
    b.driver.device().set_handler(&frames);
    b.device.receive(60, RRS_RX_ERR_SUM);
    b.device.receive(61);
    b.device.receive(62, RRS_802_3_LEN_ERR);
    b.device.raise(ISR_RX(0));
    b.run(100_us);
    EXPECT_EQ(frames.lengths, Values{61});
    EXPECT_EQ(b.driver.rx_ring(0).errors, 2U);
    EXPECT_EQ(b.device.free_buffers(), 511U);
}

// ---------------------------------------------------------------- link and resets

TEST(Atl1cLink, ALostLinkIsToldAtOnceAndComesBack) {
    Atl1cBench b;
    ASSERT_EQ(b.start(), "");
    Frames frames;
    b.driver.device().set_handler(&frames);
    b.device.receive(60);
    b.device.raise(ISR_RX(0));
    b.run(100_us);
    b.device.link_up = false;
    b.device.raise(ISR_GPHY);
    b.run(100_us);
    EXPECT_FALSE(b.driver.device().carrier()) << "before the reset is done";
    b.run(100_ms);
    EXPECT_EQ(b.device.free_buffers(), 511U) << "the rings start anew";
    b.device.link_up = true;
    b.device.raise(ISR_GPHY);
    b.run(100_ms);
    EXPECT_TRUE(b.driver.device().carrier());
    EXPECT_EQ(b.device.reg(MAC_CTRL), 0x74205cefU);
    EXPECT_EQ(b.send(2), 2U);
    EXPECT_EQ(b.doorbells().back(), 2U);
    b.device.receive(70);
    b.device.raise(ISR_RX(0));
    b.run(100_us);
    EXPECT_EQ(frames.lengths, (Values{60, 70}));
}

TEST(Atl1cLink, WhatWaitsInTheQueueGoesOutWhenTheLinkIsBack) {
    Atl1cBench b;
    ASSERT_EQ(b.start(), "");
    b.on_core([&](Core& c) {
        for (int i = 0; i < 5; ++i) EXPECT_TRUE(b.driver.device().queue_xmit(c, b.packet(60)));
    });
    ASSERT_EQ(b.driver.tx_ring(0).used(), 1U) << "byte queue limits begin with one packet";
    ASSERT_EQ(b.driver.device().backlog_packets(), 4U);
    b.device.link_up = false;
    b.device.raise(ISR_GPHY);
    b.run(100_ms);
    EXPECT_EQ(b.driver.tx_ring(0).used(), 0U) << "lost in the reset";
    b.device.link_up = true;
    b.device.raise(ISR_GPHY);
    b.run(100_ms);
    EXPECT_GT(b.driver.tx_ring(0).used(), 0U) << "nobody sent another packet";
    for (int i = 0; i < 4; ++i) {
        b.device.complete_tx();
        b.device.raise(ISR_TX[0]);
        b.run(1_ms);
    }
    EXPECT_EQ(b.driver.device().backlog_packets(), 0U);
}

TEST(Atl1cLink, AnErrorOfTheDeviceLeadsToAResetWithInterruptsOffUntilThen) {
    Atl1cBench b;
    ASSERT_EQ(b.start(), "");
    ASSERT_EQ(b.send(5), 5U);
    b.forget();
    b.device.raise(1U << 9);  // DMA read timeout
    b.run(100_us);
    EXPECT_EQ(b.device.written_to(ISR).front(), 0x80000200U);
    EXPECT_FALSE(b.driver.device().carrier());
    b.run(200_ms);
    EXPECT_TRUE(b.driver.device().carrier());
    EXPECT_EQ(b.device.reg(IMR), imr_up);
    EXPECT_EQ(b.driver.tx_ring(0).used(), 0U) << "what lay in the ring is lost";
    EXPECT_EQ(b.driver.device().queue(0).bql.in_flight(), 0U);
    EXPECT_EQ(b.send(1), 1U);
    EXPECT_EQ(b.doorbells().back(), 1U);
}

TEST(Atl1cLink, ComesUpAgainAfterDown) {
    Atl1cBench b;
    ASSERT_EQ(b.start(), "");
    b.on_core(
        [&](Core& c) {
            b.driver.close(c);
            EXPECT_EQ(b.device.reg(IMR), 0U);
            b.driver.open(c);
        },
        1_s);
    EXPECT_EQ(b.send(1), 1U);
    EXPECT_EQ(b.doorbells().back(), 1U);
    EXPECT_EQ(b.device.reg(MB_RFD_PROD_IDX(0)), 0x1ffU);
}

// ---------------------------------------------------------------- MikroTik's card

TEST(Atl1cMikrotik, IsKnownByItsMagicNumberAndSaysItsSpeedItself) {
    Atl1cBench b;
    b.device.mikrotik = true;
    b.device.mikrotik_speed = 25'000;
    b.device.mdio_stuck = true;  // nothing depends on it
    ASSERT_EQ(b.start(), "");
    EXPECT_TRUE(b.driver.mikrotik());
    EXPECT_EQ(b.driver.link_bits_per_second(), 25'000'000'000U);
    EXPECT_EQ(b.device.reg(IMR), imr_up);
    EXPECT_TRUE(b.device.written_to(MT_MODE).empty());
}

TEST(Atl1cMikrotik, HasFourQueuesWithRegistersAndCausesOfTheirOwn) {
    Atl1cConfig config;
    config.queues = 4;
    Atl1cBench b(config);
    b.device.mikrotik = true;
    ASSERT_EQ(b.start(), "");
    EXPECT_EQ(b.device.reg(IMR), 0x740ff71cU);
    EXPECT_EQ(b.device.written_to(MT_MODE), Values{1});
    b.on_core([&](Core& c) {
        for (unsigned q = 0; q < 4; ++q)
            for (unsigned i = 0; i <= q; ++i)
                EXPECT_TRUE(b.driver.start_xmit(c, b.packet(60), q, false));
    });
    EXPECT_EQ(b.device.reg(0x15f2), 1U);
    EXPECT_EQ(b.device.reg(0x15f0), 2U);
    EXPECT_EQ(b.device.reg(0x1f1a), 3U);
    EXPECT_EQ(b.device.reg(0x1f18), 4U);
    b.device.complete_tx(3);
    b.device.raise(ISR_TX[3]);
    b.run(100_us);
    EXPECT_EQ(b.driver.tx_ring(3).used(), 0U);
    EXPECT_EQ(b.driver.tx_ring(2).used(), 3U);
    for (unsigned q = 0; q < 4; ++q) {
        EXPECT_NE(b.device.reg(RFD_HEAD_ADDR_LO(q)), 0U);
        EXPECT_EQ(b.device.reg(MB_RFD_PROD_IDX(q)), 0x1ffU);
    }
}

TEST(Atl1cMikrotik, FourQueuesOnAnotherCardAreRefused) {
    Atl1cConfig config;
    config.queues = 4;
    Atl1cBench b(config);
    EXPECT_NE(b.start().find("4 queues need MikroTik's card"), std::string::npos);
}

TEST(Atl1cMikrotik, FourQueuesThatTheCardDoesNotOfferAreRefused) {
    Atl1cConfig config;
    config.queues = 4;
    Atl1cBench b(config);
    b.device.mikrotik = true;
    b.device.mikrotik_mode = 0;
    EXPECT_NE(b.start().find("does not offer four queues"), std::string::npos);
}

}  // namespace
}  // namespace nicsim::host
