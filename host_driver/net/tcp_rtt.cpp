// SPDX-License-Identifier: Apache-2.0
#include "host_driver/net/tcp_rtt.h"

#include <algorithm>

namespace nicsim::host {

namespace {
constexpr std::uint64_t rto_max_us = 120'000'000;
}

// Scaled as in Van Jacobson's paper and Linux: srtt by 8, deviations by 4, so that the shifts keep
// their fractions. A sample below the mean lowers the deviation only slowly (RFC 6298 would let a
// falling RTT raise the timeout).
void RttEstimator::sample(std::uint64_t rtt_us, std::uint64_t snd_una, std::uint64_t snd_nxt) {
    auto m = static_cast<std::int64_t>(std::max<std::uint64_t>(rtt_us, 1));
    auto srtt = static_cast<std::int64_t>(srtt8_us_);
    auto mdev = static_cast<std::int64_t>(mdev4_us_);
    if (srtt != 0) {
        m -= srtt >> 3;
        srtt += m;
        if (m < 0) {
            m = -m;
            m -= mdev >> 2;
            if (m > 0) m >>= 3;
        } else {
            m -= mdev >> 2;
        }
        mdev += m;
        mdev_max_us_ = std::max(mdev_max_us_, static_cast<std::uint64_t>(mdev));
        rttvar4_us_ = std::max(rttvar4_us_, mdev_max_us_);
        if (snd_una > round_end_) {
            if (mdev_max_us_ < rttvar4_us_) rttvar4_us_ -= (rttvar4_us_ - mdev_max_us_) >> 2;
            round_end_ = snd_nxt;
            mdev_max_us_ = rto_min_us_;
        }
    } else {
        srtt = m << 3;
        mdev = m << 1;
        rttvar4_us_ = std::max(static_cast<std::uint64_t>(mdev), rto_min_us_);
        mdev_max_us_ = rttvar4_us_;
        round_end_ = snd_nxt;
    }
    srtt8_us_ = static_cast<std::uint64_t>(std::max<std::int64_t>(srtt, 1));
    mdev4_us_ = static_cast<std::uint64_t>(mdev);
    rto_us_ = std::min((srtt8_us_ >> 3) + rttvar4_us_, rto_max_us);
    sample_min(rtt_us);
}

sim::Ps RttEstimator::rto(unsigned backoff) const {
    return std::min(rto_us_ << std::min(backoff, 20U), rto_max_us) * sim::ps_per_us;
}

}  // namespace nicsim::host
