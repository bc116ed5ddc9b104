// SPDX-License-Identifier: Apache-2.0
// The MAC of the cable end that a traffic generator sends on: takes the pause frames that come back
// on that cable and hands everything else on to whoever takes the port's frames.
#pragma once

#include <systemc>

#include "host_driver/far_end/traffic_generator.h"
#include "sim/doors.h"
#include "sim/pause.h"

namespace nicsim::host {

class PauseTap : public sc_core::sc_module, private sim::EthernetIf {
public:
    sc_core::sc_export<sim::EthernetIf> in{"in"};
    sc_core::sc_port<sim::EthernetIf> out{"out"};

    PauseTap(const sc_core::sc_module_name& name, TrafficGenerator& generator)
        : sc_module(name), generator_(generator) {
        in.bind(*this);
    }

private:
    void deliver(const sim::FramePtr& frame, sim::Ps start, sim::Ps end) override {
        if (frame->fcs_good && sim::mac_control(*frame) == sim::MacControl::pause)
            generator_.take_pause(*frame, end);
        else
            out->deliver(frame, start, end);
    }
    void link_changed(bool up) override { out->link_changed(up); }

    TrafficGenerator& generator_;
};

}  // namespace nicsim::host
