// SPDX-License-Identifier: Apache-2.0
#include "scenarios/rfc2544.h"

#include <gtest/gtest.h>

namespace nicsim::scenarios {
namespace {

/// A device that loses frames above `limit` per second.
std::function<Trial(std::uint64_t)> device(std::uint64_t limit) {
    return [limit](std::uint64_t rate) {
        Trial t;
        t.rate = rate;
        t.offered = 1000;
        t.lost = rate > limit ? 1 : 0;
        return t;
    };
}

TEST(Rfc2544, EndsWithABracketNoWiderThanTheResolutionAroundTheLimit) {
    for (const std::uint64_t limit : {1'001ULL, 123'456ULL, 999'999ULL, 1'488'094ULL})
        for (const std::uint64_t resolution : {1ULL, 100ULL, 5'000ULL}) {
            const Bracket b = bisect(1'000, 1'488'095, resolution, device(limit));
            EXPECT_LE(b.passed, limit);
            EXPECT_GT(b.failed, limit);
            EXPECT_LE(b.failed - b.passed, resolution);
        }
}

TEST(Rfc2544, ADeviceThatLosesNothingNeedsOneTrial) {
    const Bracket b = bisect(1'000, 1'488'095, 1, device(2'000'000));
    EXPECT_EQ(b.passed, 1'488'095U);
    EXPECT_EQ(b.failed, 0U);
    EXPECT_EQ(b.trials.size(), 1U);
}

TEST(Rfc2544, ADeviceThatLosesAtTheLowestRateHasNoThroughput) {
    const Bracket b = bisect(1'000, 1'488'095, 1, device(10));
    EXPECT_EQ(b.passed, 0U);
    EXPECT_EQ(b.failed, 1'000U);
    EXPECT_EQ(b.trials.size(), 2U);
}

TEST(Rfc2544, TakesAsManyTrialsAsBisectionDoes) {
    const Bracket b = bisect(0, 1 << 20, 1, device(777));
    EXPECT_EQ(b.trials.size(), 22U);  // both ends and log2(2^20)
}

TEST(Rfc2544, ATrialThatSentNothingOrHarmedAFrameDoesNotPass) {
    Trial t;
    EXPECT_FALSE(t.passed());
    t.offered = 10;
    EXPECT_TRUE(t.passed());
    t.wrong = 1;
    EXPECT_FALSE(t.passed());
}

}  // namespace
}  // namespace nicsim::scenarios
