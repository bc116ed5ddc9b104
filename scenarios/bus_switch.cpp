// SPDX-License-Identifier: Apache-2.0
#include "scenarios/bus_switch.h"

#include "pcie/upstream_link.h"
#include "scenarios/host_config.h"
#include "scenarios/pcie_faults.h"

namespace nicsim::scenarios {

BusSwitch::BusSwitch(const BoundBlock& pcie, pcie::RootComplex& root_complex,
                     std::uint64_t device_max_payload, std::uint64_t seed)
    : root_complex_(root_complex) {
    const auto config = pcie.child("switch")->as<pcie::SwitchConfig>();
    if (config.ports == 0) return;
    const auto upstream =
        pcie.child("switch")->child("upstream_link")->as<pcie::UpstreamLinkConfig>();
    switch_ = std::make_unique<pcie::Switch>("switch", config);
    link_ = std::make_unique<pcie::Link>(
        switch_link, upstream.over(bus_link(pcie, device_max_payload)), root_complex.port(),
        switch_->upstream(), seed, pcie_faults(pcie, switch_link, false));
}

std::vector<std::string> BusSwitch::warnings() const {
    return link_ ? link_->faults().never_came() : std::vector<std::string>{};
}

DeadFunction BusSwitch::dead_function(const std::string& link, const std::string& port,
                                      sim::Ps since) const {
    const bool with_switch = link_ && link_->lost_at() == since;
    return {with_switch ? switch_link : link, port, since, with_switch};
}

pcie::LinkPartner& BusSwitch::port(unsigned n) {
    return switch_ ? switch_->downstream(n) : root_complex_.port(n);
}

void BusSwitch::register_stats(sim::StatGroup& bus) {
    if (!switch_) return;
    switch_->register_stats(bus.group("switch"));
    link_->register_stats(bus.group(switch_link));
}

}  // namespace nicsim::scenarios
