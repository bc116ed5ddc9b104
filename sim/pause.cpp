// SPDX-License-Identifier: Apache-2.0
#include "sim/pause.h"

#include <algorithm>
#include <cassert>

namespace nicsim::sim {
namespace {

constexpr std::array<std::uint8_t, 6> mac_group_address = {0x01, 0x80, 0xC2, 0x00, 0x00, 0x01};
constexpr std::uint16_t mac_control_type = 0x8808;
constexpr std::uint16_t pause_opcode = 1;
constexpr std::size_t source_at = 6, type_at = 12, opcode_at = 14, quanta_at = 16;
constexpr std::size_t shortest = 18;

std::uint16_t get16(std::span<const std::uint8_t> bytes, std::size_t at) {
    return static_cast<std::uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}

void put16(std::span<std::uint8_t> bytes, std::size_t at, std::uint16_t value) {
    bytes[at] = static_cast<std::uint8_t>(value >> 8);
    bytes[at + 1] = static_cast<std::uint8_t>(value);
}

}  // namespace

Ps pause_duration(std::uint32_t quanta, std::uint64_t bits_per_second) {
    if (bits_per_second == 0) return 0;
    return serialisation_time(std::uint64_t{quanta} * (pause_quantum_bits / 8), bits_per_second);
}

MacControl mac_control(const Frame& frame) {
    const auto bytes = frame.bytes();
    if (bytes.size() < shortest || get16(bytes, type_at) != mac_control_type)
        return MacControl::none;
    const bool to_mac =
        std::equal(mac_group_address.begin(), mac_group_address.end(), bytes.begin());
    return to_mac && get16(bytes, opcode_at) == pause_opcode ? MacControl::pause
                                                             : MacControl::other;
}

std::uint16_t pause_quanta(const Frame& frame) {
    return get16(frame.bytes(), quanta_at);
}

FramePtr make_pause_frame(const std::array<std::uint8_t, 6>& source, std::uint16_t quanta) {
    FramePtr frame = frame_pool().make();
    frame->resize(ethernet_min_frame_bytes);
    const auto bytes = frame->bytes();
    std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
    std::copy(mac_group_address.begin(), mac_group_address.end(), bytes.begin());
    std::copy(source.begin(), source.end(), bytes.begin() + source_at);
    put16(bytes, type_at, mac_control_type);
    put16(bytes, opcode_at, pause_opcode);
    put16(bytes, quanta_at, quanta);
    return frame;
}

// ---- obeying ----

void PauseGate::receive(Ps at, Ps duration) {
    settle(now());  // where nobody asks, nothing piles up
    assert(coming_.empty() || at >= coming_.back().at);
    coming_.push({at, at + duration});
}

/// Frames that have arrived by `t` take effect, each in place of what was before.
void PauseGate::settle(Ps t) {
    while (!coming_.empty() && coming_.front().at <= t) {
        const Change change = coming_.pop();
        total_ += std::max(std::min(until_, change.at), from_) - from_;
        from_ = change.at;
        until_ = change.until;
    }
}

Ps PauseGate::earliest(Ps t) {
    settle(t);
    Ps until = until_;
    for (std::size_t i = 0; i < coming_.size() && t < until; ++i) {
        const Change& change = coming_[i];
        if (until < change.at) break;
        t = change.at;
        until = change.until;
    }
    return std::max(t, until);
}

Ps PauseGate::total(Ps t) {
    settle(t);
    return total_ + std::max(std::min(t, until_), from_) - from_;
}

// ---- asking ----

PauseSender::PauseSender(const sc_core::sc_module_name& name, Callback<std::uint16_t> send)
    : sc_module(name), send_(send), again_("again", Alarm::Action::to<&PauseSender::ask>(this)) {}

void PauseSender::set_times(std::uint16_t quanta, std::uint16_t margin) {
    quanta_ = quanta;
    margin_ = margin;
}

void PauseSender::stop() {
    if (stopped_ || rate_ == 0) return;
    stopped_ = true;
    ask();
}

void PauseSender::ask() {
    send_(quanta_);
    if (quanta_ > margin_)
        again_.after(pause_duration(static_cast<std::uint32_t>(quanta_ - margin_), rate_));
}

void PauseSender::go(bool tell) {
    if (!stopped_) return;
    forget();
    if (tell) send_(0);
}

void PauseSender::forget() {
    stopped_ = false;
    again_.cancel();
}

}  // namespace nicsim::sim
