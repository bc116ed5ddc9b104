// SPDX-License-Identifier: Apache-2.0
// Simulated time as whole picoseconds, and clocks that round to their own edges.
#pragma once

#include <cstdint>
#include <systemc>

namespace nicsim::sim {

/// A point in simulated time or a duration, in picoseconds (the kernel's resolution).
using Ps = std::uint64_t;

constexpr Ps ps_per_ns = 1'000;
constexpr Ps ps_per_us = 1'000'000;
constexpr Ps ps_per_ms = 1'000'000'000;
constexpr Ps ps_per_s = 1'000'000'000'000;
/// "Never": later than any time a run can reach.
constexpr Ps never = ~Ps{0};

inline namespace literals {
constexpr Ps operator""_ps(unsigned long long v) {
    return v;
}
constexpr Ps operator""_ns(unsigned long long v) {
    return v * ps_per_ns;
}
constexpr Ps operator""_us(unsigned long long v) {
    return v * ps_per_us;
}
constexpr Ps operator""_ms(unsigned long long v) {
    return v * ps_per_ms;
}
constexpr Ps operator""_s(unsigned long long v) {
    return v * ps_per_s;
}
}  // namespace literals

/// Current simulated time.
inline Ps now() {
    // The kernel keeps its time in one place, and looking for it again costs more than reading it:
    // a process has one simulation context.
    static const sc_core::sc_time& current = sc_core::sc_time_stamp();
    return current.value();
}

inline sc_core::sc_time to_sc_time(Ps t) {
    return sc_core::sc_time::from_value(t);
}

/// Wide enough for bytes times picoseconds.
__extension__ using Uint128 = unsigned __int128;

constexpr double to_seconds(Ps t) {
    return static_cast<double>(t) * 1e-12;
}

/// Time that `bytes` take at `bits_per_second`, rounded up to a picosecond.
constexpr Ps serialisation_time(std::uint64_t bytes, std::uint64_t bits_per_second) {
    const auto bits = static_cast<Uint128>(bytes) * 8U * ps_per_s;
    return static_cast<Ps>((bits + bits_per_second - 1) / bits_per_second);
}

/// A clock that never ticks by itself: it only converts cycles and rounds times to its edges.
/// Edges lie at whole multiples of the period from time zero.
class Clock {
public:
    constexpr explicit Clock(Ps period) : period_(period) {}
    static constexpr Clock from_hz(std::uint64_t hz) { return Clock(ps_per_s / hz); }

    [[nodiscard]] constexpr Ps period() const { return period_; }
    [[nodiscard]] constexpr Ps cycles(std::uint64_t n) const { return n * period_; }
    /// The first edge at or after `t`.
    [[nodiscard]] constexpr Ps edge_at_or_after(Ps t) const {
        return (t + period_ - 1) / period_ * period_;
    }

private:
    Ps period_;
};

}  // namespace nicsim::sim
