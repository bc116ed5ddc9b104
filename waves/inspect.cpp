// SPDX-License-Identifier: Apache-2.0
#include "waves/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "waves/pattern.h"

namespace nicsim::waves {
namespace {

std::vector<std::string> all_names(const WaveReader& reader) {
    std::vector<std::string> names;
    for (const Signal& signal : reader.signals()) names.push_back(signal.full_name());
    return names;
}

/// The signals that a pattern matches, and the selection of their handles.
std::vector<Signal> choose(WaveReader& reader, const std::string& text) {
    const Pattern pattern(text);
    std::vector<Signal> chosen;
    std::vector<bool> wanted(reader.handles());
    for (const Signal& signal : reader.signals()) {
        if (!pattern.matches(signal.path) && !pattern.matches(signal.full_name())) continue;
        chosen.push_back(signal);
        wanted[signal.handle] = true;
    }
    if (chosen.empty())
        throw WaveError(fmt::format("{}: no signal matches '{}'{}", reader.file(), text,
                                    nearest_hint(text, all_names(reader))));
    reader.select(std::move(wanted));
    return chosen;
}

/// The latest value of each handle.
class Values {
public:
    explicit Values(std::uint32_t handles) : values_(handles), known_(handles) {}
    /// False if the value is the one it had. An event always happens.
    bool take(const Change& change) {
        std::string& value = values_[change.handle];
        const bool same = known_[change.handle] && value == change.value && !change.value.empty();
        value = change.value;
        known_[change.handle] = true;
        return !same;
    }
    [[nodiscard]] std::string text(const Signal& signal) const {
        if (!known_[signal.handle]) return "-";
        return format_value(signal.kind, values_[signal.handle]);
    }

private:
    std::vector<std::string> values_;
    std::vector<bool> known_;
};

void show_at(WaveReader& reader, const ShowOptions& options, Shown& shown) {
    for (const auto& text : options.at) shown.times.push_back(parse_time(text, shown.exponent));
    std::sort(shown.times.begin(), shown.times.end());
    shown.table.resize(shown.signals.size());
    Values values(reader.handles());
    std::size_t column = 0;
    const auto fill_until = [&](std::uint64_t time) {
        for (; column < shown.times.size() && shown.times[column] < time; ++column)
            for (std::size_t i = 0; i < shown.signals.size(); ++i)
                shown.table[i].push_back(values.text(shown.signals[i]));
    };
    Change change;
    while (column < shown.times.size() && reader.next(change)) {
        if (!shown.first) shown.first = change.time;
        fill_until(change.time);
        values.take(change);
    }
    shown.reached_end = column < shown.times.size();
    fill_until(~std::uint64_t{0});
    if (shown.table[0].size() < shown.times.size())  // the largest time of all
        for (std::size_t i = 0; i < shown.signals.size(); ++i)
            shown.table[i].push_back(values.text(shown.signals[i]));
}

void show_window(WaveReader& reader, const ShowOptions& options, Shown& shown) {
    // Several names can share a handle.
    std::vector<std::vector<std::size_t>> named(reader.handles());
    for (std::size_t i = 0; i < shown.signals.size(); ++i)
        named[shown.signals[i].handle].push_back(i);
    Values values(reader.handles());
    bool open = false;
    const auto open_window = [&] {
        open = true;
        for (std::size_t i = 0; i < shown.signals.size(); ++i)
            shown.before.push_back({shown.from, i, values.text(shown.signals[i])});
    };
    Change change;
    while (reader.next(change)) {
        if (!shown.first) shown.first = change.time;
        if (change.time > shown.to) break;
        if (!open && change.time >= shown.from) open_window();
        if (!values.take(change) || !open) continue;
        for (const std::size_t i : named[change.handle]) {
            if (shown.changes.size() == options.max_rows) {
                shown.cut = true;
                return;
            }
            shown.changes.push_back({change.time, i, values.text(shown.signals[i])});
        }
    }
    if (open) return;
    shown.reached_end = true;
    open_window();
}

/// Times and windows in which the trace has nothing are answered, with a note.
void note_outside(Shown& shown, std::uint64_t end) {
    const std::uint64_t latest = shown.times.empty() ? shown.from : shown.times.back();
    if (shown.reached_end && latest > end)
        shown.warnings.push_back(fmt::format("{} is after the end of the trace at {}",
                                             format_time(latest, shown.exponent),
                                             format_time(end, shown.exponent)));
    const std::uint64_t last = shown.times.empty() ? shown.to : shown.times.back();
    if (shown.first && last < *shown.first)
        shown.warnings.push_back(fmt::format("{} is before the first value of these signals at {}",
                                             format_time(last, shown.exponent),
                                             format_time(*shown.first, shown.exponent)));
}

}  // namespace

const Signal& find_signal(const WaveReader& reader, const std::string& path) {
    for (const Signal& signal : reader.signals())
        if (signal.path == path || signal.full_name() == path) return signal;
    throw WaveError(fmt::format("{}: there is no signal '{}'{}", reader.file(), path,
                                nearest_hint(path, all_names(reader))));
}

void refuse_pipe(const std::string& file) {
    std::error_code ignored;
    if (std::filesystem::is_fifo(file, ignored))
        throw WaveError(fmt::format(
            "{}: an event is looked for in a reading of its own, and a pipe is read once", file));
}

std::uint64_t find_event(const std::string& file, const EventSpec& event) {
    refuse_pipe(file);
    const auto reader = WaveReader::open(file);
    const Signal signal = find_signal(*reader, event.signal);
    std::vector<bool> wanted(reader->handles());
    wanted[signal.handle] = true;
    reader->select(std::move(wanted));
    std::string before;
    std::uint64_t seen = 0;
    Change change;
    // Of an instant only the settled value counts.
    std::string settled;
    std::uint64_t time = 0;
    const auto settle = [&] {
        if (event.matches(before, settled)) ++seen;
        before = settled;
        return seen == event.count;
    };
    while (reader->next(change)) {
        if (signal.kind == Kind::event) {
            if (++seen == event.count) return change.time;
            continue;
        }
        if (change.time != time && settle()) return time;
        time = change.time;
        settled = change.value;
    }
    if (signal.kind != Kind::event && settle()) return time;
    throw WaveError(fmt::format("{}: the event {} does not happen: {} of {} until the end at {}",
                                file, event.text(), seen, event.count,
                                format_time(reader->time(), reader->exponent())));
}

Listing list_signals(const std::string& file, const std::string& pattern) {
    const auto reader = WaveReader::open(file);
    Listing listing;
    listing.format = reader->format();
    listing.exponent = reader->exponent();
    listing.version = reader->version();
    for (Signal& signal : choose(*reader, pattern))
        listing.signals.push_back({std::move(signal), 0});
    std::vector<std::uint64_t> changes(reader->handles());
    Values values(reader->handles());
    Change change;
    bool first = true;
    while (reader->next(change)) {
        if (first) listing.first_time = change.time;
        first = false;
        if (values.take(change)) ++changes[change.handle];
    }
    for (ListedSignal& listed : listing.signals) {
        const std::uint64_t count = changes[listed.signal.handle];
        listed.changes = listed.signal.kind == Kind::event || count == 0 ? count : count - 1;
    }
    listing.last_time = reader->time();
    listing.warnings = reader->warnings();
    return listing;
}

Shown show_signals(const ShowOptions& options) {
    const int ways = (options.at.empty() ? 0 : 1) + (options.around.empty() ? 0 : 1) +
                     (options.from.empty() && options.to.empty() ? 0 : 1);
    if (ways > 1)
        throw WaveError("give either times, or a window from and to, or an event to look around");
    if (!options.around.empty()) refuse_pipe(options.file);
    const auto reader = WaveReader::open(options.file);
    Shown shown;
    shown.exponent = reader->exponent();
    shown.signals = choose(*reader, options.pattern);
    shown.to = ~std::uint64_t{0};
    if (!options.around.empty()) {
        const std::uint64_t middle = find_event(options.file, EventSpec::parse(options.around));
        const std::uint64_t window = parse_time(options.window, shown.exponent);
        shown.from = middle - std::min(middle, window);
        shown.to = middle + std::min(window, ~std::uint64_t{0} - middle);
    }
    if (!options.from.empty()) shown.from = parse_time(options.from, shown.exponent);
    if (!options.to.empty()) shown.to = parse_time(options.to, shown.exponent);
    if (shown.to < shown.from) throw WaveError("the window ends before it begins");
    if (!options.at.empty())
        show_at(*reader, options, shown);
    else
        show_window(*reader, options, shown);
    shown.warnings = reader->warnings();
    note_outside(shown, reader->time());
    return shown;
}

}  // namespace nicsim::waves
