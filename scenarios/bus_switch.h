// SPDX-License-Identifier: Apache-2.0
// What the devices of a scenario hang on: ports of the root complex, or of a switch behind it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pcie/link.h"
#include "pcie/root_complex.h"
#include "pcie/switch.h"
#include "scenarios/bound.h"
#include "scenarios/dead_function.h"

namespace nicsim::scenarios {

class BusSwitch {
public:
    /// `pcie` is the scenario's block; a switch exists if it has ports.
    BusSwitch(const BoundBlock& pcie, pcie::RootComplex& root_complex,
              std::uint64_t device_max_payload, std::uint64_t seed = 1);

    /// Where the n-th device goes.
    [[nodiscard]] pcie::LinkPartner& port(unsigned n);
    /// To the host; none without a switch.
    [[nodiscard]] pcie::Link* link() { return link_.get(); }
    /// The function behind `link` lost it at `since`: by itself, or with the switch.
    [[nodiscard]] DeadFunction dead_function(const std::string& link, const std::string& port,
                                             sim::Ps since) const;
    /// Faults of the link to the switch that never came to pass.
    [[nodiscard]] std::vector<std::string> warnings() const;
    /// Nothing without a switch.
    void register_stats(sim::StatGroup& bus);

private:
    pcie::RootComplex& root_complex_;
    std::unique_ptr<pcie::Switch> switch_;
    std::unique_ptr<pcie::Link> link_;
};

}  // namespace nicsim::scenarios
