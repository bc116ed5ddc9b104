// SPDX-License-Identifier: Apache-2.0
// Sends stored frames: whenever the wire is free it asks the packet buffer (TxBlockIf) for the
// next one.
// Not modelled: the arbiter that shares the MAC with management traffic.
#pragma once

#include <cstdint>
#include <systemc>

#include "models/common/mac_tx.h"
#include "models/common/tx_store.h"
#include "models/i210/tx_block.h"
#include "models/i210/tx_settings.h"
#include "sim/activity.h"
#include "sim/callback.h"
#include "sim/decision.h"
#include "sim/life_cycle.h"
#include "sim/probe.h"
#include "sim/stat.h"

namespace nicsim::models::i210 {

class TxArbiter : public sc_core::sc_module {
public:
    TxArbiter(const sc_core::sc_module_name& name, MacTx& mac, TxStore& store, TxBlockIf& block,
              const TxSettings& settings);

    void on_timestamp(sim::Callback<sim::Ps> callback) { time_stamp_ = callback; }
    void set_life_cycle(sim::LifeCycle* life_cycle) { life_cycle_ = life_cycle; }

    /// Sends what may be sent. Called by whatever may have changed the answer.
    void evaluate();
    /// The frame whose gap is over, taken out; empty if none was on the wire.
    StoredFrame take_sent();
    void reset();
    void register_stats(sim::StatGroup& group);

private:
    void send(unsigned queue);
    void drop_spoiled();
    void enter(WireState state) {
        activity_.enter(static_cast<std::size_t>(state));
        state_.set(static_cast<std::uint64_t>(state));
    }

    MacTx& mac_;
    TxStore& store_;
    TxBlockIf& block_;
    const TxSettings& settings_;
    StoredFrame on_wire_;
    sim::Callback<sim::Ps> time_stamp_;
    sim::LifeCycle* life_cycle_ = nullptr;
    std::uint64_t spoiled_ = 0;
    sim::Activity activity_;
    sim::Decision sent_;  ///< queue
    sim::Probe state_;    ///< WireState
    sim::Probe winner_;   ///< queue + 1; 0 while nobody sends
};

}  // namespace nicsim::models::i210
