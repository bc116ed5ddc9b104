// SPDX-License-Identifier: Apache-2.0
// The clock of a block in a system that has no clocks: edges are numbered, the n-th lies at n times
// the period, and the block is brought up to an edge only when somebody needs it there.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/alarm.h"
#include "sim/callback.h"
#include "sim/time.h"

namespace nicsim::models {

/// 125 MHz: the MAC's byte clock at 1 Gbit/s, and the step of SYSTIM.
constexpr sim::Ps clock_period = 8 * sim::ps_per_ns;

class Edges {
public:
    /// `on_edge`: the time of an edge that was asked for has come.
    explicit Edges(sim::Callback<> on_edge)
        : on_edge_(on_edge), alarm_(sc_core::sc_gen_unique_name("edge"), action()) {}

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

    /// Calls `on_edge` at the first edge at or after `t` that is still to come, a delta cycle after
    /// what the rest of the system does in that instant: a wire that falls idle there, or a read
    /// that ends, was there before the edge.
    void ask(sim::Ps t) {
        if (t == sim::never) return;
        const sim::Ps edge = time_of(next(t));
        if (edge == sim::now() && alarm_.due() != edge) settled_ = true;
        alarm_.at_latest(edge);
    }

private:
    sim::Callback<> action() { return sim::Callback<>::to<&Edges::on_alarm>(this); }
    void on_alarm() {
        if (!settled_) {
            settled_ = true;
            alarm_.at(sim::now());
            return;
        }
        settled_ = false;
        on_edge_();
    }

    std::uint64_t done_ = 0;
    bool settled_ = false;  ///< the alarm was set in the instant for which it is due
    sim::Callback<> on_edge_;
    sim::Alarm alarm_;
};

}  // namespace nicsim::models
