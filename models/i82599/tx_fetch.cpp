// SPDX-License-Identifier: Apache-2.0
#include "models/i82599/tx_fetch.h"

#include <algorithm>
#include <string>
#include <utility>

namespace nicsim::models::i82599 {
namespace {

using sim::ActivityKind;

/// In the order of TxFetch::State.
std::vector<sim::ActivityState> states_of(unsigned queue) {
    const std::string who = "queue " + std::to_string(queue) + " data fetch ";
    return {
        {"starved", ActivityKind::starved, who + "has no complete packet on the device"},
        {"fetching", ActivityKind::busy, who + "reads a frame from host memory"},
        {"free_space", ActivityKind::blocked,
         who + "blocked: the packet buffer is filled to TXPBTHRESH"},
        {"turn", ActivityKind::blocked,
         who + "blocked: reads of other queues' frames or the bus go first"},
        {"outstanding", ActivityKind::blocked,
         who + "blocked: bytes requested and not yet read are above DTXMXSZRQ"},
        {"disabled", ActivityKind::blocked,
         who + "blocked: transmit disabled (DMATXCTL.TE, RTTDCS.ARBDIS)"},
    };
}

}  // namespace

TxFetch::TxFetch(const sc_core::sc_module_name& name, DmaEngine& dma, DmaEngine::Channel channel,
                 const TxSettings& settings, PacketBufferIf& buffer, TxStore& store,
                 TxQueues& queue_array)
    : sc_module(name),
      dma_(dma),
      channel_(channel),
      settings_(settings),
      buffer_(buffer),
      store_(store),
      queues_(queue_array),
      fetching_(queue_array.size(), 0),
      frames_(queue_array.size(), 0),
      octets_(queue_array.size(), 0),
      outstanding_probe_(std::string(sc_module::name()) + ".outstanding_bytes", 20) {
    dma_.on_ready(channel_, sim::Callback<>::to<&TxFetch::evaluate>(this));
    for (unsigned q = 0; q < queues_.size(); ++q)
        activities_.push_back(std::make_unique<sim::Activity>(states_of(q)));
}

void TxFetch::set_enabled(unsigned queue, bool enabled) {
    const auto at = std::lower_bound(active_.begin(), active_.end(), queue);
    const bool listed = at != active_.end() && *at == queue;
    if (enabled && !listed) active_.insert(at, queue);
    if (!enabled && listed) {
        active_.erase(at);
        activities_[queue]->enter(static_cast<std::size_t>(State::starved));
    }
    next_ = 0;
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
    if (queues_[queue]->next_packet() == nullptr) return State::starved;
    if (!settings_.enabled) return State::disabled;
    if (!buffer_.fetch_allowed(settings_.class_of(queue))) return State::no_space;
    if (outstanding_ > settings_.outstanding_limit) return State::outstanding;
    return State::waiting_turn;
}

bool TxFetch::grant_one() {
    for (std::size_t i = 0; i < active_.size(); ++i) {
        const std::size_t at = (next_ + i) % active_.size();
        const unsigned queue = active_[at];
        if (state_of(queue) != State::waiting_turn) continue;
        next_ = at + 1;
        grant(queue);
        return true;
    }
    return false;
}

void TxFetch::grant(unsigned queue) {
    StoredFrame stored;
    stored.plan = queues_[queue]->take_frame(pieces_, stored.packet);
    stored.room = stored.plan.length;
    stored.frame = sim::frame_pool().make();
    stored.frame->resize(stored.plan.length);
    stored.frame->queue = queue;
    stored.frame->sequence = stored.packet->number;
    Read read;
    read.queue = queue;
    read.traffic_class = settings_.class_of(queue);
    for (const DmaSegment& piece : pieces_) read.bytes += piece.length;
    ++frames_[queue];
    octets_[queue] += read.bytes;
    ++fetching_[queue];
    outstanding_ += read.bytes;
    outstanding_probe_.set(outstanding_);
    std::uint8_t* destination = stored.frame->bytes().data() + stored.plan.offset;
    read.number = store_.reserve(read.traffic_class, std::move(stored));
    dma_.read(channel_, pieces_, destination, DmaEngine::Done::to<&TxFetch::on_data>(this),
              remember(read));
}

std::uint64_t TxFetch::remember(const Read& read) {
    if (free_reads_.empty()) {
        reads_.push_back(read);
        return reads_.size() - 1;
    }
    const std::uint32_t slot = free_reads_.back();
    free_reads_.pop_back();
    reads_[slot] = read;
    return slot;
}

void TxFetch::on_data(std::uint64_t cookie, bool ok) {
    const Read read = reads_[cookie];
    free_reads_.push_back(static_cast<std::uint32_t>(cookie));
    outstanding_ -= read.bytes;
    outstanding_probe_.set(outstanding_);
    --fetching_[read.queue];
    store_.arrive(read.traffic_class, read.number, ok);
}

void TxFetch::update_activities() {
    for (const unsigned q : active_) {
        const State state = fetching_[q] != 0 ? State::fetching : state_of(q);
        activities_[q]->enter(static_cast<std::size_t>(state));
    }
}

void TxFetch::reset() {
    active_.clear();
    next_ = 0;
    reads_.clear();
    free_reads_.clear();
    outstanding_ = 0;
    outstanding_probe_.set(0);
    std::fill(fetching_.begin(), fetching_.end(), 0U);
    for (auto& activity : activities_) activity->enter(static_cast<std::size_t>(State::starved));
}

void TxFetch::register_stats(sim::StatGroup& group) {
    for (unsigned q = 0; q < queues_.size(); ++q) {
        sim::StatGroup& g = group.group("queue" + std::to_string(q)).group("fetch");
        g.counter("frames", "packets", "Frames whose data fetch was granted.", frames_[q]);
        g.counter("octets", "B", "Bytes read from host memory for them.", octets_[q]);
        g.activity("activity", "What the queue's data fetch spends its time on.", *activities_[q]);
    }
}

}  // namespace nicsim::models::i82599
