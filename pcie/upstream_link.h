// SPDX-License-Identifier: Apache-2.0
// The link between the host and a switch, where it differs from those between the switch and its
// devices: a card of four ports of one lane each has a wider edge connector. What concerns the
// whole way (payload, read requests, completion boundary, ECRC, DLLPs) is that of all links.
#pragma once

#include <cstdint>

#include "pcie/link_config.h"
#include "sim/param.h"

namespace nicsim::pcie {

struct UpstreamLinkConfig {
    std::uint64_t generation = 0;  ///< 0: as the other links
    std::uint64_t width = 0;       ///< 0: as the other links

    static const sim::ParamTable& params();
    [[nodiscard]] bool differs() const { return generation != 0 || width != 0; }
    /// `others` with what is given here.
    [[nodiscard]] LinkConfig over(LinkConfig others) const;
};

}  // namespace nicsim::pcie
