// SPDX-License-Identifier: Apache-2.0
#include "models/i82599/tx_fetch.h"

#include <algorithm>
#include <string>
#include <utility>

namespace nicsim::models::i82599 {
namespace {

using sim::ActivityKind;

/// In the order of TxFetch::State. The sentences complete "... of the time: ".
std::vector<sim::ActivityState> states() {
    return {
        {"starved", ActivityKind::starved, "no complete packet on the device"},
        {"fetching", ActivityKind::busy, "reading a frame from host memory"},
        {"free_space", ActivityKind::blocked, "the packet buffer is filled to TXPBTHRESH"},
        {"turn", ActivityKind::blocked, "reads of other queues' frames or the bus go first"},
        {"outstanding", ActivityKind::blocked,
         "bytes requested and not yet read are above DTXMXSZRQ"},
        {"disabled", ActivityKind::blocked, "transmit disabled (DMATXCTL.TE, RTTDCS.ARBDIS)"},
    };
}

}  // namespace

TxFetch::TxFetch(const sc_core::sc_module_name& name, DmaEngine& dma, DmaEngine::Channel channel,
                 const TxSettings& settings, PacketBufferIf& buffer, TxStore& store,
                 TxQueues& queue_array)
    : TxFetchBase(name, dma, channel, store, static_cast<unsigned>(queue_array.size()), states()),
      settings_(settings),
      buffer_(buffer),
      queues_(queue_array),
      outstanding_probe_(std::string(sc_module::name()) + ".outstanding_bytes", 20) {
    reader_.on_outstanding(sim::Callback<std::uint32_t>::to<&TxFetch::on_outstanding>(this));
}

void TxFetch::set_enabled(unsigned queue, bool enabled) {
    const auto at = std::lower_bound(active_.begin(), active_.end(), queue);
    const bool listed = at != active_.end() && *at == queue;
    if (enabled && !listed) active_.insert(at, queue);
    if (!enabled && listed) {
        active_.erase(at);
        enter(queue, static_cast<std::size_t>(State::starved));
    }
    next_ = 0;
}

TxFetch::State TxFetch::state_of(unsigned queue) const {
    if (queues_[queue]->next_packet() == nullptr) return State::starved;
    if (!settings_.enabled) return State::disabled;
    if (!buffer_.fetch_allowed(settings_.class_of(queue))) return State::no_space;
    if (reader_.outstanding() > settings_.outstanding_limit) return State::outstanding;
    return State::waiting_turn;
}

bool TxFetch::grant_one() {
    for (std::size_t i = 0; i < active_.size(); ++i) {
        const std::size_t at = (next_ + i) % active_.size();
        const unsigned queue = active_[at];
        if (state_of(queue) != State::waiting_turn) continue;
        next_ = at + 1;
        reader_.read(*queues_[queue], queue, settings_.class_of(queue));
        return true;
    }
    return false;
}

void TxFetch::update_activities() {
    for (const unsigned q : active_) update_activity(q);
}

void TxFetch::reset() {
    active_.clear();
    next_ = 0;
    reader_.reset();
    for (unsigned q = 0; q < queues_.size(); ++q)
        enter(q, static_cast<std::size_t>(State::starved));
}

}  // namespace nicsim::models::i82599
