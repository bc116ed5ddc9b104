// SPDX-License-Identifier: Apache-2.0
#include "models/ar8151/tx_fetch.h"

#include <vector>

namespace nicsim::models::ar8151 {
namespace {

using sim::ActivityKind;

/// In the order of TxFetch::State. The sentences complete "... of the time: ".
std::vector<sim::ActivityState> states() {
    return {
        {"starved", ActivityKind::starved, "no complete packet on the device"},
        {"fetching", ActivityKind::busy, "reading a frame from host memory"},
        {"free_space", ActivityKind::blocked, "the transmit FIFO has no room for the next frame"},
        {"turn", ActivityKind::blocked, "reads of other queues' frames or the bus go first"},
        {"disabled", ActivityKind::blocked, "transmit disabled (TXQ_CTRL.EN)"},
    };
}

}  // namespace

TxFetch::TxFetch(const sc_core::sc_module_name& name, const Ar8151Config& config, DmaEngine& dma,
                 DmaEngine::Channel channel, const TxRegisters& registers, PacketBufferIf& fifo,
                 TxStore& store, TxQueues& queue_array)
    : TxFetchBase(name, dma, channel, store, config.tx_queues(), states()),
      strict_priority_(!config.mikrotik()),
      registers_(registers),
      fifo_(fifo),
      queues_(queue_array) {}

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

void TxFetch::reset() {
    next_ = 0;
    reader_.reset();
    for (unsigned q = 0; q < queues_.size(); ++q)
        enter(q, static_cast<std::size_t>(State::starved));
}

}  // namespace nicsim::models::ar8151
