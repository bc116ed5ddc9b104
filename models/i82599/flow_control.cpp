// SPDX-License-Identifier: Apache-2.0
#include "models/i82599/flow_control.h"

#include <string>

#include "models/i82599/registers.h"

namespace nicsim::models::i82599 {

namespace {
constexpr std::uint32_t link_flow_control = 1;  ///< FCCFG.TFCE
}  // namespace

FlowControl::FlowControl(const sc_core::sc_module_name& name,
                         const std::array<std::uint8_t, 6>& address, RegisterFile& registers,
                         TxWire& wire)
    : sc_module(name),
      address_(address),
      wire_(wire),
      sender_("sender", sim::Callback<std::uint16_t>::to<&FlowControl::send>(this)),
      paused_(std::string(sc_module::name()) + ".paused", 1),
      xoff_(std::string(sc_module::name()) + ".xoff", 1) {
    map(registers);
}

void FlowControl::map(RegisterFile& file) {
    const auto changed = WriteHook::to<&FlowControl::registers_changed>(this);
    fcttv_ = &file.add({.name = "FCTTV", .offset = reg::FCTTV, .count = 4, .write = changed});
    fcrtl_ = &file.add({.name = "FCRTL", .offset = reg::FCRTL, .count = 8, .write = changed});
    fcrth_ = &file.add({.name = "FCRTH", .offset = reg::FCRTH, .count = 8, .write = changed});
    fcrtv_ = &file.add({.name = "FCRTV", .offset = reg::FCRTV, .write = changed});
    fccfg_ = &file.add({.name = "FCCFG", .offset = reg::FCCFG, .write = changed});
    mflcn_ = &file.add({.name = "MFLCN", .offset = reg::MFLCN});
    file.add({.name = "PFCTOP", .offset = reg::PFCTOP, .reset = 0x0101'8808});
    file.add({.name = "TFCS", .offset = reg::TFCS, .reset = 0xFF, .access = Access::read_only});
}

void FlowControl::set_link(std::uint64_t bits_per_second) {
    if (bits_per_second == rate_) return;
    rate_ = bits_per_second;
    sender_.set_link(rate_);
    if (rate_ == 0) {
        forget();
        pause(0);
    } else {
        evaluate();
    }
}

void FlowControl::rx_fill(std::uint32_t bytes) {
    fill_ = bytes;
    evaluate();
}

void FlowControl::apply() {
    sender_.set_times(static_cast<std::uint16_t>(fcttv_->get(0)),
                      static_cast<std::uint16_t>(fcrtv_->get()));
    evaluate();
}

void FlowControl::evaluate() {
    const bool on = (fccfg_->get() >> fccfg::tfce_shift & 3U) == link_flow_control &&
                    (fcrth_->get(0) & fcrt::enable) != 0;
    const std::uint32_t low = fcrtl_->get(0);
    if (on && fill_ > (fcrth_->get(0) & fcrt::threshold_mask))
        sender_.stop();
    else if (!on || fill_ < (low & fcrt::threshold_mask))
        sender_.go((low & fcrt::enable) != 0);
    xoff_.set(sender_.stopped() ? 1 : 0);
}

/// A pause frame that still waits for the wire is replaced, and was never sent.
void FlowControl::send(std::uint16_t quanta) {
    if (wire_.send_control(sim::make_pause_frame(address_, quanta))) --sent(last_sent_);
    ++sent(quanta);
    last_sent_ = quanta;
}

/// What the partner was told no longer holds, and what waits for the wire is not sent.
void FlowControl::forget() {
    sender_.forget();
    xoff_.set(0);
    if (wire_.drop_control()) --sent(last_sent_);
}

bool FlowControl::receive(const sim::Frame& frame) {
    const sim::MacControl kind = sim::mac_control(frame);
    if (kind == sim::MacControl::none) return false;
    const std::uint32_t control = mflcn_->get();
    const bool passed = (control & mflcn::PMCF) != 0;
    if (kind != sim::MacControl::pause || (control & mflcn::RFCE) == 0) return !passed;
    const std::uint16_t quanta = sim::pause_quanta(frame);
    ++(quanta == 0 ? counts_.xon_received : counts_.xoff_received);
    pause(sim::pause_duration(quanta, rate_));
    return (control & mflcn::DPF) != 0 || !passed;
}

void FlowControl::pause(sim::Ps duration) {
    paused_.load(1, duration);
    wire_.pause(sim::now() + duration);
}

void FlowControl::reset() {
    forget();
    fill_ = 0;
    paused_.load(0, 0);
    apply();
}

void FlowControl::register_stats(sim::StatGroup& group) {
    group.counter("xon_sent", "packets", "Pause frames sent that end a pause.", counts_.xon_sent);
    group.counter("xoff_sent", "packets", "Pause frames sent that begin or prolong one.",
                  counts_.xoff_sent);
    group.counter("xon_received", "packets", "Pause frames received that end a pause.",
                  counts_.xon_received);
    group.counter("xoff_received", "packets", "Pause frames received that begin or prolong one.",
                  counts_.xoff_received);
}

}  // namespace nicsim::models::i82599
