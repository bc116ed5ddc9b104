// SPDX-License-Identifier: Apache-2.0
// Units are one table of suffixes; parsing and formatting only walk it.
#include "sim/units.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <vector>

namespace nicsim::sim {
namespace {

struct Suffix {
    std::string_view text;
    double scale;
    bool written;  ///< used when formatting
};

/// In rising order of scale; the first with scale 1 is the base unit.
const std::vector<Suffix>& suffixes(Unit unit) {
    static const std::vector<Suffix> none;
    static const std::vector<Suffix> bytes = {
        {"B", 1, true},         {"kB", 1e3, false}, {"KiB", 1024, true},      {"MB", 1e6, false},
        {"MiB", 1048576, true}, {"GB", 1e9, false}, {"GiB", 1073741824, true}};
    static const std::vector<Suffix> time = {{"ps", 1, true},
                                             {"ns", 1e3, true},
                                             {"us", 1e6, true},
                                             {"ms", 1e9, true},
                                             {"s", 1e12, true}};
    static const std::vector<Suffix> bit_rate = {
        {"bit/s", 1, true}, {"kbit/s", 1e3, true}, {"Mbit/s", 1e6, true}, {"Gbit/s", 1e9, true}};
    static const std::vector<Suffix> transfer_rate = {
        {"T/s", 1, true}, {"MT/s", 1e6, true}, {"GT/s", 1e9, true}};
    static const std::vector<Suffix> frequency = {
        {"Hz", 1, true}, {"kHz", 1e3, true}, {"MHz", 1e6, true}, {"GHz", 1e9, true}};
    static const std::vector<Suffix> packet_rate = {
        {"pps", 1, true}, {"kpps", 1e3, true}, {"Mpps", 1e6, true}};
    static const std::vector<Suffix> ratio = {{"%", 0.01, false}};
    switch (unit) {
        case Unit::bytes:
            return bytes;
        case Unit::time:
            return time;
        case Unit::bit_rate:
            return bit_rate;
        case Unit::transfer_rate:
            return transfer_rate;
        case Unit::frequency:
            return frequency;
        case Unit::packet_rate:
            return packet_rate;
        case Unit::ratio:
            return ratio;
        case Unit::none:
            break;
    }
    return none;
}

std::string_view trim(std::string_view text) {
    constexpr std::string_view blank = " \t\r\n";
    const std::size_t first = text.find_first_not_of(blank);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

/// The number at the front of `text`, which loses it. Hexadecimal is for whole numbers.
bool take_number(std::string_view& text, double& value) {
    const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char* const end = text.data() + text.size();
    if (hex) {
        std::uint64_t whole = 0;
        const auto [rest, error] = std::from_chars(text.data() + 2, end, whole, 16);
        if (error != std::errc{}) return false;
        value = static_cast<double>(whole);
        text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
        return true;
    }
    if (!text.empty() && text[0] == '+') text.remove_prefix(1);
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || !std::isfinite(value)) return false;
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    return true;
}

/// `value * scale` without the rounding dust of decimal fractions (0.1 us is 100000 ps).
double scaled(double value, double scale) {
    const double product = value * scale;
    const double whole = std::round(product);
    return std::abs(product - whole) <= 1e-12 * std::abs(whole) ? whole : product;
}

std::string shown(std::string_view text) {
    constexpr std::size_t longest = 40;
    std::string out;
    for (const char c : text.substr(0, longest))
        out += (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) ? '?' : c;
    if (text.size() > longest) out += "...";
    return out;
}

std::string number_text(double value) {
    return fmt::format("{}", value);
}

bool exact_with_three_decimals(double value) {
    const double thousandfold = value * 1000.0;
    return thousandfold == std::round(thousandfold);
}

}  // namespace

QuantityResult parse_quantity(std::string_view text, Unit unit) {
    const std::string_view whole = trim(text);
    std::string_view rest = whole;
    double value = 0.0;
    if (!take_number(rest, value)) {
        if (unit == Unit::none)
            return QuantityError{fmt::format("'{}' is not a number", shown(whole))};
        return QuantityError{fmt::format("'{}' is not a number with a unit (allowed: {})",
                                         shown(whole), allowed_suffixes(unit))};
    }
    rest = trim(rest);
    if (rest.empty()) {
        if (unit == Unit::none || unit == Unit::ratio || value == 0.0) return value;
        return QuantityError{
            fmt::format("'{}' has no unit (allowed: {})", shown(whole), allowed_suffixes(unit))};
    }
    for (const Suffix& s : suffixes(unit))
        if (s.text == rest) return unit == Unit::ratio ? value / 100.0 : scaled(value, s.scale);
    if (unit == Unit::none)
        return QuantityError{
            fmt::format("'{}' is not a plain number: no unit is allowed here", shown(whole))};
    return QuantityError{fmt::format("'{}' has the unit '{}', which is not one of {}", shown(whole),
                                     shown(rest), allowed_suffixes(unit))};
}

std::string format_quantity(double value, Unit unit) {
    if (value == 0.0 || unit == Unit::none || unit == Unit::ratio) return number_text(value);
    const auto& table = suffixes(unit);
    for (auto s = table.rbegin(); s != table.rend(); ++s) {
        const double in_unit = value / s->scale;
        if (!s->written || std::abs(in_unit) < 1.0) continue;
        const bool exact = unit == Unit::bytes ? in_unit == std::round(in_unit)
                                               : exact_with_three_decimals(in_unit);
        if (exact) return number_text(in_unit) + std::string(s->text);
    }
    return number_text(value) + std::string(table.front().text);
}

std::string_view base_unit_name(Unit unit) {
    switch (unit) {
        case Unit::none:
            return "";
        case Unit::ratio:
            return "1";
        default:
            return suffixes(unit).front().text;
    }
}

std::string allowed_suffixes(Unit unit) {
    if (unit == Unit::none) return "none";
    if (unit == Unit::ratio) return "%, or a plain number";
    std::string out;
    for (const Suffix& s : suffixes(unit)) {
        if (!out.empty()) out += ", ";
        out += s.text;
    }
    return out;
}

}  // namespace nicsim::sim
