// SPDX-License-Identifier: Apache-2.0
#include "host_driver/pci_bus.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace nicsim::host {
namespace {

// Where a PC's firmware puts device registers.
constexpr std::uint64_t memory_window = 0xe000'0000;
constexpr std::uint64_t prefetchable_window = 0x40'0000'0000;
constexpr std::uint64_t io_window = 0x3000;
// Where the windows end: the I/O APIC, the 39 address bits of a desktop processor, I/O space.
constexpr std::uint64_t memory_window_end = 0xfec0'0000;
constexpr std::uint64_t prefetchable_window_end = 0x80'0000'0000;
constexpr std::uint64_t io_window_end = 0x1'0000;

// Type 0 header (PCI Local Bus Specification 3.0, 6.1) and command bits.
constexpr unsigned reg_command = 0x04;
constexpr unsigned reg_status = 0x06;
constexpr unsigned reg_revision = 0x08;
constexpr unsigned reg_header_type = 0x0e;
constexpr unsigned reg_bar0 = 0x10;
constexpr unsigned reg_subsystem = 0x2c;
constexpr unsigned reg_capabilities = 0x34;
constexpr std::uint32_t command_io = 1U << 0;
constexpr std::uint32_t command_memory = 1U << 1;
constexpr std::uint32_t command_master = 1U << 2;
constexpr std::uint32_t command_no_intx = 1U << 10;
constexpr std::uint32_t status_capabilities = 1U << 4;

constexpr std::uint8_t cap_msi = 0x05;
constexpr std::uint8_t cap_express = 0x10;
constexpr std::uint8_t cap_msix = 0x11;
// PCI Express capability (PCIe Base Specification 3.1, 7.8), MSI and MSI-X (PCI 3.0, 6.8).
constexpr unsigned express_device_capabilities = 0x04;
constexpr unsigned express_device_control = 0x08;
constexpr unsigned express_link_status = 0x12;
constexpr unsigned msi_control = 0x02;
constexpr unsigned msi_address = 0x04;
constexpr std::uint32_t msi_enable = 1U << 0;
constexpr std::uint32_t msi_64_bit = 1U << 7;
constexpr unsigned msix_control = 0x02;
constexpr unsigned msix_table = 0x04;
constexpr std::uint32_t msix_enable = 1U << 15;
constexpr std::uint32_t msix_mask_all = 1U << 14;
constexpr unsigned msix_entry_bytes = 16;

/// Payload sizes are coded as 128 << n.
unsigned size_code(std::uint64_t bytes) {
    return static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(bytes, 128)) - 8);
}

}  // namespace

const sim::ParamTable& PciConfig::params() {
    static const std::vector<double> sizes = {128, 256, 512, 1024, 2048, 4096};
    static const sim::ParamTable table =
        sim::ParamTableBuilder<PciConfig>()
            .add("buses", &PciConfig::buses,
                 {.min = 1,
                  .max = 32,
                  .sentence = "Root ports that the scan looks behind.",
                  .source = sim::assumed("a desktop board has a handful")})
            .add("max_payload", &PciConfig::max_payload,
                 {.unit = sim::Unit::bytes,
                  .allowed = sizes,
                  .sentence = "Largest payload that the platform's root port takes; a device gets "
                              "the smaller of this and its own.",
                  .source = sim::assumed("desktop chipset root ports support 128 or 256 bytes")})
            .add("max_read_request", &PciConfig::max_read_request,
                 {.unit = sim::Unit::bytes,
                  .allowed = sizes,
                  .sentence = "Max_Read_Request_Size written to every device.",
                  .source = sim::datasheet("PCIe Base Specification 3.1, 7.8.4: default 512 bytes, "
                                           "which firmware usually leaves")})
            .add("relaxed_ordering", &PciConfig::relaxed_ordering,
                 {.sentence = "Enable Relaxed Ordering in Device Control.",
                  .source = sim::datasheet("PCIe Base Specification 3.1, 7.8.4: default on")})
            .add("extended_tags", &PciConfig::extended_tags,
                 {.sentence = "Enable 8-bit tags for devices that support them.",
                  .source = sim::driver("drivers/pci/probe.c, pci_configure_extended_tags")})
            .build();
    return table;
}

// ---------------------------------------------------------------- one function

unsigned PciFunction::capability(std::uint8_t id) const {
    for (const auto& [cap, offset] : capabilities_)
        if (cap == id) return offset;
    return 0;
}

void PciFunction::enable_memory(Core& core) const {
    const std::uint32_t command = core.config_read(bdf, reg_command, 2);
    std::uint32_t wanted = command | command_memory;
    for (const PciBar& bar : bars)
        if (bar.io && bar.size != 0) wanted |= command_io;
    core.config_write(bdf, reg_command, 2, wanted);
}

void PciFunction::set_master(Core& core, bool on) const {
    const std::uint32_t command = core.config_read(bdf, reg_command, 2);
    core.config_write(bdf, reg_command, 2,
                      on ? command | command_master : command & ~command_master);
}

