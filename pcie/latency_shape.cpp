// SPDX-License-Identifier: Apache-2.0
#include "pcie/latency_shape.h"

#include <algorithm>
#include <cmath>

namespace nicsim::pcie {
namespace {

// Below the median the shape is linear in the share; above it, in the tail's logarithm, where
// published tails are near to straight. The greatest value stands for one in ten million.
constexpr std::array<double, LatencyShape::quantiles> tail_share = {1.0,  0.5,  0.05, 0.01,
                                                                    1e-3, 1e-4, 1e-7};

}  // namespace

std::string LatencyShape::check(const std::vector<std::uint64_t>& times) {
    if (times.empty()) return {};
    if (times.size() != quantiles)
        return "needs seven times (least, p50, p95, p99, p99.9, p99.99, greatest) or none";
    if (!std::is_sorted(times.begin(), times.end())) return "the seven times must not decrease";
    return {};
}

LatencyShape::LatencyShape(const std::vector<std::uint64_t>& times) {
    if (times.size() != quantiles) return;
    constant_ = false;
    for (std::size_t i = 0; i < quantiles; ++i)
        offsets_[i] = static_cast<double>(times[i]) - static_cast<double>(times[1]);
}

std::int64_t LatencyShape::offset(double u) const {
    if (constant_) return 0;
    if (u < 0.5) return std::llround(offsets_[0] * (1.0 - 2.0 * u));
    const double tail = std::max(1.0 - u, tail_share.back());
    std::size_t i = 1;
    while (i + 2 < quantiles && tail < tail_share[i + 1]) ++i;
    const double from = std::log10(tail_share[i]);
    const double part = (std::log10(tail) - from) / (std::log10(tail_share[i + 1]) - from);
    return std::llround(offsets_[i] + part * (offsets_[i + 1] - offsets_[i]));
}

sim::Ps LatencyShape::draw(sim::Ps median, sim::RandomStream& random) const {
    if (constant_) return median;
    const std::int64_t drawn = static_cast<std::int64_t>(median) + offset(random.uniform());
    return drawn < 0 ? 0 : static_cast<sim::Ps>(drawn);
}

}  // namespace nicsim::pcie
