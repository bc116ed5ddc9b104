// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>

#include "waves/inspect.h"

namespace nicsim::waves {
namespace {

/// `0x1f`, `b10x1` or `31` as binary digits without leading zeros.
std::string digits_of(std::string_view text) {
    if (text.starts_with("b") && text.size() > 1) return std::string(text.substr(1));
    int base = 10;
    std::string_view number = text;
    if (number.starts_with("0x")) {
        base = 16;
        number.remove_prefix(2);
    }
    std::uint64_t value = 0;
    const auto parsed = std::from_chars(number.data(), number.data() + number.size(), value, base);
    if (parsed.ec != std::errc{} || parsed.ptr != number.data() + number.size()) return {};
    return fmt::format("{:b}", value);
}

std::string_view significant(std::string_view bits) {
    const auto first = bits.find_first_not_of('0');
    return first == std::string_view::npos ? bits.substr(bits.empty() ? 0 : bits.size() - 1)
                                           : bits.substr(first);
}

}  // namespace

EventSpec EventSpec::parse(std::string_view text) {
    EventSpec spec;
    const auto bad = [&](std::string_view why) {
        return WaveError(
            fmt::format("'{}' is not an event: {} (like tb.rst:fall, tb.valid:rise#3, "
                        "tb.state:0x4#2, tb.ack:change)",
                        text, why));
    };
    std::string_view rest = text;
    if (const auto hash = rest.rfind('#'); hash != std::string_view::npos) {
        const auto number = rest.substr(hash + 1);
        const auto parsed =
            std::from_chars(number.data(), number.data() + number.size(), spec.count);
        if (parsed.ec != std::errc{} || parsed.ptr != number.data() + number.size() ||
            spec.count == 0)
            throw bad("behind # stands which time, from 1");
        rest = rest.substr(0, hash);
    }
    // A range has a colon too: `tb.v[3:0]:rise`.
    const auto colon = rest.rfind(':');
    if (colon == std::string_view::npos || colon == 0 || rest.find(']', colon) != rest.npos)
        throw bad("behind the signal stands :rise, :fall, :change or :VALUE");
    spec.signal = rest.substr(0, colon);
    const auto what = rest.substr(colon + 1);
    if (what == "rise") {
        spec.what = What::rise;
    } else if (what == "fall") {
        spec.what = What::fall;
    } else if (what == "change") {
        spec.what = What::change;
    } else {
        spec.what = What::value;
        spec.value = digits_of(what);
        if (spec.value.empty()) throw bad(fmt::format("'{}' is no value", what));
    }
    return spec;
}

std::string EventSpec::text() const {
    static constexpr std::string_view names[] = {"rise", "fall", "change"};
    const std::string kind =
        what == What::value ? "b" + value : std::string(names[static_cast<unsigned>(what)]);
    return fmt::format("{}:{}#{}", signal, kind, count);
}

bool EventSpec::matches(std::string_view before, std::string_view after) const {
    if (before == after) return false;
    switch (what) {
        // From unknown to 1 is a rise (as in Verilog), but a first value is none.
        case What::rise:
            return !before.empty() && !after.empty() && after.back() == '1' && before.back() != '1';
        case What::fall:
            return !before.empty() && !after.empty() && after.back() == '0' && before.back() != '0';
        case What::change:
            return !before.empty();
        case What::value:
            return significant(after) == significant(value);
    }
    return false;
}

}  // namespace nicsim::waves