void PciFunction::set_max_read_request(Core& core, std::uint64_t bytes) {
    const unsigned at = capability(cap_express) + express_device_control;
    const std::uint32_t control = core.config_read(bdf, at, 2) & ~(7U << 12);
    core.config_write(bdf, at, 2, control | size_code(bytes) << 12);
    max_read_request = bytes;
}

bool PciFunction::has_msi() const {
    return capability(cap_msi) != 0;
}

void PciFunction::enable_msi(Core& core, const InterruptMessage& message) const {
    const unsigned cap = capability(cap_msi);
    const std::uint32_t control = core.config_read(bdf, cap + msi_control, 2);
    core.config_write(bdf, cap + msi_control, 2, control & ~msi_enable);
    unsigned at = cap + msi_address;
    core.config_write(bdf, at, 4, static_cast<std::uint32_t>(message.address));
    at += 4;
    if ((control & msi_64_bit) != 0) {
        core.config_write(bdf, at, 4, static_cast<std::uint32_t>(message.address >> 32));
        at += 4;
    }
    core.config_write(bdf, at, 2, message.data);
    const std::uint32_t command = core.config_read(bdf, reg_command, 2);
    core.config_write(bdf, reg_command, 2, command | command_no_intx);
    core.config_write(bdf, cap + msi_control, 2, control | msi_enable);
}

void PciFunction::enable_msix(Core& core) const {
    const unsigned cap = capability(cap_msix);
    const std::uint32_t control = core.config_read(bdf, cap + msix_control, 2);
    core.config_write(bdf, cap + msix_control, 2, control | msix_enable | msix_mask_all);
    for (unsigned i = 0; i < msix_vectors; ++i) mask_msix_entry(core, i, true);
    const std::uint32_t command = core.config_read(bdf, reg_command, 2);
    core.config_write(bdf, reg_command, 2, command | command_no_intx);
    core.config_write(bdf, cap + msix_control, 2, (control | msix_enable) & ~msix_mask_all);
}

void PciFunction::set_msix_entry(Core& core, unsigned entry,
                                 const InterruptMessage& message) const {
    const std::uint64_t at = msix_table_ + std::uint64_t{entry} * msix_entry_bytes;
    core.mmio_write32(at, static_cast<std::uint32_t>(message.address));
    core.mmio_write32(at + 4, static_cast<std::uint32_t>(message.address >> 32));
    core.mmio_write32(at + 8, message.data);
    mask_msix_entry(core, entry, false);
}

void PciFunction::mask_msix_entry(Core& core, unsigned entry, bool masked) const {
    core.mmio_write32(msix_table_ + std::uint64_t{entry} * msix_entry_bytes + 12, masked ? 1 : 0);
}

// ---------------------------------------------------------------- the scan

void PciBus::enumerate(Core& core) {
    functions_.clear();
    next_memory_ = memory_window;
    next_prefetchable_ = prefetchable_window;
    next_io_ = io_window;
    next_bus_ = static_cast<unsigned>(config_.buses) + 1;
    path_max_payload_ = config_.max_payload;
    for (unsigned bus = 0; bus <= config_.buses; ++bus) {
        pcie::Bdf bdf{static_cast<std::uint8_t>(bus), 0, 0};
        const std::uint32_t id = core.config_read(bdf, 0, 4);
        if ((id & 0xffffU) == 0xffffU) continue;
        if (probe(core, bdf, id)) {
            scan_behind(core, bdf);
            continue;
        }
        if ((core.config_read(bdf, reg_header_type, 1) & 0x80U) == 0) continue;
        for (bdf.function = 1; bdf.function < 8; ++bdf.function) {
            const std::uint32_t other = core.config_read(bdf, 0, 4);
            if ((other & 0xffffU) != 0xffffU) probe(core, bdf, other);
        }
    }
}

bool PciBus::probe(Core& core, pcie::Bdf bdf, std::uint32_t id) {
    PciFunction f;
    f.bdf = bdf;
    f.vendor_id = static_cast<std::uint16_t>(id);
    f.device_id = static_cast<std::uint16_t>(id >> 16);
    const std::uint32_t revision = core.config_read(bdf, reg_revision, 4);
    f.revision = static_cast<std::uint8_t>(revision);
    f.class_code = revision >> 8;
    const std::uint32_t subsystem = core.config_read(bdf, reg_subsystem, 4);
    f.subsystem_vendor_id = static_cast<std::uint16_t>(subsystem);
    f.subsystem_id = static_cast<std::uint16_t>(subsystem >> 16);
    if ((core.config_read(bdf, reg_header_type, 1) & 0x7fU) != 0) return true;
    size_bars(core, f);
    walk_capabilities(core, f);
    set_up_express(core, f);
    functions_.push_back(std::move(f));
    return false;
}

