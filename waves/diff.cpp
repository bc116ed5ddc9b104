// SPDX-License-Identifier: Apache-2.0
#include "waves/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <optional>

#include "waves/diff_match.h"
#include "waves/diff_side.h"
#include "waves/diff_write.h"
#include "waves/inspect.h"
#include "waves/output_file.h"
#include "waves/pattern.h"

namespace nicsim::waves {
namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t always = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t largest_amount = std::numeric_limits<std::int64_t>::max() / 4;

class Comparison {
public:
    explicit Comparison(const DiffOptions& options) : options_(options) {
        readers_[0] = WaveReader::open(options.a);
        readers_[1] = WaveReader::open(options.b);
        pairing_ = pair_signals(*readers_[0], *readers_[1], options.names);
        exponent_ = std::min(readers_[0]->exponent(), readers_[1]->exponent());
        clocked_ = !options.clock_a.empty() || !options.clock_b.empty();
        if (clocked_ && (options.clock_a.empty() || options.clock_b.empty()))
            throw WaveError("both files need a clock, or none");
        if (options.event_a.empty() != options.event_b.empty())
            throw WaveError("both files need an event to align on, or none");
        if (!options.cycle.empty()) {
            if (clocked_) throw WaveError("the length of a cycle is given by the clock already");
            cycle_ = static_cast<std::int64_t>(
                std::min<std::uint64_t>(parse_time(options.cycle, exponent_), largest_amount));
            if (cycle_ == 0) throw WaveError("a cycle has a length");
        }
    }

    DiffResult run() {
        configure(0);
        configure(1);
        if (!options_.skew.empty()) {
            const bool negative = options_.skew[0] == '-';
            const std::int64_t skew = amount(options_.skew.substr(negative ? 1 : 0), "skew");
            if (clocked_)
                configs_[1].cycle_offset = negative ? skew : -skew;
            else
                configs_[1].offset += negative ? skew : -skew;
        }
        DiffMatcher matcher(pairing_.pairs, tolerances(), ignore_x_until(),
                            options_.real_tolerance);
        for (const unsigned side : {0U, 1U}) {
            sides_[side].emplace(std::move(readers_[side]), pairing_.pairs, configs_[side]);
            matcher.preset_all(*sides_[side], side);
        }
        walk(matcher);
        conclude(matcher);
        return std::move(result_);
    }

private:
    /// A time or cycles, in units of the axis.
    [[nodiscard]] std::int64_t amount(std::string_view text, const char* what) const {
        if (text.size() > 1 && text.back() == 'c' &&
            text.find_first_not_of("0123456789") == text.size() - 1) {
            std::int64_t cycles = 0;
            const auto parsed = std::from_chars(text.data(), text.data() + text.size() - 1, cycles);
            if (!clocked_ && cycle_ == 0)
                throw WaveError(
                    fmt::format("{} '{}' counts cycles: give the length of a cycle, or "
                                "a clock to align on",
                                what, text));
            const std::int64_t unit = clocked_ ? 1 : cycle_;
            if (parsed.ec != std::errc{} || cycles > largest_amount / unit)
                throw WaveError(fmt::format("{} '{}' is too large", what, text));
            return cycles * unit;
        }
        if (clocked_ && text != "0")
            throw WaveError(
                fmt::format("{} '{}': with a clock to align on it is given in cycles, "
                            "like 2c",
                            what, text));
        const std::uint64_t ticks = parse_time(text, exponent_);
        if (ticks > static_cast<std::uint64_t>(largest_amount))
            throw WaveError(fmt::format("{} '{}' is too large", what, text));
        return static_cast<std::int64_t>(ticks);
    }

    [[nodiscard]] const std::string& file(unsigned side) const {
        return side == 0 ? options_.a : options_.b;
    }

    /// When an event happens in a file, in ticks of the common unit.
    std::int64_t event_time(unsigned side, const std::string& text) const {
        EventSpec spec = EventSpec::parse(text);
        spec.signal = find_common(*readers_[side], side, options_.names, spec.signal).full_name();
        const std::uint64_t ticks = find_event(file(side), spec);
        const auto scale = static_cast<std::uint64_t>(configs_[side].scale);
        if (ticks > static_cast<std::uint64_t>(largest_amount) / scale)
            throw WaveError(
                fmt::format("{}: the time #{} is too large to be compared", file(side), ticks));
        return static_cast<std::int64_t>(ticks * scale);
    }

    void configure(unsigned side) {
        SideConfig& config = configs_[side];
        config.side = side;
        int finer = readers_[side]->exponent() - exponent_;
        if (finer > 17)
            throw WaveError(fmt::format("the time units of {} and {} are too far apart", options_.a,
                                        options_.b));
        for (; finer > 0; --finer) config.scale *= 10;
        const std::string& event = side == 0 ? options_.event_a : options_.event_b;
        const std::int64_t origin = event.empty() ? 0 : event_time(side, event);
        if (clocked_) {
            config.clocked = true;
            const std::string& clock = side == 0 ? options_.clock_a : options_.clock_b;
            config.clock = find_common(*readers_[side], side, options_.names, clock).handle;
            config.clock_from = static_cast<std::uint64_t>(origin);
        } else {
            config.offset = origin;
        }
        result_.offset[side] = origin;
    }

