// SPDX-License-Identifier: Apache-2.0
#include "scenarios/dead_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "sim/units.h"

namespace nicsim::scenarios {

std::string DeadFunction::text() const {
    const std::string at = sim::format_quantity(static_cast<double>(since), sim::Unit::time);
    if (with_switch)
        return fmt::format(
            "the PCIe link `{}` was lost at {}: the switch and the functions behind it were reset "
            "and nobody set them up again, so that they move nothing from then on",
            link, at);
    return fmt::format(
        "the PCIe link `{}` was lost at {}: its function was reset and nobody set it up again, so "
        "that it moves nothing from then on",
        link, at);
}

std::vector<std::string> texts_of(const std::vector<DeadFunction>& dead) {
    std::vector<std::string> out;
    for (const DeadFunction& f : dead)
        if (std::string text = f.text(); std::find(out.begin(), out.end(), text) == out.end())
            out.push_back(std::move(text));
    return out;
}

void put_dead_functions_first(Why& why, const std::vector<DeadFunction>& dead) {
    if (dead.empty()) return;
    std::string lost;
    for (const std::string& text : texts_of(dead)) lost += (lost.empty() ? "" : "; ") + text;
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
