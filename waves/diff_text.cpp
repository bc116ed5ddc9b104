// SPDX-License-Identifier: Apache-2.0
// A comparison as text and JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "waves/diff.h"

namespace nicsim::waves {
namespace {

class Text {
public:
    Text(const DiffResult& result, const DiffOptions& options)
        : result_(result), options_(options) {}

    std::string run(std::size_t limit) {
        text_ = fmt::format("A  {}\nB  {}\n", options_.a, options_.b);
        text_ +=
            fmt::format("{} signals compared from {} to {}: {} changes agree\n", result_.compared,
                        when(result_.begin), when(result_.end), result_.matched);
        if (result_.largest_skew != 0)
            text_ += fmt::format("largest difference in time that was tolerated: B {} {} ({})\n",
                                 span(std::abs(result_.largest_skew)),
                                 result_.largest_skew > 0 ? "later" : "earlier",
                                 result_.largest_skew_signal);
        for (const auto& note : result_.notes) text_ += "note: " + note + "\n";
        only(0, limit);
        only(1, limit);
        const std::size_t count = result_.differences.size();
        if (count == 0) {
            text_ += result_.same ? "same\n" : "different: the names are not the same\n";
            return std::move(text_);
        }
        text_ += fmt::format("{} signals differ{}; first divergence of each, the earliest first\n",
                             count, result_.stopped ? " (stopped there)" : "");
        for (std::size_t i = 0; i < count && (limit == 0 || i < limit); ++i)
            difference(i + 1, result_.differences[i]);
        if (limit != 0 && count > limit) text_ += fmt::format("... and {} more\n", count - limit);
        return std::move(text_);
    }

private:
    [[nodiscard]] std::string when(std::int64_t t) const {
        if (result_.cycles) return fmt::format("cycle {}", t);
        return (t < 0 ? "-" : "") + span(std::abs(t));
    }
    [[nodiscard]] std::string span(std::int64_t t) const {
        if (result_.cycles) return fmt::format("{} cycle{}", t, t == 1 ? "" : "s");
        return format_time(static_cast<std::uint64_t>(t), result_.exponent);
    }
    [[nodiscard]] std::string native(const DiffPoint& point) const {
        return format_time(point.native, result_.exponent);
    }

    void only(unsigned side, std::size_t limit) {
        const auto& names = result_.only_in[side];
        if (names.empty()) return;
        std::vector<std::string> some(
            names.begin(),
            names.begin() + static_cast<std::ptrdiff_t>(
                                limit == 0 ? names.size() : std::min(limit, names.size())));
        text_ += fmt::format("only in {}: {} signals: {}{}\n", side == 0 ? 'A' : 'B', names.size(),
                             fmt::join(some, ", "), some.size() < names.size() ? ", ..." : "");
    }

    void difference(std::size_t number, const Difference& d) {
        text_ += fmt::format("{:>3}. {}  {}: ", number, when(d.axis), d.signal);
        const char sides[2] = {'A', 'B'};
        const char other = sides[1 - d.side];
        if (d.what == Difference::What::missing && d.at[d.side].value == "event") {
            text_ += fmt::format("it happens in {}, and not in {}", sides[d.side], other);
            if (d.late) text_ += fmt::format("; there it happens {} later", span(d.lateness));
        } else if (d.what == Difference::What::missing) {
            text_ +=
                fmt::format("{} goes to {}, {} stays at {}", sides[d.side], d.at[d.side].value,
                            other, d.at[1 - d.side].value.empty() ? "-" : d.at[1 - d.side].value);
            if (d.late)
                text_ +=
                    fmt::format("; the same change comes {} later in {}", span(d.lateness), other);
            else if (result_.read_to_end[1 - d.side] && result_.ends[1 - d.side] < d.axis)
                text_ += fmt::format("; {} has ended at {}", other, when(result_.ends[1 - d.side]));
        } else {
            text_ +=
                fmt::format("A {} {}, B {} {}",
                            d.what == Difference::What::initial ? "is" : "goes to", d.at[0].value,
                            d.what == Difference::What::initial ? "is" : "goes to", d.at[1].value);
            if (d.at[0].axis != d.at[1].axis)
                text_ += fmt::format(" ({} at {})", sides[1 - d.side], when(d.at[1 - d.side].axis));
        }
        text_ += fmt::format("\n     {} changes agreed before; tolerance {}\n", d.matched,
                             d.tolerance == 0 ? "none" : span(d.tolerance));
        for (const unsigned side : {0U, 1U}) {
            std::vector<std::string> points;
            for (const auto& point : d.recent[side])
                points.push_back(fmt::format("{} {}", native(point), point.value));
            text_ += fmt::format("     {}: {}\n", sides[side], fmt::join(points, " | "));
        }
    }

    const DiffResult& result_;
    const DiffOptions& options_;
    std::string text_;
};

using Json = nlohmann::ordered_json;

Json point_json(const DiffPoint& point, const DiffResult& result) {
    Json json = {{result.cycles ? "cycle" : "ticks", point.axis},
                 {"time_in_file", format_time(point.native, result.exponent)},
                 {"value", point.value}};
    return json;
}

const char* name_of(Difference::What what) {
    switch (what) {
        case Difference::What::missing:
            return "missing";
        case Difference::What::initial:
            return "initial";
        default:
            return "value";
    }
}

}  // namespace

std::string to_text(const DiffResult& result, const DiffOptions& options, std::size_t limit) {
    return Text(result, options).run(limit);
}

std::string to_json(const DiffResult& result, const DiffOptions& options) {
    Json json = {{"same", result.same},
                 {"a", options.a},
                 {"b", options.b},
                 {"axis", result.cycles ? "cycles" : "ticks"},
                 {"time_unit", format_time(1, result.exponent)},
                 {"begin", result.begin},
                 {"end", result.end},
                 {"signals_compared", result.compared},
                 {"changes_matched", result.matched},
                 {"largest_skew", result.largest_skew},
                 {"largest_skew_signal", result.largest_skew_signal},
                 {"stopped_early", result.stopped},
                 {"only_in_a", result.only_in[0]},
                 {"only_in_b", result.only_in[1]},
                 {"notes", result.notes}};
    json["differences"] = Json::array();
    for (const Difference& d : result.differences) {
        Json item = {{"signal", d.signal},
                     {"what", name_of(d.what)},
                     {"at", d.axis},
                     {"first_side", d.side == 0 ? "a" : "b"},
                     {"a", point_json(d.at[0], result)},
                     {"b", point_json(d.at[1], result)},
                     {"tolerance", d.tolerance},
                     {"changes_matched_before", d.matched}};
        if (d.late) item["late_by"] = d.lateness;
        for (const unsigned side : {0U, 1U}) {
            auto list = Json::array();
            for (const auto& point : d.recent[side]) list.push_back(point_json(point, result));
            item[side == 0 ? "context_a" : "context_b"] = list;
        }
        json["differences"].push_back(item);
    }
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace nicsim::waves
