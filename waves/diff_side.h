// SPDX-License-Identifier: Apache-2.0
// One of the two files of a comparison as a stream of steps: instants of time or clock cycles, each
// with the signals that were written in it. Values are put together from slices.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "waves/names.h"
#include "waves/wave_reader.h"

namespace nicsim::waves {

/// Fixed room for a value of any kind: bits as characters, a real as its bytes, a string as its
/// hash, length and beginning.
constexpr std::uint32_t string_room = 48;
std::uint32_t room_of(const PairedSignal& pair);
/// For people.
std::string shown_value(const PairedSignal& pair, const char* room);

struct SideConfig {
    unsigned side = 0;
    std::int64_t scale = 1;   ///< ticks of the common unit per tick of the file
    std::int64_t offset = 0;  ///< subtracted from the time
    bool clocked = false;
    std::uint32_t clock = 0;       ///< handle
    std::uint64_t clock_from = 0;  ///< edges before this (native, common unit) do not count
    std::int64_t cycle_offset = 0;
};

class DiffSide {
public:
    DiffSide(std::unique_ptr<WaveReader> reader, const std::vector<PairedSignal>& pairs,
             SideConfig config);

    /// Reads and applies the next step. False at the end.
    bool advance();
    [[nodiscard]] std::int64_t time() const { return time_; }
    [[nodiscard]] std::uint64_t native() const { return native_; }
    [[nodiscard]] const std::vector<std::uint32_t>& touched() const { return touched_; }
    [[nodiscard]] bool was_touched(std::uint32_t pair) const { return stamps_[pair] == step_; }
    /// Value of a pair after the step.
    [[nodiscard]] const char* value(std::uint32_t pair) const {
        return values_.data() + places_[pair];
    }
    /// Where the file begins on the axis; known at once.
    [[nodiscard]] std::int64_t begin_time() const;
    /// Where the file ends on the axis; known after the end.
    [[nodiscard]] std::int64_t end_time() const;
    /// The same as times, in the common unit, where the axis counts cycles.
    [[nodiscard]] std::int64_t first_instant() const {
        return scaled(reader_->first_time()) - config_.offset;
    }
    [[nodiscard]] std::int64_t last_instant() const {
        return scaled(reader_->time()) - config_.offset;
    }
    /// After the first step, which ends before the first edge: whether there is one.
    [[nodiscard]] bool clock_rises() const { return held_rise_; }
    [[nodiscard]] const WaveReader& reader() const { return *reader_; }

private:
    struct Target {
        std::uint32_t pair;
        std::uint32_t width;
        std::uint64_t place;
        Kind kind;
    };
    struct Buffered {
        std::uint32_t handle;
        std::size_t from;
        std::size_t length;
    };

    void fetch() { more_ = reader_->next(ahead_); }
    void apply(std::uint32_t handle, std::string_view value);
    void begin_step();
    bool advance_instant();
    bool advance_cycle();
    [[nodiscard]] std::int64_t scaled(std::uint64_t ticks) const;

    std::unique_ptr<WaveReader> reader_;
    SideConfig config_;
    Change ahead_;
    bool more_ = false;
    std::vector<std::uint32_t> first_target_;  ///< by handle, into targets_; one more at the end
    std::vector<Target> targets_;
    std::vector<std::uint64_t> places_;
    std::string values_;
    std::vector<std::uint64_t> stamps_;
    std::uint64_t step_ = 0;
    std::vector<std::uint32_t> touched_;
    std::int64_t time_ = 0;
    std::uint64_t native_ = 0;

    // Cycles: an instant is held back until it is known whether the clock rises in it.
    std::string held_bytes_;
    std::vector<Buffered> held_;
    bool holding_ = false;
    bool held_rise_ = false;
    std::uint64_t held_time_ = 0;
    char clock_ = 0;
    std::int64_t cycle_ = 0;
    std::uint64_t cycle_native_ = 0;
};

}  // namespace nicsim::waves
