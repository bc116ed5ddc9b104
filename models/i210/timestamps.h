// SPDX-License-Identifier: Apache-2.0
// Time stamps of packets (datasheet 7.8.4, 8.16): TSYNCTXCTL with TXSTMPL/H for sent packets whose
// descriptor asks, TSYNCRXCTL in the form "all packets, stamp in the buffer", TSICR and TSIM.
// Registers of target times and SDP pins are storage. Not modelled: RXSTMPL/H for selected packets.
#pragma once

#include <cstdint>

#include "models/common/register_file.h"
#include "models/i210/interrupts.h"
#include "models/i210/systim.h"
#include "sim/callback.h"
#include "sim/time.h"

namespace nicsim::models::i210 {

class Timestamps {
public:
    /// `rx_all`: receive time stamps in all packets were switched on or off.
    Timestamps(RegisterFile& registers, const SystemTime& clock, Interrupts& interrupts,
               sim::Callback<bool> rx_all);
    /// A frame whose descriptor asked for a time stamp starts on the wire at `start`.
    void on_transmit(sim::Ps start);
    void reset();

private:
    std::uint32_t read_txstmph(unsigned);
    void write_tsyncrxctl(unsigned, std::uint32_t value);

    const SystemTime& clock_;
    Interrupts& interrupts_;
    sim::Callback<bool> rx_all_;
    Register* tsynctxctl_ = nullptr;
    Register* txstmpl_ = nullptr;
    Register* txstmph_ = nullptr;
    Register* tsicr_ = nullptr;
    Register* tsim_ = nullptr;
};

}  // namespace nicsim::models::i210
