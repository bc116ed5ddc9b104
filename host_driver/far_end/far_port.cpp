// SPDX-License-Identifier: Apache-2.0
#include "host_driver/far_end/far_port.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace nicsim::host {

FarPort::FarPort(const sc_core::sc_module_name& module_name, const FarPortConfig& config,
                 const MacAddress& address, const Cable& cable,
                 sim::Callback<const sim::FramePtr&> emit)
    : sc_module(module_name),
      config_(config),
      address_(address),
      cable_(cable),
      emit_(emit),
      sender_("pause", sim::Callback<std::uint16_t>::to<&FarPort::ask>(this)),
      level_alarm_("level", sim::Alarm::Action::to<&FarPort::look_at_level>(this)),
      wire_alarm_("wire", sim::Alarm::Action::to<&FarPort::evaluate>(this)),
      line_("line", sim::TimedFifo<sim::FramePtr>::Action::to<&FarPort::out_of_cable>(this)),
      xoff_(std::string(name()) + ".xoff", 1) {
    if (config.drain_rate != 0)
        buffer_ = std::make_unique<DrainBuffer>(config.drain_rate, config.buffer);
    sender_.set_link(cable.rate);
    sender_.set_times(static_cast<std::uint16_t>(config.pause_time),
                      static_cast<std::uint16_t>(config.pause_time / 2));
}

// ---- frames come in ----

sim::Ps FarPort::take(const sim::Frame& frame, sim::Ps end) {
    const sim::Ps arrival = end + cable_.delay;
    if (!frame.fcs_good) return arrival;  // takes no place; the receiver counts it
    if (config_.obeys() && sim::mac_control(frame) == sim::MacControl::pause) {
        const std::uint16_t quanta = sim::pause_quanta(frame);
        ++(quanta == 0 ? counts_.xon_received : counts_.xoff_received);
        gate_.receive(arrival, sim::pause_duration(quanta, cable_.rate));
        if (!waiting_.empty()) wire_alarm_.at_latest(std::max(arrival, wire_free_));
        return sim::never;
    }
    if (sim::mac_control(frame) != sim::MacControl::none) return sim::never;  // ends in any MAC
    if (!buffer_) return arrival;
    const sim::Ps left = buffer_->take(frame.length(), arrival);
    if (left != sim::never && config_.sends() && !sender_.stopped() && !level_alarm_.armed() &&
        buffer_->fill_at_arrival() > config_.xoff_above)
        level_alarm_.at(arrival);
    return left;
}

/// The buffer has just been filled above `xoff_above`, or may have fallen below `xon_below`.
void FarPort::look_at_level() {
    sender_.stop();
    const sim::Ps below = buffer_->falls_below(config_.xon_below);
    if (below <= sim::now())
        sender_.go(true);
    else
        level_alarm_.at(below);
    xoff_.set(sender_.stopped() ? 1 : 0);
}

// ---- frames go out ----

void FarPort::ask(std::uint16_t quanta) {
    const auto count = [this](std::uint16_t time) -> std::uint64_t& {
        return time == 0 ? counts_.xon_sent : counts_.xoff_sent;
    };
    if (control_) --count(last_asked_);  // it was never sent
    control_ = sim::make_pause_frame(address_, quanta);
    last_asked_ = quanta;
    ++count(quanta);
    evaluate();
}

void FarPort::send(const sim::FramePtr& frame, sim::Ps ready) {
    waiting_.push({frame, ready});
    if (waiting_.size() == 1) wire_alarm_.at_latest(std::max(ready, wire_free_));
}

void FarPort::evaluate() {
    const sim::Ps t = sim::now();
    if (t >= wire_free_) {
        if (control_)
            transmit(std::exchange(control_, {}));
        else if (!waiting_.empty() && waiting_.front().ready <= t && gate_.earliest(t) == t)
            transmit(waiting_.pop().frame);
    }
    if (control_)
        wire_alarm_.at(wire_free_);
    else if (!waiting_.empty())
        wire_alarm_.at(std::max({wire_free_, waiting_.front().ready, gate_.earliest(t)}));
}

void FarPort::transmit(sim::FramePtr frame) {
    const sim::Ps t = sim::now();
    wire_free_ = t + sim::serialisation_time(sim::wire_bytes(frame->length()), cable_.rate);
    line_.push(t + cable_.delay, std::move(frame));
}

