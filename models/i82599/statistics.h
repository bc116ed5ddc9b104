// SPDX-License-Identifier: Apache-2.0
// The statistics registers (datasheet 8.2.3.23) over the units' counters: a read clears. Counters
// of things that cannot happen here (faults, management, FCoE, priority flow control) read 0.
#pragma once

#include "models/common/statistics_registers.h"
#include "models/i82599/flow_control.h"
#include "models/i82599/rx_counts.h"
#include "models/i82599/tx_unit.h"

namespace nicsim::models::i82599 {

class Statistics {
public:
    /// The counters are those of the units and must outlive this.
    Statistics(RegisterFile& registers, const TxCounts& tx, const RxCounts& rx,
               const sim::PauseCounts& flow);

    /// Everything reads 0 from here.
    void reset() { views_.reset(); }

private:
    void map_rx(const RxCounts& rx);
    void map_tx(const TxCounts& tx);
    void map_flow(const sim::PauseCounts& flow);
    void map_zero();

    StatisticsRegisters views_;
};

}  // namespace nicsim::models::i82599
