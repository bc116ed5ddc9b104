// SPDX-License-Identifier: Apache-2.0
// Enumeration behind bridges: bus numbers, windows, and what does not fit.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "host_driver/pci_bus.h"

namespace nicsim::host {
namespace {

// Type 1 header (PCI-to-PCI Bridge Architecture Specification 1.2, 3.2).
constexpr unsigned reg_command = 0x04;
constexpr unsigned reg_buses = 0x18;
constexpr unsigned reg_memory = 0x20;
constexpr unsigned reg_prefetchable = 0x24;
constexpr unsigned reg_prefetchable_base_upper = 0x28;
constexpr unsigned reg_prefetchable_limit_upper = 0x2c;
constexpr unsigned reg_capabilities = 0x34;
constexpr std::uint32_t command_memory_and_master = 6;
constexpr std::uint8_t cap_express = 0x10;
constexpr unsigned express_device_capabilities = 0x04;
constexpr unsigned express_device_control = 0x08;

constexpr std::uint64_t granularity = 0x10'0000;  ///< windows are made of 1 MiB
constexpr unsigned devices_on_a_bus = 32;
constexpr unsigned last_bus = 0xff;

constexpr std::uint64_t rounded_up(std::uint64_t address) {
    return (address + granularity - 1) / granularity * granularity;
}

/// Base and limit of a window as the 16-bit halves of its register; closed if it is empty.
constexpr std::uint32_t window_register(std::uint64_t base, std::uint64_t end) {
    if (base == end) return 0x0000'fff0;
    return static_cast<std::uint32_t>((base >> 16U & 0xfff0U) | ((end - 1) & 0xfff0'0000U));
}

unsigned express_capability(Core& core, pcie::Bdf bridge) {
    unsigned at = core.config_read(bridge, reg_capabilities, 1) & ~3U;
    for (unsigned guard = 0; at >= 0x40 && guard < 48; ++guard) {
        const std::uint32_t head = core.config_read(bridge, at, 2);
        if ((head & 0xffU) == cap_express) return at;
        at = (head >> 8U) & ~3U;
    }
    return 0;
}

}  // namespace

/// Numbers the bus behind the bridge, finds what is on it, and opens the bridge's windows over it.
void PciBus::scan_behind(Core& core, pcie::Bdf bridge) {
    if (next_bus_ > last_bus) throw std::runtime_error("PCI: there are more than 255 buses");
    const unsigned secondary = next_bus_++;
    const std::uint32_t numbers = bridge.bus | secondary << 8U;
    // While the scan goes on, everything above may be behind this bridge.
    core.config_write(bridge, reg_buses, 4, numbers | last_bus << 16U);
    const std::uint64_t payload_above = path_max_payload_;
    if (const unsigned cap = express_capability(core, bridge); cap != 0) {
        const std::uint32_t can = core.config_read(bridge, cap + express_device_capabilities, 4);
        path_max_payload_ = std::min<std::uint64_t>(path_max_payload_, 128U << (can & 7U));
        std::uint32_t control = core.config_read(bridge, cap + express_device_control, 2);
        control &= ~(7U << 5U);
        for (std::uint64_t bytes = 128; bytes < path_max_payload_; bytes *= 2) control += 1U << 5U;
        core.config_write(bridge, cap + express_device_control, 2, control);
    }
    next_memory_ = rounded_up(next_memory_);
    next_prefetchable_ = rounded_up(next_prefetchable_);
    const std::uint64_t memory = next_memory_;
    const std::uint64_t prefetchable = next_prefetchable_;
    for (unsigned device = 0; device < devices_on_a_bus; ++device) {
        const pcie::Bdf bdf{static_cast<std::uint8_t>(secondary), static_cast<std::uint8_t>(device),
                            0};
        const std::uint32_t id = core.config_read(bdf, 0, 4);
        if ((id & 0xffffU) == 0xffffU) continue;
        if (probe(core, bdf, id)) scan_behind(core, bdf);
    }
    core.config_write(bridge, reg_buses, 4, numbers | (next_bus_ - 1U) << 16U);
    open_windows(core, bridge, memory, prefetchable);
    path_max_payload_ = payload_above;
}

void PciBus::open_windows(Core& core, pcie::Bdf bridge, std::uint64_t memory,
                          std::uint64_t prefetchable) {
    next_memory_ = rounded_up(next_memory_);
    next_prefetchable_ = rounded_up(next_prefetchable_);
    core.config_write(bridge, reg_memory, 4, window_register(memory, next_memory_));
    core.config_write(bridge, reg_prefetchable, 4,
                      window_register(prefetchable, next_prefetchable_));
    const bool open = prefetchable != next_prefetchable_;
    core.config_write(bridge, reg_prefetchable_base_upper, 4,
                      open ? static_cast<std::uint32_t>(prefetchable >> 32U) : 0U);
    core.config_write(bridge, reg_prefetchable_limit_upper, 4,
                      open ? static_cast<std::uint32_t>((next_prefetchable_ - 1) >> 32U) : 0U);
    const std::uint32_t command = core.config_read(bridge, reg_command, 2);
    core.config_write(bridge, reg_command, 2, command | command_memory_and_master);
}

}  // namespace nicsim::host
