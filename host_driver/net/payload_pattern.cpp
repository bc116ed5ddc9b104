// SPDX-License-Identifier: Apache-2.0
#include "host_driver/net/payload_pattern.h"

#include "sim/random.h"

namespace nicsim::host {

PayloadPattern::PayloadPattern(std::uint64_t stream) : bytes_(period + max_piece) {
    sim::RandomStream random(stream, "payload");
    for (std::uint32_t i = 0; i < period; ++i) {
        bytes_[i] = static_cast<std::uint8_t>(random.bits() >> 56);
    }
    for (std::uint32_t i = period; i < bytes_.size(); ++i) bytes_[i] = bytes_[i - period];
}

}  // namespace nicsim::host
