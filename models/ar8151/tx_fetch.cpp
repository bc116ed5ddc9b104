// SPDX-License-Identifier: Apache-2.0
#include "models/ar8151/tx_fetch.h"

#include <string>

namespace nicsim::models::ar8151 {
namespace {

using sim::ActivityKind;

/// In the order of TxFetch::State.
std::vector<sim::ActivityState> states_of(unsigned queue) {
    const std::string who = "queue " + std::to_string(queue) + " data fetch ";
    return {
        {"starved", ActivityKind::starved, who + "has no complete packet on the device"},
        {"fetching", ActivityKind::busy, who + "reads a frame from host memory"},
        {"free_space", ActivityKind::blocked,
         who + "blocked: the transmit FIFO has no room for the next frame"},
        {"turn", ActivityKind::blocked, who + "blocked: reads of other frames or the bus go first"},
        {"disabled", ActivityKind::blocked, who + "blocked: transmit disabled (TXQ_CTRL.EN)"},
    };
}

}  // namespace

TxFetch::TxFetch(const sc_core::sc_module_name& name, const Ar8151Config& config, DmaEngine& dma,
                 DmaEngine::Channel channel, const TxRegisters& registers, PacketBufferIf& fifo,
                 TxStore& store, TxQueues& queue_array)
    : sc_module(name),
      strict_priority_(!config.mikrotik()),
      dma_(dma),
      channel_(channel),
      registers_(registers),
      fifo_(fifo),
      reader_(dma, channel, store, config.tx_queues()),
      queues_(queue_array) {
    dma_.on_ready(channel_, sim::Callback<>::to<&TxFetch::evaluate>(this));
    for (unsigned q = 0; q < queues_.size(); ++q)
        activities_.push_back(std::make_unique<sim::Activity>(states_of(q)));
}

void TxFetch::evaluate() {
    if (evaluating_) {  // a read that the bus took at once led back here
        again_ = true;
        return;
    }
    evaluating_ = true;
    do {
        again_ = false;
        while (dma_.ready(channel_) && grant_one()) {
        }
    } while (again_);
    update_activities();
    evaluating_ = false;
}

TxFetch::State TxFetch::state_of(unsigned queue) const {
    const TxPacket* packet = queues_[queue]->next_packet();
    if (packet == nullptr) return State::starved;
    if (!registers_.settings().enabled) return State::disabled;
    if (fifo_.free_bytes(0) < next_frame_length(*packet)) return State::no_space;
    return State::waiting_turn;
}

bool TxFetch::grant_one() {
    const auto count = static_cast<unsigned>(queues_.size());
    for (unsigned i = 0; i < count; ++i) {
        const unsigned queue = strict_priority_ ? count - 1 - i : (next_ + i) % count;
        if (state_of(queue) != State::waiting_turn) continue;
        next_ = queue + 1;
        reader_.read(*queues_[queue], queue, 0);
        return true;
    }
    return false;
}

void TxFetch::update_activities() {
    for (unsigned q = 0; q < queues_.size(); ++q) {
        const State state = reader_.fetching(q) != 0 ? State::fetching : state_of(q);
        activities_[q]->enter(static_cast<std::size_t>(state));
    }
}

void TxFetch::reset() {
    next_ = 0;
    reader_.reset();
    for (auto& activity : activities_) activity->enter(static_cast<std::size_t>(State::starved));
}

void TxFetch::register_stats(sim::StatGroup& group) {
    for (unsigned q = 0; q < queues_.size(); ++q) {
        sim::StatGroup& g = group.group("queue" + std::to_string(q)).group("fetch");
        reader_.register_stats(q, g);
        g.activity("activity", "What the queue's data fetch spends its time on.", *activities_[q]);
    }
}

}  // namespace nicsim::models::ar8151
