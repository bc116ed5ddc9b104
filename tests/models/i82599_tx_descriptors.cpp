// SPDX-License-Identifier: Apache-2.0
// Transmit descriptors of the 82599: the places on its die, write-back by threshold, RS and EITR.
#include <gtest/gtest.h>

#include "tests/models/i82599_bench.h"

namespace nicsim::models::i82599 {
namespace {

constexpr sim::Ps gap = 61 * 2'048_ns;

TEST(I82599TxDescriptors, FortyDescriptorsAreOnTheDieAndNoMore) {
    Bench b;
    b.enable_tx(0);
    b.wr(reg::DMATXCTL, 0);
    post_many(b, 0, 100, 60);
    b.run(100_us);
    EXPECT_EQ(counter(b, "tx.queue0.descriptors.fetched"), 40U);
    EXPECT_TRUE(b.bus.sent.empty());
    b.wr(reg::DMATXCTL, 1);
    b.run(100_us);
    EXPECT_EQ(b.bus.sent.size(), 100U);
}

/// Seven packets wait for write-back; how many descriptors then find room beside them?
void expect_room(bool hold, unsigned room) {
    I82599Config config;
    config.tx_waiting_hold_places = hold;
    Bench b(config);
    b.enable_msix();
    b.enable_tx(0);
    b.cause(0);  // the counter runs: write-backs are gathered
    post_many(b, 0, 7, 60);
    b.run(5_us);
    ASSERT_EQ(b.bus.sent.size(), 7U);
    ASSERT_EQ(b.count_done(0), 0U);
    b.wr(reg::DMATXCTL, 0);  // from now on descriptors come and stay
    b.wr(Bench::q(reg::TXDCTL, 0), Bench::ixgbe_txdctl | 40);
    post_many(b, 0, 100, 60);
    b.run_until(gap);
    EXPECT_EQ(counter(b, "tx.queue0.descriptors.fetched"), 7 + room);
    b.run(1_us);  // the expiry writes them back, and their places are free
    EXPECT_EQ(b.count_done(0), 7U);
    EXPECT_EQ(counter(b, "tx.queue0.descriptors.fetched"), 7U + 40);
    b.wr(reg::DMATXCTL, 1);
    b.run(100_us);
    EXPECT_EQ(b.bus.sent.size(), 107U);
}

// 82598EB 4.4.3.5.6, X550 7.2.3.4.1: what waits for write-back is in the on-chip buffer.
TEST(I82599TxDescriptors, DescriptorsThatWaitForWriteBackHoldPlacesUntilTheyAreWritten) {
    expect_room(true, 33);
}

TEST(I82599TxDescriptors, DescriptorsThatWaitForWriteBackHoldNoPlacesIfSaidSo) {
    expect_room(false, 40);
}

/// More than the die holds can never gather: it writes back when it is full, and goes on.
TEST(I82599TxDescriptors, AWriteBackThresholdAboveTheCacheStopsNothing) {
    Bench b;
    b.enable_msix();
    b.enable_tx(0, 512, 127U << 16 | dctl::ENABLE | 32);
    b.cause(0);
    post_many(b, 0, 300, 60);
    b.run_until(gap - 1_us);
    EXPECT_EQ(b.bus.sent.size(), 300U);
    EXPECT_EQ(b.count_done(0), 280U);  // seven times 40
}

/// A packet of as many descriptors as places, beside seven that wait.
TEST(I82599TxDescriptors, APacketAsLongAsTheCacheGetsThroughBesideWaitingOnes) {
    Bench b;
    b.enable_msix();
    b.enable_tx(0);
    b.cause(0);
    post_many(b, 0, 7, 60);
    b.run(5_us);
    ASSERT_EQ(b.count_done(0), 0U);
    constexpr std::uint64_t dext = 1U << 29, data = 3U << 20, ifcs = 1U << 25, eop = 1U << 24;
    const std::uint64_t address = b.bus.allocate(2048, 2048);
    for (unsigned i = 0; i < 40; ++i)
        b.put(0, address + i * 16U,
              16U | data | dext | ifcs | (i == 39 ? eop : 0) | std::uint64_t{640} << 14 << 32);
    b.kick(0);
    b.run(10_us);
    ASSERT_EQ(b.bus.sent.size(), 8U);
    EXPECT_EQ(b.bus.sent.back().frame->bytes().size(), 640U);
}

TEST(I82599TxDescriptors, ALonePacketIsWrittenBackAtOnceWhileTheCounterStands) {
    Bench b;
    b.enable_msix();
    b.enable_tx(0);
    post_many(b, 0, 1, 60);
    b.run(2_us);
    EXPECT_TRUE(b.done(0, 0));
    EXPECT_EQ(b.bus.raised.size(), 1U);
}

TEST(I82599TxDescriptors, WhileTheCounterRunsEightDescriptorsAreWrittenTogether) {
    Bench b;
    b.enable_msix();
    b.enable_tx(0);
    b.cause(0);
    const std::uint64_t before = b.bus.writes;
    post_many(b, 0, 7, 60);
    b.run(5_us);
    EXPECT_EQ(b.bus.sent.size(), 7U);
    EXPECT_EQ(b.count_done(0), 0U);
    post_many(b, 0, 1, 60);
    b.run(5_us);
    EXPECT_EQ(b.count_done(0), 8U);
    EXPECT_EQ(b.bus.writes, before + 1);  // one burst of 128 bytes
}

TEST(I82599TxDescriptors, GatheredWriteBacksGoOutWhenEitrExpiresAndInterruptThen) {
    Bench b;
    b.enable_msix();
    b.enable_tx(0);
    b.cause(0);
    b.unmask(0);
    post_many(b, 0, 3, 60);
    b.run_until(gap);
    EXPECT_EQ(b.count_done(0), 0U);
    EXPECT_EQ(b.bus.raised.size(), 1U);
    b.run(1_ps);
    EXPECT_EQ(b.count_done(0), 3U);
    ASSERT_EQ(b.bus.raised.size(), 2U);
    EXPECT_EQ(b.bus.raised[1].time, gap);
}

TEST(I82599TxDescriptors, GatheredWriteBacksAreFlushedAlsoWhileTheVectorIsMasked) {
    Bench b;
    b.enable_msix();
    b.enable_tx(0);
    b.cause(0);
    post_many(b, 0, 3, 60);
    b.run(gap + 1_ps);
    EXPECT_EQ(b.count_done(0), 3U);
    EXPECT_EQ(b.bus.raised.size(), 1U);
    b.unmask(0);
    EXPECT_EQ(b.bus.raised.size(), 2U);
}

TEST(I82599TxDescriptors, SwflshWritesBackWhatIsDone) {
    Bench b;
    b.enable_msix();
    b.enable_tx(0);
    b.cause(0);
    post_many(b, 0, 3, 60);
    b.run(5_us);
    EXPECT_EQ(b.count_done(0), 0U);
    b.wr(reg::TXDCTL, Bench::ixgbe_txdctl | dctl::SWFLSH);
    EXPECT_EQ(b.count_done(0), 3U);
    EXPECT_EQ(b.rd(reg::TXDCTL), Bench::ixgbe_txdctl);
}

TEST(I82599TxDescriptors, HeadWriteBackLeavesDescriptorsAlone) {
    Bench b;
    const std::uint64_t place = b.bus.allocate(4);
    b.bus.store<std::uint32_t>(place, 0xFFFF);
    b.wr(reg::TDWBAL, static_cast<std::uint32_t>(place) | 1U);
    b.wr(reg::TDWBAH, static_cast<std::uint32_t>(place >> 32));
    b.enable_tx(0, 512, 0x0200'0120);  // WTHRESH 0
    post_many(b, 0, 5, 60);
    b.run(10_us);
    EXPECT_EQ(b.bus.load<std::uint32_t>(place), 5U);
    EXPECT_EQ(b.count_done(0), 0U);
}

}  // namespace
}  // namespace nicsim::models::i82599
