// SPDX-License-Identifier: Apache-2.0
#include "pcie/config_space.h"

#include <algorithm>
#include <bit>

namespace nicsim::pcie {
namespace {

using namespace config;

constexpr std::uint32_t bar_memory_flags = 0xf;
constexpr std::uint32_t bar_io_flags = 0x3;
constexpr std::uint32_t bar_64_bit = 0x4;
constexpr std::uint32_t bar_prefetchable = 0x8;

std::uint32_t byte_mask(unsigned byte_enables) {
    std::uint32_t mask = 0;
    for (unsigned i = 0; i < 4; ++i)
        if ((byte_enables >> i & 1U) != 0) mask |= 0xffU << (8U * i);
    return mask;
}

}  // namespace

unsigned payload_code(std::uint32_t bytes) {
    return static_cast<unsigned>(std::bit_width(bytes / 128U)) - 1U;
}

ConfigSpace::ConfigSpace(const sim::DeviceIdentity& identity, const LinkConfig& link,
                         const FunctionSettings& settings) {
    header(identity);
    bars(identity);
    const bool msix = identity.msix_vectors > 0;
    msi_ = identity.msi;
    const unsigned behind_msi = msix ? msix_at : pcie_at;
    power_capability(msi_ ? msi_at : behind_msi);
    if (msi_) msi_capability(behind_msi);
    if (msix) msix_capability(identity, pcie_at);
    pcie_capability(identity, link, settings);
    error_capability(identity, link);
    if (identity.serial_number != 0) serial_number(identity);
}

void ConfigSpace::define(unsigned offset, std::uint32_t value, std::uint32_t rw,
                         std::uint32_t rw1c) {
    value_[offset / 4U] = value;
    rw_[offset / 4U] = rw;
    rw1c_[offset / 4U] = rw1c;
}

void ConfigSpace::header(const sim::DeviceIdentity& identity) {
    define(vendor_id, identity.vendor_id | std::uint32_t{identity.device_id} << 16U);
    // Command: I/O, memory, bus master, parity response, SERR, interrupt disable. Status: the
    // capability list, and the error bits that software clears by writing ones.
    define(command, std::uint32_t{status_capabilities} << 16U, 0x0547, 0xf900'0000);
    define(class_revision, identity.revision | identity.class_code << 8U);
    define(0x0c, 0, 0x0000'00ff);  // cache line size is RW for legacy software, header type 0
    define(subsystem, identity.subsystem_vendor_id | std::uint32_t{identity.subsystem_id} << 16U);
    define(capabilities, power_at);
    define(interrupt_line, 0x0000'0100, 0x0000'00ff);  // INTA, line as software notes it
}

void ConfigSpace::bars(const sim::DeviceIdentity& identity) {
    for (const sim::BarDescription& b : identity.bars) {
        bars_[b.index] = {b.size, b.io, b.is_64_bit};
        const std::uint64_t writable = ~(b.size - 1U);
        if (b.io) {
            define(bar0 + 4U * b.index, 1, static_cast<std::uint32_t>(writable) & ~bar_io_flags);
            continue;
        }
        const std::uint32_t flags =
            (b.is_64_bit ? bar_64_bit : 0U) | (b.prefetchable ? bar_prefetchable : 0U);
        define(bar0 + 4U * b.index, flags,
               static_cast<std::uint32_t>(writable) & ~bar_memory_flags);
        if (b.is_64_bit)
            define(bar0 + 4U * (b.index + 1U), 0, static_cast<std::uint32_t>(writable >> 32U));
    }
}

void ConfigSpace::power_capability(unsigned next) {
    // Version 3; the D-state field is writable and has no effect. No soft reset from D3hot to D0.
    define(power_at, cap_power | next << 8U | 0x0003U << 16U);
    define(power_at + 4U, 0x0000'0008, 0x0000'0103, 0x0000'8000);
}

/// One message, 64-bit address, no mask bits.
void ConfigSpace::msi_capability(unsigned next) {
    define(msi_at, cap_msi | next << 8U | std::uint32_t{msi_64_bit} << 16U,
           std::uint32_t{msi_enable} << 16U);
    define(msi_at + 4U, 0, 0xffff'fffc);
    define(msi_at + 8U, 0, 0xffff'ffff);
    define(msi_at + 12U, 0, 0x0000'ffff);
}

void ConfigSpace::msix_capability(const sim::DeviceIdentity& identity, unsigned next) {
    const std::uint32_t size = identity.msix_vectors - 1U;
    define(msix_at, cap_msix | next << 8U | size << 16U,
           std::uint32_t{msix_enable | msix_function_mask} << 16U);
    define(msix_at + 4U, identity.msix_table_offset | identity.msix_bar);
    define(msix_at + 8U, identity.msix_pba_offset | identity.msix_bar);
}

void ConfigSpace::pcie_capability(const sim::DeviceIdentity& identity, const LinkConfig& link,
                                  const FunctionSettings& settings) {
    constexpr unsigned tags_of_5_bits = 32, tags_of_8_bits = 256;
    constexpr unsigned first_ten_bit_generation = 4;
    const std::uint32_t tag_field = identity.tags > tags_of_5_bits ? 1U << 5U : 0U;
    constexpr std::uint32_t role_based_errors = 1U << 15U;
    constexpr std::uint32_t relaxed_ordering_at_reset = control_relaxed_ordering;
    constexpr std::uint32_t no_snoop_at_reset = control_no_snoop;
    const auto mrrs = static_cast<std::uint32_t>(link.max_read_request);
    const auto mps = static_cast<std::uint32_t>(link.max_payload);  // as trained: both can do it

    define(pcie_at, cap_pcie | 0x0002U << 16U);  // version 2, an endpoint, the last capability
    define(pcie_at + pcie_device_cap,
           payload_code(identity.max_payload_supported) | tag_field | role_based_errors);
    // Firmware has set MPS and MRRS, and extended tags where the device has them.
    define(pcie_at + pcie_device_control,
           relaxed_ordering_at_reset | no_snoop_at_reset | payload_code(mps) << 5U |
               payload_code(mrrs) << 12U |
               (tag_field != 0 && settings.tag_bits >= 8 ? control_extended_tag : 0U) |
               (settings.error_reporting ? control_error_reporting : 0U),
           0x0000'79ff, 0x000f'0000);
    define(pcie_at + pcie_link_cap, identity.max_link_generation | identity.max_link_width << 4U);
    constexpr std::uint32_t rcb_128 = 1U << 3U;
    define(pcie_at + pcie_link_control,
           (link.read_completion_boundary == 128 ? rcb_128 : 0U) |
               static_cast<std::uint32_t>(link.generation | link.width << 4U) << 16U,
           0x0000'01cb);
    constexpr std::uint32_t timeout_ranges_abcd = 0xf;
    constexpr std::uint32_t timeout_disable_supported = 1U << 4U;
    const bool ten_bit_completer = identity.max_link_generation >= first_ten_bit_generation;
    const bool ten_bit_requester = ten_bit_completer && identity.tags > tags_of_8_bits;
    define(pcie_at + pcie_device_cap2, timeout_ranges_abcd | timeout_disable_supported |
                                           (ten_bit_completer ? cap2_ten_bit_completer : 0U) |
                                           (ten_bit_requester ? cap2_ten_bit_requester : 0U));
    // The other end's ability counts too: it has it from generation 4 on.
    const bool ten_bit_now =
        ten_bit_requester && settings.tag_bits >= 10 && link.generation >= first_ten_bit_generation;
    constexpr std::uint32_t ido = control2_ido_request | control2_ido_completion;
    define(pcie_at + pcie_device_control2,
           (ten_bit_now ? control2_ten_bit_tag : 0U) | (settings.id_based_ordering ? ido : 0U),
           0x0000'001fU | ido | (ten_bit_requester ? control2_ten_bit_tag : 0U));
}

void ConfigSpace::error_capability(const sim::DeviceIdentity& identity, const LinkConfig& link) {
    using namespace aer;
    const std::uint32_t next = identity.serial_number != 0 ? serial_at : 0U;
    const auto at = [](unsigned dword) { return aer_at + 4U * dword; };
    define(at(0), extended_cap_aer | 2U << 16U | next << 20U);
    define(at(uncorrectable_status), 0, 0, uncorrectable_bits);
    define(at(uncorrectable_mask), 0, uncorrectable_bits);
    define(at(uncorrectable_severity), default_severity, uncorrectable_bits);
    define(at(correctable_status), 0, 0, correctable_bits);
    define(at(correctable_mask), default_correctable_mask, correctable_bits);
    define(at(aer::control),
           ecrc_generation_capable | ecrc_check_capable |
               (link.ecrc ? ecrc_generation_enable | ecrc_check_enable : 0U),
           ecrc_generation_enable | ecrc_check_enable);
}

AerRegisters ConfigSpace::error_registers() {
    return {&value_[aer_at / 4U], &value_[(pcie_at + pcie_device_control) / 4U],
            &value_[command / 4U]};
}

void ConfigSpace::serial_number(const sim::DeviceIdentity& identity) {
    define(serial_at, extended_cap_serial | 1U << 16U);
    define(serial_at + 4U, static_cast<std::uint32_t>(identity.serial_number));
    define(serial_at + 8U, static_cast<std::uint32_t>(identity.serial_number >> 32U));
}

void ConfigSpace::write(unsigned offset, std::uint32_t value, unsigned byte_enables) {
    const std::uint32_t enabled = byte_mask(byte_enables);
    const unsigned i = offset / 4U;
    const std::uint32_t rw = rw_[i] & enabled;
    value_[i] = (value_[i] & ~rw) | (value & rw);
    value_[i] &= ~(value & rw1c_[i] & enabled);
    if (changed_) changed_();
}

bool ConfigSpace::memory_enabled() const {
    return (read(command) & command_memory) != 0;
}
bool ConfigSpace::bus_master() const {
    return (read(command) & command_bus_master) != 0;
}
bool ConfigSpace::msi_enabled() const {
    return msi_ && (read(msi_at) >> 16U & msi_enable) != 0;
}
std::uint64_t ConfigSpace::msi_address() const {
    return std::uint64_t{read(msi_at + 8U)} << 32U | read(msi_at + 4U);
}
std::uint32_t ConfigSpace::msi_data() const {
    return read(msi_at + 12U);
}
bool ConfigSpace::msix_enabled() const {
    return (read(msix_at) >> 16U & msix_enable) != 0;
}
bool ConfigSpace::msix_function_masked() const {
    return (read(msix_at) >> 16U & msix_function_mask) != 0;
}
bool ConfigSpace::control(std::uint16_t bit) const {
    return (read(pcie_at + pcie_device_control) & bit) != 0;
}
bool ConfigSpace::control2(std::uint16_t bit) const {
    return (read(pcie_at + pcie_device_control2) & bit) != 0;
}
std::uint32_t ConfigSpace::max_payload() const {
    return payload_bytes(read(pcie_at + pcie_device_control) >> 5U & 7U);
}
std::uint32_t ConfigSpace::max_read_request() const {
    return payload_bytes(read(pcie_at + pcie_device_control) >> 12U & 7U);
}

sim::Ps ConfigSpace::completion_timeout() const {
    using namespace sim::literals;
    const std::uint32_t control2 = read(pcie_at + pcie_device_control2);
    if ((control2 >> 4U & 1U) != 0) return sim::never;
    // The upper end of each range of the specification; the default as most Intel devices have it.
    switch (control2 & 0xfU) {
        case 1:
            return 100_us;
        case 2:
            return 10_ms;
        case 5:
            return 55_ms;
        case 6:
            return 210_ms;
        case 9:
            return 900_ms;
        case 10:
            return 3500_ms;
        case 13:
            return 13_s;
        case 14:
            return 64_s;
        default:
            return 32_ms;
    }
}

std::uint64_t ConfigSpace::bar_base(unsigned index) const {
    std::uint64_t base = read(bar0 + 4U * index) & ~bar_memory_flags;
    if (bars_[index].is_64_bit) base |= std::uint64_t{read(bar0 + 4U * (index + 1U))} << 32U;
    return base;
}

ConfigSpace::BarHit ConfigSpace::decode(std::uint64_t address, std::uint64_t length) const {
    if (!memory_enabled()) return {};
    for (unsigned i = 0; i < bars_.size(); ++i) {
        const Bar& bar = bars_[i];
        if (bar.size == 0 || bar.io) continue;
        const std::uint64_t base = bar_base(i);
        if (address >= base && address - base < bar.size && length <= bar.size - (address - base))
            return {static_cast<int>(i), address - base};
    }
    return {};
}

}  // namespace nicsim::pcie
