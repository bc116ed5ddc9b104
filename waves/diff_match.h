// SPDX-License-Identifier: Apache-2.0
// Matches the changes of paired signals in order, within tolerances. Fed with steps in order of
// time; remembers only changes that still wait for their counterpart, and four more per side for
// the report.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "waves/diff.h"
#include "waves/diff_side.h"

namespace nicsim::waves {

class DiffMatcher {
public:
    /// `tolerances`: one per pair. `x_until`: before it unknown values are not compared.
    DiffMatcher(const std::vector<PairedSignal>& pairs, std::vector<std::int64_t> tolerances,
                std::int64_t x_until, double real_tolerance);

    /// Before any step: what the values are before they are known.
    void preset_all(const DiffSide& side, unsigned which);
    /// Steps up to the beginning: values without comparing.
    void preset(const DiffSide& side, unsigned which);
    /// The values in force are compared, at `t`.
    void begin(std::int64_t t);
    /// No step before `t` will come any more.
    void expire(std::int64_t t);
    /// Steps of one side, or of both at the same time.
    void step(const DiffSide& side, unsigned which);
    void step_both(const DiffSide& a, const DiffSide& b);

    /// The value in force.
    [[nodiscard]] const char* latest(std::uint32_t pair, unsigned which) const {
        return slot(pair, which, newest(pair, which));
    }
    [[nodiscard]] bool equal_now(std::uint32_t pair) const;
    [[nodiscard]] std::uint64_t diverged() const { return diverged_; }
    [[nodiscard]] std::uint64_t matched() const;
    /// Signals whose comparison never began, since they stayed unknown.
    [[nodiscard]] std::vector<std::string> never_started() const;
    /// Signals with a change that still waits for its counterpart.
    [[nodiscard]] std::vector<std::string> undecided() const;
    /// Fills the differences and figures of the result.
    void finish(DiffResult& result);

private:
    static constexpr unsigned history = 4;
    static constexpr unsigned after = 3;

    struct Moment {
        std::int64_t axis = 0;
        std::uint64_t native = 0;
    };
    struct Entry {
        Moment moment;
        std::uint64_t number = 0;
        bool initial = false;
        std::string value;
    };
    struct Waiting {
        std::deque<Entry> entries[2];
        std::uint64_t numbers[2] = {0, 0};
    };
    struct Open {
        Difference difference;
        std::vector<DiffPoint> after[2];
    };
    struct State {
        std::uint32_t room = 1;
        std::uint32_t queue = 0;  ///< into queues_
        Kind kind = Kind::bits;
        bool started = false;   ///< it is being compared
        bool compared = false;  ///< it has been, once at least
        bool diverged = false;
        bool waiting = false;
        std::uint8_t newest[2] = {0, 0};
        std::uint8_t known_slots[2] = {0, 0};
        std::uint64_t place[2] = {0, 0};
        std::uint64_t matched = 0;
        std::int64_t largest_skew = 0;
    };
    struct Deadline {
        std::int64_t time;
        std::uint32_t pair;
        unsigned which;
        std::uint64_t number;
    };
    struct DeadlineQueue {
        std::int64_t tolerance;
        std::deque<Deadline> deadlines;
    };

    [[nodiscard]] std::uint8_t newest(std::uint32_t pair, unsigned which) const {
        return states_[pair].newest[which];
    }
    [[nodiscard]] const char* slot(std::uint32_t pair, unsigned which, unsigned index) const {
        const State& state = states_[pair];
        return values_.data() + state.place[which] + std::uint64_t{index} * state.room;
    }
    bool record(std::uint32_t pair, unsigned which, const char* value, Moment moment);
    void changed(std::uint32_t pair, unsigned which, const char* value, Moment moment);
    void start(std::uint32_t pair, std::int64_t t);
    void await(std::uint32_t pair, unsigned which, const char* value, Moment moment, bool initial);
    void match(std::uint32_t pair);
    void diverge(std::uint32_t pair, Difference::What what, unsigned which, const Entry& entry,
                 const Entry* other);
    [[nodiscard]] bool equal(const State& state, const char* a, const char* b) const;
    [[nodiscard]] bool known(const State& state, const char* value) const;
    [[nodiscard]] DiffPoint point(std::uint32_t pair, Moment moment, const char* value) const;

    const std::vector<PairedSignal>& pairs_;
    std::vector<State> states_;
    std::string values_;                             ///< histories
    std::vector<Moment> moments_;                    ///< [pair][side][slot]
    std::vector<std::unique_ptr<Waiting>> waiting_;  ///< [pair], made when first needed
    std::vector<std::unique_ptr<Open>> open_;        ///< [pair], of diverged ones
    std::vector<DeadlineQueue> queues_;
    std::int64_t x_until_;
    double real_tolerance_;
    bool begun_ = false;
    std::uint64_t diverged_ = 0;
};

}  // namespace nicsim::waves
