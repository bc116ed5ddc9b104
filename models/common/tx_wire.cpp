// SPDX-License-Identifier: Apache-2.0
#include "models/common/tx_wire.h"

#include <string>
#include <utility>

namespace nicsim::models {
namespace {

using sim::ActivityKind;

/// In the order of TxWire::State.
std::vector<sim::ActivityState> wire_states() {
    return {
        {"starved", ActivityKind::starved, "no complete frame in a packet buffer"},
        {"busy", ActivityKind::busy, "carrying a frame"},
        {"paused", ActivityKind::blocked, "paused by the link partner"},
        {"off", ActivityKind::blocked, "no link"},
    };
}

}  // namespace

TxWire::TxWire(const sc_core::sc_module_name& name, MacTx& mac, TxStore& store, unsigned classes)
    : sc_module(name),
      mac_(mac),
      store_(store),
      classes_(classes),
      resume_alarm_("resume", sim::Alarm::Action::to<&TxWire::evaluate>(this)),
      activity_(wire_states()),
      state_(std::string(sc_module::name()) + ".state", 2),
      winner_(std::string(sc_module::name()) + ".winner", 4) {}

bool TxWire::send_control(const sim::FramePtr& frame) {
    const bool replaced = static_cast<bool>(control_);
    control_ = frame;
    evaluate();
    return replaced;
}

bool TxWire::drop_control() {
    return static_cast<bool>(std::exchange(control_, {}));
}

void TxWire::pause(sim::Ps until) {
    paused_until_ = until;
    resume_alarm_.cancel();
    evaluate();
}

int TxWire::next_class() const {
    for (unsigned i = 0; i < classes_; ++i) {
        const unsigned tc = (next_ + i) % classes_;
        if (store_.ready(tc) != 0) return static_cast<int>(tc);
    }
    return -1;
}

void TxWire::evaluate() {
    drop_spoiled();
    if (!mac_.idle()) {
        if (mac_.link_rate() == 0) enter(State::off);
        return;
    }
    if (control_) {
        enter(State::busy);
        mac_.send(std::exchange(control_, {}));
        return;
    }
    const int tc = next_class();
    if (tc < 0) {
        enter(State::starved);
    } else if (sim::now() < paused_until_) {
        resume_alarm_.at(paused_until_);
        enter(State::paused);
    } else {
        send(static_cast<unsigned>(tc));
    }
}

void TxWire::send(unsigned traffic_class) {
    next_ = traffic_class + 1;
    on_wire_ = store_.take(traffic_class);
    wire_class_ = traffic_class;
    enter(State::busy);
    winner_.set(traffic_class + 1);
    const MacTx::Times times = mac_.send(on_wire_.frame);
    if (life_cycle_ == nullptr || !on_wire_.plan.last) return;
    const std::uint32_t queue = on_wire_.frame->queue;
    life_cycle_->stamp(queue, on_wire_.packet->number, sim::TxStage::wire_start, times.start);
    life_cycle_->stamp(queue, on_wire_.packet->number, sim::TxStage::wire_end, times.end);
}

StoredFrame TxWire::take_sent() {
    winner_.set(0);
    return std::exchange(on_wire_, StoredFrame{});
}

void TxWire::drop_spoiled() {
    for (unsigned tc = 0; tc < classes_; ++tc) {
        while (store_.ready(tc) != 0 && store_.oldest(tc)->spoiled) {
            const StoredFrame frame = store_.take(tc);
            store_.release(tc, frame.room);
            ++spoiled_;
            if (on_spoiled_) on_spoiled_();
        }
    }
}

void TxWire::reset() {
    resume_alarm_.cancel();
    control_ = {};
    paused_until_ = 0;
    next_ = 0;
    on_wire_.room = 0;  // the packet buffer was emptied; the frame itself is finished
}

void TxWire::register_stats(sim::StatGroup& group) {
    group.activity("activity", "What the wire spends its time on.", activity_);
    group.loss("spoiled", "packets",
               "Frames not sent because the bus reported an error for their data.", spoiled_);
}

}  // namespace nicsim::models
