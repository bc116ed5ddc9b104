// SPDX-License-Identifier: Apache-2.0
#include "models/common/tx_fetch.h"

#include <string>

namespace nicsim::models {

TxFetchBase::TxFetchBase(const sc_core::sc_module_name& name, DmaEngine& dma,
                         DmaEngine::Channel channel, TxStore& store, unsigned queues,
                         const std::vector<sim::ActivityState>& states)
    : sc_module(name), reader_(dma, channel, store, queues), dma_(dma), channel_(channel) {
    dma_.on_ready(channel_, sim::Callback<>::to<&TxFetchBase::evaluate>(this));
    for (unsigned q = 0; q < queues; ++q) {
        activities_.push_back(std::make_unique<sim::Activity>(states));
        state_probes_.push_back(std::make_unique<sim::Probe>(
            std::string(sc_module::name()) + ".queue" + std::to_string(q) + ".state", 3));
    }
}

void TxFetchBase::evaluate() {
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

void TxFetchBase::update_activities() {
    for (unsigned q = 0; q < activities_.size(); ++q) update_activity(q);
}

void TxFetchBase::update_activity(unsigned queue) {
    enter(queue, reader_.fetching(queue) != 0 ? fetching_state : waiting_state(queue));
}

void TxFetchBase::register_stats(sim::StatGroup& group) {
    for (unsigned q = 0; q < activities_.size(); ++q) {
        sim::StatGroup& g = group.group("queue" + std::to_string(q)).group("fetch");
        reader_.register_stats(q, g);
        g.activity("activity", "What the queue's data fetch spends its time on.", *activities_[q]);
    }
}

}  // namespace nicsim::models
