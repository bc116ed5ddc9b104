// SPDX-License-Identifier: Apache-2.0
// `ls` and `show` as text and JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "waves/inspect.h"

namespace nicsim::waves {
namespace {

std::size_t longest_name(const std::vector<Signal>& signals) {
    std::size_t longest = 6;
    for (const Signal& signal : signals) longest = std::max(longest, signal.full_name().size());
    return longest;
}

std::string dump(const nlohmann::ordered_json& json) {
    // Names and strings of foreign files need not be UTF-8.
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

nlohmann::ordered_json time_json(std::uint64_t ticks, int exponent) {
    return {{"ticks", ticks}, {"text", format_time(ticks, exponent)}};
}

}  // namespace

std::string to_text(const Listing& listing) {
    std::vector<Signal> signals;
    for (const auto& listed : listing.signals) signals.push_back(listed.signal);
    const std::size_t names = longest_name(signals);
    std::string text = fmt::format(
        "{}, {} signals, {} to {}, time unit {}\n", listing.format, signals.size(),
        format_time(listing.first_time, listing.exponent),
        format_time(listing.last_time, listing.exponent), format_time(1, listing.exponent));
    text +=
        fmt::format("{:<{}}  {:>6}  {:>6}  {:>12}\n", "signal", names, "kind", "width", "changes");
    for (const auto& [signal, changes] : listing.signals)
        text += fmt::format("{:<{}}  {:>6}  {:>6}  {:>12}\n", signal.full_name(), names,
                            name_of(signal.kind), signal.width, changes);
    return text;
}

std::string to_json(const Listing& listing) {
    nlohmann::ordered_json json = {{"format", listing.format},
                                   {"version", listing.version},
                                   {"time_unit", format_time(1, listing.exponent)},
                                   {"first_time", time_json(listing.first_time, listing.exponent)},
                                   {"last_time", time_json(listing.last_time, listing.exponent)},
                                   {"warnings", listing.warnings}};
    json["signals"] = nlohmann::ordered_json::array();
    for (const auto& [signal, changes] : listing.signals)
        json["signals"].push_back({{"name", signal.full_name()},
                                   {"kind", name_of(signal.kind)},
                                   {"width", signal.width},
                                   {"changes", changes}});
    return dump(json);
}

std::string to_text(const Shown& shown) {
    const std::size_t names = longest_name(shown.signals);
    std::string text;
    if (!shown.times.empty()) {
        std::vector<std::size_t> widths;
        text += fmt::format("{:<{}}", "signal", names);
        for (std::size_t column = 0; column < shown.times.size(); ++column) {
            const auto head = format_time(shown.times[column], shown.exponent);
            std::size_t width = head.size();
            for (const auto& row : shown.table) width = std::max(width, row[column].size());
            widths.push_back(width);
            text += fmt::format("  {:>{}}", head, width);
        }
        text += '\n';
        for (std::size_t i = 0; i < shown.signals.size(); ++i) {
            text += fmt::format("{:<{}}", shown.signals[i].full_name(), names);
            for (std::size_t column = 0; column < shown.times.size(); ++column)
                text += fmt::format("  {:>{}}", shown.table[i][column], widths[column]);
            text += '\n';
        }
        return text;
    }
    text += fmt::format("before {}:\n", format_time(shown.from, shown.exponent));
    for (const auto& row : shown.before)
        text +=
            fmt::format("  {:<{}}  {}\n", shown.signals[row.signal].full_name(), names, row.value);
    text += "changes:\n";
    for (const auto& row : shown.changes)
        text += fmt::format("  {:>16}  {:<{}}  {}\n", format_time(row.time, shown.exponent),
                            shown.signals[row.signal].full_name(), names, row.value);
    if (shown.cut) text += "  ... and more; narrow the window or the pattern\n";
    return text;
}

std::string to_json(const Shown& shown) {
    nlohmann::ordered_json json = {{"time_unit", format_time(1, shown.exponent)},
                                   {"warnings", shown.warnings}};
    json["signals"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < shown.signals.size(); ++i) {
        nlohmann::ordered_json signal = {{"name", shown.signals[i].full_name()}};
        if (!shown.times.empty()) signal["values"] = shown.table[i];
        json["signals"].push_back(signal);
    }
    if (!shown.times.empty()) {
        json["times"] = nlohmann::ordered_json::array();
        for (const auto time : shown.times)
            json["times"].push_back(time_json(time, shown.exponent));
        return dump(json);
    }
    const auto rows = [&](const std::vector<ShownValue>& values) {
        auto list = nlohmann::ordered_json::array();
        for (const auto& row : values)
            list.push_back({{"time", time_json(row.time, shown.exponent)},
                            {"signal", shown.signals[row.signal].full_name()},
                            {"value", row.value}});
        return list;
    };
    json["before"] = rows(shown.before);
    json["changes"] = rows(shown.changes);
    json["cut"] = shown.cut;
    return dump(json);
}

}  // namespace nicsim::waves
