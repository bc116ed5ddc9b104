// SPDX-License-Identifier: Apache-2.0
// The type-1 configuration space of a root port or a switch port: bus numbers, memory windows, a
// PCI Express capability and advanced error reporting, with the root error registers in a root
// port. Not modelled: I/O windows (read as absent), power management, MSI, slots, ACS.
#pragma once

#include <array>
#include <cstdint>

#include "pcie/address_map.h"
#include "pcie/aer.h"
#include "pcie/link_config.h"

namespace nicsim::pcie {

class BridgeConfig {
public:
    /// As in the PCI Express capability (7.8.2).
    enum class PortType : std::uint8_t { root = 4, upstream = 5, downstream = 6 };

    BridgeConfig(PortType type, unsigned port_number, std::uint64_t max_payload_supported);
    BridgeConfig(const BridgeConfig&) = delete;  // the error registers are pointed at
    BridgeConfig& operator=(const BridgeConfig&) = delete;
    /// As after power-up, but for the error registers, which are sticky.
    void reset();
    /// The link at this port is up.
    void link_up(const LinkConfig& link);

    /// `offset` is DW aligned; dwords that are not implemented read 0.
    [[nodiscard]] std::uint32_t read(unsigned offset) const;
    void write(unsigned offset, std::uint32_t value, unsigned byte_enables);

    [[nodiscard]] const BridgeWindows& windows() const { return windows_; }
    [[nodiscard]] std::uint32_t max_payload() const;
    [[nodiscard]] AerRegisters error_registers() {
        return {error_.data(), &device_control_, &command_};
    }
    /// Root port: an error message has come, or the port itself has one to report.
    void note_error_message(std::uint8_t code, std::uint16_t requester_id);

private:
    [[nodiscard]] std::uint32_t read_error(unsigned dword) const;
    void write_error(unsigned dword, std::uint32_t value, unsigned byte_enables);

    BridgeWindows windows_;
    PortType type_;
    unsigned port_number_;
    std::uint32_t device_capabilities_;
    std::uint32_t device_control_;  ///< with status in the upper half
    std::uint32_t command_ = 0;     ///< with status in the upper half
    std::uint32_t link_capabilities_ = 0;
    std::uint32_t link_status_ = 0;
    std::uint32_t bridge_control_ = 0;
    std::array<std::uint32_t, aer::dwords + aer::root_dwords> error_{};
};

}  // namespace nicsim::pcie
