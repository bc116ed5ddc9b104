// SPDX-License-Identifier: Apache-2.0
// The far end's TCP receiver: when it answers, what it counts, reassembly.
#include <gtest/gtest.h>

#include <vector>

#include "host_driver/far_end/tcp_receiver.h"
#include "sim/random.h"

namespace nicsim::host {
namespace {

using Reply = TcpReceiver::Reply;
constexpr std::uint32_t mss = 1448;

TcpReceiver opened(std::uint64_t quick_acks, std::uint32_t syn = 999) {
    ReceiverPolicy policy;
    policy.quick_acks = quick_acks;
    TcpReceiver r(policy);
    r.open(syn, 1);
    return r;
}

TEST(TcpReceiverTest, EverySecondFullSegmentIsAcknowledged) {
    TcpReceiver r = opened(0);
    EXPECT_EQ(r.take(1000, mss, mss, 1).reply, Reply::delayed);
    EXPECT_EQ(r.take(1000 + mss, mss, mss, 1).reply, Reply::now);
    r.acknowledged();
    EXPECT_EQ(r.take(1000 + 2 * mss, mss, mss, 1).reply, Reply::delayed);
    EXPECT_EQ(r.next_sequence(), 1000 + 3 * mss);
}

TEST(TcpReceiverTest, AMergedPacketOfTwoSegmentsIsAcknowledgedAtOnce) {
    TcpReceiver r = opened(0);
    EXPECT_EQ(r.take(1000, 2 * mss, mss, 1).reply, Reply::now);
}

TEST(TcpReceiverTest, TheFirstSegmentsAreAcknowledgedOneByOne) {
    TcpReceiver r = opened(2);
    for (std::uint32_t i = 0; i < 2; ++i) {
        EXPECT_EQ(r.take(1000 + i * mss, mss, mss, 1).reply, Reply::now);
        r.acknowledged();
    }
    EXPECT_EQ(r.take(1000 + 2 * mss, mss, mss, 1).reply, Reply::delayed);
}

TEST(TcpReceiverTest, HolesAreAnsweredAtOnceAndFilledInOneStep) {
    TcpReceiver r = opened(0);
    const auto early = r.take(1000 + mss, mss, mss, 1);
    EXPECT_TRUE(early.out_of_order);
    EXPECT_EQ(early.reply, Reply::now);
    EXPECT_EQ(early.delivered, 0U);
    EXPECT_EQ(r.next_sequence(), 1000U);
    const auto fill = r.take(1000, mss, mss, 1);
    EXPECT_EQ(fill.delivered, 2U * mss);
    EXPECT_EQ(fill.reply, Reply::now);
    EXPECT_EQ(r.holes(), 0U);
}

TEST(TcpReceiverTest, RepeatsAreCountedAndAnsweredAtOnce) {
    TcpReceiver r = opened(0);
    r.take(1000, mss, mss, 1);
    const auto again = r.take(1000, mss, mss, 1);
    EXPECT_EQ(again.duplicate, mss);
    EXPECT_EQ(again.delivered, 0U);
    EXPECT_EQ(again.reply, Reply::now);
}

TEST(TcpReceiverTest, ASegmentOneByteBeyondTheWindowIsRefused) {
    ReceiverPolicy policy;
    policy.initial_window = policy.max_window = 10 * mss;
    for (const std::uint32_t excess : {0U, 1U}) {
        TcpReceiver r(policy);
        r.open(999, 1);
        const auto taken = r.take(1000 + 9 * mss + excess, mss, mss, 1);
        EXPECT_EQ(taken.out_of_window, excess == 1);
        EXPECT_EQ(taken.out_of_order, excess == 0);
    }
}

TEST(TcpReceiverTest, WindowGrowsWithTheDataUpToItsLimit) {
    ReceiverPolicy policy;
    policy.max_window = 100'000;
    TcpReceiver r(policy);
    r.open(0, 1);
    EXPECT_EQ(r.window(), 65'535U);
    r.take(1, 10'000, mss, 1);
    EXPECT_EQ(r.window(), 85'535U);
    r.take(10'001, 10'000, mss, 1);
    EXPECT_EQ(r.window(), 100'000U);
}

TEST(TcpReceiverTest, SequenceNumbersWrapWithoutLosingTheOffset) {
    TcpReceiver r = opened(0, 0xffff'f000);
    std::uint32_t sequence = 0xffff'f001;
    for (unsigned i = 0; i < 10; ++i, sequence += mss) {
        const auto taken = r.take(sequence, mss, mss, 1);
        EXPECT_EQ(taken.offset, std::uint64_t{i} * mss);
        EXPECT_EQ(taken.delivered, mss);
    }
    EXPECT_EQ(r.next_offset(), 10U * mss);
}

TEST(TcpReceiverTest, AnyOrderWithRepeatsDeliversEveryByteOnce) {
    sim::RandomStream random(7, "order");
    TcpReceiver r = opened(0, 0xffff'0000);
    std::vector<std::uint32_t> pieces;
    for (std::uint32_t i = 0; i < 40; ++i) pieces.insert(pieces.end(), {i, i});
    for (std::size_t i = pieces.size() - 1; i > 0; --i) {
        std::swap(pieces[i], pieces[random.below(i + 1)]);
    }
    std::uint64_t delivered = 0;
    std::uint64_t duplicate = 0;
    for (const std::uint32_t p : pieces) {
        const auto taken = r.take(0xffff'0001 + p * mss, mss, mss, 1);
        delivered += taken.delivered;
        duplicate += taken.duplicate;
    }
    EXPECT_EQ(delivered, 40U * mss);
    EXPECT_EQ(duplicate, 40U * mss);
    EXPECT_EQ(r.holes(), 0U);
}

}  // namespace
}  // namespace nicsim::host
