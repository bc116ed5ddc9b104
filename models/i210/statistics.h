// SPDX-License-Identifier: Apache-2.0
// The statistics registers (datasheet 8.18) over the units' counters. Counters of things that
// cannot happen here (collisions, flow control, management, wired errors) read 0.
#pragma once

#include "models/common/statistics_registers.h"
#include "models/i210/rx_counts.h"
#include "models/i210/tx_unit.h"

namespace nicsim::models::i210 {

class Statistics {
public:
    /// The counters are those of the units and must outlive this.
    Statistics(RegisterFile& registers, const TxCounts& tx, const RxCounts& rx);

    /// Everything reads 0 from here.
    void reset() { views_.reset(); }

private:
    void map_rx(const RxCounts& rx);
    void map_tx(const TxCounts& tx);
    void map_zero();

    StatisticsRegisters views_;
};

}  // namespace nicsim::models::i210
