// SPDX-License-Identifier: Apache-2.0
#include "waves/ethernet_tap.h"

namespace nicsim::waves {

EthernetTap::EthernetTap(const sc_core::sc_module_name& name, PcapngWriter& writer,
                         std::uint32_t interface, Direction direction)
    : sc_module(name),
      in("in"),
      out("out"),
      writer_(writer),
      interface_(interface),
      direction_(direction) {
    in.bind(*this);
}

void EthernetTap::deliver(const sim::FramePtr& frame, sim::Ps start, sim::Ps end) {
    const sim::Frame& captured = *frame;
    writer_.frame(interface_, start, captured.bytes(), direction_, captured.fcs_good);
    out->deliver(frame, start, end);
}

void EthernetTap::link_changed(bool up) {
    out->link_changed(up);
}

}  // namespace nicsim::waves