/// Writes all ones and reads back which address bits the device implements (PCI 3.0, 6.2.5.1).
void PciBus::size_bars(Core& core, PciFunction& f) {
    const std::uint32_t command = core.config_read(f.bdf, reg_command, 2);
    core.config_write(f.bdf, reg_command, 2, command & ~(command_io | command_memory));
    for (unsigned i = 0; i < f.bars.size(); ++i) {
        const unsigned reg = reg_bar0 + 4 * i;
        core.config_write(f.bdf, reg, 4, ~0U);
        const std::uint32_t low = core.config_read(f.bdf, reg, 4);
        if (low == 0 || low == ~0U) continue;
        const bool io = (low & 1U) != 0;
        const bool wide = !io && (low & 6U) == 4U;
        const bool prefetchable = !io && (low & 8U) != 0;
        std::uint64_t mask = low & (io ? ~3U : ~15U);
        if (io) {
            mask |= 0xffff'ffff'ffff'0000ULL;  // decoders may have 16 bits only
        } else if (wide) {
            core.config_write(f.bdf, reg + 4, 4, ~0U);
            mask |= std::uint64_t{core.config_read(f.bdf, reg + 4, 4)} << 32;
        } else {
            mask |= 0xffff'ffff'0000'0000ULL;
        }
        PciBar& bar = f.bars[i];
        bar.size = ~mask + 1;
        bar.io = io;
        std::uint64_t& next = io                     ? next_io_
                              : wide && prefetchable ? next_prefetchable_
                                                     : next_memory_;
        bar.address = (next + bar.size - 1) & ~(bar.size - 1);
        next = bar.address + bar.size;
        check_fit(f, i);
        core.config_write(f.bdf, reg, 4, static_cast<std::uint32_t>(bar.address));
        if (wide) {
            core.config_write(f.bdf, reg + 4, 4, static_cast<std::uint32_t>(bar.address >> 32));
            ++i;
        }
    }
    core.config_write(f.bdf, reg_command, 2, command);
}

void PciBus::walk_capabilities(Core& core, PciFunction& f) const {
    if ((core.config_read(f.bdf, reg_status, 2) & status_capabilities) == 0) return;
    unsigned at = core.config_read(f.bdf, reg_capabilities, 1) & ~3U;
    for (unsigned guard = 0; at >= 0x40 && guard < 48; ++guard) {
        const std::uint32_t head = core.config_read(f.bdf, at, 2);
        f.capabilities_.emplace_back(static_cast<std::uint8_t>(head),
                                     static_cast<std::uint8_t>(at));
        at = (head >> 8) & ~3U;
    }
    if (const unsigned cap = f.capability(cap_msix); cap != 0) {
        f.msix_vectors = (core.config_read(f.bdf, cap + msix_control, 2) & 0x7ffU) + 1;
        const std::uint32_t table = core.config_read(f.bdf, cap + msix_table, 4);
        f.msix_table_ = f.bars.at(table & 7U).address + (table & ~7U);
    }
}

void PciBus::set_up_express(Core& core, PciFunction& f) const {
    const unsigned cap = f.capability(cap_express);
    if (cap == 0) return;
    const std::uint32_t can = core.config_read(f.bdf, cap + express_device_capabilities, 4);
    f.max_payload = std::min<std::uint64_t>(path_max_payload_, 128U << (can & 7U));
    f.max_read_request = config_.max_read_request;
    std::uint32_t control = core.config_read(f.bdf, cap + express_device_control, 2);
    control &= ~((7U << 5) | (7U << 12) | (1U << 4) | (1U << 8));
    control |= size_code(f.max_payload) << 5 | size_code(f.max_read_request) << 12;
    if (config_.relaxed_ordering) control |= 1U << 4;
    if (config_.extended_tags && (can & (1U << 5)) != 0) control |= 1U << 8;
    core.config_write(f.bdf, cap + express_device_control, 2, control);
    const std::uint32_t link = core.config_read(f.bdf, cap + express_link_status, 2);
    f.link_generation = link & 15U;
    f.link_width = (link >> 4) & 0x3fU;
}

void PciBus::check_fit(const PciFunction& f, unsigned index) const {
    const PciBar& bar = f.bars[index];
    const std::uint64_t end = bar.io                               ? io_window_end
                              : bar.address >= prefetchable_window ? prefetchable_window_end
                                                                   : memory_window_end;
    if (bar.address + bar.size <= end) return;
    throw std::runtime_error(fmt::format(
        "PCI {:02x}:{:02x}.{}: BAR {} of {} does not fit: the {} window of the host ends at {:#x}",
        f.bdf.bus, f.bdf.device, f.bdf.function, index,
        sim::format_quantity(static_cast<double>(bar.size), sim::Unit::bytes),
        bar.io ? "I/O" : "memory", end));
}

const PciFunction* PciBus::find(std::uint16_t vendor, std::span<const std::uint16_t> devices,
                                std::uint64_t n) const {
    for (const PciFunction& f : functions_) {
        const bool wanted = f.vendor_id == vendor &&
                            std::find(devices.begin(), devices.end(), f.device_id) != devices.end();
        if (wanted && n-- == 0) return &f;
    }
    return nullptr;
}

}  // namespace nicsim::host