    [[nodiscard]] std::vector<std::int64_t> tolerances() const {
        std::vector<std::int64_t> values(pairing_.pairs.size(), 0);
        for (const std::string& rule : options_.tolerance) {
            const auto equals = rule.rfind('=');
            const std::string pattern_text =
                equals == std::string::npos ? "" : rule.substr(0, equals);
            const Pattern pattern(pattern_text);
            const std::int64_t value =
                amount(std::string_view(rule).substr(equals == std::string::npos ? 0 : equals + 1),
                       "tolerance");
            bool used = false;
            for (std::size_t i = 0; i < values.size(); ++i) {
                if (!pattern.matches(pairing_.pairs[i].name)) continue;
                values[i] = value;
                used = true;
            }
            if (used) continue;
            std::vector<std::string> names;
            for (const auto& pair : pairing_.pairs) names.push_back(pair.name);
            throw WaveError(fmt::format("tolerance '{}' is for no compared signal{}", rule,
                                        nearest_hint(pattern_text, names)));
        }
        return values;
    }

    std::int64_t ignore_x_until() {
        if (options_.ignore_x.empty()) return always;
        if (options_.ignore_x == "always") return never;
        if (options_.ignore_x.find(':') == std::string::npos)
            return amount(options_.ignore_x, "the end of ignoring x");
        if (clocked_)
            throw WaveError(
                "x can be ignored until a cycle (12c), or `always`, where a clock is "
                "the axis");
        std::int64_t latest = always;
        for (const unsigned side : {0U, 1U})
            latest = std::max(latest, event_time(side, options_.ignore_x) - configs_[side].offset);
        return latest;
    }

    /// `more`: whether a side has a first step, which has been read.
    std::int64_t beginning(const bool (&more)[2]) {
        if (clocked_) refuse_still_clocks();
        if (!more[0] && !more[1])
            throw WaveError(fmt::format(
                "nothing to compare: neither file has a value of the compared signals ({})",
                lasting(clocked_)));
        std::int64_t begin =
            std::max<std::int64_t>({0, sides_[0]->begin_time(), sides_[1]->begin_time()});
        if (!options_.from.empty()) begin = std::max(begin, amount(options_.from, "from"));
        return begin;
    }

    void walk(DiffMatcher& matcher) {
        bool more[2] = {sides_[0]->advance(), sides_[1]->advance()};
        const std::int64_t begin = beginning(more);
        std::int64_t limit = options_.to.empty() ? never - 1 : amount(options_.to, "to");
        if (limit < begin)
            throw WaveError(
                fmt::format("the compared stretch ends before it begins (the files "
                            "have a common beginning at {})",
                            shown(begin)));
        for (const unsigned side : {0U, 1U}) {
            while (more[side] && sides_[side]->time() <= begin) {
                matcher.preset(*sides_[side], side);
                more[side] = sides_[side]->advance();
            }
        }
        refuse_outside(begin, more);
        matcher.begin(begin);
        std::optional<DiffWriter> writer;
        if (!options_.write.empty()) {
            writer.emplace(options_.write, clocked_ ? -9 : exponent_, pairing_.pairs, matcher);
            writer->begin(begin);
        }
        bool ended[2] = {false, false};
        while (true) {
            for (const unsigned side : {0U, 1U}) {
                if (more[side] || ended[side]) continue;
                ended[side] = true;
                if (options_.common_time) limit = std::min(limit, sides_[side]->end_time());
            }
            if (!more[0] && !more[1]) break;
            const std::int64_t t =
                std::min(more[0] ? sides_[0]->time() : never, more[1] ? sides_[1]->time() : never);
            if (t > limit) break;
            matcher.expire(t);
            if (options_.stop_after != 0 && matcher.diverged() >= options_.stop_after) {
                result_.stopped = true;
                break;
            }
            const bool now[2] = {more[0] && sides_[0]->time() == t,
                                 more[1] && sides_[1]->time() == t};
            if (now[0] && now[1])
                matcher.step_both(*sides_[0], *sides_[1]);
            else if (now[0])
                matcher.step(*sides_[0], 0);
            else
                matcher.step(*sides_[1], 1);
            if (writer)
                writer->step(t, now[0] ? &*sides_[0] : nullptr, now[1] ? &*sides_[1] : nullptr);
            result_.end = t;
            for (const unsigned side : {0U, 1U})
                if (now[side]) more[side] = sides_[side]->advance();
        }
        if (!result_.stopped) matcher.expire(limit == never - 1 ? never : limit + 1);
        refuse_unknown(matcher);
        if (writer) writer->close();
        result_.begin = begin;
        for (const unsigned side : {0U, 1U}) {
            result_.read_to_end[side] = ended[side];
            if (ended[side]) result_.ends[side] = sides_[side]->end_time();
            result_.end = std::max(result_.end, result_.ends[side]);
        }
        result_.end = std::min(result_.end, limit);
    }

    // A comparison of nothing is an error: it would find no difference, and look like a success.

