// SPDX-License-Identifier: Apache-2.0
// Credit-based shaper (IEEE 802.1Q 8.6.8.2): a queue may send while its credit is not negative.
// Credit grows by the idle slope while the queue waits, falls by link rate minus idle slope while
// it sends (preamble to the end of the gap), and is computed only when somebody asks.
// A positive credit is lost when the queue has nothing to send, unless it is to be kept; a negative
// one recovers to zero in any case.
#pragma once

#include <cstdint>

#include "sim/time.h"

namespace nicsim::models {

class CreditShaper {
public:
    // From `t` on, which may be a clock before or behind now.
    void set_idle_slope(std::uint64_t bits_per_second, sim::Ps t);
    void set_hi_credit(std::uint64_t bytes, sim::Ps t);
    void set_keep_credits(bool keep, sim::Ps t);
    void set_link_rate(std::uint64_t bits_per_second) { link_rate_ = bits_per_second; }

    /// The queue has something to send, or no longer.
    void set_backlog(bool backlog, sim::Ps t);
    /// A frame occupies the wire from `start` to `next`.
    void transmit(sim::Ps start, sim::Ps next);
    [[nodiscard]] bool may_send();
    /// When the credit will have come back to zero; now if it is not negative, `never` if it will
    /// not.
    [[nodiscard]] sim::Ps ready_at();
    /// In bytes, rounded towards zero.
    [[nodiscard]] std::int64_t credit_bytes();
    void reset();

private:
    /// Bits times picoseconds per second: exact for rates in bit/s and times in ps.
    __extension__ using Credit = __int128;
    static constexpr Credit bit = sim::ps_per_s;

    void update(sim::Ps t);

    std::uint64_t idle_slope_ = 0;
    std::uint64_t link_rate_ = 0;
    Credit hi_credit_ = 0;
    bool keep_ = false;
    bool backlog_ = false;
    Credit credit_ = 0;
    sim::Ps since_ = 0;  ///< what credit_ is of; the end of the frame while one is being sent
};

}  // namespace nicsim::models
