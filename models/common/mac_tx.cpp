// SPDX-License-Identifier: Apache-2.0
#include "models/common/mac_tx.h"

#include <algorithm>
#include <cassert>

namespace nicsim::models {

MacTx::MacTx(const sc_core::sc_module_name& name, sim::Callback<> on_idle)
    : sc_module(name),
      on_idle_(on_idle),
      idle_alarm_("gap", sim::Alarm::Action::to<&MacTx::on_gap_over>(this)),
      wire_busy_(std::string(sc_module::name()) + ".wire_busy", 1) {}

void MacTx::set_link(std::uint64_t bits_per_second) {
    if (bits_per_second == rate_) return;
    rate_ = bits_per_second;
    if (rate_ == 0) return;
    byte_clock_ = sim::Clock(sim::serialisation_time(1, rate_));
    if (idle()) on_idle_();
}

MacTx::Times MacTx::send(const sim::FramePtr& frame) {
    assert(idle());
    const std::uint32_t length = frame->length();
    if (length < sim::ethernet_min_frame_bytes) {
        frame->resize(sim::ethernet_min_frame_bytes);
        std::fill(frame->bytes().begin() + length, frame->bytes().end(), std::uint8_t{0});
    }
    const std::uint32_t on_wire = sim::wire_bytes(frame->length());
    Times times;
    times.start = byte_clock_.edge_at_or_after(sim::now());
    times.end = times.start + sim::serialisation_time(on_wire - sim::ethernet_ipg_bytes, rate_);
    times.next = times.start + sim::serialisation_time(on_wire, rate_);
    ++frames_;
    octets_ += frame->length() + sim::ethernet_fcs_bytes;
    wire_bytes_ += on_wire;
    wire_busy_.set(1);
    idle_alarm_.at(times.next);
    out->deliver(frame, times.start, times.end);
    return times;
}

void MacTx::on_gap_over() {
    wire_busy_.set(0);
    on_idle_();
}

void MacTx::register_stats(sim::StatGroup& group) {
    group.counter("frames", "packets", "Frames sent.", frames_);
    group.counter("octets", "B", "Bytes sent, from destination address through FCS.", octets_);
    group.counter("wire_bytes", "B", "Byte times used, with preamble and inter-packet gap.",
                  wire_bytes_);
}

}  // namespace nicsim::models
