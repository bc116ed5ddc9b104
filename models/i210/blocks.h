// SPDX-License-Identifier: Apache-2.0
// Parts of an I210 that another implementation can take the place of, such as one in RTL.
// What is left empty is the model in C++.
#pragma once

#include "models/common/descriptor_decisions.h"
#include "models/common/interrupt_throttle.h"
#include "models/i210/tx_block.h"

namespace nicsim::models::i210 {

struct Blocks {
    TxBlockFactory tx_block;                    ///< transmit packet buffer
    ThrottleFactory throttle;                   ///< of one interrupt vector
    DescriptorDecisionsFactory tx_descriptors;  ///< of the four transmit rings
    DescriptorDecisionsFactory rx_descriptors;  ///< of the four receive rings
};

}  // namespace nicsim::models::i210
