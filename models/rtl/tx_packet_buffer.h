// SPDX-License-Identifier: Apache-2.0
// Puts the RTL of the transmit packet buffer (tx_packet_buffer.sv, by Verilator) in the place of
// i210::TxBlockModel. There is no clock in the system: whatever may change an input sets the alarm
// to the block's next edge. There the edges in between are run with the inputs as they were, the
// inputs are taken from the transmit side as they are now, and a decision is handed on at once. For
// what only time brings about (launch times, credit) the alarm is set by calculation.
//
// An RTL block takes one decision of each kind and one stored frame of each queue per clock.
#pragma once

#include <memory>

#include "models/i210/tx_block.h"

namespace nicsim::models::rtl {

std::unique_ptr<i210::TxBlockIf> make_tx_packet_buffer(const i210::TxBlockContext& context);

}  // namespace nicsim::models::rtl
