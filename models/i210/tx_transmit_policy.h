// SPDX-License-Identifier: Apache-2.0
// Which stored frame goes on the wire next, if any (TQAVCTRL.TransmitMode).
#pragma once

#include <cstdint>

#include "sim/time.h"

namespace nicsim::models::i210 {

/// What the wire is doing, or why nothing is sent.
enum class WireState : std::uint8_t { starved, busy, guard, launch_time, credit, off };

struct TransmitChoice {
    int queue = -1;                         ///< -1: nobody may start now
    WireState reason = WireState::starved;  ///< of -1
};

class TransmitPolicy {
public:
    virtual ~TransmitPolicy() = default;
    virtual TransmitChoice choose() = 0;
};

}  // namespace nicsim::models::i210
