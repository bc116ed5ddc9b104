// SPDX-License-Identifier: Apache-2.0
#include "sim/histogram.h"

#include <algorithm>
#include <cmath>

namespace nicsim::sim {

std::uint64_t Histogram::upper_edge(std::size_t bucket) {
    // Inverse of `bucket`: values up to 2 * 2^sub_bits stand for themselves.
    const std::size_t linear = std::size_t{1} << sub_bits;
    if (bucket < 2 * linear) return bucket;
    const std::size_t shift = (bucket >> sub_bits) - 1;
    const std::uint64_t mantissa = linear + (bucket & (linear - 1));
    return ((mantissa + 1) << shift) - 1;
}

std::uint64_t Histogram::percentile(double q) const {
    if (count_ == 0) return 0;
    const double clamped = std::clamp(q, 0.0, 1.0);
    const auto rank = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::ceil(clamped * static_cast<double>(count_))));
    std::uint64_t seen = 0;
    for (std::size_t b = 0; b < counts_.size(); ++b) {
        seen += counts_[b];
        if (seen >= rank) return std::clamp(upper_edge(b), min_, max_);
    }
    return max_;
}

}  // namespace nicsim::sim
