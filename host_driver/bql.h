// SPDX-License-Identifier: Apache-2.0
// Byte queue limits: how many bytes may lie in a driver's ring, found by watching whether the ring
// ran empty between two completions. The algorithm of Linux' dynamic queue limits.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/time.h"

namespace nicsim::host {

class Bql {
public:
    /// Bytes may exceed the limit by one packet: the queue stops once they are above it.
    void sent(std::uint64_t bytes) {
        queued(bytes);
        if (available() < 0) stopped_ = true;
    }
    /// The same while more packets follow at once: only the last one may stop the queue.
    void queued(std::uint64_t bytes) {
        last_sent_ = bytes;
        queued_ += bytes;
    }
    /// Completion of `bytes` at `now`. Returns true if that lets a stopped queue run again.
    bool completed(std::uint64_t bytes, sim::Ps now);
    void reset() {
        const std::uint64_t least = min_limit;
        *this = Bql{};
        min_limit = least;
    }

    [[nodiscard]] bool stopped() const { return stopped_; }
    [[nodiscard]] std::uint64_t limit() const { return limit_; }
    [[nodiscard]] std::uint64_t in_flight() const { return queued_ - completed_; }
    /// Bytes that may still be sent; negative once the limit is exceeded.
    [[nodiscard]] std::int64_t available() const {
        return static_cast<std::int64_t>(limit_ + adjusted_at_) -
               static_cast<std::int64_t>(queued_);
    }

    std::uint64_t min_limit = 0;

private:
    static constexpr std::uint64_t max_limit = 1879048192;     ///< DQL_MAX_LIMIT
    static constexpr sim::Ps slack_hold_time = sim::ps_per_s;  ///< one second
    static constexpr std::uint64_t no_slack_seen = ~std::uint64_t{0};

    std::uint64_t queued_ = 0;     ///< ever
    std::uint64_t completed_ = 0;  ///< ever
    std::uint64_t limit_ = 0;
    std::uint64_t adjusted_at_ = 0;  ///< `completed_` when the limit was last looked at
    std::uint64_t last_sent_ = 0;
    std::uint64_t previous_queued_ = 0;
    std::uint64_t previous_over_limit_ = 0;
    std::uint64_t previous_last_sent_ = 0;
    std::uint64_t lowest_slack_ = no_slack_seen;
    sim::Ps slack_since_ = 0;
    bool stopped_ = false;
};

}  // namespace nicsim::host
