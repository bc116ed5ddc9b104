// SPDX-License-Identifier: Apache-2.0
#include "pcie/bridge_config.h"

#include "pcie/config_space.h"

namespace nicsim::pcie {
namespace {

// Ids of no switch on the market.
constexpr std::uint32_t switch_ids = 0x0517'5ea1;
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
      device_control_(0) {}

void BridgeConfig::link_up(const LinkConfig& link) {
    const auto speed_and_width = static_cast<std::uint32_t>(link.generation | link.width << 4U);
    link_capabilities_ = speed_and_width | port_number_ << 24U;
    link_status_ = speed_and_width << 16U;
    // Firmware has set the payload to what both ends of the link can do.
    device_control_ = payload_code(static_cast<std::uint32_t>(link.max_payload)) << 5U;
}

std::uint32_t BridgeConfig::read(unsigned offset) const {
    switch (offset) {
        case config::vendor_id:
            return switch_ids;
        case config::command:
            return windows_.read(offset) | std::uint32_t{config::status_capabilities} << 16U;
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
    constexpr std::uint32_t status_bits = 0x000f'0000;   // cleared by ones
    switch (offset) {
        case bridge_control_at:
            bridge_control_ = merged(bridge_control_, value, byte_enables, 0x0003'00ff);
            break;
        case express_at + config::pcie_device_control:
            device_control_ &= ~merged(0, value, byte_enables, status_bits);
            device_control_ = merged(device_control_, value, byte_enables, control_bits);
            break;
        default:
            windows_.on_write(offset, value, byte_enables);
            break;
    }
}

std::uint32_t BridgeConfig::max_payload() const {
    return payload_bytes(device_control_ >> 5U & 7U);
}

void BridgeConfig::set_unsupported_detected() {
    device_control_ |= std::uint32_t{config::device_status_unsupported} << 16U;
}

}  // namespace nicsim::pcie
