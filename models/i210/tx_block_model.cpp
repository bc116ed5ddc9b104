// SPDX-License-Identifier: Apache-2.0
#include "models/i210/tx_block_model.h"

#include <utility>

namespace nicsim::models::i210 {
namespace {

/// The unit of DTXMXPKTSZ and DMCTXTH (datasheet 8.25.2).
constexpr std::uint32_t packet_buffer_granule = 64;

}  // namespace

TxBlockModel::TxBlockModel(const TxBlockContext& context, std::unique_ptr<PacketBufferIf> buffer)
    : ClockedTxBlock(context),
      buffer_(buffer ? std::move(buffer)
                     : std::make_unique<PacketBuffer>(context.path, queues, packet_buffer_granule)),
      legacy_(context.store),
      qav_(context.store, context.offers, context.settings, context.clock, shapers_, context.mac) {}

ClockedTxBlock::Decided TxBlockModel::clock(std::uint64_t edge) {
    advance(edge - edges_done());
    Decided decided;
    if (clears(edge)) return decided;
    if (can_fetch()) decided.fetch = choose_queue();
    if (!can_send()) return decided;
    const TransmitChoice choice = order().choose();
    decided.send = choice.queue;
    decided.reason = choice.reason;
    return decided;
}

int TxBlockModel::choose_queue() {
    QueueSet high{}, low{};
    bool any_high = false, any_low = false;
    for (unsigned q = 0; q < queues; ++q) {
        if (fetch_state(q) != FetchState::waiting_turn) continue;
        if (context_.settings.high_priority[q])
            high[q] = any_high = true;
        else
            low[q] = any_low = true;
    }
    if (!any_high && !any_low) return -1;
    const QueueSet& candidates = any_high ? high : low;
    FetchPolicy& round_robin = any_high ? high_round_robin_ : low_round_robin_;
    FetchPolicy& policy =
        context_.settings.fetch_most_empty ? static_cast<FetchPolicy&>(most_empty_) : round_robin;
    return static_cast<int>(policy.pick(candidates, *buffer_));
}

void TxBlockModel::set_shaper(unsigned queue, const TxShaperSettings& settings) {
    // The next edge takes the credit of the clock before it with what is set then.
    const sim::Ps t = Edges::time_of(next_edge() - 1);
    CreditShaper& shaper = shapers_[queue];
    shaper.set_idle_slope(settings.idle_slope, t);
    shaper.set_hi_credit(settings.hi_credit, t);
    shaper.set_keep_credits(settings.keep_credits, t);
}

void TxBlockModel::set_link(std::uint64_t rate) {
    for (CreditShaper& shaper : shapers_) shaper.set_link_rate(rate);
}

void TxBlockModel::take_backlogs() {
    const sim::Ps edge = Edges::time_of(next_edge());
    for (unsigned q = 0; q < sr_queues; ++q)
        shapers_[q].set_backlog(context_.store.ready(q) != 0, edge);
}

void TxBlockModel::take_sending(unsigned queue, const MacTx::Times& times) {
    if (queue >= sr_queues) return;
    shapers_[queue].transmit(times.start, times.next);
    shapers_[queue].set_backlog(context_.store.ready(queue) != 0, sim::now());
}

void TxBlockModel::clear_block() {
    for (CreditShaper& shaper : shapers_) {
        shaper.reset();
        shaper.set_link_rate(context_.mac.link_rate());
    }
}

}  // namespace nicsim::models::i210
