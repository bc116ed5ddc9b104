// SPDX-License-Identifier: Apache-2.0
#include "models/i210/tx_fetch.h"

#include <algorithm>
#include <string>
#include <utility>

namespace nicsim::models::i210 {
namespace {

using sim::ActivityKind;

/// In the order of TxFetch::State. The sentences complete "... of the time: ".
std::vector<sim::ActivityState> states() {
    return {
        {"starved", ActivityKind::starved, "no complete packet on the device"},
        {"fetching", ActivityKind::busy, "reading a frame from host memory"},
        {"free_space", ActivityKind::blocked, "free packet-buffer space not above DTXMXPKTSZ"},
        {"turn", ActivityKind::blocked, "reads of other queues' frames or the bus go first"},
        {"fetch_time", ActivityKind::blocked,
         "fetch time (launch time - FetchTimeDelta) not reached"},
        {"disabled", ActivityKind::blocked, "transmit disabled (TCTL.EN)"},
    };
}

}  // namespace

TxFetch::TxFetch(const sc_core::sc_module_name& name, DmaEngine& dma, DmaEngine::Channel channel,
                 const SystemTime& clock, const TxSettings& settings, PacketBufferIf& buffer,
                 TxStore& store, TxQueues& queue_array)
    : sc_module(name),
      dma_(dma),
      channel_(channel),
      clock_(clock),
      settings_(settings),
      buffer_(buffer),
      reader_(dma, channel, store, queues),
      queues_(queue_array),
      fetch_time_alarm_("fetch_time", sim::Alarm::Action::to<&TxFetch::evaluate>(this)) {
    dma_.on_ready(channel_, sim::Callback<>::to<&TxFetch::evaluate>(this));
    for (unsigned q = 0; q < queues; ++q)
        activities_.push_back(std::make_unique<sim::Activity>(states()));
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

TxFetch::State TxFetch::state_of(unsigned queue) {
    const TxPacket* packet = queues_[queue]->next_packet();
    if (packet == nullptr) return State::starved;
    if (!settings_.enabled) return State::disabled;
    if (!fetch_time_reached(queue, *packet)) return State::waiting_time;
    if (!buffer_.fetch_allowed(queue)) return State::no_space;
    return State::waiting_turn;
}

bool TxFetch::fetch_time_reached(unsigned queue, const TxPacket& packet) {
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

bool TxFetch::grant_one() {
    QueueSet high{}, low{};
    bool any_high = false, any_low = false;
    for (unsigned q = 0; q < queues; ++q) {
        if (state_of(q) != State::waiting_turn) continue;
        if (settings_.high_priority[q])
            high[q] = any_high = true;
        else
            low[q] = any_low = true;
    }
    if (!any_high && !any_low) return false;
    const QueueSet& candidates = any_high ? high : low;
    FetchPolicy& round_robin = any_high ? high_round_robin_ : low_round_robin_;
    FetchPolicy& policy =
        settings_.fetch_most_empty ? static_cast<FetchPolicy&>(most_empty_) : round_robin;
    const unsigned queue = policy.pick(candidates, buffer_);
    reader_.read(*queues_[queue], queue, queue);
    return true;
}

void TxFetch::update_activities() {
    for (unsigned q = 0; q < queues; ++q) {
        const State state = reader_.fetching(q) != 0 ? State::fetching : state_of(q);
        activities_[q]->enter(static_cast<std::size_t>(state));
    }
}

void TxFetch::reset() {
    fetch_time_alarm_.cancel();
    reader_.reset();
    update_activities();
}

void TxFetch::register_stats(sim::StatGroup& group) {
    for (unsigned q = 0; q < queues; ++q) {
        sim::StatGroup& g = group.group("queue" + std::to_string(q)).group("fetch");
        reader_.register_stats(q, g);
        g.activity("activity", "What the queue's data fetch spends its time on.", *activities_[q]);
    }
}

}  // namespace nicsim::models::i210
