// SPDX-License-Identifier: Apache-2.0
// Puts the RTL of the transmit packet buffer (tx_packet_buffer.sv, by Verilator) in the place of
// i210::TxBlockModel. When and whether it is asked is ClockedTxBlock's; here its clocks are run up
// to the edge in question, with everything that it was told at the edge at which it was told.
//
// An RTL block takes one stored frame of each queue per clock, and throws one spoilt frame of each
// away.
#pragma once

#include <memory>

#include "models/i210/tx_block.h"

namespace nicsim::models::rtl {

std::unique_ptr<i210::TxBlockIf> make_tx_packet_buffer(const i210::TxBlockContext& context);

}  // namespace nicsim::models::rtl
