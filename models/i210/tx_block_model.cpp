// SPDX-License-Identifier: Apache-2.0
#include "models/i210/tx_block_model.h"

#include <utility>

namespace nicsim::models::i210 {
namespace {

/// The unit of DTXMXPKTSZ and DMCTXTH (datasheet 8.25.2).
constexpr std::uint32_t packet_buffer_granule = 64;

}  // namespace

TxBlockModel::TxBlockModel(const TxBlockContext& context, std::unique_ptr<PacketBufferIf> buffer)
    : offers_(context.offers),
      store_(context.store),
      settings_(context.settings),
      clock_(context.clock),
      mac_(context.mac),
      buffer_(buffer ? std::move(buffer)
                     : std::make_unique<PacketBuffer>(context.path, queues, packet_buffer_granule)),
      legacy_(store_),
      qav_(store_, offers_, settings_, clock_, shapers_, mac_),
      fetch_time_alarm_("fetch_time", context.evaluate_fetch) {}

FetchState TxBlockModel::fetch_state(unsigned queue) {
    const TxPacket* packet = offers_.offered(queue);
    if (packet == nullptr) return FetchState::starved;
    if (!settings_.enabled) return FetchState::disabled;
    if (!fetch_time_reached(queue, *packet)) return FetchState::waiting_time;
    if (!buffer_->fetch_allowed(queue)) return FetchState::no_space;
    return FetchState::waiting_turn;
}

bool TxBlockModel::fetch_time_reached(unsigned queue, const TxPacket& packet) {
    if (!settings_.timed(queue)) return true;
    const std::uint32_t launch_ns = settings_.launch_ns(packet.context.launch);
    const std::uint32_t fetch_ns = earlier(launch_ns, settings_.fetch_delta_ns);
    // The launch time is asked too: it stays reached for half a second, and the fetch time would
    // end FetchTimeDelta before it.
    if (clock_.reached(fetch_ns, sim::now()) || clock_.reached(launch_ns, sim::now())) return true;
    const sim::Ps t = clock_.launch_time(fetch_ns, sim::now());
    if (t != sim::never) fetch_time_alarm_.at_latest(t);
    return false;
}

int TxBlockModel::choose_fetch() {
    QueueSet high{}, low{};
    bool any_high = false, any_low = false;
    for (unsigned q = 0; q < queues; ++q) {
        if (fetch_state(q) != FetchState::waiting_turn) continue;
        if (settings_.high_priority[q])
            high[q] = any_high = true;
        else
            low[q] = any_low = true;
    }
    if (!any_high && !any_low) return -1;
    const QueueSet& candidates = any_high ? high : low;
    FetchPolicy& round_robin = any_high ? high_round_robin_ : low_round_robin_;
    FetchPolicy& policy =
        settings_.fetch_most_empty ? static_cast<FetchPolicy&>(most_empty_) : round_robin;
    return static_cast<int>(policy.pick(candidates, *buffer_));
}

TransmitChoice TxBlockModel::choose_send() {
    TransmitPolicy& policy = settings_.qav ? static_cast<TransmitPolicy&>(qav_) : legacy_;
    return policy.choose();
}

void TxBlockModel::shaper_changed(unsigned queue, const TxShaperSettings& settings) {
    CreditShaper& shaper = shapers_[queue];
    shaper.set_idle_slope(settings.idle_slope);
    shaper.set_hi_credit(settings.hi_credit);
    shaper.set_keep_credits(settings.keep_credits);
}

void TxBlockModel::link_changed(std::uint64_t rate) {
    for (CreditShaper& shaper : shapers_) shaper.set_link_rate(rate);
}

void TxBlockModel::update_backlogs() {
    for (unsigned q = 0; q < sr_queues; ++q) shapers_[q].set_backlog(store_.ready(q) != 0);
}

void TxBlockModel::sending(unsigned queue, const MacTx::Times& times) {
    if (queue >= sr_queues) return;
    shapers_[queue].transmit(times.start, times.next);
    shapers_[queue].set_backlog(store_.ready(queue) != 0);
}

void TxBlockModel::reset() {
    fetch_time_alarm_.cancel();
    for (CreditShaper& shaper : shapers_) {
        shaper.reset();
        shaper.set_link_rate(mac_.link_rate());
    }
}

}  // namespace nicsim::models::i210
