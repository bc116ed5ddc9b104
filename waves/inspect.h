// SPDX-License-Identifier: Apache-2.0
// Looking into one wave file: which signals it has, and what values they take when.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "waves/wave_reader.h"

namespace nicsim::waves {

/// The n-th time (from 1) that a signal rises, falls, changes or takes a value:
/// `tb.rst:fall`, `tb.valid:rise#3`, `tb.state:0x4#2`, `tb.ack:change`.
struct EventSpec {
    enum class What : std::uint8_t { rise, fall, change, value };
    std::string signal;
    What what = What::rise;
    std::string value;  ///< binary digits, for `value`
    std::uint64_t count = 1;

    static EventSpec parse(std::string_view text);
    [[nodiscard]] std::string text() const;
    /// Whether a change from `before` to `after` (bits; empty: no value yet) is one.
    [[nodiscard]] bool matches(std::string_view before, std::string_view after) const;
};

/// The signal of that path (with or without its range). Throws WaveError with the nearest names.
const Signal& find_signal(const WaveReader& reader, const std::string& path);

/// Throws WaveError if it is a pipe: events need a file that can be read twice.
void refuse_pipe(const std::string& file);
/// When the event happens, in ticks. Throws WaveError if it does not.
std::uint64_t find_event(const std::string& file, const EventSpec& event);

struct ListedSignal {
    Signal signal;
    std::uint64_t changes = 0;  ///< after the first value
};
struct Listing {
    std::string format;
    int exponent = 0;
    std::string version;
    std::uint64_t first_time = 0;
    std::uint64_t last_time = 0;
    std::vector<ListedSignal> signals;
    std::vector<std::string> warnings;
};
/// Throws WaveError when `pattern` matches no signal.
Listing list_signals(const std::string& file, const std::string& pattern);

struct ShowOptions {
    std::string file;
    std::string pattern;
    std::vector<std::string> at;    ///< times: the values then
    std::string from;               ///< or all changes from here
    std::string to;                 ///< to here (inclusive)
    std::string around;             ///< or around an event
    std::string window = "100ns";   ///< this far before and after it
    std::uint64_t max_rows = 1000;  ///< of changes
};
struct ShownValue {
    std::uint64_t time = 0;
    std::size_t signal = 0;  ///< index into Shown::signals
    std::string value;       ///< for people; `-` if it has none yet
};
struct Shown {
    int exponent = 0;
    std::vector<Signal> signals;
    std::vector<std::uint64_t> times;             ///< columns, for `at`
    std::vector<std::vector<std::string>> table;  ///< [signal][column]
    std::vector<ShownValue> before;               ///< values when the window opens
    std::vector<ShownValue> changes;
    bool cut = false;          ///< more than max_rows
    bool reached_end = false;  ///< of the file, before the last time or the window
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    std::optional<std::uint64_t> first;  ///< when the first of the signals has its first value
    std::vector<std::string> warnings;
};
Shown show_signals(const ShowOptions& options);

std::string to_text(const Listing& listing);
std::string to_json(const Listing& listing);
std::string to_text(const Shown& shown);
std::string to_json(const Shown& shown);

}  // namespace nicsim::waves
