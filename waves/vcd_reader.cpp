// SPDX-License-Identifier: Apache-2.0
#include "waves/vcd_reader.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "waves/bit_text.h"

namespace nicsim::waves {
namespace {

/// Longest entry of the body: the widest vector with its identifier, or a string.
constexpr std::size_t longest_entry = 4 * max_width;

/// White space and the NUL behind the window end a word.
const char* word_end(const char* p) {
    while (static_cast<unsigned char>(*p) > ' ') ++p;
    return p;
}

std::string shown(const char* from, const char* to) {
    std::string text;
    for (const char* p = from; p < to && text.size() < 40; ++p)
        text += static_cast<unsigned char>(*p) >= ' ' && static_cast<unsigned char>(*p) < 127
                    ? std::string(1, *p)
                    : fmt::format("\\x{:02x}", static_cast<unsigned char>(*p));
    return text;
}

}  // namespace

VcdReader::VcdReader(std::string file, std::unique_ptr<ByteSource> source, VcdLimits limits)
    : limits_(limits), source_(std::move(source)), window_(*source_, limits.window_bytes) {
    file_ = std::move(file);
    read_header();
}

void VcdReader::fail(const char* place, const std::string& what) {
    const bool cut =
        window_.exhausted() &&
        std::memchr(place, '\n', static_cast<std::size_t>(window_.end - place)) == nullptr;
    fail_at(window_.offset(place), cut ? what + "; the file ends here: is it truncated?" : what);
}

void VcdReader::fail_at(std::uint64_t offset, const std::string& what) {
    const std::uint64_t line = source_->line_of(offset);
    if (line == 0) throw WaveError(fmt::format("{}: byte {}: {}", file_, offset, what));
    throw WaveError(fmt::format("{}:{}: {} (byte {})", file_, line, what, offset));
}

void VcdReader::select(std::vector<bool> handles) {
    for (std::size_t i = 0; i < variables_.size(); ++i)
        variables_[i].wanted = i < handles.size() && handles[i];
}

bool VcdReader::at_end() {
    if (window_.at < window_.end) return false;
    if (window_.more()) return false;
    return true;
}

bool VcdReader::next(Change& change) {
    while (true) {
        while (window_.at < window_.end && static_cast<unsigned char>(*window_.at) <= ' ') {
            const char c = *window_.at;
            if (c != ' ' && (c < '\t' || c > '\r'))
                fail(window_.at, fmt::format("byte 0x{:02x} between values: the file is damaged",
                                             static_cast<unsigned char>(c)));
            ++window_.at;
        }
        if (at_end()) return false;
        if (static_cast<unsigned char>(*window_.at) <= ' ') continue;
        switch (step(change)) {
            case Step::change:
                value_seen_ = true;
                return true;
            case Step::nothing:
                break;
            case Step::more:
                if (static_cast<std::size_t>(window_.end - window_.at) > longest_entry)
                    fail(window_.at, "an entry without an end: the file is damaged");
                window_.more();
                break;
        }
    }
}

/// Reads one entry at `window_.at`, and moves behind it; `more` if it may not be whole yet.
VcdReader::Step VcdReader::step(Change& change) {
    switch (*window_.at) {
        case 'b':
        case 'B':
            return lettered(change, Kind::bits);
        case 'r':
        case 'R':
            return lettered(change, Kind::real);
        case 's':
        case 'S':
            return lettered(change, Kind::string);
        case '#':
            return time_stamp();
        case '$':
            return keyword();
        default:
            return scalar(change);
    }
}

std::uint32_t VcdReader::variable_of(const char* from, const char* to) {
    for (const char* p = from; p < to; ++p) {
        if (*p < '!' || *p > '~')
            fail(p, fmt::format("byte 0x{:02x} in an identifier: the file is damaged",
                                static_cast<unsigned char>(*p)));
    }
    const std::uint32_t handle = from == to ? nobody : lookup(from, to);
    if (handle == nobody)
        fail(from, from == to
                       ? "a value without an identifier"
                       : fmt::format("no $var declares the identifier '{}'", shown(from, to)));
    return handle;
}

VcdReader::Step VcdReader::scalar(Change& change) {
    const char* start = window_.at;
    const char bit = bit_characters[static_cast<unsigned char>(*start)];
    const char* end = word_end(start);
    if (end == window_.end && !window_.exhausted()) return Step::more;
    if (bit == 0) {
        fail(start, *start == 'p' ? "extended VCD ($dumpports) is not supported"
                                  : fmt::format("'{}' is neither a value, a time nor a keyword",
                                                shown(start, end)));
    }
    const std::uint32_t handle = variable_of(start + 1, end);
    const Variable& variable = variables_[handle];
    window_.at = end;
    if (variable.kind != Kind::bits && variable.kind != Kind::event)
        fail(start, fmt::format("a single bit for a variable of kind {}", name_of(variable.kind)));
    if (!variable.wanted) return Step::nothing;
    // A list of all values, as $dumpvars gives it, names events without saying that they happen.
    if (variable.kind == Kind::event && in_dump_) return Step::nothing;
    if (variable.width > 1) {
        value_.resize(variable.width);
        expand_bits({&bit, 1}, variable.width, value_.data());
    } else {
        value_.assign(1, bit);
    }
    change.time = time_;
    change.handle = handle;
    change.value = variable.kind == Kind::event ? std::string_view{} : value_;
    return Step::change;
}

/// A vector, a real or a string: a letter with the value, a space, the identifier.
VcdReader::Step VcdReader::lettered(Change& change, Kind kind) {
    const char* start = window_.at;
    const char* value_end = word_end(start);
    const char* code = value_end;
    while (*code == ' ' || *code == '\t') ++code;
    const char* end = word_end(code);
    if (end == window_.end && !window_.exhausted()) return Step::more;
    const std::uint32_t handle = variable_of(code, end);
    const Variable& variable = variables_[handle];
    if (variable.kind != kind)
        fail(start, fmt::format("a {} for a variable of kind {}",
                                kind == Kind::bits ? "bit vector" : name_of(kind),
                                name_of(variable.kind)));
    window_.at = end;
    if (!variable.wanted) return Step::nothing;
    const std::string_view text(start + 1, static_cast<std::size_t>(value_end - start - 1));
    if (kind == Kind::bits) {
        value_.resize(variable.width);
        if (!expand_bits(text, variable.width, value_.data()))
            fail(start, fmt::format("'{}' is not a value of {} bits", shown(start, value_end),
                                    variable.width));
    } else if (kind == Kind::real) {
        real_value(text);
    } else {
        string_value(text);
    }
    change.time = time_;
    change.handle = handle;
    change.value = value_;
    return Step::change;
}

void VcdReader::real_value(std::string_view text) {
    const std::string number(text);
    char* parsed = nullptr;
    const double value = std::strtod(number.c_str(), &parsed);
    if (number.empty() || *parsed != 0)
        fail(text.data(),
             fmt::format("'{}' is not a number", shown(text.data(), text.data() + text.size())));
    value_.resize(sizeof value);
    std::memcpy(value_.data(), &value, sizeof value);
}

/// Undoes the C escapes that GTKWave and we write.
void VcdReader::string_value(std::string_view text) {
    value_.clear();
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 == text.size()) {
            value_ += text[i];
            continue;
        }
        const char c = text[++i];
        static constexpr std::string_view letters = "abfnrtv";
        static constexpr std::string_view controls = "\a\b\f\n\r\t\v";
        int base = c == 'x' ? 16 : 8;
        const std::size_t first = c == 'x' ? i + 1 : i;
        const std::size_t most = std::min(text.size(), first + (c == 'x' ? 2 : 3));
        unsigned code = 0;
        const auto parsed = std::from_chars(text.data() + first, text.data() + most, code, base);
        if (const auto at = letters.find(c); at != std::string_view::npos) {
            value_ += controls[at];
        } else if (parsed.ec == std::errc{} && parsed.ptr != text.data() + first) {
            value_ += static_cast<char>(code);
            i = static_cast<std::size_t>(parsed.ptr - text.data()) - 1;
        } else {
            value_ += c;
        }
    }
}

