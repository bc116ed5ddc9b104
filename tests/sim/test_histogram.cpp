// SPDX-License-Identifier: Apache-2.0
#include "sim/histogram.h"

#include <gtest/gtest.h>

namespace nicsim::sim {
namespace {

TEST(Histogram, KeepsCountMeanAndExtremesExactly) {
    Histogram h;
    for (std::uint64_t v : {3U, 1000U, 123'456'789U}) h.record(v);
    EXPECT_EQ(h.count(), 3U);
    EXPECT_EQ(h.min(), 3U);
    EXPECT_EQ(h.max(), 123'456'789U);
    EXPECT_DOUBLE_EQ(h.mean(), (3.0 + 1000.0 + 123'456'789.0) / 3.0);
}

TEST(Histogram, PercentilesAreWithinOneSixtyFourth) {
    Histogram h;
    for (std::uint64_t v = 1; v <= 100'000; ++v) h.record(v);
    for (const double q : {0.01, 0.25, 0.5, 0.9, 0.99, 0.999}) {
        const double exact = q * 100'000.0;
        EXPECT_NEAR(static_cast<double>(h.percentile(q)), exact, exact / 64.0 + 1.0) << q;
    }
    EXPECT_EQ(h.percentile(1.0), 100'000U);
}

TEST(Histogram, HoldsTheGreatestValueThereIs) {
    Histogram h;
    h.record(~std::uint64_t{0});
    EXPECT_EQ(h.percentile(0.5), ~std::uint64_t{0});
}

TEST(Histogram, AnswersZeroWithoutRecords) {
    const Histogram h;
    EXPECT_EQ(h.percentile(0.5), 0U);
    EXPECT_EQ(h.min(), 0U);
    EXPECT_EQ(h.mean(), 0.0);
}

}  // namespace
}  // namespace nicsim::sim
