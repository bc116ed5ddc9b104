// SPDX-License-Identifier: Apache-2.0
// Round-trip time estimation and the retransmission timeout (RFC 6298 as Linux computes it: the
// deviation falls slowly and is bounded below by the minimum timeout), and the least RTT seen.
// Linux' 300 s window of the least RTT is longer than any run and not modelled.
#pragma once

#include <cstdint>

#include "sim/time.h"

namespace nicsim::host {

class RttEstimator {
public:
    RttEstimator(sim::Ps rto_min, sim::Ps rto_initial)
        : rto_min_us_(rto_min / sim::ps_per_us), rto_us_(rto_initial / sim::ps_per_us) {}

    /// One sample in microseconds. `snd_una` and `snd_nxt` mark the rounds of the deviation.
    void sample(std::uint64_t rtt_us, std::uint64_t snd_una, std::uint64_t snd_nxt);
    /// A sample for the least RTT only.
    void sample_min(std::uint64_t rtt_us) {
        if (rtt_us < min_us_) min_us_ = rtt_us == 0 ? 1 : rtt_us;
    }

    [[nodiscard]] bool known() const { return srtt8_us_ != 0; }
    /// Smoothed RTT in eighths of a microsecond.
    [[nodiscard]] std::uint64_t srtt8_us() const { return srtt8_us_; }
    /// Least RTT; all ones before the first sample.
    [[nodiscard]] std::uint64_t min_us() const { return min_us_; }
    [[nodiscard]] sim::Ps rto(unsigned backoff) const;

private:
    std::uint64_t rto_min_us_;
    std::uint64_t rto_us_;
    std::uint64_t srtt8_us_ = 0;
    std::uint64_t mdev4_us_ = 0;
    std::uint64_t mdev_max_us_ = 0;
    std::uint64_t rttvar4_us_ = 0;
    std::uint64_t round_end_ = 0;
    std::uint64_t min_us_ = ~std::uint64_t{0};
};

}  // namespace nicsim::host