VcdReader::Step VcdReader::time_stamp() {
    const char* start = window_.at;
    const char* end = word_end(start);
    if (end == window_.end) {
        if (!window_.exhausted()) return Step::more;
        warnings_.emplace_back("the file does not end with a line end: its last time may be cut");
    }
    std::uint64_t time = 0;
    const auto parsed = std::from_chars(start + 1, end, time);
    if (parsed.ec != std::errc{} || parsed.ptr != end)
        fail(start, fmt::format("'{}' is not a time", shown(start, end)));
    if (has_time_ && time < time_)
        fail(start, fmt::format("time goes back from #{} to #{}", time_, time));
    if (!has_time_ && !value_seen_) first_time_ = time;
    time_ = time;
    has_time_ = true;
    window_.at = end;
    return Step::nothing;
}

VcdReader::Step VcdReader::keyword() {
    const char* start = window_.at;
    const char* end = word_end(start);
    if (end == window_.end && !window_.exhausted()) return Step::more;
    const std::string text(start, end);
    if (text == "$dumpvars" || text == "$dumpall" || text == "$dumpon" || text == "$dumpoff" ||
        text == "$end") {
        window_.at = end;
        in_dump_ = text != "$end";
        return Step::nothing;
    }
    if (text == "$comment" || text == "$vcdclose") {
        window_.at = end;
        skip_to_end(text);
        return Step::nothing;
    }
    if (text.starts_with("$dumpports")) fail(start, "extended VCD ($dumpports) is not supported");
    if (text == "$var" || text == "$scope" || text == "$upscope" || text == "$enddefinitions" ||
        text == "$timescale")
        fail(start, text + " after $enddefinitions");
    fail(start, fmt::format("unknown keyword '{}'", shown(start, end)));
}

}  // namespace nicsim::waves