// ---- figures ----

void FarPort::begin_measurement() {
    paused_before_ = gate_.total(sim::now());
    if (buffer_) buffer_->begin_measurement();
}

void FarPort::register_stats(sim::StatGroup& group) {
    group.counter("xoff_sent", "packets", "Pause frames sent that begin or prolong one.",
                  counts_.xoff_sent);
    group.counter("xon_sent", "packets", "Pause frames sent that end a pause.", counts_.xon_sent);
    group.counter("xoff_received", "packets", "Pause frames received that begin or prolong one.",
                  counts_.xoff_received);
    group.counter("xon_received", "packets", "Pause frames received that end a pause.",
                  counts_.xon_received);
    group.formula("paused_time", "ps", "Time that it was paused since the measurement began.",
                  [this] { return static_cast<double>(gate_.total(sim::now()) - paused_before_); });
    if (buffer_) buffer_->register_stats(group);
}

namespace {
constexpr std::uint64_t longest_frame = 1518;  ///< bytes, without jumbo frames
}

std::string FarPortConfig::check() const {
    const auto bytes = [](std::uint64_t n) {
        return sim::format_quantity(static_cast<double>(n), sim::Unit::bytes);
    };
    if (sends() && drain_rate == 0)
        return "flow_control: a far end that takes whatever comes never sends a pause frame; give "
               "it a drain_rate";
    if (drain_rate != 0 && buffer < longest_frame)
        return fmt::format("buffer: {} hold no frame of {}", bytes(buffer), bytes(longest_frame));
    if (!sends()) return {};
    if (xoff_above + longest_frame > buffer)
        return fmt::format(
            "xoff_above: {} leave no room for a frame of {} in the buffer's {}, which would never "
            "be filled above it",
            bytes(xoff_above), bytes(longest_frame), bytes(buffer));
    if (xon_below > xoff_above)
        return fmt::format("xon_below: {} is above xoff_above, {}", bytes(xon_below),
                           bytes(xoff_above));
    return {};
}

const sim::ParamTable& FarPortConfig::params() {
    using C = FarPortConfig;
    using sim::Unit;
    const sim::Source own = sim::assumed("a property of the experiment's switch");
    static const sim::ParamTable table =
        sim::ParamTableBuilder<C>()
            .add_choice("flow_control", &C::flow_control,
                        {{FarFlowControl::none, "none"},
                         {FarFlowControl::rx_pause, "rx_pause"},
                         {FarFlowControl::tx_pause, "tx_pause"},
                         {FarFlowControl::full, "full"}},
                        {.sentence = "Pause frames: obeyed with `rx_pause`, sent with `tx_pause` "
                                     "(which needs `drain_rate`), both with `full`.",
                         .source = own})
            .add("drain_rate", &C::drain_rate,
                 {.unit = Unit::bit_rate,
                  .min = 0,
                  .max = 1e12,
                  .sentence = "Makes the far end a switch whose other port has this rate: frames "
                              "leave its buffer one after the other, each with preamble and gap. "
                              "Without it whatever comes is taken.",
                  .source = own})
            .add("buffer", &C::buffer,
                 {.unit = Unit::bytes,
                  .min = 2048,
                  .max = 1e9,
                  .sentence = "Bytes of frames with FCS that the switch holds, with `drain_rate`; "
                              "a frame that finds no room is dropped.",
                  .source = sim::assumed("one port's share of a small switch's memory")})
            .add("xoff_above", &C::xoff_above,
                 {.unit = Unit::bytes,
                  .min = 64,
                  .max = 1e9,
                  .sentence = "Filled above this it sends XOFF; what is left of the buffer has to "
                              "hold what comes until the sender stops.",
                  .source = sim::assumed("three quarters of the buffer")})
            .add("xon_below", &C::xon_below,
                 {.unit = Unit::bytes,
                  .min = 64,
                  .max = 1e9,
                  .sentence = "Fallen below this it sends XON.",
                  .source = sim::assumed("half of the buffer")})
            .add("pause_time", &C::pause_time,
                 {.min = 16,
                  .max = 65535,
                  .sentence = "Quanta of 512 bit times that XOFF asks for; repeated when half of "
                              "them have passed.",
                  .source = sim::datasheet("IEEE 802.3, annex 31B: 0 to 65535")})
            .build();
    return table;
}

}  // namespace nicsim::host
