// SPDX-License-Identifier: Apache-2.0
#include "models/i210/tx_arbiter.h"

#include <string>
#include <utility>

namespace nicsim::models::i210 {
namespace {

using sim::ActivityKind;

/// In the order of WireState.
std::vector<sim::ActivityState> wire_states() {
    return {
        {"starved", ActivityKind::starved, "no complete frame in a packet buffer"},
        {"busy", ActivityKind::busy, "carrying a frame"},
        {"launch_guard", ActivityKind::blocked,
         "SP_WAIT_SR holds best effort back: a launch time is nearer than DTXMXPKTSZ bytes"},
        {"launch_time", ActivityKind::blocked, "the only frames stored wait for their launch time"},
        {"shaper_credit", ActivityKind::blocked, "the only frames stored wait for shaper credit"},
        {"off", ActivityKind::blocked, "no link, or transmit disabled (TCTL.EN)"},
    };
}

}  // namespace

TxArbiter::TxArbiter(const sc_core::sc_module_name& name, MacTx& mac, TxStore& store,
                     TxBlockIf& block, const TxSettings& settings)
    : sc_module(name),
      mac_(mac),
      store_(store),
      block_(block),
      settings_(settings),
      activity_(wire_states()),
      sent_(std::string(sc_module::name()) + ".send"),
      state_(std::string(sc_module::name()) + ".state", 3),
      winner_(std::string(sc_module::name()) + ".winner", 3) {}

void TxArbiter::evaluate() {
    drop_spoiled();
    block_.update_backlogs();
    if (on_wire_.frame) return;
    if (!mac_.idle() || !settings_.enabled) {
        enter(WireState::off);
        return;
    }
    const TransmitChoice choice = block_.choose_send();
    if (choice.queue >= 0) {
        send(static_cast<unsigned>(choice.queue));
        return;
    }
    enter(choice.reason);
}

void TxArbiter::send(unsigned queue) {
    on_wire_ = store_.take(queue);
    enter(WireState::busy);
    winner_.set(queue + 1);
    sent_.made(queue);
    const MacTx::Times times = mac_.send(on_wire_.frame);
    block_.sending(queue, times);
    const TxPacket& packet = *on_wire_.packet;
    if (packet.first.time_stamp && on_wire_.plan.last && time_stamp_) time_stamp_(times.start);
    if (life_cycle_ != nullptr && on_wire_.plan.last) {
        life_cycle_->stamp(queue, packet.number, sim::TxStage::wire_start, times.start);
        life_cycle_->stamp(queue, packet.number, sim::TxStage::wire_end, times.end);
    }
}

StoredFrame TxArbiter::take_sent() {
    winner_.set(0);
    return std::exchange(on_wire_, StoredFrame{});
}

void TxArbiter::drop_spoiled() {
    for (unsigned q = 0; q < queues; ++q) {
        while (store_.ready(q) != 0 && store_.oldest(q)->spoiled) {
            const StoredFrame frame = store_.take(q);
            block_.dropped(q);
            store_.release(q, frame.room);
            ++spoiled_;
        }
    }
}

void TxArbiter::reset() {
    on_wire_.room = 0;  // the packet buffer was emptied; the frame itself is finished
}

void TxArbiter::register_stats(sim::StatGroup& group) {
    group.activity("activity", "What the wire spends its time on.", activity_);
    group.loss("spoiled", "packets",
               "Frames not sent because the bus reported an error for their data.", spoiled_);
}

}  // namespace nicsim::models::i210
