// SPDX-License-Identifier: Apache-2.0
// A distribution of latencies as people publish it: by its quantiles. Only the shape counts, that
// is, how far each quantile lies from the median.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/random.h"
#include "sim/time.h"

namespace nicsim::pcie {

class LatencyShape {
public:
    /// least, p50, p95, p99, p99.9, p99.99, greatest
    static constexpr std::size_t quantiles = 7;

    /// Seven times, not decreasing; or none for a constant.
    explicit LatencyShape(const std::vector<std::uint64_t>& times);
    /// Empty, or what is wrong with the list.
    static std::string check(const std::vector<std::uint64_t>& times);

    [[nodiscard]] bool constant() const { return constant_; }
    /// What to add to the median, for a uniform number in [0, 1).
    [[nodiscard]] std::int64_t offset(double u) const;
    /// `median` with a drawn offset; never less than zero.
    [[nodiscard]] sim::Ps draw(sim::Ps median, sim::RandomStream& random) const;

private:
    std::array<double, quantiles> offsets_{};
    bool constant_ = true;
};

}  // namespace nicsim::pcie
