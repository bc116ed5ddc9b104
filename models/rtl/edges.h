// SPDX-License-Identifier: Apache-2.0
// The clock of an RTL block in a system that has no clocks: edges are numbered, the n-th lies at
// n times the period, and the block is brought up to an edge only when somebody needs it there.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/alarm.h"
#include "sim/callback.h"
#include "sim/time.h"

namespace nicsim::models::rtl {

/// 125 MHz: the MAC's byte clock at 1 Gbit/s, and the step of SYSTIM.
constexpr sim::Ps clock_period = 8 * sim::ps_per_ns;

class Edges {
public:
    /// `on_edge`: the time of an edge that was asked for has come.
    explicit Edges(sim::Callback<> on_edge)
        : on_edge_(on_edge), alarm_(sc_core::sc_gen_unique_name("rtl_edge"), action()) {}

    /// The last edge that the block has seen.
    [[nodiscard]] std::uint64_t done() const { return done_; }
    void advance(std::uint64_t edges = 1) { done_ += edges; }
    static sim::Ps time_of(std::uint64_t edge) { return edge * clock_period; }
    /// The first edge at or after `t` that the block has not seen.
    [[nodiscard]] std::uint64_t next(sim::Ps t) const {
        return std::max(done_ + 1, (t + clock_period - 1) / clock_period);
    }
    /// The last edge strictly before `t`.
    static std::uint64_t before(sim::Ps t) { return t == 0 ? 0 : (t - 1) / clock_period; }

    /// Calls `on_edge` at the first edge at or after `t` that is still to come.
    void ask(sim::Ps t) {
        if (t != sim::never) alarm_.at_latest(time_of(next(t)));
    }

private:
    /// What the rest of the system does in the instant of the edge was there before it: a wire that
    /// falls idle, a read that ends, and what is told of them in turn.
    static constexpr unsigned settling_deltas = 2;

    sim::Callback<> action() { return sim::Callback<>::to<&Edges::on_alarm>(this); }
    void on_alarm() {
        if (settled_ < settling_deltas) {
            ++settled_;
            alarm_.at(sim::now());
            return;
        }
        settled_ = 0;
        on_edge_();
    }

    std::uint64_t done_ = 0;
    unsigned settled_ = 0;
    sim::Callback<> on_edge_;
    sim::Alarm alarm_;
};

}  // namespace nicsim::models::rtl
