// SPDX-License-Identifier: Apache-2.0
#include "scenarios/host_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "pcie/switch.h"

namespace nicsim::scenarios {

host::IdleConfig idle_config(const BoundBlock& idle) {
    auto config = idle.as<host::IdleConfig>();
    for (const BoundBlock& state : idle.list("states"))
        config.states.push_back(state.as<host::IdleState>());
    return config;
}

host::HostConfig host_config(const BoundBlock& scenario) {
    const BoundBlock& block = *scenario.child("host");
    const auto link = scenario.child("pcie")->child("link")->as<pcie::LinkConfig>();
    auto config = block.as<host::HostConfig>();
    config.core = block.child("core")->as<host::CoreConfig>();
    const host::IdleConfig idle = idle_config(*block.child("idle"));
    config.core.idle_states = idle.allowed();
    config.core.idle_entry_time = idle.entry_time;
    config.napi = block.child("napi")->as<host::NapiConfig>();
    config.pci = block.child("pci")->as<host::PciConfig>();
    config.pci.max_payload = link.max_payload;
    config.pci.max_read_request = link.max_read_request;
    return config;
}

void add_read_request_warning(std::vector<std::string>& warnings, const std::string& link,
                              const sim::BusLimits& limits) {
    if (!limits.link_up || limits.max_read_request >= limits.max_payload) return;
    warnings.push_back(fmt::format(
        "small read requests: the device at `{}` reads {} bytes at once (MRRS), though the bus "
        "carries payloads of {} (MPS). That is legal, as the two are set independently, but every "
        "{} bytes it reads need a request, a tag and a completion header of their own "
        "(docs/pcie.md)",
        link, limits.max_read_request, limits.max_payload, limits.max_read_request));
}

pcie::LinkConfig bus_link(const BoundBlock& pcie, std::uint64_t device_max_payload) {
    auto link = pcie.child("link")->as<pcie::LinkConfig>();
    link.max_payload = std::min(link.max_payload, device_max_payload);
    const auto bus_switch = pcie.child("switch")->as<pcie::SwitchConfig>();
    if (bus_switch.ports != 0)
        link.max_payload = std::min(link.max_payload, bus_switch.max_payload);
    return link;
}

pcie::RootComplexConfig root_complex_config(const BoundBlock& pcie) {
    auto config = pcie.child("root_complex")->as<pcie::RootComplexConfig>();
    config.cache = pcie.child("cache")->as<pcie::HostCacheConfig>();
    config.iommu = pcie.child("iommu")->as<pcie::IommuConfig>();
    return config;
}

}  // namespace nicsim::scenarios
