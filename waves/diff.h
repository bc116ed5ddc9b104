// SPDX-License-Identifier: Apache-2.0
// Compares two wave files signal by signal.
//
// What is compared is the sequence of settled values: for each signal the k-th change of A belongs
// to the k-th change of B, must go to the same value, and may lie at most the signal's tolerance
// away from it (so a counter that runs one cycle late is the same, and a pulse that one side
// misses is a difference however short it is). Several changes in one instant count as one, to
// the last value. The first divergence of each signal is reported, in order of time.
//
// Both files are read once, in step, and memory holds the changes within the tolerances only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "waves/names.h"

namespace nicsim::waves {

struct DiffOptions {
    std::string a;
    std::string b;
    NameRules names;

    /// The time axis. Neither: time as it is. `clock`: cycles, counted at the rising edges of this
    /// signal; a cycle has the values just before the next edge. The two files may name different
    /// clocks.
    std::string clock_a;
    std::string clock_b;
    /// Time (or cycle 1) begins where this EventSpec happens, in each file.
    std::string event_a;
    std::string event_b;
    /// Added to the times of B: `8ns`, `-8ns`, in cycles `3c`.
    std::string skew;
    /// The compared stretch, on the axis of A (after `event`, relative to it); cycles as `12c`.
    std::string from;
    std::string to;
    /// `PATTERN=AMOUNT` or `AMOUNT` for all, a time or cycles (`2c`); the last that fits counts.
    std::vector<std::string> tolerance;
    /// The length of a cycle where the axis is time: makes cycles usable in `tolerance` and `skew`.
    std::string cycle;
    /// Until then (a time, an event, or `always`) a signal is not compared while it is unknown on
    /// either side.
    std::string ignore_x;
    /// Compare only the stretch that both files have; otherwise what follows the end of the other
    /// is a difference.
    bool common_time = false;
    /// Signals that only one side has are a difference.
    bool strict_names = false;
    /// Largest difference of two reals that are equal, relative to the larger.
    double real_tolerance = 0;
    /// Stop reading after so many differences; 0: never.
    std::uint64_t stop_after = 0;
    /// Both sides and `diff` signals, as FST or VCD.
    std::string write;
};

/// A change, with the time of its own file.
struct DiffPoint {
    std::int64_t axis = 0;     ///< ticks or cycles on the common axis
    std::uint64_t native = 0;  ///< ticks (of the common unit) of its own file
    std::string value;         ///< for people
};

struct Difference {
    enum class What : std::uint8_t {
        value,    ///< both change, to different values
        missing,  ///< one side changes and the other does not within the tolerance
        initial,  ///< the values differ where the comparison begins
    };
    std::string signal;
    What what = What::value;
    std::int64_t axis = 0;  ///< when the first of the two sides departs
    unsigned side = 0;      ///< `missing`: who changes (0 is A)
    DiffPoint at[2];        ///< the changes that do not agree, or the value in force
    bool late = false;      ///< the missing change comes after all, `lateness` later
    std::int64_t lateness = 0;
    std::int64_t tolerance = 0;
    std::uint64_t matched = 0;         ///< changes that agreed before
    std::vector<DiffPoint> recent[2];  ///< changes up to and after the divergence
};

struct DiffResult {
    bool same = true;
    bool cycles = false;  ///< the axis counts cycles instead of ticks
    int exponent = -12;   ///< of the common unit
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t offset[2] = {0, 0};  ///< what was subtracted from the times of each file
    std::int64_t ends[2] = {0, 0};    ///< of the two files, as far as they were read
    bool read_to_end[2] = {false, false};
    std::uint64_t compared = 0;     ///< signals
    std::uint64_t matched = 0;      ///< changes
    std::int64_t largest_skew = 0;  ///< of changes that agree
    std::string largest_skew_signal;
    std::vector<std::string> only_in[2];
    std::vector<std::string> notes;
    std::vector<Difference> differences;  ///< in order of time
    bool stopped = false;
};

/// Throws WaveError.
DiffResult diff_waves(const DiffOptions& options);

/// At most `limit` differences and names in the text; 0 is all.
std::string to_text(const DiffResult& result, const DiffOptions& options, std::size_t limit = 20);
std::string to_json(const DiffResult& result, const DiffOptions& options);

}  // namespace nicsim::waves
