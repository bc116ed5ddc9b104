// SPDX-License-Identifier: Apache-2.0
#include "models/common/credit_shaper.h"

#include <algorithm>

namespace nicsim::models {

void CreditShaper::set_idle_slope(std::uint64_t bits_per_second, sim::Ps t) {
    update(t);
    idle_slope_ = bits_per_second;
}

void CreditShaper::set_hi_credit(std::uint64_t bytes, sim::Ps t) {
    update(t);
    hi_credit_ = static_cast<Credit>(bytes) * 8 * bit;
}

void CreditShaper::set_keep_credits(bool keep, sim::Ps t) {
    update(t);
    keep_ = keep;
}

void CreditShaper::set_backlog(bool backlog, sim::Ps t) {
    if (backlog == backlog_) return;
    update(t);
    backlog_ = backlog;
}

void CreditShaper::transmit(sim::Ps start, sim::Ps next) {
    update(start);
    const auto slope = static_cast<Credit>(idle_slope_) - static_cast<Credit>(link_rate_);
    credit_ += slope * static_cast<Credit>(next - start);
    since_ = next;
}

bool CreditShaper::may_send() {
    update(sim::now());
    return credit_ >= 0;
}

sim::Ps CreditShaper::ready_at() {
    update(sim::now());
    if (credit_ >= 0) return sim::now();
    if (idle_slope_ == 0) return sim::never;
    const auto slope = static_cast<Credit>(idle_slope_);
    return since_ + static_cast<sim::Ps>((-credit_ + slope - 1) / slope);
}

std::int64_t CreditShaper::credit_bytes() {
    update(sim::now());
    return static_cast<std::int64_t>(credit_ / bit / 8);
}

void CreditShaper::reset() {
    *this = CreditShaper{};
}

void CreditShaper::update(sim::Ps t) {
    if (t < since_) return;
    if (!backlog_ && !keep_) credit_ = std::min<Credit>(credit_, 0);
    const Credit grown =
        credit_ + static_cast<Credit>(idle_slope_) * static_cast<Credit>(t - since_);
    const Credit limit = backlog_ ? hi_credit_ : keep_ ? std::max<Credit>(credit_, 0) : 0;
    // A frame may have been sent at any credit; only growth is limited.
    if (grown > credit_) credit_ = std::max(credit_, std::min(grown, limit));
    since_ = t;
}

}  // namespace nicsim::models
