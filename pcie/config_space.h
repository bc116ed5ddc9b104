// SPDX-License-Identifier: Apache-2.0
// A type-0 configuration space: 4096 bytes with access rules per bit, BARs that can be sized, and
// the capabilities of a PCIe function: power management, MSI (one message), MSI-X, PCI Express,
// advanced error reporting, serial number. Not modelled: expansion ROM, VPD, power state changes
// (D-states are stored, no more).
#pragma once

#include <array>
#include <cstdint>

#include "pcie/aer.h"
#include "pcie/link_config.h"
#include "sim/callback.h"
#include "sim/doors.h"

namespace nicsim::pcie {

/// Standard offsets in the header, and where this function's capabilities stand.
namespace config {
constexpr unsigned vendor_id = 0x00, command = 0x04, status = 0x06, class_revision = 0x08,
                   header_type = 0x0e, bar0 = 0x10, subsystem = 0x2c, capabilities = 0x34,
                   interrupt_line = 0x3c;
constexpr std::uint16_t command_io = 1U << 0U, command_memory = 1U << 1U,
                        command_bus_master = 1U << 2U, command_interrupt_disable = 1U << 10U;
constexpr std::uint16_t status_capabilities = 1U << 4U;
constexpr unsigned cap_power = 0x01, cap_msi = 0x05, cap_msix = 0x11, cap_pcie = 0x10;
constexpr unsigned extended_cap_aer = 0x0001, extended_cap_serial = 0x0003;
constexpr unsigned power_at = 0x40, msi_at = 0x50, msix_at = 0x70, pcie_at = 0xa0, aer_at = 0x100,
                   serial_at = 0x140;
// Offsets within the PCI Express capability.
constexpr unsigned pcie_device_cap = 0x04, pcie_device_control = 0x08, pcie_device_status = 0x0a,
                   pcie_link_cap = 0x0c, pcie_link_control = 0x10, pcie_link_status = 0x12,
                   pcie_device_cap2 = 0x24, pcie_device_control2 = 0x28;
constexpr std::uint16_t msi_enable = 1U << 0U, msi_64_bit = 1U << 7U;
constexpr std::uint16_t msix_enable = 1U << 15U, msix_function_mask = 1U << 14U;
constexpr std::uint16_t control_relaxed_ordering = 1U << 4U, control_extended_tag = 1U << 8U,
                        control_no_snoop = 1U << 11U, control_error_reporting = 0xf;
constexpr std::uint16_t control2_ido_request = 1U << 8U, control2_ido_completion = 1U << 9U,
                        control2_ten_bit_tag = 1U << 12U;
constexpr std::uint32_t cap2_ten_bit_completer = 1U << 16U, cap2_ten_bit_requester = 1U << 17U;
constexpr std::uint16_t device_status_correctable = 1U << 0U, device_status_nonfatal = 1U << 1U,
                        device_status_fatal = 1U << 2U, device_status_unsupported = 1U << 3U,
                        device_status_pending = 1U << 5U;
}  // namespace config

/// Bytes to the 3-bit code of MPS and MRRS, and back.
unsigned payload_code(std::uint32_t bytes);
constexpr std::uint32_t payload_bytes(unsigned code) {
    return 128U << code;
}

/// What firmware and operating system have enabled before the driver looks.
struct FunctionSettings {
    bool error_reporting = true;  ///< messages for all kinds of errors
    unsigned tag_bits = 8;        ///< the widest tags that may be used: 5, 8 or 10
    bool id_based_ordering = false;
};

class ConfigSpace {
public:
    /// `link` is the link as trained: firmware's MPS and MRRS, ECRC, and the link status.
    ConfigSpace(const sim::DeviceIdentity& identity, const LinkConfig& link,
                const FunctionSettings& settings = {});
    ConfigSpace(const ConfigSpace&) = delete;  // the error registers are pointed at
    ConfigSpace& operator=(const ConfigSpace&) = delete;

    /// `offset` is DW aligned; dwords that are not implemented read 0.
    [[nodiscard]] std::uint32_t read(unsigned offset) const { return value_[offset / 4U]; }
    /// Writes the enabled bytes under the access rules, then calls the change callback.
    void write(unsigned offset, std::uint32_t value, unsigned byte_enables);
    /// Called after every configuration write.
    void on_change(sim::Callback<> changed) { changed_ = changed; }
    /// The device itself sets RW1C or RO bits of a dword.
    void set_bits(unsigned offset, std::uint32_t bits) { value_[offset / 4U] |= bits; }

    [[nodiscard]] bool memory_enabled() const;
    [[nodiscard]] bool bus_master() const;
    [[nodiscard]] bool msi_enabled() const;
    [[nodiscard]] std::uint64_t msi_address() const;
    [[nodiscard]] std::uint32_t msi_data() const;
    [[nodiscard]] bool msix_enabled() const;
    [[nodiscard]] bool msix_function_masked() const;
    [[nodiscard]] bool extended_tag() const { return control(config::control_extended_tag); }
    [[nodiscard]] bool relaxed_ordering() const {
        return control(config::control_relaxed_ordering);
    }
    [[nodiscard]] bool no_snoop() const { return control(config::control_no_snoop); }
    [[nodiscard]] bool id_based_ordering_of_requests() const {
        return control2(config::control2_ido_request);
    }
    [[nodiscard]] bool id_based_ordering_of_completions() const {
        return control2(config::control2_ido_completion);
    }
    [[nodiscard]] bool ten_bit_tag() const { return control2(config::control2_ten_bit_tag); }
    /// The registers that errors are reported in.
    [[nodiscard]] AerRegisters error_registers();
    [[nodiscard]] std::uint32_t max_payload() const;
    [[nodiscard]] std::uint32_t max_read_request() const;
    /// In picoseconds; never if disabled.
    [[nodiscard]] sim::Ps completion_timeout() const;

    struct BarHit {
        int bar = -1;  ///< -1: no BAR claims the address
        std::uint64_t offset = 0;
    };
    /// Which memory BAR claims all of the range.
    [[nodiscard]] BarHit decode(std::uint64_t address, std::uint64_t length) const;

private:
    struct Bar {
        std::uint64_t size = 0;
        bool io = false;
        bool is_64_bit = false;
    };
    void header(const sim::DeviceIdentity& identity);
    void bars(const sim::DeviceIdentity& identity);
    void power_capability(unsigned next);
    void msi_capability(unsigned next);
    void msix_capability(const sim::DeviceIdentity& identity, unsigned next);
    void pcie_capability(const sim::DeviceIdentity& identity, const LinkConfig& link,
                         const FunctionSettings& settings);
    void error_capability(const sim::DeviceIdentity& identity, const LinkConfig& link);
    void serial_number(const sim::DeviceIdentity& identity);
    /// Sets a dword's reset value, its RW bits and its RW1C bits.
    void define(unsigned offset, std::uint32_t value, std::uint32_t rw = 0, std::uint32_t rw1c = 0);
    [[nodiscard]] bool control(std::uint16_t bit) const;
    [[nodiscard]] bool control2(std::uint16_t bit) const;
    [[nodiscard]] std::uint64_t bar_base(unsigned index) const;

    std::array<std::uint32_t, 1024> value_{};
    std::array<std::uint32_t, 1024> rw_{};
    std::array<std::uint32_t, 1024> rw1c_{};
    std::array<Bar, 6> bars_{};
    bool msi_ = false;  ///< the capability is there
    sim::Callback<> changed_;
};

}  // namespace nicsim::pcie
