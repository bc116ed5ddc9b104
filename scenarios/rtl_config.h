// SPDX-License-Identifier: Apache-2.0
// The key `rtl` of a device: which of its parts are run as RTL.
#pragma once

#include <string>
#include <vector>

#include "scenarios/grammar.h"
#include "sim/param.h"

namespace nicsim::scenarios {

/// The parameter table of a device with the key `rtl` behind it. `Setup` has the members `device`
/// (its configuration, to which `table` belongs) and `rtl` (names).
template <class Setup>
sim::ParamTable with_rtl(const sim::ParamTable& table, std::vector<std::string> names) {
    sim::ParamTable out;
    for (const sim::ParamDecl& inner : table) {
        sim::ParamDecl lifted = inner;
        lifted.get = [get = inner.get](const void* setup) {
            return get(&static_cast<const Setup*>(setup)->device);
        };
        lifted.set = [set = inner.set](void* setup, const sim::ParamValue& value) {
            set(&static_cast<Setup*>(setup)->device, value);
        };
        out.push_back(std::move(lifted));
    }
    for (sim::ParamDecl& own :
         sim::ParamTableBuilder<Setup>()
             .add_choice_list(
                 "rtl", &Setup::rtl, std::move(names),
                 {.sentence = "Parts of the device that are run as RTL in place of their models.",
                 .source = sim::assumed("a choice of the experiment")})
             .build())
        out.push_back(std::move(own));
    return out;
}

/// What is wrong with asking for these parts: a build without RTL.
std::vector<Fault> rtl_faults(const std::vector<std::string>& names);

}  // namespace nicsim::scenarios
