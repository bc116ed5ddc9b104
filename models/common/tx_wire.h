// SPDX-License-Identifier: Apache-2.0
// Sends stored frames: whenever the wire is free, pause frames of this device first, then the
// oldest frame of the store's partitions (traffic classes), which are served in turn. While the
// partner pauses the link no data start; it wakes by itself only for the end of a pause with frames
// waiting.
// Not modelled: priorities and bandwidth of classes, pausing of single classes (PFC).
#pragma once

#include <cstdint>
#include <systemc>

#include "models/common/mac_tx.h"
#include "models/common/tx_store.h"
#include "sim/activity.h"
#include "sim/alarm.h"
#include "sim/callback.h"
#include "sim/life_cycle.h"
#include "sim/probe.h"
#include "sim/stat.h"

namespace nicsim::models {

class TxWire : public sc_core::sc_module {
public:
    TxWire(const sc_core::sc_module_name& name, MacTx& mac, TxStore& store, unsigned classes);

    void set_life_cycle(sim::LifeCycle* life_cycle) { life_cycle_ = life_cycle; }
    /// A MAC control frame goes out as soon as the wire is free, paused or not. One that still
    /// waits is replaced: then true.
    bool send_control(const sim::FramePtr& frame);
    /// Forgets one that waits; true if there was one.
    bool drop_control();
    /// The partner allows no data until `until`; now or earlier ends a pause. A frame on the wire
    /// is finished.
    void pause(sim::Ps until);

    /// Sends what may be sent. Called by whatever may have changed the answer.
    void evaluate();
    /// The data frame whose gap is over, taken out; empty if there was none on the wire.
    StoredFrame take_sent();
    /// Its traffic class.
    [[nodiscard]] unsigned sent_class() const { return wire_class_; }
    /// A frame was dropped since the bus reported an error for its data.
    void on_spoiled(sim::Callback<> callback) { on_spoiled_ = callback; }
    /// No data frame is on the wire.
    [[nodiscard]] bool idle() const { return !on_wire_.frame; }
    void reset();
    void register_stats(sim::StatGroup& group);

private:
    enum class State : std::uint8_t { starved, busy, paused, off };
    void enter(State state) {
        activity_.enter(static_cast<std::size_t>(state));
        state_.set(static_cast<std::uint64_t>(state));
    }
    [[nodiscard]] int next_class() const;
    void send(unsigned traffic_class);
    void drop_spoiled();

    MacTx& mac_;
    TxStore& store_;
    unsigned classes_;
    sim::Alarm resume_alarm_;
    StoredFrame on_wire_;
    unsigned wire_class_ = 0;
    sim::FramePtr control_;
    sim::Ps paused_until_ = 0;
    unsigned next_ = 0;  ///< class that is asked first
    sim::LifeCycle* life_cycle_ = nullptr;
    sim::Callback<> on_spoiled_;
    std::uint64_t spoiled_ = 0;
    sim::Activity activity_;
    sim::Probe state_;   ///< State
    sim::Probe winner_;  ///< class + 1; 0 while no data frame is sent
};

}  // namespace nicsim::models
