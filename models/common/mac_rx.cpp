// SPDX-License-Identifier: Apache-2.0
#include "models/common/mac_rx.h"

#include <algorithm>
#include <utility>

namespace nicsim::models {

MacRx::MacRx(const sc_core::sc_module_name& name, sim::Ps latency,
             sim::Callback<const Arrival&> received, sim::Callback<bool> carrier)
    : sc_module(name),
      latency_(latency),
      received_(received),
      carrier_(carrier),
      line_("line", sim::TimedFifo<Pending>::Action::to<&MacRx::on_end>(this)) {}

void MacRx::deliver(const sim::FramePtr& frame, sim::Ps start, sim::Ps end) {
    if (!enabled_ || rate_ == 0) return;
    constexpr std::uint32_t smallest =
        sim::ethernet_preamble_bytes + sim::ethernet_min_frame_bytes + sim::ethernet_fcs_bytes;
    const bool padded = end - start >= sim::serialisation_time(smallest, rate_);
    const sim::Ps sfd = start + sim::serialisation_time(sim::ethernet_preamble_bytes, rate_);
    ++on_the_way_;
    line_.push(end + latency_, Pending{frame, sfd + latency_, epoch_, padded});
}

void MacRx::link_changed(bool up) {
    if (carrier_) carrier_(up);
}

std::uint64_t MacRx::reset() {
    ++epoch_;
    return std::exchange(on_the_way_, 0);
}

void MacRx::on_end(Pending pending) {
    if (pending.epoch != epoch_) return;
    --on_the_way_;
    const std::uint32_t length = pending.frame->length();
    if (pending.padded && length < sim::ethernet_min_frame_bytes) {
        pending.frame->resize(sim::ethernet_min_frame_bytes);
        const auto padding = pending.frame->bytes().subspan(length);
        std::fill(padding.begin(), padding.end(), std::uint8_t{0});
    }
    const Verdict verdict = judge(*pending.frame);
    received_(Arrival{std::move(pending.frame), pending.sfd, verdict});
}

MacRx::Verdict MacRx::judge(const sim::Frame& frame) const {
    const std::uint32_t length = frame.length() + sim::ethernet_fcs_bytes;
    if (!frame.fcs_good) return Verdict::crc_error;
    if (frame.length() < sim::ethernet_min_frame_bytes) return Verdict::undersize;
    return length > max_frame_ ? Verdict::oversize : Verdict::good;
}

}  // namespace nicsim::models
