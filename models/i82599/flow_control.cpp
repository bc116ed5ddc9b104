// SPDX-License-Identifier: Apache-2.0
#include "models/i82599/flow_control.h"

#include <algorithm>

#include "models/common/internet_checksum.h"
#include "models/i82599/registers.h"

namespace nicsim::models::i82599 {

namespace {
constexpr std::array<std::uint8_t, 6> pause_address = {0x01, 0x80, 0xC2, 0x00, 0x00, 0x01};
constexpr std::uint16_t mac_control = 0x8808;
constexpr std::uint16_t pause_opcode = 1;
constexpr std::uint32_t quantum_bits = 512;
constexpr std::uint32_t link_flow_control = 1;  ///< FCCFG.TFCE
}  // namespace

FlowControl::FlowControl(const sc_core::sc_module_name& name,
                         const std::array<std::uint8_t, 6>& address, RegisterFile& registers,
                         TxWire& wire)
    : sc_module(name),
      address_(address),
      wire_(wire),
      refresh_alarm_("refresh", sim::Alarm::Action::to<&FlowControl::refresh>(this)) {
    map(registers);
}

void FlowControl::map(RegisterFile& file) {
    fcttv_ = &file.add({.name = "FCTTV", .offset = reg::FCTTV, .count = 4});
    fcrtl_ = &file.add({.name = "FCRTL", .offset = reg::FCRTL, .count = 8});
    fcrth_ = &file.add({.name = "FCRTH", .offset = reg::FCRTH, .count = 8});
    fcrtv_ = &file.add({.name = "FCRTV", .offset = reg::FCRTV});
    fccfg_ = &file.add({.name = "FCCFG", .offset = reg::FCCFG});
    mflcn_ = &file.add({.name = "MFLCN", .offset = reg::MFLCN});
    file.add({.name = "PFCTOP", .offset = reg::PFCTOP, .reset = 0x0101'8808});
    file.add({.name = "TFCS", .offset = reg::TFCS, .reset = 0xFF, .access = Access::read_only});
}

sim::Ps FlowControl::quanta(std::uint32_t count) const {
    return rate_ == 0 ? 0 : sim::serialisation_time(std::uint64_t{count} * quantum_bits / 8, rate_);
}

void FlowControl::rx_fill(std::uint32_t bytes) {
    const bool on = (fccfg_->get() >> fccfg::tfce_shift & 3U) == link_flow_control &&
                    (fcrth_->get(0) & fcrt::enable) != 0;
    if (!xoff_ && on && bytes > (fcrth_->get(0) & fcrt::threshold_mask)) {
        xoff_ = true;
        refresh();
    } else if (xoff_ && (!on || bytes < (fcrtl_->get(0) & fcrt::threshold_mask))) {
        xoff_ = false;
        refresh_alarm_.cancel();
        if ((fcrtl_->get(0) & fcrt::enable) != 0) send(0);
    }
}

/// Sends XOFF, and again before the partner's pause has run out: after FCTTV - FCRTV.
void FlowControl::refresh() {
    const std::uint32_t time = fcttv_->get(0) & 0xFFFF;
    const std::uint32_t threshold = fcrtv_->get() & 0xFFFF;
    send(time);
    if (time > threshold) refresh_alarm_.after(std::max(quanta(time - threshold), quanta(1)));
}

void FlowControl::send(std::uint32_t time) {
    if (rate_ == 0) return;
    const sim::FramePtr frame = sim::frame_pool().make();
    frame->resize(sim::ethernet_min_frame_bytes);
    const auto bytes = frame->bytes();
    std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
    std::copy(pause_address.begin(), pause_address.end(), bytes.begin());
    std::copy(address_.begin(), address_.end(), bytes.begin() + 6);
    put_be16(bytes, 12, mac_control);
    put_be16(bytes, 14, pause_opcode);
    put_be16(bytes, 16, static_cast<std::uint16_t>(time));
    ++(time == 0 ? counts_.xon_sent : counts_.xoff_sent);
    wire_.send_control(frame);
}

bool FlowControl::receive(const sim::Frame& frame) {
    const auto bytes = frame.bytes();
    if (bytes.size() < 18 || get_be16(bytes, 12) != mac_control) return false;
    const std::uint32_t control = mflcn_->get();
    const bool for_mac = std::equal(pause_address.begin(), pause_address.end(), bytes.begin());
    if (for_mac && get_be16(bytes, 14) == pause_opcode && (control & mflcn::RFCE) != 0) {
        const std::uint32_t time = get_be16(bytes, 16);
        ++(time == 0 ? counts_.xon_received : counts_.xoff_received);
        wire_.pause(sim::now() + quanta(time));
        return (control & mflcn::DPF) != 0 || (control & mflcn::PMCF) == 0;
    }
    return (control & mflcn::PMCF) == 0;
}

void FlowControl::reset() {
    refresh_alarm_.cancel();
    xoff_ = false;
}

}  // namespace nicsim::models::i82599
