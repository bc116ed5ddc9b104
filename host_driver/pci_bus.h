// SPDX-License-Identifier: Apache-2.0
// Finds the PCI functions behind the host bridge and sets them up as firmware and an operating
// system do, by configuration and register accesses only: ids, sizing and assigning of BARs,
// capabilities, Max_Payload_Size, Max_Read_Request_Size, bus mastering, MSI and MSI-X.
//
// The root complex's ports are not functions of their own (bus 0 is empty, port i leads to bus
// i + 1), so the scan looks for device 0 on each bus. Bridges (the ports of switches) get bus
// numbers behind those of the root ports and one window of each kind over what lies behind them.
// Legacy interrupts, expansion ROMs, hot plug and power management are not modelled.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host_driver/core.h"
#include "host_driver/interrupt_controller.h"
#include "pcie/host_ports.h"
#include "sim/param.h"

namespace nicsim::host {

struct PciConfig {
    std::uint64_t buses = 4;               ///< root ports to look behind
    std::uint64_t max_payload = 128;       ///< bytes; the platform's side of MPS
    std::uint64_t max_read_request = 512;  ///< bytes
    bool relaxed_ordering = true;
    bool extended_tags = true;
    static const sim::ParamTable& params();
};

struct PciBar {
    std::uint64_t address = 0;  ///< 0: not there
    std::uint64_t size = 0;
    bool io = false;
};

/// One function as its driver sees it.
class PciFunction {
public:
    pcie::Bdf bdf;
    std::uint16_t vendor_id = 0;
    std::uint16_t device_id = 0;
    std::uint16_t subsystem_vendor_id = 0;
    std::uint16_t subsystem_id = 0;
    std::uint8_t revision = 0;
    std::uint32_t class_code = 0;
    std::array<PciBar, 6> bars{};
    std::uint64_t max_payload = 128;       ///< as set
    std::uint64_t max_read_request = 512;  ///< as set
    unsigned link_generation = 0;          ///< of the trained link
    unsigned link_width = 0;
    unsigned msix_vectors = 0;  ///< 0: no MSI-X

    /// pci_enable_device, pci_set_master
    void enable_memory(Core& core) const;
    void set_master(Core& core, bool on) const;
    /// Offset of a capability in configuration space; 0 if there is none.
    [[nodiscard]] unsigned capability(std::uint8_t id) const;

    /// pcie_set_readrq: 128 to 4096, a power of two.
    void set_max_read_request(Core& core, std::uint64_t bytes);
    /// Programs the one message of a function with MSI and turns it on.
    [[nodiscard]] bool has_msi() const;
    void enable_msi(Core& core, const InterruptMessage& message) const;
    /// Turns MSI-X on with every entry masked.
    void enable_msix(Core& core) const;
    /// Programs one entry and lets it through.
    void set_msix_entry(Core& core, unsigned entry, const InterruptMessage& message) const;
    void mask_msix_entry(Core& core, unsigned entry, bool masked) const;

private:
    friend class PciBus;
    std::vector<std::pair<std::uint8_t, std::uint8_t>> capabilities_;  ///< id, offset
    std::uint64_t msix_table_ = 0;                                     ///< address of the table
};

class PciBus {
public:
    explicit PciBus(const PciConfig& config) : config_(config) {}

    /// Runs on `core`; what it finds replaces what an earlier scan found.
    void enumerate(Core& core);
    [[nodiscard]] const std::vector<PciFunction>& functions() const { return functions_; }
    /// The n-th function of this vendor with one of these device ids, or null.
    [[nodiscard]] const PciFunction* find(std::uint16_t vendor,
                                          std::span<const std::uint16_t> devices,
                                          std::uint64_t n = 0) const;
    [[nodiscard]] const PciFunction* find(std::uint16_t vendor, std::uint16_t device,
                                          std::uint64_t n = 0) const {
        return find(vendor, std::span(&device, 1), n);
    }
    [[nodiscard]] const PciConfig& config() const { return config_; }

private:
    /// True if it is a bridge.
    bool probe(Core& core, pcie::Bdf bdf, std::uint32_t id);
    void scan_behind(Core& core, pcie::Bdf bridge);
    void open_windows(Core& core, pcie::Bdf bridge, std::uint64_t memory,
                      std::uint64_t prefetchable);
    void check_fit(const PciFunction& function, unsigned bar) const;
    void size_bars(Core& core, PciFunction& function);
    void walk_capabilities(Core& core, PciFunction& function) const;
    void set_up_express(Core& core, PciFunction& function) const;

    PciConfig config_;
    std::vector<PciFunction> functions_;
    std::uint64_t path_max_payload_ = 4096;  ///< of the bridges on the way
    unsigned next_bus_ = 0;                  ///< free bus number
    std::uint64_t next_memory_ = 0;
    std::uint64_t next_prefetchable_ = 0;
    std::uint64_t next_io_ = 0;
};

}  // namespace nicsim::host
