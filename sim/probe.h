// SPDX-License-Identifier: Apache-2.0
// Signals that a block offers to whoever traces: a name, a width and a value that changes.
// Costs one compare and one branch per change while nobody listens.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/time.h"

namespace nicsim::sim {

/// Receives changes in order of time.
class ProbeSink {
public:
    virtual ~ProbeSink() = default;
    /// Called once per signal before the first change. `path` is dotted: `nic.tx.queue3.fill`.
    virtual std::uint32_t declare(const std::string& path, unsigned width_bits) = 0;
    virtual void change(std::uint32_t id, Ps time, std::uint64_t value) = 0;
    /// The signal will change to `value` at `time`, later than now. Replaces its plan before;
    /// `time` of `never` only takes that back.
    virtual void plan(std::uint32_t id, Ps time, std::uint64_t value) = 0;
};

class Probe {
public:
    /// `path` is dotted and unique in the run.
    Probe(std::string path, unsigned width_bits);
    ~Probe();
    Probe(const Probe&) = delete;
    Probe& operator=(const Probe&) = delete;

    void set(std::uint64_t value) {
        if (value == value_) return;
        value_ = value;
        if (sink_ != nullptr) sink_->change(id_, now(), value);
    }
    [[nodiscard]] std::uint64_t value() const { return value_; }
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] unsigned width_bits() const { return width_bits_; }

    void attach(ProbeSink* sink);
    [[nodiscard]] const ProbeSink* sink() const { return sink_; }

    /// Every probe alive, in order of construction.
    static const std::vector<Probe*>& all();

protected:
    /// Shows `value` now, and `then` from `until` on.
    void change_and_plan(std::uint64_t value, Ps until, std::uint64_t then) {
        value_ = value;
        if (sink_ == nullptr) return;
        sink_->change(id_, now(), value);
        sink_->plan(id_, until, then);
    }

private:
    std::string path_;
    unsigned width_bits_;
    std::uint64_t value_ = 0;
    ProbeSink* sink_ = nullptr;
    std::uint32_t id_ = 0;
};

/// A counter that runs down by itself, computed and not clocked: what it was loaded with, and 0
/// from the time on when it has run out. No wake-up is needed for that.
class RunDownProbe : public Probe {
public:
    using Probe::Probe;
    /// `value`: what it is loaded with; `left` until it has run out.
    void load(std::uint64_t value, Ps left) {
        if (left == 0)
            change_and_plan(0, never, 0);
        else
            change_and_plan(value, now() + left, 0);
    }
};

}  // namespace nicsim::sim
