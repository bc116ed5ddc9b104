// SPDX-License-Identifier: Apache-2.0
// The sending half of an Ethernet MAC, full duplex: puts one frame at a time on the wire with
// preamble, padding, FCS and inter-packet gap. One event per frame, when the gap after it is over.
// Frames start on edges of the MAC's byte clock (8 ns at 1 Gbit/s). Not modelled: half duplex, the
// pause frames of IEEE 802.3x, time inside of MAC and PHY.
#pragma once

#include <cstdint>
#include <string>
#include <systemc>

#include "sim/activity.h"
#include "sim/alarm.h"
#include "sim/callback.h"
#include "sim/doors.h"
#include "sim/frame.h"
#include "sim/probe.h"
#include "sim/stat.h"

namespace nicsim::models {

class MacTx : public sc_core::sc_module {
public:
    /// `on_idle`: the gap after a frame is over, or the link came up.
    MacTx(const sc_core::sc_module_name& name, sim::Callback<> on_idle);

    sc_core::sc_port<sim::EthernetIf> out{"out"};

    /// 0: no link; a frame on the wire is finished all the same.
    void set_link(std::uint64_t bits_per_second);
    [[nodiscard]] std::uint64_t link_rate() const { return rate_; }
    /// A frame may be given to send().
    [[nodiscard]] bool idle() const { return rate_ != 0 && !idle_alarm_.armed(); }

    struct Times {
        sim::Ps start = 0;  ///< first preamble bit
        sim::Ps end = 0;    ///< last bit of the FCS
        sim::Ps next = 0;   ///< the gap is over
    };
    /// Pads the frame if it is short and sends it. Only when idle().
    Times send(const sim::FramePtr& frame);

    void register_stats(sim::StatGroup& group);

private:
    void on_gap_over();

    sim::Callback<> on_idle_;
    sim::Alarm idle_alarm_;
    std::uint64_t rate_ = 0;
    sim::Clock byte_clock_{8 * sim::ps_per_ns};
    std::uint64_t frames_ = 0;
    std::uint64_t octets_ = 0;      ///< with FCS
    std::uint64_t wire_bytes_ = 0;  ///< with preamble and gap
    sim::Probe wire_busy_;
};

}  // namespace nicsim::models
