// SPDX-License-Identifier: Apache-2.0
#include "host_driver/far_end/tcp_receiver.h"

#include <algorithm>

namespace nicsim::host {

void TcpReceiver::open(std::uint32_t syn_sequence, std::uint32_t timestamp) {
    if (!open_) {
        base_ = syn_sequence + 1;
        quick_left_ = policy_.quick_acks;
        open_ = true;
    }
    timestamp_recent_ = timestamp;
}

std::uint64_t TcpReceiver::offset_of(std::uint32_t sequence) const {
    const auto distance = static_cast<std::int32_t>(sequence - next_sequence());
    return next_ + static_cast<std::uint64_t>(static_cast<std::int64_t>(distance));
}

// The reader takes everything at once; the kernel opens the window as the bytes come in.
std::uint64_t TcpReceiver::window() const {
    return std::min(policy_.max_window, policy_.initial_window + 2 * next_);
}

TcpReceiver::Taken TcpReceiver::take(std::uint32_t sequence, std::uint32_t length,
                                     std::uint32_t piece, std::uint32_t timestamp) {
    Taken taken;
    const std::uint64_t begin = offset_of(sequence);
    const std::uint64_t end = begin + length;
    taken.offset = begin;
    // Offsets below zero (a segment from before the stream) wrap to huge numbers.
    const bool behind = begin > end || static_cast<std::int64_t>(end - next_) <= 0;
    if (behind) {
        taken.duplicate = length;
        taken.reply = Reply::now;
        return taken;
    }
    const bool early = static_cast<std::int64_t>(begin - next_) > 0;
    if (end > next_ + window()) {
        taken.out_of_window = true;
        taken.reply = Reply::now;
        return taken;
    }
    if (static_cast<std::int64_t>(begin - acknowledged_) <= 0) timestamp_recent_ = timestamp;
    if (early) {
        taken.out_of_order = true;
        taken.duplicate = length - insert(begin, end);
        taken.reply = Reply::now;
        return taken;
    }
    taken.duplicate = next_ - begin;
    const std::uint64_t before = next_;
    next_ = end;
    const bool had_holes = !beyond_.empty();
    std::size_t joined = 0;
    while (joined < beyond_.size() && beyond_[joined].begin <= next_) {
        next_ = std::max(next_, beyond_[joined].end);
        ++joined;
    }
    beyond_.erase(beyond_.begin(), beyond_.begin() + static_cast<std::ptrdiff_t>(joined));
    taken.delivered = next_ - before;
    segment_ = std::max(segment_, piece);
    const bool enough = next_ - acknowledged_ > segment_;
    taken.reply = had_holes || enough || quick_left_ > 0 ? Reply::now : Reply::delayed;
    return taken;
}

/// Adds a range behind a hole; returns the bytes that are new.
std::uint64_t TcpReceiver::insert(std::uint64_t begin, std::uint64_t end) {
    std::uint64_t known = 0;
    std::size_t i = 0;
    while (i < beyond_.size() && beyond_[i].end < begin) ++i;
    Range merged{begin, end};
    std::size_t last = i;
    while (last < beyond_.size() && beyond_[last].begin <= end) {
        const std::uint64_t low = std::max(beyond_[last].begin, begin);
        const std::uint64_t high = std::min(beyond_[last].end, end);
        known += high > low ? high - low : 0;
        merged.begin = std::min(merged.begin, beyond_[last].begin);
        merged.end = std::max(merged.end, beyond_[last].end);
        ++last;
    }
    const auto at = beyond_.begin() + static_cast<std::ptrdiff_t>(i);
    beyond_.insert(beyond_.erase(at, beyond_.begin() + static_cast<std::ptrdiff_t>(last)), merged);
    return end - begin - known;
}

}  // namespace nicsim::host
