// SPDX-License-Identifier: Apache-2.0
// A log-linear histogram of durations: count, sum, least and greatest are exact, percentiles are
// within 1/64 of the value. Its size does not depend on how much is recorded.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace nicsim::sim {

class Histogram {
public:
    void record(std::uint64_t value) {
        ++counts_[bucket(value)];
        ++count_;
        sum_ += static_cast<double>(value);
        if (value < min_) min_ = value;
        if (value > max_) max_ = value;
    }
    void reset() { *this = Histogram{}; }

    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] std::uint64_t min() const { return count_ == 0 ? 0 : min_; }
    [[nodiscard]] std::uint64_t max() const { return max_; }
    [[nodiscard]] double mean() const {
        return count_ == 0 ? 0.0 : sum_ / static_cast<double>(count_);
    }
    /// The value below or at which a share `q` (0..1) of the records lies; 0 without records.
    [[nodiscard]] std::uint64_t percentile(double q) const;

private:
    static constexpr unsigned sub_bits = 6;
    static constexpr std::size_t buckets = (64U - sub_bits + 1U) << sub_bits;

    static constexpr std::size_t bucket(std::uint64_t value) {
        const unsigned width = static_cast<unsigned>(std::bit_width(value));
        if (width <= sub_bits) return static_cast<std::size_t>(value);
        const unsigned shift = width - sub_bits - 1U;
        return (static_cast<std::size_t>(shift) << sub_bits) +
               static_cast<std::size_t>(value >> shift);
    }
    static std::uint64_t upper_edge(std::size_t bucket);

    std::array<std::uint64_t, buckets + (1U << sub_bits)> counts_{};
    std::uint64_t count_ = 0;
    double sum_ = 0.0;
    std::uint64_t min_ = ~std::uint64_t{0};
    std::uint64_t max_ = 0;
};

}  // namespace nicsim::sim
