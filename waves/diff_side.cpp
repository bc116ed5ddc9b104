// SPDX-License-Identifier: Apache-2.0
#include "waves/diff_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace nicsim::waves {
namespace {

constexpr std::size_t string_head = string_room - 8 - 1;

void store_string(std::string_view text, char* room) {
    std::uint64_t hash = 14695981039346656037U;  // FNV-1a
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    std::memset(room, 0, string_room);
    std::memcpy(room, &hash, sizeof hash);
    const std::size_t kept = std::min(text.size(), string_head);
    room[8] = static_cast<char>(kept);
    text.copy(room + 9, kept);
}

}  // namespace

std::uint32_t room_of(const PairedSignal& pair) {
    switch (pair.kind) {
        case Kind::real:
            return sizeof(double);
        case Kind::string:
            return string_room;
        case Kind::event:
            return 1;
        default:
            return pair.width;
    }
}

std::string shown_value(const PairedSignal& pair, const char* room) {
    if (pair.kind != Kind::string) return format_value(pair.kind, {room, room_of(pair)});
    return format_value(Kind::string, {room + 9, static_cast<std::size_t>(room[8])});
}

DiffSide::DiffSide(std::unique_ptr<WaveReader> reader, const std::vector<PairedSignal>& pairs,
                   SideConfig config)
    : reader_(std::move(reader)), config_(config), stamps_(pairs.size()) {
    std::vector<std::pair<std::uint32_t, Target>> by_handle;
    std::vector<bool> wanted(reader_->handles());
    for (std::uint32_t p = 0; p < pairs.size(); ++p) {
        const PairedSignal& pair = pairs[p];
        places_.push_back(values_.size());
        const char fill = pair.kind == Kind::bits ? '0' : '\0';
        values_.append(room_of(pair), fill);
        char* room = values_.data() + places_[p];
        if (pair.kind == Kind::real) {
            const double nothing = std::numeric_limits<double>::quiet_NaN();
            std::memcpy(room, &nothing, sizeof nothing);
        }
        for (const Slice& slice : pair.side[config_.side]) {
            if (pair.kind == Kind::bits) std::memset(room + slice.offset, 'x', slice.width);
            by_handle.push_back(
                {slice.handle, {p, slice.width, places_[p] + slice.offset, pair.kind}});
            wanted[slice.handle] = true;
        }
    }
    if (config_.clocked) wanted[config_.clock] = true;
    std::stable_sort(by_handle.begin(), by_handle.end(),
                     [](const auto& x, const auto& y) { return x.first < y.first; });
    first_target_.assign(reader_->handles() + 1, 0);
    for (const auto& [handle, target] : by_handle) {
        ++first_target_[handle + 1];
        targets_.push_back(target);
    }
    for (std::size_t i = 1; i < first_target_.size(); ++i) first_target_[i] += first_target_[i - 1];
    reader_->select(std::move(wanted));
    fetch();
}

std::int64_t DiffSide::scaled(std::uint64_t ticks) const {
    constexpr auto limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() / 4);
    if (ticks > limit / static_cast<std::uint64_t>(config_.scale))
        throw WaveError(
            fmt::format("{}: the time #{} is too large to be compared", reader_->file(), ticks));
    return static_cast<std::int64_t>(ticks) * config_.scale;
}

void DiffSide::apply(std::uint32_t handle, std::string_view value) {
    const std::uint32_t last = first_target_[handle + 1];
    for (std::uint32_t i = first_target_[handle]; i < last; ++i) {
        const Target& target = targets_[i];
        char* room = values_.data() + target.place;
        switch (target.kind) {
            case Kind::bits:
                if (target.width == 1)
                    *room = value[0];
                else
                    std::memcpy(room, value.data(), target.width);
                break;
            case Kind::real:
                std::memcpy(room, value.data(), sizeof(double));
                break;
            case Kind::string:
                store_string(value, room);
                break;
            case Kind::event:
                break;
        }
        if (stamps_[target.pair] == step_) continue;
        stamps_[target.pair] = step_;
        touched_.push_back(target.pair);
    }
}

void DiffSide::begin_step() {
    ++step_;
    touched_.clear();
}

bool DiffSide::advance() {
    return config_.clocked ? advance_cycle() : advance_instant();
}

bool DiffSide::advance_instant() {
    begin_step();
    if (!more_) return false;
    const std::uint64_t now = ahead_.time;
    native_ = static_cast<std::uint64_t>(scaled(now));
    time_ = static_cast<std::int64_t>(native_) - config_.offset;
    while (more_ && ahead_.time == now) {
        apply(ahead_.handle, ahead_.value);
        fetch();
    }
    return true;
}

bool DiffSide::advance_cycle() {
    begin_step();
    bool any = false;
    while (true) {
        if (!holding_) {
            if (!more_) break;
            // Hold one instant back.
            held_.clear();
            held_bytes_.clear();
            const std::uint64_t now = ahead_.time;
            held_time_ = static_cast<std::uint64_t>(scaled(now));
            char clock = clock_;
            for (; more_ && ahead_.time == now; fetch()) {
                if (ahead_.handle == config_.clock && !ahead_.value.empty())
                    clock = ahead_.value.back();
                held_.push_back({ahead_.handle, held_bytes_.size(), ahead_.value.size()});
                held_bytes_ += ahead_.value;
            }
            held_rise_ =
                clock == '1' && clock_ != '1' && clock_ != 0 && held_time_ >= config_.clock_from;
            clock_ = clock;
            holding_ = true;
            if (held_rise_ && any) break;
        }
        if (held_rise_) {
            ++cycle_;
            cycle_native_ = held_time_;
            held_rise_ = false;
        }
        for (const Buffered& change : held_)
            apply(change.handle, std::string_view(held_bytes_).substr(change.from, change.length));
        holding_ = false;
        any = true;
    }
    if (!any) return false;
    // Cycles without any change of a compared signal need no step, but harm nothing either.
    native_ = cycle_native_;
    time_ = cycle_ - config_.cycle_offset;
    return true;
}

std::int64_t DiffSide::begin_time() const {
    // Cycle 0 is what precedes the first edge.
    return config_.clocked ? -config_.cycle_offset : first_instant();
}

std::int64_t DiffSide::end_time() const {
    return config_.clocked ? cycle_ - config_.cycle_offset : last_instant();
}

}  // namespace nicsim::waves
