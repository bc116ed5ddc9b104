// SPDX-License-Identifier: Apache-2.0
#include "pcie/tlp_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace nicsim::pcie {
namespace {

[[noreturn]] void wrong(const std::string& what) {
    throw std::invalid_argument("TLP filter: " + what);
}

std::string shown(const std::string& text) {
    std::string out;
    for (const char c : text.substr(0, 60)) out += c >= ' ' && c <= '~' ? c : '?';
    return out;
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::size_t start = 0;
    while (true) {
        const std::size_t end = text.find(separator, start);
        parts.push_back(text.substr(start, end - start));
        if (end == std::string::npos) return parts;
        start = end + 1;
    }
}

std::uint64_t number(const std::string& key, const std::string& text) {
    const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char* first = text.data() + (hex ? 2 : 0);
    const char* last = text.data() + text.size();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(first, last, value, hex ? 16 : 10);
    if (error != std::errc() || end != last || first == last)
        wrong(fmt::format("{}: '{}' is not a whole number (decimal or 0x...)", key, shown(text)));
    return value;
}

std::uint64_t time_of(const std::string& text) {
    const std::size_t unit_at = text.find_first_not_of("0123456789.");
    const std::string unit = unit_at == std::string::npos ? "" : text.substr(unit_at);
    double scale = 0.0;
    for (const auto& [name, ps] : {std::pair{"ps", 1.0}, std::pair{"ns", 1e3}, std::pair{"us", 1e6},
                                   std::pair{"ms", 1e9}, std::pair{"s", 1e12}})
        if (unit == name) scale = ps;
    double value = 0.0;
    const char* last = text.data() + std::min(unit_at, text.size());
    const auto [end, error] = std::from_chars(text.data(), last, value);
    if (scale == 0.0 || error != std::errc() || end != last || !(value * scale < 1.8e19))
        wrong(fmt::format("time: '{}' is not a time (a number with ps, ns, us, ms or s)",
                          shown(text)));
    return static_cast<std::uint64_t>(std::llround(value * scale));
}

template <class NameOf>
std::uint32_t bit_of(const std::string& key, const std::string& text, unsigned count, NameOf name) {
    std::string all;
    for (unsigned i = 0; i < count; ++i) {
        if (text == name(i)) return 1U << i;
        all += fmt::format("{}{}", i == 0 ? "" : ", ", name(i));
    }
    wrong(fmt::format("{}: unknown '{}' (allowed: {})", key, shown(text), all));
}

template <class Read>
auto range_of(const std::string& key, const std::string& text, Read read) {
    const std::vector<std::string> ends = split(text, '-');
    if (ends.size() > 2) wrong(fmt::format("{}: '{}' is not a range", key, shown(text)));
    const std::uint64_t first = read(ends.front());
    const std::uint64_t last = read(ends.back());
    if (last < first)
        wrong(fmt::format("{}: the range '{}' ends before it begins", key, shown(text)));
    return std::pair{first, last};
}

std::uint16_t requester_of(const std::string& text) {
    unsigned bus = 0, device = 0, function = 0;
    char rest = 0;
    if (std::sscanf(text.c_str(), "%2x:%2x.%1u%c", &bus, &device, &function, &rest) != 3 ||
        device > 31 || function > 7)
        wrong(fmt::format("requester: '{}' is not of the form 01:00.0", shown(text)));
    return id_of({static_cast<std::uint8_t>(bus), static_cast<std::uint8_t>(device),
                  static_cast<std::uint8_t>(function)});
}

}  // namespace

const char* name_of(CaptureEvent event) {
    static constexpr std::array<const char*, capture_events> names = {"sent", "resent", "discarded",
                                                                      "lost"};
    return names[static_cast<unsigned>(event)];
}

TlpFilter::TlpFilter(const std::string& expression) {
    for (const std::string& part : split(expression, ' '))
        if (!part.empty()) term(part);
}

void TlpFilter::term(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
        wrong(fmt::format("'{}' needs the form key=value", shown(text)));
    const std::string key = text.substr(0, equals);
    for (const std::string& v : split(text.substr(equals + 1), ',')) value(key, v);
}

void TlpFilter::value(const std::string& key, const std::string& text) {
    if (key == "type") {
        types_ |= bit_of(key, text, tlp_types,
                         [](unsigned i) { return name_of(static_cast<TlpType>(i)); });
    } else if (key == "event") {
        events_ |= bit_of(key, text, capture_events,
                          [](unsigned i) { return name_of(static_cast<CaptureEvent>(i)); });
    } else if (key == "direction") {
        directions_ |=
            bit_of(key, text, 2, [](unsigned i) { return name_of(static_cast<Heading>(i)); });
    } else if (key == "purpose") {
        purposes_ |= bit_of(key, text, sim::dma_purposes, [](unsigned i) {
            return sim::name_of(static_cast<sim::DmaPurpose>(i));
        });
    } else if (key == "dllp") {
        dllps_ = bit_of(key, text, 2, [](unsigned i) { return i == 0 ? "no" : "yes"; }) == 2U;
    } else if (key == "address") {
        const auto [first, last] =
            range_of(key, text, [&key](const std::string& t) { return number(key, t); });
        addresses_.push_back({first, last});
    } else if (key == "time") {
        const auto [first, last] = range_of(key, text, time_of);
        times_.push_back({first, last});
    } else if (key == "requester") {
        requesters_.push_back(requester_of(text));
    } else if (key == "tag") {
        tags_.push_back(number(key, text));
    } else if (key == "link") {
        links_.push_back(text);
    } else {
        wrong(
            fmt::format("unknown key '{}' (allowed: type, direction, address, time, purpose, "
                        "requester, tag, event, link, dllp)",
                        shown(key)));
    }
}

bool TlpFilter::in_time(sim::Ps time) const {
    return times_.empty() || std::any_of(times_.begin(), times_.end(), [time](const Range& r) {
               return time >= r.first && time <= r.last;
           });
}

bool TlpFilter::shows(CaptureEvent event, Heading direction, const Tlp& tlp, sim::Ps time,
                      std::optional<std::uint64_t> address, std::uint64_t length) const {
    const auto has = [](std::uint32_t set, unsigned i) { return set == 0 || (set >> i & 1U) != 0; };
    if (!has(types_, static_cast<unsigned>(tlp.type)) ||
        !has(events_, static_cast<unsigned>(event)) ||
        !has(directions_, static_cast<unsigned>(direction)) ||
        !has(purposes_, static_cast<unsigned>(tlp.purpose)) || !in_time(time))
        return false;
    if (!requesters_.empty() &&
        std::find(requesters_.begin(), requesters_.end(), tlp.requester_id) == requesters_.end())
        return false;
    if (!tags_.empty() && std::find(tags_.begin(), tags_.end(), tlp.tag) == tags_.end())
        return false;
    if (addresses_.empty()) return true;
    if (!address) return false;
    return std::any_of(addresses_.begin(), addresses_.end(), [&](const Range& r) {
        return *address <= r.last && *address + length > r.first;
    });
}

bool TlpFilter::shows_link(std::string_view name) const {
    return links_.empty() || std::find(links_.begin(), links_.end(), name) != links_.end();
}

bool TlpFilter::shows_dllp(Heading direction, sim::Ps time) const {
    return dllps_ && (directions_ == 0 || (directions_ >> static_cast<unsigned>(direction) & 1U)) &&
           in_time(time);
}

}  // namespace nicsim::pcie
