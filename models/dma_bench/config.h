// SPDX-License-Identifier: Apache-2.0
// What the DMA exerciser is: the bus interface that it claims and the speed of its engine.
#pragma once

#include <cstdint>

#include "sim/doors.h"
#include "sim/param.h"

namespace nicsim::models::dma_bench {

struct DmaBenchConfig {
    std::uint64_t max_link_generation = 5;
    std::uint64_t max_link_width = 16;
    std::uint64_t max_payload = 4096;  ///< bytes supported
    std::uint64_t tags = 256;          ///< reads in flight of the bus interface
    std::uint64_t issue_interval = 0;  ///< ps between the starts of two transactions
    std::uint64_t setup_time = 0;      ///< ps from the start of a transaction to its first request
    std::uint64_t copy_rate = 0;       ///< bit/s of one transaction's data inside; 0 is no time
    bool relaxed_ordering = false;
    static const sim::ParamTable& params();
    [[nodiscard]] sim::DeviceIdentity identity() const;
};

}  // namespace nicsim::models::dma_bench
