// SPDX-License-Identifier: Apache-2.0
// The MIB counters (0x1700-0x175C, 0x1760-0x17C0) over the units' counters, in the order of Linux'
// struct atl1c_hw_stats: a read clears. Counters of things that cannot happen here read 0.
// Not modelled: the statistics block in host memory (SMB) that older drivers use.
#pragma once

#include "models/ar8151/frame_counts.h"
#include "models/ar8151/rx_unit.h"
#include "models/common/statistics_registers.h"

namespace nicsim::models::ar8151 {

class Statistics {
public:
    /// The counters are those of the units and must outlive this.
    Statistics(RegisterFile& registers, const FrameCounts& tx, const RxCounts& rx);

    /// Everything reads 0 from here.
    void reset() { views_.reset(); }

private:
    void map_rx(const RxCounts& rx);
    void map_tx(const FrameCounts& tx);

    StatisticsRegisters views_;
};

}  // namespace nicsim::models::ar8151
