// SPDX-License-Identifier: Apache-2.0
// Interrupt moderation of one vector (see InterruptThrottleIf, kind at_interrupt) as a clocked
// block has it: what it is told counts at the next edge of its clock, and interrupts are issued at
// edges. A cause that is gone again by then was never there. What counts down there is a model in
// C++ or an RTL block. The kernel is woken when something is told, and when the counter reaches
// zero while somebody waits for that.
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>

#include "models/common/clock_edges.h"
#include "models/common/interrupt_throttle.h"
#include "sim/callback.h"

namespace nicsim::models {

class ClockedThrottle : public sc_core::sc_module, public InterruptThrottleIf {
public:
    void set_interval(sim::Ps interval) override { interval_ = interval; }
    [[nodiscard]] sim::Ps interval() const override { return interval_; }
    void set_counter(sim::Ps left) override;
    void request() override;
    void withdraw() override;
    void expect_expiry() override;
    [[nodiscard]] bool running() const override { return sim::now() < zero_at(); }
    [[nodiscard]] sim::Ps remaining() const override {
        return running() ? zero_at() - sim::now() : 0;
    }
    [[nodiscard]] bool requested() const override { return requested_; }
    [[nodiscard]] const std::uint64_t& issued() const override { return issued_; }
    [[nodiscard]] const std::uint64_t& delayed() const override { return delayed_; }
    void reset() override;

protected:
    /// `issue` and `expired` are called with `index`.
    ClockedThrottle(const sc_core::sc_module_name& name, unsigned index,
                    sim::Callback<unsigned> issue, sim::Callback<unsigned> expired);

    /// What counts at an edge. `reset` comes alone; a counter is written before all else.
    struct Told {
        bool reset = false;
        bool set_counter = false;
        sim::Ps counter = 0;
        bool request = false;
        bool withdraw = false;
        bool expect_zero = false;
    };
    struct Decided {
        bool issue = false;    ///< an interrupt
        bool expired = false;  ///< the counter reached zero and that was asked for
        bool held = false;     ///< the request has to wait for the counter
    };
    /// Runs the clocks up to `edge`, where `told` counts, and decides there.
    virtual Decided clock(std::uint64_t edge, const Told& told) = 0;
    /// The edge at which the counter reaches zero, or reached it.
    [[nodiscard]] virtual std::uint64_t zero_edge() const = 0;

    [[nodiscard]] std::uint64_t edges_done() const { return edges_.done(); }
    void advance(std::uint64_t edges) { edges_.advance(edges); }

private:
    [[nodiscard]] sim::Ps zero_at() const { return Edges::time_of(zero_edge()); }
    void set_requested(bool requested) {
        requested_ = requested;
        show_cause(requested);
    }
    void ask() { edges_.ask(sim::now()); }
    Told take_told();
    void on_edge();

    unsigned index_;
    sim::Callback<unsigned> issue_;
    sim::Callback<unsigned> expired_;
    Edges edges_;
    sim::Ps interval_ = 0;
    bool requested_ = false;
    bool expecting_ = false;
    Told told_;             ///< since the last edge; of causes only at the edge
    bool waiting_ = false;  ///< a request counts that was not issued yet
    std::uint64_t issued_ = 0;
    std::uint64_t delayed_ = 0;
};

/// The model in C++: the counter is the edge at which it will be zero.
std::unique_ptr<InterruptThrottleIf> make_clocked_throttle(const char* name, ThrottleStart start,
                                                           unsigned index,
                                                           sim::Callback<unsigned> issue,
                                                           sim::Callback<unsigned> expired);

}  // namespace nicsim::models
