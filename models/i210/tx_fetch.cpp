// SPDX-License-Identifier: Apache-2.0
#include "models/i210/tx_fetch.h"

#include <algorithm>
#include <string>
#include <utility>

namespace nicsim::models::i210 {
namespace {

using sim::ActivityKind;

/// In the order of FetchState. The sentences complete "... of the time: ".
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
                 TxBlockIf& block, TxStore& store, TxQueues& queue_array)
    : sc_module(name),
      dma_(dma),
      channel_(channel),
      block_(block),
      reader_(dma, channel, store, queues),
      queues_(queue_array),
      granted_(std::string(sc_module::name()) + ".grant") {
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

bool TxFetch::grant_one() {
    const int chosen = block_.choose_fetch();
    if (chosen < 0) return false;
    const auto queue = static_cast<unsigned>(chosen);
    granted_.made(queue);
    reader_.read(*queues_[queue], queue, queue);
    return true;
}

void TxFetch::update_activities() {
    for (unsigned q = 0; q < queues; ++q) {
        const FetchState state =
            reader_.fetching(q) != 0 ? FetchState::fetching : block_.fetch_state(q);
        activities_[q]->enter(static_cast<std::size_t>(state));
    }
}

void TxFetch::reset() {
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
