// SPDX-License-Identifier: Apache-2.0
#include "host_driver/bql.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace nicsim::host {
namespace {

using namespace sim::literals;

TEST(Bql, StartsAtZeroSoThatTheFirstPacketStopsTheQueue) {
    Bql bql;
    EXPECT_FALSE(bql.stopped());
    EXPECT_EQ(bql.available(), 0);
    bql.sent(1514);
    EXPECT_TRUE(bql.stopped());
    EXPECT_EQ(bql.available(), -1514);
}

TEST(Bql, OnlyTheLastPacketOfABurstStopsTheQueue) {
    Bql bql;
    bql.queued(1514);
    bql.queued(1514);
    EXPECT_FALSE(bql.stopped());
    EXPECT_EQ(bql.available(), -3028);
    bql.sent(60);
    EXPECT_TRUE(bql.stopped());
    EXPECT_EQ(bql.in_flight(), 3088U);
}

TEST(Bql, GrowsByTheExcessWhenTheRingRanEmptyWhileItHeldTheStackBack) {
    Bql bql;
    bql.sent(1514);
    EXPECT_TRUE(bql.completed(1514, 1_ms)) << "the queue runs again";
    // limit += completed beyond what was queued at the completion before (1514 - 0)
    EXPECT_EQ(bql.limit(), 1514U);
    bql.sent(1514);
    EXPECT_FALSE(bql.stopped()) << "exactly at the limit the queue still runs";
    bql.sent(1514);
    EXPECT_TRUE(bql.stopped());
    EXPECT_TRUE(bql.completed(3028, 2_ms));
    EXPECT_EQ(bql.limit(), 1514U + (4542U - 1514U));
}

TEST(Bql, SettlesBetweenOneAndTwoCompletionsForAGreedySender) {
    Bql bql;
    std::uint64_t starved = 0;
    sim::Ps t = 0;
    for (int i = 0; i < 3000; ++i) {
        while (!bql.stopped()) bql.sent(1'000);
        // The device completes 5000 bytes at a time, or whatever is there.
        const std::uint64_t bytes = std::min<std::uint64_t>(bql.in_flight(), 5'000);
        t += 10_ms;
        (void)bql.completed(bytes, t);
        if (i > 500 && bql.in_flight() == 0) ++starved;
    }
    EXPECT_GE(bql.limit(), 5'000U);
    EXPECT_LE(bql.limit(), 2U * 5'000U + 1'000U);
    EXPECT_EQ(starved, 0U);
}

TEST(Bql, ShrinksByTheLeastSlackOnceTheHoldTimeIsOver) {
    Bql bql;
    bql.sent(30'000);
    (void)bql.completed(30'000, 0);
    ASSERT_EQ(bql.limit(), 30'000U);
    // From here 9000 bytes lie in the ring and 3000 go at each completion: 2 * 3000 are needed,
    // 24000 are slack.
    bql.sent(9'000);
    sim::Ps t = 0;
    while (bql.limit() == 30'000U && t < 3_s) {
        t += 10_ms;
        (void)bql.completed(3'000, t);
        bql.sent(3'000);
    }
    EXPECT_EQ(bql.limit(), 6'000U);
    EXPECT_EQ(t, 1_s + 10_ms) << "the first completion after one second";
}

TEST(Bql, NeverGoesBelowItsLeastLimit) {
    Bql bql;
    bql.min_limit = 3'000;
    bql.sent(1'000);
    (void)bql.completed(1'000, 0);
    EXPECT_EQ(bql.limit(), 3'000U);
    bql.reset();
    EXPECT_EQ(bql.limit(), 0U);
    EXPECT_EQ(bql.min_limit, 3'000U);
}

}  // namespace
}  // namespace nicsim::host
