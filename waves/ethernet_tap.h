// SPDX-License-Identifier: Apache-2.0
// A tap in an Ethernet link: captures what passes in one direction and hands it on unchanged and
// at once. The time of a frame is that of its first preamble bit, so both directions of a link
// captured into one file are in order of time.
#pragma once

#include <systemc>

#include "sim/doors.h"
#include "waves/pcapng.h"

namespace nicsim::waves {

class EthernetTap : public sc_core::sc_module, public sim::EthernetIf {
public:
    sc_core::sc_export<sim::EthernetIf> in;
    sc_core::sc_port<sim::EthernetIf> out;

    /// `writer` must live as long as frames pass.
    EthernetTap(const sc_core::sc_module_name& name, PcapngWriter& writer, std::uint32_t interface,
                Direction direction);

    void deliver(const sim::FramePtr& frame, sim::Ps start, sim::Ps end) override;
    void link_changed(bool up) override;

private:
    PcapngWriter& writer_;
    std::uint32_t interface_;
    Direction direction_;
};

}  // namespace nicsim::waves
