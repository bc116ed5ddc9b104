// SPDX-License-Identifier: Apache-2.0
// Link flow control (IEEE 802.3 annex 31B, datasheet 3.7.5, 8.2.3.3): off until FCCFG, FCRTH and
// MFLCN turn it on. Sends XOFF when the receive packet buffer is filled above FCRTH, again as long
// as it lasts, and XON when it has fallen below FCRTL. Received pause frames stop the wire.
// Not modelled: priority flow control, thresholds of packet buffers 1-7.
#pragma once

#include <array>
#include <cstdint>
#include <systemc>

#include "models/common/register_file.h"
#include "models/common/tx_wire.h"
#include "sim/alarm.h"
#include "sim/frame.h"

namespace nicsim::models::i82599 {

struct FlowCounts {
    std::uint64_t xon_sent = 0, xoff_sent = 0, xon_received = 0, xoff_received = 0;
};

class FlowControl : public sc_core::sc_module {
public:
    /// `address`: of the sender in pause frames.
    FlowControl(const sc_core::sc_module_name& name, const std::array<std::uint8_t, 6>& address,
                RegisterFile& registers, TxWire& wire);

    void set_link(std::uint64_t bits_per_second) { rate_ = bits_per_second; }
    /// The receive packet buffer holds so many bytes.
    void rx_fill(std::uint32_t bytes);
    /// A good frame has come in: acts on pause frames. True if it ends in the MAC.
    bool receive(const sim::Frame& frame);

    [[nodiscard]] const FlowCounts& counts() const { return counts_; }
    void reset();

private:
    void map(RegisterFile& file);
    [[nodiscard]] sim::Ps quanta(std::uint32_t count) const;
    void send(std::uint32_t time);
    void refresh();

    std::array<std::uint8_t, 6> address_;
    TxWire& wire_;
    sim::Alarm refresh_alarm_;
    std::uint64_t rate_ = 0;
    bool xoff_ = false;  ///< the partner was told to stop
    FlowCounts counts_;
    Register *fcttv_ = nullptr, *fcrtl_ = nullptr, *fcrth_ = nullptr, *fcrtv_ = nullptr;
    Register *fccfg_ = nullptr, *mflcn_ = nullptr;
};

}  // namespace nicsim::models::i82599
