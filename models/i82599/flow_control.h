// SPDX-License-Identifier: Apache-2.0
// Link flow control (IEEE 802.3 annex 31B, datasheet 3.7.5, 8.2.3.3): off until FCCFG, FCRTH and
// MFLCN turn it on. Sends XOFF when the receive packet buffer is filled above FCRTH, again as long
// as it lasts, and XON when it has fallen below FCRTL. Received pause frames stop the wire, that
// is all queues and classes; pause frames of this device are sent all the same. Loss of the link
// ends both directions' pauses (assumed: nobody is there to be waited for); a packet buffer that is
// still above FCRTH when it comes back sends XOFF again. After a reset the partner waits until its
// quanta are over, since nobody tells it more.
// Not modelled: priority flow control, thresholds of packet buffers 1-7, pause frames to the
// station's own address.
#pragma once

#include <array>
#include <cstdint>
#include <systemc>

#include "models/common/register_file.h"
#include "models/common/tx_wire.h"
#include "sim/frame.h"
#include "sim/pause.h"
#include "sim/probe.h"
#include "sim/stat.h"

namespace nicsim::models::i82599 {

class FlowControl : public sc_core::sc_module {
public:
    /// `address`: of the sender in pause frames.
    FlowControl(const sc_core::sc_module_name& name, const std::array<std::uint8_t, 6>& address,
                RegisterFile& registers, TxWire& wire);

    /// In bit/s, 0 without link.
    void set_link(std::uint64_t bits_per_second);
    /// The receive packet buffer holds so many bytes.
    void rx_fill(std::uint32_t bytes);
    /// A good frame has come in: acts on pause frames. True if it ends in the MAC.
    bool receive(const sim::Frame& frame);

    [[nodiscard]] const sim::PauseCounts& counts() const { return counts_; }
    void reset();
    void register_stats(sim::StatGroup& group);

private:
    void map(RegisterFile& file);
    void registers_changed(unsigned, std::uint32_t) { apply(); }
    void apply();
    void evaluate();
    void send(std::uint16_t quanta);
    void forget();
    std::uint64_t& sent(std::uint16_t quanta) {
        return quanta == 0 ? counts_.xon_sent : counts_.xoff_sent;
    }
    void pause(sim::Ps duration);

    std::array<std::uint8_t, 6> address_;
    TxWire& wire_;
    sim::PauseSender sender_;
    std::uint64_t rate_ = 0;
    std::uint32_t fill_ = 0;
    std::uint16_t last_sent_ = 0;
    sim::PauseCounts counts_;
    sim::RunDownProbe paused_;  ///< 1 while a received pause lasts
    sim::Probe xoff_;           ///< the partner was told to stop
    Register *fcttv_ = nullptr, *fcrtl_ = nullptr, *fcrth_ = nullptr, *fcrtv_ = nullptr;
    Register *fccfg_ = nullptr, *mflcn_ = nullptr;
};

}  // namespace nicsim::models::i82599
