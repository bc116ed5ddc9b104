// SPDX-License-Identifier: Apache-2.0
#include "scenarios/bus_check.h"

#include <fmt/format.h>

#include <cstdlib>

#include "scenarios/diagnostics.h"

namespace nicsim::scenarios {
namespace {

constexpr std::size_t most_shown = 10;  ///< per link; one mistake of a model recurs with each TLP

bool wanted() {
    const char* value = std::getenv("NICSIM_CHECK");
    const std::string text = value == nullptr ? "" : value;
    if (text.empty() || text == "0") return false;
    if (text == "1") return true;
    throw InputError(
        fmt::format("NICSIM_CHECK={} in the environment: allowed: 0, 1\n", printable(text)));
}

}  // namespace

BusCheck::BusCheck() : enabled_(wanted()) {}

void BusCheck::attach(const std::vector<pcie::Link*>& links) {
    if (!enabled_) return;
    for (pcie::Link* link : links) {
        watched_.emplace_back().link = link->basename();
        link->observe(watched_.back().checker);
    }
}

void BusCheck::verify() const {
    std::string text;
    for (const Watched& w : watched_) {
        const std::vector<std::string>& all = w.checker.violations();
        for (std::size_t i = 0; i < all.size() && i < most_shown; ++i)
            text += fmt::format("\n  {}: {}", w.link, all[i]);
        if (all.size() > most_shown)
            text += fmt::format("\n  {}: and {} more", w.link, all.size() - most_shown);
    }
    if (!text.empty()) throw pcie::ProtocolError("the PCIe protocol is violated:" + text);
}

}  // namespace nicsim::scenarios
