// SPDX-License-Identifier: Apache-2.0
#include "sim/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace nicsim::sim {
namespace {

TEST(RandomStream, RepeatsForTheSameSeedAndName) {
    RandomStream a(7, "root_complex");
    RandomStream b(7, "root_complex");
    for (int i = 0; i < 100; ++i) EXPECT_EQ(a.bits(), b.bits());
}

TEST(RandomStream, DiffersByNameAndBySeed) {
    RandomStream a(7, "root_complex");
    RandomStream b(7, "far_end");
    RandomStream c(8, "root_complex");
    const std::uint64_t first = a.bits();
    EXPECT_NE(first, b.bits());
    EXPECT_NE(first, c.bits());
}

TEST(RandomStream, NormalHasMeanZeroAndDeviationOne) {
    RandomStream r(1, "normal");
    double sum = 0.0;
    double squares = 0.0;
    constexpr int n = 100'000;
    for (int i = 0; i < n; ++i) {
        const double x = r.normal();
        sum += x;
        squares += x * x;
    }
    EXPECT_NEAR(sum / n, 0.0, 0.02);
    EXPECT_NEAR(std::sqrt(squares / n), 1.0, 0.02);
}

}  // namespace
}  // namespace nicsim::sim
