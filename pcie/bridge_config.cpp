// SPDX-License-Identifier: Apache-2.0
#include "pcie/bridge_config.h"

#include "pcie/config_space.h"

namespace nicsim::pcie {
namespace {

// Ids of no switch and no root port on the market.
constexpr std::uint32_t switch_ids = 0x0517'5ea1;
constexpr std::uint32_t root_port_ids = 0x0700'5ea1;
constexpr std::uint32_t class_bridge = 0x0604'0000;
constexpr unsigned express_at = 0x40;
constexpr unsigned bridge_control_at = 0x3c;
constexpr std::uint32_t header_type_bridge = 1U << 16U;

std::uint32_t merged(std::uint32_t old, std::uint32_t value, unsigned byte_enables,
                     std::uint32_t writable) {
    std::uint32_t mask = 0;
    for (unsigned i = 0; i < 4; ++i)
        if ((byte_enables >> i & 1U) != 0) mask |= 0xffU << (8U * i);
    mask &= writable;
    return (old & ~mask) | (value & mask);
}

}  // namespace

BridgeConfig::BridgeConfig(PortType type, unsigned port_number, std::uint64_t max_payload_supported)
    : type_(type),
      port_number_(port_number),
      device_capabilities_(payload_code(static_cast<std::uint32_t>(max_payload_supported)) |
                           1U << 15U),  // role-based error reporting
      device_control_(config::control_error_reporting) {
    error_[0] = config::extended_cap_aer | 2U << 16U;
    error_[aer::uncorrectable_severity] = aer::default_severity;
    error_[aer::correctable_mask] = aer::default_correctable_mask;
}

void BridgeConfig::reset() {
    windows_ = BridgeWindows{};
    command_ = 0;
    bridge_control_ = 0;
    device_control_ = config::control_error_reporting;
    link_status_ = 0;
}

void BridgeConfig::link_up(const LinkConfig& link) {
    const auto speed_and_width = static_cast<std::uint32_t>(link.generation | link.width << 4U);
    link_capabilities_ = speed_and_width | port_number_ << 24U;
    link_status_ = speed_and_width << 16U;
    // Firmware has set the payload to what both ends of the link can do, and enabled the messages.
    device_control_ = payload_code(static_cast<std::uint32_t>(link.max_payload)) << 5U |
                      config::control_error_reporting;
    if (type_ == PortType::root && link.ecrc)  // the switch ports only pass TLPs on
        error_[aer::control] |= aer::ecrc_generation_enable | aer::ecrc_check_enable;
}

std::uint32_t BridgeConfig::read(unsigned offset) const {
    if (offset >= config::aer_at && offset < config::aer_at + 4U * error_.size())
        return read_error((offset - config::aer_at) / 4U);
    switch (offset) {
        case config::vendor_id:
            return type_ == PortType::root ? root_port_ids : switch_ids;
        case config::command:
            return command_ | std::uint32_t{config::status_capabilities} << 16U;
        case config::class_revision:
            return class_bridge << 0U | 1U;
        case config::header_type & ~3U:
            return header_type_bridge;
        case config::capabilities:
            return express_at;
        case bridge_control_at:
            return bridge_control_;
        case express_at:
            return config::cap_pcie | (0x0002U | static_cast<unsigned>(type_) << 4U) << 16U;
        case express_at + config::pcie_device_cap:
            return device_capabilities_;
        case express_at + config::pcie_device_control:
            return device_control_;
        case express_at + config::pcie_link_cap:
            return link_capabilities_;
        case express_at + config::pcie_link_control:
            return link_status_;
        default:
            return windows_.read(offset);
    }
}

void BridgeConfig::write(unsigned offset, std::uint32_t value, unsigned byte_enables) {
    constexpr std::uint32_t control_bits = 0x0000'00ef;  // payload and error reporting
    constexpr std::uint32_t device_status_bits = 0x000f'0000, status_bits = 0xf900'0000;
    if (offset >= config::aer_at && offset < config::aer_at + 4U * error_.size()) {
        write_error((offset - config::aer_at) / 4U, value, byte_enables);
        return;
    }
    switch (offset) {
        case config::command:
            command_ &= ~merged(0, value, byte_enables, status_bits);
            command_ = merged(command_, value, byte_enables, 0x0547);
            windows_.on_write(offset, value, byte_enables);
            break;
        case bridge_control_at:
            bridge_control_ = merged(bridge_control_, value, byte_enables, 0x0003'00ff);
            break;
        case express_at + config::pcie_device_control:
            device_control_ &= ~merged(0, value, byte_enables, device_status_bits);
            device_control_ = merged(device_control_, value, byte_enables, control_bits);
            break;
        default:
            windows_.on_write(offset, value, byte_enables);
            break;
    }
}

std::uint32_t BridgeConfig::read_error(unsigned dword) const {
    return type_ != PortType::root && dword >= aer::dwords ? 0 : error_[dword];
}

void BridgeConfig::write_error(unsigned dword, std::uint32_t value, unsigned byte_enables) {
    std::uint32_t& reg = error_[dword];
    switch (dword) {
        case aer::uncorrectable_status:
            reg &= ~merged(0, value, byte_enables, aer::uncorrectable_bits);
            break;
        case aer::uncorrectable_mask:
        case aer::uncorrectable_severity:
            reg = merged(reg, value, byte_enables, aer::uncorrectable_bits);
            break;
        case aer::correctable_status:
            reg &= ~merged(0, value, byte_enables, aer::correctable_bits);
            break;
        case aer::correctable_mask:
            reg = merged(reg, value, byte_enables, aer::correctable_bits);
            break;
        case aer::control:
            if (type_ == PortType::root)
                reg = merged(reg, value, byte_enables,
                             aer::ecrc_generation_enable | aer::ecrc_check_enable);
            break;
        case aer::root_command:
            reg = merged(reg, value, byte_enables, 7);
            break;
        case aer::root_status:
            reg &= ~merged(0, value, byte_enables, 0x7f);
            break;
        default:
            break;
    }
}

/// 7.8.4.10: each kind's first source is kept until software clears the status.
void BridgeConfig::note_error_message(std::uint8_t code, std::uint16_t requester_id) {
    constexpr std::uint32_t correctable = 1U << 0U, more_correctable = 1U << 1U, other = 1U << 2U,
                            more_other = 1U << 3U, first_fatal = 1U << 4U, nonfatal = 1U << 5U,
                            fatal = 1U << 6U;
    std::uint32_t& status = error_[aer::root_status];
    std::uint32_t& source = error_[aer::root_source];
    if (code == message::err_cor) {
        if ((status & correctable) == 0) source = (source & 0xffff'0000U) | requester_id;
        status |= (status & correctable) != 0 ? more_correctable : correctable;
        return;
    }
    const bool is_fatal = code == message::err_fatal;
    if ((status & other) == 0) {
        source = (source & 0xffffU) | std::uint32_t{requester_id} << 16U;
        status |= other | (is_fatal ? first_fatal : 0U);
    } else {
        status |= more_other;
    }
    status |= is_fatal ? fatal : nonfatal;
}

std::uint32_t BridgeConfig::max_payload() const {
    return payload_bytes(device_control_ >> 5U & 7U);
}

}  // namespace nicsim::pcie
