// SPDX-License-Identifier: Apache-2.0
#include "waves/wave.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace nicsim::waves {
namespace {

constexpr std::array<const char*, 6> unit_names = {"s", "ms", "us", "ns", "ps", "fs"};

bool parse_int(std::string_view text, int& value) {
    const auto* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);
    return error == std::errc{} && at == end;
}

std::string_view trim_right(std::string_view text) {
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

/// For a terminal: what could move its cursor or change its colours is shown, not sent.
std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\n')
            out += "\\n";
        else if (byte < ' ' || byte == 127)
            out += fmt::format("\\x{:02x}", byte);
        else if (c == '"' || c == '\\')
            (out += '\\') += c;
        else
            out += c;
    }
    return out += '"';
}

}  // namespace

const char* name_of(Kind kind) {
    static constexpr std::array<const char*, 4> names = {"bits", "real", "string", "event"};
    return names[static_cast<unsigned>(kind)];
}

std::string Signal::full_name() const {
    return ranged ? fmt::format("{}[{}:{}]", path, msb, lsb) : path;
}

void set_name_and_range(Signal& signal, std::string_view name) {
    name = trim_right(name);
    signal.ranged = false;
    const auto open = name.rfind('[');
    if (open != std::string_view::npos && name.back() == ']') {
        const auto inside = name.substr(open + 1, name.size() - open - 2);
        const auto colon = inside.find(':');
        int msb = 0;
        int lsb = 0;
        if (colon != std::string_view::npos && parse_int(inside.substr(0, colon), msb) &&
            parse_int(inside.substr(colon + 1), lsb)) {
            const auto span = msb > lsb ? std::int64_t{msb} - lsb : std::int64_t{lsb} - msb;
            if (signal.kind == Kind::bits && span + 1 == std::int64_t{signal.width}) {
                signal.ranged = true;
                signal.msb = msb;
                signal.lsb = lsb;
                name = name.substr(0, open);
            }
        }
        // `v [3]` and `v[3]` are the same name.
        const auto tail = signal.ranged ? std::string_view{} : name.substr(open);
        signal.path.append(trim_right(name.substr(0, open))).append(tail);
        return;
    }
    signal.path.append(name);
}

std::string format_value(Kind kind, std::string_view value) {
    if (kind == Kind::event) return "event";
    if (kind == Kind::string) return quoted(value);
    if (kind == Kind::real) {
        double number = 0;
        if (value.size() == sizeof number) std::memcpy(&number, value.data(), sizeof number);
        return fmt::format("{}", number);
    }
    if (value.size() <= 1) return std::string(value);
    std::string digits;
    bool unknown = false;
    const std::size_t first = value.size() % 4 == 0 ? 4 : value.size() % 4;
    for (std::size_t from = 0, length = first; from < value.size(); from += length, length = 4) {
        const auto nibble = value.substr(from, length);
        if (nibble.find_first_not_of("01") == std::string_view::npos) {
            unsigned digit = 0;
            for (const char bit : nibble) digit = digit * 2 + (bit == '1' ? 1U : 0U);
            digits += "0123456789abcdef"[digit];
        } else if (std::all_of(nibble.begin(), nibble.end(),
                               [&](char bit) { return bit == nibble[0]; })) {
            digits += nibble[0];
            unknown = true;
        } else {
            return fmt::format("b{}", value);
        }
    }
    const auto significant = std::min(digits.find_first_not_of('0'), digits.size() - 1);
    return fmt::format("{}{}", unknown ? "h" : "0x", digits.substr(significant));
}

std::string format_time(std::uint64_t ticks, int exponent) {
    // The largest unit that leaves a number of at least one.
    const std::string digits = std::to_string(ticks);
    if (ticks == 0) return "0 s";
    if (exponent > 0) return digits + std::string(static_cast<unsigned>(exponent), '0') + " s";
    const int magnitude = static_cast<int>(digits.size()) - 1 + exponent;
    int unit = magnitude >= 0 ? 0 : (-magnitude + 2) / 3;
    unit = std::min<int>(unit, unit_names.size() - 1);
    const int decimals = -3 * unit - exponent;
    std::string text = digits;
    if (decimals > 0) {
        const auto places = static_cast<std::size_t>(decimals);
        if (text.size() <= places) text.insert(0, places + 1 - text.size(), '0');
        text.insert(text.size() - places, 1, '.');
        while (text.back() == '0') text.pop_back();
        if (text.back() == '.') text.pop_back();
    } else {
        text.append(static_cast<std::size_t>(-decimals), '0');
    }
    return text + " " + unit_names[static_cast<unsigned>(unit)];
}

std::uint64_t parse_time(std::string_view text, int exponent) {
    const auto bad = [&](std::string_view why) {
        return WaveError(
            fmt::format("'{}' is not a time: {} (like 125ns, 3.2us; units s, ms, us, "
                        "ns, ps, fs)",
                        text, why));
    };
    auto end = text.find_first_not_of("0123456789.");
    if (end == std::string_view::npos) end = text.size();
    std::string_view number = text.substr(0, end);
    std::string_view suffix = text.substr(end);
    while (!suffix.empty() && suffix.front() == ' ') suffix.remove_prefix(1);
    if (number.empty() || number == ".") throw bad("it starts with no number");
    const auto unit = std::find(unit_names.begin(), unit_names.end(), suffix);
    const bool zero = number.find_first_not_of("0.") == std::string_view::npos;
    if (unit == unit_names.end() && !(zero && suffix.empty()))
        throw bad(suffix.empty() ? "the unit is missing" : "the unit is unknown");
    const int unit_exponent = zero ? 0 : -3 * static_cast<int>(unit - unit_names.begin());
    std::string digits(number);
    int shift = unit_exponent - exponent;
    if (const auto dot = digits.find('.'); dot != std::string::npos) {
        digits.erase(dot, 1);
        if (digits.find('.') != std::string::npos) throw bad("it has two decimal points");
        shift -= static_cast<int>(digits.size() - dot);
    }
    if (zero) return 0;
    while (shift < 0 && digits.size() > 1 && digits.back() == '0') {
        digits.pop_back();
        ++shift;
    }
    if (shift < 0)
        throw bad(fmt::format("it is finer than the time unit, {}", format_time(1, exponent)));
    if (shift > 40) throw bad("it is too long");
    digits.append(static_cast<std::size_t>(shift), '0');
    std::uint64_t ticks = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), ticks);
    if (result.ec != std::errc{}) throw bad("it is too long");
    return ticks;
}

}  // namespace nicsim::waves