    void refuse_still_clocks() {
        std::string still;
        for (const unsigned side : {0U, 1U}) {
            if (sides_[side]->clock_rises()) continue;
            const std::string& event = side == 0 ? options_.event_a : options_.event_b;
            still += fmt::format("{}'{}' of {} has no rising edge{}", still.empty() ? "" : ", ",
                                 side == 0 ? options_.clock_a : options_.clock_b, letter(side),
                                 event.empty() ? "" : " from the event on");
        }
        if (still.empty()) return;
        throw WaveError(
            fmt::format("no cycles to compare: the clock {} ({})", still, lasting(false)));
    }

    /// `more`: whether a side has steps behind `begin`.
    void refuse_outside(std::int64_t begin, const bool (&more)[2]) {
        std::string ended;
        for (const unsigned side : {0U, 1U}) {
            if (more[side] || sides_[side]->end_time() >= begin) continue;
            ended += fmt::format("{}{}", ended.empty() ? "" : " and ", letter(side));
        }
        if (ended.empty()) return;
        throw WaveError(
            fmt::format("nothing to compare: the compared stretch begins at {}, after the end "
                        "of {} ({})",
                        shown(begin), ended, lasting(clocked_)));
    }

    void refuse_unknown(const DiffMatcher& matcher) {
        if (matcher.never_started().size() < pairing_.pairs.size()) return;
        throw WaveError(
            fmt::format("nothing was compared: every signal stayed unknown on a side, and "
                        "unknown values are ignored ({})",
                        lasting(clocked_)));
    }

    /// From where to where the files last on the axis; reads what is left of them.
    std::string lasting(bool cycles) {
        std::string text;
        for (const unsigned side : {0U, 1U}) {
            while (sides_[side]->advance()) {
            }
            const DiffSide& it = *sides_[side];
            const std::int64_t first = cycles ? it.begin_time() : it.first_instant();
            const std::int64_t last = cycles ? it.end_time() : it.last_instant();
            text += fmt::format("{} lasts from {} to {}{}", letter(side),
                                cycles ? shown(first) : shown_time(first),
                                cycles ? shown(last) : shown_time(last), side == 0 ? ", " : "");
        }
        const bool moved = !options_.event_a.empty() || !options_.skew.empty();
        return text + (moved && (cycles || !clocked_) ? "; aligned, with the skew" : "");
    }

    [[nodiscard]] static char letter(unsigned side) { return side == 0 ? 'A' : 'B'; }

    [[nodiscard]] std::string shown_time(std::int64_t t) const {
        return (t < 0 ? "-" : "") + format_time(static_cast<std::uint64_t>(std::abs(t)), exponent_);
    }

    [[nodiscard]] std::string shown(std::int64_t t) const {
        return clocked_ ? fmt::format("cycle {}", t) : shown_time(t);
    }

    void conclude(DiffMatcher& matcher) {
        result_.cycles = clocked_;
        result_.exponent = exponent_;
        result_.compared = pairing_.pairs.size();
        matcher.finish(result_);
        for (const unsigned side : {0U, 1U}) {
            result_.only_in[side] = std::move(pairing_.only_in[side]);
            for (const auto& warning : sides_[side]->reader().warnings())
                result_.notes.push_back(fmt::format("{}: {}", file(side), warning));
        }
        for (auto& note : pairing_.notes) result_.notes.push_back(std::move(note));
        if (const auto idle = matcher.never_started(); !idle.empty())
            result_.notes.push_back(
                fmt::format("{} signals stayed unknown on a side and were not "
                            "compared, the first is {}",
                            idle.size(), idle.front()));
        if (const auto open = matcher.undecided(); !open.empty() && !result_.stopped)
            result_.notes.push_back(
                fmt::format("{} signals have a change that the other side could still follow "
                            "within the tolerance when the comparison ends, the first is {}",
                            open.size(), open.front()));
        if (result_.read_to_end[0] && result_.read_to_end[1] && result_.ends[0] != result_.ends[1])
            result_.notes.push_back(fmt::format("A ends at {}, B at {}", shown(result_.ends[0]),
                                                shown(result_.ends[1])));
        result_.same =
            result_.differences.empty() &&
            !(options_.strict_names && !(result_.only_in[0].empty() && result_.only_in[1].empty()));
    }

    const DiffOptions& options_;
    std::unique_ptr<WaveReader> readers_[2];
    Pairing pairing_;
    int exponent_ = 0;
    bool clocked_ = false;
    std::int64_t cycle_ = 0;
    SideConfig configs_[2];
    std::optional<DiffSide> sides_[2];
    DiffResult result_;
};

}  // namespace

DiffResult diff_waves(const DiffOptions& options) {
    for (const std::string* side : {&options.a, &options.b})
        if (!options.write.empty() && same_file(options.write, *side))
            throw WaveError(
                fmt::format("--write {} would replace a file that is compared", options.write));
    const bool x_event = options.ignore_x.find(':') != std::string::npos;
    if (x_event || !options.event_a.empty()) refuse_pipe(options.a);
    if (x_event || !options.event_b.empty()) refuse_pipe(options.b);
    return Comparison(options).run();
}

}  // namespace nicsim::waves
