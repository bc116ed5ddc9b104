// SPDX-License-Identifier: Apache-2.0
#include "waves/diff_match.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "waves/bit_text.h"

namespace nicsim::waves {

DiffMatcher::DiffMatcher(const std::vector<PairedSignal>& pairs,
                         std::vector<std::int64_t> tolerances, std::int64_t x_until,
                         double real_tolerance)
    : pairs_(pairs),
      states_(pairs.size()),
      moments_(pairs.size() * 2 * history),
      waiting_(pairs.size()),
      open_(pairs.size()),
      x_until_(x_until),
      real_tolerance_(real_tolerance) {
    for (std::uint32_t p = 0; p < pairs.size(); ++p) {
        State& state = states_[p];
        state.room = room_of(pairs[p]);
        state.kind = pairs[p].kind;
        for (const unsigned which : {0U, 1U}) {
            state.place[which] = values_.size();
            values_.append(std::size_t{state.room} * history, '\0');
        }
        const auto known = std::find_if(
            queues_.begin(), queues_.end(),
            [&](const DeadlineQueue& queue) { return queue.tolerance == tolerances[p]; });
        state.queue = static_cast<std::uint32_t>(known - queues_.begin());
        if (known == queues_.end()) queues_.push_back({tolerances[p], {}});
    }
}

bool DiffMatcher::equal(const State& state, const char* a, const char* b) const {
    if (std::memcmp(a, b, state.room) == 0) return true;
    if (state.kind != Kind::real) return false;
    double x = 0;
    double y = 0;
    std::memcpy(&x, a, sizeof x);
    std::memcpy(&y, b, sizeof y);
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
    return x == y || std::abs(x - y) <= real_tolerance_ * std::max(std::abs(x), std::abs(y));
}

bool DiffMatcher::known(const State& state, const char* value) const {
    if (state.kind == Kind::bits) return all_known({value, state.room});
    if (state.kind == Kind::string) return value[0] != 0 || value[1] != 0;
    if (state.kind == Kind::event) return true;
    double number = 0;
    std::memcpy(&number, value, sizeof number);
    return !std::isnan(number);
}

bool DiffMatcher::equal_now(std::uint32_t pair) const {
    return equal(states_[pair], latest(pair, 0), latest(pair, 1));
}

DiffPoint DiffMatcher::point(std::uint32_t pair, Moment moment, const char* value) const {
    return {moment.axis, moment.native, shown_value(pairs_[pair], value)};
}

/// Makes `value` the value in force. False if it was so already.
bool DiffMatcher::record(std::uint32_t pair, unsigned which, const char* value, Moment moment) {
    State& state = states_[pair];
    char* slots = values_.data() + state.place[which];
    const unsigned old = state.newest[which];
    if (state.kind != Kind::event && state.known_slots[which] != 0 &&
        std::memcmp(slots + std::size_t{old} * state.room, value, state.room) == 0)
        return false;
    const unsigned slot = (old + 1) % history;
    std::memcpy(slots + std::size_t{slot} * state.room, value, state.room);
    moments_[(std::size_t{pair} * 2 + which) * history + slot] = moment;
    state.newest[which] = static_cast<std::uint8_t>(slot);
    if (state.known_slots[which] < history) ++state.known_slots[which];
    return true;
}

void DiffMatcher::preset_all(const DiffSide& side, unsigned which) {
    for (std::uint32_t pair = 0; pair < states_.size(); ++pair)
        if (states_[pair].kind != Kind::event) record(pair, which, side.value(pair), {});
}

void DiffMatcher::preset(const DiffSide& side, unsigned which) {
    for (const std::uint32_t pair : side.touched())
        record(pair, which, side.value(pair), {side.time(), side.native()});
}

void DiffMatcher::begin(std::int64_t t) {
    begun_ = true;
    for (std::uint32_t pair = 0; pair < states_.size(); ++pair) {
        State& state = states_[pair];
        if (state.kind == Kind::event) {
            state.started = state.compared = true;
            continue;
        }
        if (t < x_until_ && !(known(state, latest(pair, 0)) && known(state, latest(pair, 1))))
            continue;
        start(pair, t);
    }
}

void DiffMatcher::start(std::uint32_t pair, std::int64_t t) {
    State& state = states_[pair];
    state.started = state.compared = true;
    if (equal(state, latest(pair, 0), latest(pair, 1))) return;
    for (const unsigned which : {0U, 1U}) {
        Moment moment = moments_[(std::size_t{pair} * 2 + which) * history + newest(pair, which)];
        moment.axis = t;
        await(pair, which, latest(pair, which), moment, true);
    }
    match(pair);
}

void DiffMatcher::await(std::uint32_t pair, unsigned which, const char* value, Moment moment,
                        bool initial) {
    State& state = states_[pair];
    if (!waiting_[pair]) waiting_[pair] = std::make_unique<Waiting>();
    Waiting& waiting = *waiting_[pair];
    Entry entry;
    entry.moment = moment;
    entry.number = waiting.numbers[which]++;
    entry.initial = initial;
    entry.value.assign(value, state.room);
    DeadlineQueue& queue = queues_[state.queue];
    queue.deadlines.push_back({moment.axis + queue.tolerance, pair, which, entry.number});
    waiting.entries[which].push_back(std::move(entry));
    state.waiting = true;
}

void DiffMatcher::match(std::uint32_t pair) {
    State& state = states_[pair];
    auto& a = waiting_[pair]->entries[0];
    auto& b = waiting_[pair]->entries[1];
    while (!a.empty() && !b.empty()) {
        if (equal(state, a.front().value.data(), b.front().value.data())) {
            const std::int64_t skew = b.front().moment.axis - a.front().moment.axis;
            if (std::abs(skew) > std::abs(state.largest_skew)) state.largest_skew = skew;
            ++state.matched;
            a.pop_front();
            b.pop_front();
        } else if (a.front().initial && a.size() > 1) {
            // Where the comparison began A was about to change to what B had already.
            a.pop_front();
        } else if (b.front().initial && b.size() > 1) {
            b.pop_front();
        } else if (a.front().initial || b.front().initial) {
            break;
        } else {
            const unsigned first = a.front().moment.axis <= b.front().moment.axis ? 0 : 1;
            diverge(pair, Difference::What::value, first, first == 0 ? a.front() : b.front(),
                    first == 0 ? &b.front() : &a.front());
            return;  // what waited is gone
        }
    }
    state.waiting = !a.empty() || !b.empty();
}

void DiffMatcher::diverge(std::uint32_t pair, Difference::What what, unsigned which,
                          const Entry& entry, const Entry* other) {
    State& state = states_[pair];
    state.diverged = true;
    state.waiting = false;
    ++diverged_;
    auto open = std::make_unique<Open>();
    Difference& difference = open->difference;
    difference.signal = pairs_[pair].name;
    difference.what = what;
    difference.axis = entry.moment.axis;
    difference.side = which;
    difference.tolerance = queues_[state.queue].tolerance;
    difference.matched = state.matched;
    difference.at[which] = point(pair, entry.moment, entry.value.data());
    for (const unsigned side : {0U, 1U}) {
        const std::size_t moments = (std::size_t{pair} * 2 + side) * history;
        for (unsigned i = state.known_slots[side]; i-- > 0;) {
            const unsigned slot_index = (state.newest[side] + history - i) % history;
            difference.recent[side].push_back(
                point(pair, moments_[moments + slot_index], slot(pair, side, slot_index)));
        }
    }
    if (other != nullptr) {
        difference.at[1 - which] = point(pair, other->moment, other->value.data());
    } else if (!difference.recent[1 - which].empty()) {
        difference.at[1 - which] = difference.recent[1 - which].back();
    }
    open_[pair] = std::move(open);
    waiting_[pair].reset();
}

void DiffMatcher::expire(std::int64_t t) {
    if (begun_ && x_until_ != std::numeric_limits<std::int64_t>::min() && t >= x_until_ &&
        x_until_ != std::numeric_limits<std::int64_t>::max()) {
        const std::int64_t until = x_until_;
        x_until_ = std::numeric_limits<std::int64_t>::min();
        for (std::uint32_t pair = 0; pair < states_.size(); ++pair)
            if (!states_[pair].started) start(pair, until);
    }
    for (DeadlineQueue& queue : queues_) {
        for (; !queue.deadlines.empty() && queue.deadlines.front().time < t;
             queue.deadlines.pop_front()) {
            const Deadline deadline = queue.deadlines.front();
            State& state = states_[deadline.pair];
            if (state.diverged || !state.waiting) continue;
            auto& entries = waiting_[deadline.pair]->entries[deadline.which];
            if (entries.empty() || entries.front().number > deadline.number) continue;
            const Entry entry = entries.front();
            const auto& others = waiting_[deadline.pair]->entries[1 - deadline.which];
            if (entry.initial && !others.empty()) {
                const Entry other = others.front();
                diverge(deadline.pair, Difference::What::initial, deadline.which, entry, &other);
            } else {
                diverge(deadline.pair, Difference::What::missing, deadline.which, entry, nullptr);
            }
        }
    }
}

void DiffMatcher::changed(std::uint32_t pair, unsigned which, const char* value, Moment moment) {
    State& state = states_[pair];
    if (state.diverged && open_[pair]->after[which].size() == after) {
        record(pair, which, value, moment);
        return;
    }
    if (!record(pair, which, value, moment)) return;
    if (state.diverged) {
        open_[pair]->after[which].push_back(point(pair, moment, value));
        return;
    }
    if (moment.axis < x_until_) {
        if (!known(state, value)) {
            // Unknown: from now on there is nothing to compare with.
            state.started = false;
            if (state.waiting) {
                waiting_[pair]->entries[0].clear();
                waiting_[pair]->entries[1].clear();
                state.waiting = false;
            }
            return;
        }
        if (!state.started) {
            if (known(state, latest(pair, 1 - which))) start(pair, moment.axis);
            return;
        }
    }
    if (!state.started) return;
    await(pair, which, value, moment, false);
    match(pair);
}

void DiffMatcher::step(const DiffSide& side, unsigned which) {
    const Moment moment{side.time(), side.native()};
    for (const std::uint32_t pair : side.touched()) changed(pair, which, side.value(pair), moment);
}

void DiffMatcher::step_both(const DiffSide& a, const DiffSide& b) {
    const Moment at_a{a.time(), a.native()};
    const Moment at_b{b.time(), b.native()};
    for (const std::uint32_t pair : a.touched()) {
        State& state = states_[pair];
        const char* value = a.value(pair);
        // Nearly all changes of nearly all comparisons: both sides, now, to the same value.
        if (state.started && !state.waiting && !state.diverged && b.was_touched(pair) &&
            std::memcmp(value, b.value(pair), state.room) == 0 &&
            (state.kind != Kind::bits || at_a.axis >= x_until_ || known(state, value))) {
            const bool first = record(pair, 0, value, at_a);
            const bool second = record(pair, 1, value, at_b);
            if (first && second) ++state.matched;
            continue;
        }
        changed(pair, 0, value, at_a);
    }
    for (const std::uint32_t pair : b.touched()) {
        // A change that the loop above has taken is in force already; an event has to be told
        // apart.
        const State& state = states_[pair];
        if (state.kind == Kind::event && a.was_touched(pair) && state.started &&
            moments_[(std::size_t{pair} * 2 + 1) * history + state.newest[1]].axis == at_b.axis &&
            state.known_slots[1] != 0)
            continue;
        changed(pair, 1, b.value(pair), at_b);
    }
}

std::uint64_t DiffMatcher::matched() const {
    std::uint64_t sum = 0;
    for (const State& state : states_) sum += state.matched;
    return sum;
}

std::vector<std::string> DiffMatcher::never_started() const {
    std::vector<std::string> names;
    for (std::uint32_t pair = 0; pair < states_.size(); ++pair)
        if (!states_[pair].compared) names.push_back(pairs_[pair].name);
    return names;
}

std::vector<std::string> DiffMatcher::undecided() const {
    std::vector<std::string> names;
    for (std::uint32_t pair = 0; pair < states_.size(); ++pair)
        if (states_[pair].waiting && !states_[pair].diverged) names.push_back(pairs_[pair].name);
    return names;
}

void DiffMatcher::finish(DiffResult& result) {
    result.matched = matched();
    for (std::uint32_t pair = 0; pair < states_.size(); ++pair) {
        const State& state = states_[pair];
        if (std::abs(state.largest_skew) > std::abs(result.largest_skew)) {
            result.largest_skew = state.largest_skew;
            result.largest_skew_signal = pairs_[pair].name;
        }
        if (!open_[pair]) continue;
        Open& open = *open_[pair];
        Difference& difference = open.difference;
        for (const unsigned side : {0U, 1U})
            difference.recent[side].insert(difference.recent[side].end(), open.after[side].begin(),
                                           open.after[side].end());
        const auto& others = open.after[1 - difference.side];
        if (difference.what == Difference::What::missing && !others.empty() &&
            others.front().value == difference.at[difference.side].value) {
            difference.late = true;
            difference.lateness = others.front().axis - difference.axis;
        }
        result.differences.push_back(difference);
    }
    std::stable_sort(result.differences.begin(), result.differences.end(),
                     [](const Difference& x, const Difference& y) { return x.axis < y.axis; });
}

}  // namespace nicsim::waves
