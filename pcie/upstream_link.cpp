// SPDX-License-Identifier: Apache-2.0
#include "pcie/upstream_link.h"

namespace nicsim::pcie {

const sim::ParamTable& UpstreamLinkConfig::params() {
    const sim::Source as_others = sim::assumed("what a card has is on its edge connector");
    static const sim::ParamTable table =
        sim::ParamTableBuilder<UpstreamLinkConfig>()
            .add("generation", &UpstreamLinkConfig::generation,
                 {.allowed = {0, 1, 2, 3, 4, 5},
                  .sentence = "Generation of the link between host and switch; 0: that of "
                              "`pcie.link`.",
                  .source = as_others})
            .add("width", &UpstreamLinkConfig::width,
                 {.allowed = {0, 1, 2, 4, 8, 16},
                  .sentence = "Lanes of the link between host and switch; 0: those of `pcie.link`.",
                  .source = as_others})
            .build();
    return table;
}

LinkConfig UpstreamLinkConfig::over(LinkConfig others) const {
    if (generation != 0) others.generation = generation;
    if (width != 0) others.width = width;
    return others;
}

}  // namespace nicsim::pcie
