// SPDX-License-Identifier: Apache-2.0
// The buffer of a switch whose other port is slower than the one that fills it: frames are stored
// whole, leave in the order they came, each with preamble and gap, and are dropped if they find no
// room when their last bit is in. All times are computed; nothing here wakes up.
// Not modelled: buffers shared among ports, cells, cut-through.
#pragma once

#include <cstdint>

#include "sim/activity.h"
#include "sim/ring_queue.h"
#include "sim/stat.h"
#include "sim/time.h"

namespace nicsim::host {

class DrainBuffer {
public:
    /// `rate`: bit/s of the other port's wire; `capacity` in bytes of frames with FCS.
    DrainBuffer(std::uint64_t rate, std::uint64_t capacity);

    /// A frame (its length without FCS) has come in whole at `arrival`, now or later but not before
    /// that of an earlier one. Gives when it has left; `never` if it was dropped.
    sim::Ps take(std::uint32_t frame_bytes, sim::Ps arrival);
    /// Bytes inside when the last frame had come in.
    [[nodiscard]] std::uint64_t fill_at_arrival() const { return fill_at_arrival_; }
    /// Bytes inside now.
    std::uint64_t fill();
    /// When less than `level` bytes will be inside, now or later, if nothing else comes.
    sim::Ps falls_below(std::uint64_t level);

    [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
    void begin_measurement();
    void register_stats(sim::StatGroup& group);

private:
    struct Stored {
        sim::Ps arrival = 0;
        sim::Ps leaves = 0;
        std::uint32_t bytes = 0;
    };
    enum State : std::size_t { starved, busy };
    void settle();
    [[nodiscard]] double rate_of_frames();

    std::uint64_t rate_;
    std::uint64_t capacity_;
    sim::RingQueue<Stored> stored_;
    std::uint64_t bytes_ = 0;  ///< of what is in `stored_`, some of it perhaps still coming in
    std::uint64_t fill_at_arrival_ = 0;
    std::uint64_t peak_ = 0;
    sim::Ps free_at_ = 0;  ///< the other port's wire
    std::uint64_t dropped_ = 0;
    std::uint64_t left_ = 0, left_before_ = 0;
    sim::Ps measured_from_ = 0;
    sim::Activity activity_;
};

}  // namespace nicsim::host
