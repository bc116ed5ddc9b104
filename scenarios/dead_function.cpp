// SPDX-License-Identifier: Apache-2.0
#include "scenarios/dead_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sim/units.h"

namespace nicsim::scenarios {

std::string DeadFunction::text() const {
    return fmt::format(
        "the PCIe link `{}` was lost at {}: its function was reset and nobody set it up again, so "
        "that it moves nothing from then on",
        link, sim::format_quantity(static_cast<double>(since), sim::Unit::time));
}

void put_dead_functions_first(Why& why, const std::vector<DeadFunction>& dead) {
    if (dead.empty()) return;
    std::string lost;
    for (const DeadFunction& f : dead) lost += (lost.empty() ? "" : "; ") + f.text();
    // That there was no more to do is the loss's doing; a resource that was the limit before it, or
    // of another device, is worth a word.
    why.sentence = why.limit.empty() ? lost : lost + "; over the measured time: " + why.sentence;
}

std::vector<DeadFunction> of_port(const std::vector<DeadFunction>& dead, const std::string& port) {
    std::vector<DeadFunction> out;
    std::copy_if(dead.begin(), dead.end(), std::back_inserter(out),
                 [&port](const DeadFunction& f) { return f.port == port; });
    return out;
}

}  // namespace nicsim::scenarios
