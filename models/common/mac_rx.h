// SPDX-License-Identifier: Apache-2.0
// The receiving half of an Ethernet MAC, full duplex: takes frames from the wire and hands them on,
// whole and judged (FCS, length), when their last bit has come through. One event per frame.
// A frame object shorter than the minimum that took the time of a whole one was padded by its
// sender and is received so.
// Not modelled: pause frames, half duplex, symbol errors, the time from bit to bit.
#pragma once

#include <cstdint>
#include <systemc>

#include "sim/callback.h"
#include "sim/doors.h"
#include "sim/frame.h"
#include "sim/timed_fifo.h"

namespace nicsim::models {

class MacRx : public sc_core::sc_module, public sim::EthernetIf {
public:
    enum class Verdict : std::uint8_t { good, crc_error, undersize, oversize };
    struct Arrival {
        sim::FramePtr frame;
        sim::Ps sfd = 0;  ///< when the start delimiter passed the MAC
        Verdict verdict = Verdict::good;
    };

    /// `latency`: from the wire to the callback. `carrier` is told of the link's loss and return.
    MacRx(const sc_core::sc_module_name& name, sim::Ps latency,
          sim::Callback<const Arrival&> received, sim::Callback<bool> carrier);

    /// Disabled (or without link, rate 0) it ignores what begins to arrive.
    void set_enabled(bool enabled) { enabled_ = enabled; }
    void set_link(std::uint64_t bits_per_second) { rate_ = bits_per_second; }
    /// Longest frame with FCS that is not oversize.
    void set_max_frame(std::uint32_t bytes) { max_frame_ = bytes; }
    /// Frames on their way in are lost. Returns how many.
    std::uint64_t reset();

    // ---- EthernetIf ----
    void deliver(const sim::FramePtr& frame, sim::Ps start, sim::Ps end) override;
    void link_changed(bool up) override;

private:
    struct Pending {
        sim::FramePtr frame;
        sim::Ps sfd = 0;
        std::uint32_t epoch = 0;
        bool padded = false;
    };
    void on_end(Pending pending);
    [[nodiscard]] Verdict judge(const sim::Frame& frame) const;

    sim::Ps latency_;
    sim::Callback<const Arrival&> received_;
    sim::Callback<bool> carrier_;
    sim::TimedFifo<Pending> line_;
    std::uint64_t rate_ = 0;
    std::uint32_t max_frame_ = 1518;
    std::uint32_t epoch_ = 0;
    std::uint64_t on_the_way_ = 0;
    bool enabled_ = false;
};

}  // namespace nicsim::models
