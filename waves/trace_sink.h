// SPDX-License-Identifier: Apache-2.0
// Traces the probes of a run into an FST or VCD file. One tick is a picosecond.
//
// Of several changes of one signal in one instant the last wins: the file has the settled value of
// each instant, as a model without delta cycles means it, and no change where it returned to what
// it was. A probe that nobody traces costs its compare; a run without a sink costs nothing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/probe.h"
#include "sim/time.h"
#include "waves/gtkwave.h"
#include "waves/pattern.h"
#include "waves/wave_writer.h"

namespace nicsim::waves {

struct TraceOptions {
    std::string file;   ///< ends with .fst or .vcd
    std::string scope;  ///< Pattern over dotted paths; empty: every probe
    sim::Ps from = 0;
    sim::Ps to = sim::never;
};

class TraceSink : public sim::ProbeSink {
public:
    /// Throws WaveError when the target cannot be written or the window is empty.
    explicit TraceSink(TraceOptions options);
    /// Without `close` the file is thrown away.
    ~TraceSink() override;
    TraceSink(const TraceSink&) = delete;
    TraceSink& operator=(const TraceSink&) = delete;

    /// Listens to every probe alive that the scope pattern matches, and returns how many. Throws
    /// WaveError, with the nearest names, when there is none. Once, before the run.
    std::size_t attach_probes();

    std::uint32_t declare(const std::string& path, unsigned width_bits) override;
    void change(std::uint32_t id, sim::Ps time, std::uint64_t value) override {
        if (time != time_) advance(time);
        record(id, value);
    }
    void plan(std::uint32_t id, sim::Ps time, std::uint64_t value) override;
    /// Completes the file, and a save file for GTKWave beside it; the trace ends at `end` or at the
    /// end of the window.
    void close(sim::Ps end);

    [[nodiscard]] std::uint64_t changes_written() const { return changes_; }

private:
    struct Slot {
        std::uint64_t value = 0;
        std::uint64_t written = 0;
        std::uint64_t mask = ~std::uint64_t{0};
        bool pending = false;
        bool known = false;  ///< `written` is in the file
    };

    /// Several plans at most: one for each counter that runs.
    struct Plan {
        sim::Ps time = 0;
        std::uint32_t id = 0;
        std::uint64_t value = 0;
    };

    void record(std::uint32_t id, std::uint64_t value) {
        Slot& slot = slots_[id];
        slot.value = value & slot.mask;
        if (slot.pending) return;
        slot.pending = true;
        pending_.push_back(id);
    }
    /// To `time`, past what was planned until then.
    void advance(sim::Ps time);
    void step(sim::Ps time);
    Plan take_next_plan();
    void flush();
    void write(std::uint32_t id);
    void detach();

    TraceOptions options_;
    Pattern pattern_;
    std::unique_ptr<WaveWriter> writer_;
    std::vector<Slot> slots_;
    std::vector<SavedSignal> declared_;
    std::vector<std::uint32_t> pending_;
    std::vector<Plan> plans_;
    sim::Ps next_plan_ = sim::never;
    sim::Ps time_ = 0;
    std::uint64_t changes_ = 0;
    bool begun_ = false;   ///< declarations are written
    bool inside_ = false;  ///< the window is open and its initial values are written
    bool over_ = false;    ///< the window is closed
};

}  // namespace nicsim::waves
