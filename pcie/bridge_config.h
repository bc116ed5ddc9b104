// SPDX-License-Identifier: Apache-2.0
// The type-1 configuration space of a switch port: bus numbers, memory windows, and a PCI Express
// capability. Not modelled: I/O windows (read as absent), power management, MSI, slots, AER, ACS.
#pragma once

#include <array>
#include <cstdint>

#include "pcie/address_map.h"
#include "pcie/link_config.h"

namespace nicsim::pcie {

class BridgeConfig {
public:
    /// As in the PCI Express capability (7.8.2).
    enum class PortType : std::uint8_t { upstream = 5, downstream = 6 };

    BridgeConfig(PortType type, unsigned port_number, std::uint64_t max_payload_supported);
    /// The link at this port is up.
    void link_up(const LinkConfig& link);

    /// `offset` is DW aligned; dwords that are not implemented read 0.
    [[nodiscard]] std::uint32_t read(unsigned offset) const;
    void write(unsigned offset, std::uint32_t value, unsigned byte_enables);

    [[nodiscard]] const BridgeWindows& windows() const { return windows_; }
    [[nodiscard]] std::uint32_t max_payload() const;
    void set_unsupported_detected();

private:
    BridgeWindows windows_;
    PortType type_;
    unsigned port_number_;
    std::uint32_t device_capabilities_;
    std::uint32_t device_control_;  ///< with status in the upper half
    std::uint32_t link_capabilities_ = 0;
    std::uint32_t link_status_ = 0;
    std::uint32_t bridge_control_ = 0;
};

}  // namespace nicsim::pcie
