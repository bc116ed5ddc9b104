// SPDX-License-Identifier: Apache-2.0
#include "host_driver/bql.h"

namespace nicsim::host {
namespace {

/// a - b, not below zero.
constexpr std::uint64_t excess(std::uint64_t a, std::uint64_t b) {
    return a > b ? a - b : 0;
}

}  // namespace

bool Bql::completed(std::uint64_t bytes, sim::Ps now) {
    if (bytes == 0) return false;
    const std::uint64_t completed = completed_ + bytes;
    std::uint64_t limit = limit_;
    std::uint64_t over_limit = excess(queued_ - completed_, limit);
    const std::uint64_t in_progress = queued_ - completed;
    const std::uint64_t was_in_progress = previous_queued_ - completed_;
    const bool all_of_before_done = completed >= previous_queued_;

    if ((over_limit != 0 && in_progress == 0) ||
        (previous_over_limit_ != 0 && all_of_before_done)) {
        // The stack was held back by the limit and the ring ran empty: the limit is too low.
        limit += excess(completed, previous_queued_) + previous_over_limit_;
        slack_since_ = now;
        lowest_slack_ = no_slack_seen;
    } else if (in_progress != 0 && was_in_progress != 0 && !all_of_before_done) {
        // The ring was never empty: what was not needed in the worst case of the hold time can go.
        const std::uint64_t unused =
            excess(limit + previous_over_limit_, 2 * (completed - completed_));
        const std::uint64_t last_packet =
            previous_over_limit_ != 0 ? excess(previous_last_sent_, previous_over_limit_) : 0;
        lowest_slack_ = std::min(lowest_slack_, std::max(unused, last_packet));
        if (now > slack_since_ + slack_hold_time) {
            limit = excess(limit, lowest_slack_);
            slack_since_ = now;
            lowest_slack_ = no_slack_seen;
        }
    }

    limit = std::clamp(limit, min_limit, max_limit);
    if (limit != limit_) {
        limit_ = limit;
        over_limit = 0;
    }
    adjusted_at_ = completed;
    previous_over_limit_ = over_limit;
    previous_last_sent_ = last_sent_;
    completed_ = completed;
    previous_queued_ = queued_;

    if (available() < 0 || !stopped_) return false;
    stopped_ = false;
    return true;
}

}  // namespace nicsim::host
