// SPDX-License-Identifier: Apache-2.0
// Parameters of the transmit side of the I210: what the silicon fixes. What software sets stands in
// registers and is no parameter.
#pragma once

#include <cstdint>

#include "sim/param.h"

namespace nicsim::models::i210 {

struct TxConfig {
    std::uint64_t descriptor_cache = 24;     ///< descriptors of a queue on the die
    std::uint64_t data_reads_in_flight = 6;  ///< of all queues together
    std::uint64_t granule = 64;              ///< bytes; unit of packet-buffer space

    static const sim::ParamTable& params();
};

}  // namespace nicsim::models::i210
