// SPDX-License-Identifier: Apache-2.0
// The far end's port on the cable, where it is more than a wire into a machine that takes all: it
// obeys and sends pause frames (IEEE 802.3 annex 31B), and may belong to a switch that sends on at
// a slower rate and has a buffer for the difference. Pause frames do not wait for those that came
// before them, nor for a pause. Absent, and nothing to pay for, with the default settings.
// Not modelled: priority flow control, the time that a station may take to obey.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>

#include "host_driver/far_end/drain_buffer.h"
#include "host_driver/net/headers.h"
#include "sim/alarm.h"
#include "sim/callback.h"
#include "sim/frame.h"
#include "sim/param.h"
#include "sim/pause.h"
#include "sim/probe.h"
#include "sim/ring_queue.h"
#include "sim/stat.h"
#include "sim/timed_fifo.h"

namespace nicsim::host {

/// What the far end does with pause frames.
enum class FarFlowControl : std::uint8_t {
    none,
    rx_pause,  ///< obeys them
    tx_pause,  ///< sends them
    full,      ///< both
};

struct FarPortConfig {
    FarFlowControl flow_control = FarFlowControl::none;
    std::uint64_t drain_rate = 0;         ///< bit/s; 0: whatever comes
    std::uint64_t buffer = 64 << 10;      ///< bytes
    std::uint64_t xoff_above = 48 << 10;  ///< bytes
    std::uint64_t xon_below = 32 << 10;   ///< bytes
    std::uint64_t pause_time = 0xffff;    ///< quanta
    static const sim::ParamTable& params();

    [[nodiscard]] bool obeys() const {
        return flow_control == FarFlowControl::rx_pause || flow_control == FarFlowControl::full;
    }
    [[nodiscard]] bool sends() const {
        return flow_control == FarFlowControl::tx_pause || flow_control == FarFlowControl::full;
    }
    [[nodiscard]] bool plain() const {
        return flow_control == FarFlowControl::none && drain_rate == 0;
    }
    /// What contradicts itself, as "key: what is wrong"; empty if nothing does.
    [[nodiscard]] std::string check() const;
};

class FarPort : public sc_core::sc_module {
public:
    struct Cable {
        std::uint64_t rate = 0;  ///< bit/s
        sim::Ps delay = 0;       ///< one way
    };
    /// `emit`: a frame comes out of the cable at the other end, its first bit now.
    FarPort(const sc_core::sc_module_name& name, const FarPortConfig& config,
            const MacAddress& address, const Cable& cable,
            sim::Callback<const sim::FramePtr&> emit);

    /// A frame whose last bit leaves its sender at `end`. Gives when it has left the switch, or
    /// come in if there is none; `never` if it goes no further: dropped, or a pause frame.
    sim::Ps take(const sim::Frame& frame, sim::Ps end);
    /// Sends a frame that is ready at `ready`, after those before it.
    void send(const sim::FramePtr& frame, sim::Ps ready);

    [[nodiscard]] const sim::PauseCounts& counts() const { return counts_; }
    [[nodiscard]] std::uint64_t dropped() const { return buffer_ ? buffer_->dropped() : 0; }
    void begin_measurement();
    void register_stats(sim::StatGroup& group);

private:
    struct Waiting {
        sim::FramePtr frame;
        sim::Ps ready = 0;
    };
    void ask(std::uint16_t quanta);
    void look_at_level();
    void evaluate();
    void transmit(sim::FramePtr frame);
    void out_of_cable(const sim::FramePtr& frame) { emit_(frame); }

    FarPortConfig config_;
    MacAddress address_;
    Cable cable_;
    sim::Callback<const sim::FramePtr&> emit_;
    std::unique_ptr<DrainBuffer> buffer_;
    sim::PauseGate gate_;
    sim::PauseSender sender_;
    sim::Alarm level_alarm_;  ///< the buffer passes a threshold
    sim::Alarm wire_alarm_;   ///< something may be sent
    sim::TimedFifo<sim::FramePtr> line_;
    sim::RingQueue<Waiting> waiting_;
    sim::FramePtr control_;
    std::uint16_t last_asked_ = 0;
    sim::Ps wire_free_ = 0;
    sim::Ps paused_before_ = 0;
    sim::PauseCounts counts_;
    sim::Probe xoff_;  ///< the device was told to stop
};

}  // namespace nicsim::host
