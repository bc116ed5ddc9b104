// SPDX-License-Identifier: Apache-2.0
#include "host_driver/far_end/drain_buffer.h"

#include <algorithm>

#include "sim/frame.h"

namespace nicsim::host {

using sim::ActivityKind;

DrainBuffer::DrainBuffer(std::uint64_t rate, std::uint64_t capacity)
    : rate_(rate),
      capacity_(capacity),
      activity_({{"starved", ActivityKind::starved, "nothing in its buffer"},
                 {"busy", ActivityKind::busy, "sending on at its drain rate"}}) {}

sim::Ps DrainBuffer::take(std::uint32_t frame_bytes, sim::Ps arrival) {
    settle();
    std::uint64_t fill = bytes_;
    for (std::size_t i = 0; i < stored_.size() && stored_[i].leaves <= arrival; ++i)
        fill -= stored_[i].bytes;
    const std::uint32_t bytes = std::max(frame_bytes, sim::ethernet_min_frame_bytes) +
                                static_cast<std::uint32_t>(sim::ethernet_fcs_bytes);
    if (fill + bytes > capacity_) {
        ++dropped_;
        return sim::never;
    }
    free_at_ =
        std::max(free_at_, arrival) + sim::serialisation_time(sim::wire_bytes(frame_bytes), rate_);
    stored_.push({arrival, free_at_, bytes});
    bytes_ += bytes;
    fill_at_arrival_ = fill + bytes;
    peak_ = std::max(peak_, fill_at_arrival_);
    // The account is kept as if the frame were in already: earlier by the time it still takes.
    activity_.enter_until(busy, free_at_ - (arrival - sim::now()), starved);
    return free_at_;
}

void DrainBuffer::settle() {
    const sim::Ps t = sim::now();
    while (!stored_.empty() && stored_.front().leaves <= t) {
        bytes_ -= stored_.pop().bytes;
        ++left_;
    }
}

std::uint64_t DrainBuffer::fill() {
    settle();
    std::uint64_t inside = bytes_;
    for (std::size_t i = stored_.size(); i > 0 && stored_[i - 1].arrival > sim::now(); --i)
        inside -= stored_[i - 1].bytes;
    return inside;
}

sim::Ps DrainBuffer::falls_below(std::uint64_t level) {
    std::uint64_t inside = fill();
    if (inside < level) return sim::now();
    for (std::size_t i = 0; i < stored_.size(); ++i) {
        inside -= std::min<std::uint64_t>(inside, stored_[i].bytes);
        if (inside < level) return stored_[i].leaves;
    }
    return free_at_;
}

void DrainBuffer::begin_measurement() {
    settle();
    left_before_ = left_;
    measured_from_ = sim::now();
    peak_ = fill();
}

double DrainBuffer::rate_of_frames() {
    settle();
    const sim::Ps span = sim::now() - measured_from_;
    return span == 0 ? 0.0 : static_cast<double>(left_ - left_before_) / sim::to_seconds(span);
}

void DrainBuffer::register_stats(sim::StatGroup& group) {
    group.activity("drain", "What its slower port spends its time on.", activity_);
    group.formula("drained_rate", "pps",
                  "Frames that left by the slower port since the "
                  "measurement began.",
                  [this] { return rate_of_frames(); });
    group.formula("buffer", "B", "Size of the buffer.",
                  [this] { return static_cast<double>(capacity_); });
    group.formula("fill", "B", "Bytes in the buffer at the end of the run.",
                  [this] { return static_cast<double>(fill()); });
    group.formula("peak_fill", "B", "Most bytes in the buffer since the measurement began.",
                  [this] { return static_cast<double>(peak_); });
    group.loss("dropped", "packets", "Frames that found the far end's buffer full.", dropped_);
}

}  // namespace nicsim::host
