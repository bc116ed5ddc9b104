// SPDX-License-Identifier: Apache-2.0
#include "models/common/mdio_phy.h"

namespace nicsim::models {

namespace {
// Clause 22 registers.
constexpr unsigned control = 0;
constexpr unsigned status_register = 1;
constexpr unsigned id1_register = 2;
constexpr unsigned id2_register = 3;
constexpr unsigned advertisement = 4;
constexpr unsigned partner = 5;
constexpr unsigned expansion = 6;
constexpr unsigned control_1000 = 9;
constexpr unsigned status_1000 = 10;
constexpr unsigned extended_status = 15;
constexpr unsigned vendor_control = 16;
constexpr unsigned vendor_status_register = 17;

constexpr std::uint16_t control_reset = 1U << 15;
constexpr std::uint16_t control_power_down = 1U << 11;
constexpr std::uint16_t control_restart = 1U << 9;
constexpr std::uint16_t control_default = 0x1140;
constexpr std::uint16_t status_link = 1U << 2;
constexpr std::uint16_t status_negotiated = 1U << 5;
}  // namespace

MdioPhy::MdioPhy(const sc_core::sc_module_name& name, const PhyConfig& config,
                 sim::Callback<bool> link_changed)
    : sc_module(name),
      config_(config),
      link_changed_(link_changed),
      alarm_("alarm", sim::Alarm::Action::to<&MdioPhy::on_negotiated>(this)) {
    registers_[control] = control_default;
    registers_[advertisement] = 0x0DE1;
    registers_[control_1000] = 0x0200;
    registers_[vendor_control] = 0x0060;
}

std::uint16_t MdioPhy::read(unsigned address) {
    if (address == config_.page_register) return static_cast<std::uint16_t>(page_);
    if (page_ != 0) {
        const auto found = pages_.find({page_, address});
        return found == pages_.end() ? 0 : found->second;
    }
    switch (address) {
        case status_register: {
            const std::uint16_t value = status();
            link_was_lost_ = false;
            return value;
        }
        case id1_register:
            return config_.id1;
        case id2_register:
            return config_.id2;
        case partner:
            return link_ ? 0xCDE1 : 0;
        case expansion:
            return 0x000F;
        case status_1000:
            return link_ ? partner_1000() : 0;
        case extended_status:
            return 0x3000;
        case vendor_status_register:
            return vendor_status();
        default:
            return registers_[address & 31U];
    }
}

std::uint16_t MdioPhy::status() const {
    std::uint16_t value = 0x7949;
    if (link_ && !link_was_lost_) value |= status_link;
    if (negotiated_ && carrier_) value |= status_negotiated;
    return value;
}

/// 1000BASE-T status: local and remote receivers are fine, the partner can do 1000 if we ended so.
std::uint16_t MdioPhy::partner_1000() const {
    return config_.link_speed >= 1'000'000'000 ? 0x7C00 : 0x3000;
}

/// Marvell's status: speed 15:14, full duplex 13, page received 12, resolved 11, link 10.
std::uint16_t MdioPhy::vendor_status() const {
    if (!link_) return 0;
    const unsigned speed =
        config_.link_speed >= 1'000'000'000 ? 2 : config_.link_speed >= 100'000'000;
    return static_cast<std::uint16_t>(0x2C48U | (speed << 14));
}

void MdioPhy::write(unsigned address, std::uint16_t value) {
    if (address == config_.page_register) {
        page_ = value & 0xFFU;
        return;
    }
    if (page_ != 0) {
        pages_[{page_, address}] = value;
        return;
    }
    switch (address) {
        case control:
            write_control(value);
            break;
        case status_register:
        case id1_register:
        case id2_register:
        case partner:
        case expansion:
        case status_1000:
        case extended_status:
        case vendor_status_register:
            break;
        default:
            registers_[address & 31U] = value;
    }
}

void MdioPhy::write_control(std::uint16_t value) {
    registers_[control] = value & static_cast<std::uint16_t>(~(control_reset | control_restart));
    if ((value & (control_reset | control_restart)) != 0)
        restart();
    else
        update_link();
}

void MdioPhy::reset() {
    registers_[control] = control_default;
    page_ = 0;
    restart();
}

void MdioPhy::restart() {
    if (config_.auto_negotiation_time == 0) {
        update_link();
        return;
    }
    negotiated_ = false;
    alarm_.after(config_.auto_negotiation_time);
    update_link();
}

void MdioPhy::on_negotiated() {
    negotiated_ = true;
    update_link();
}

void MdioPhy::set_carrier(bool present) {
    if (carrier_ == present) return;
    carrier_ = present;
    if (present)
        restart();
    else
        update_link();
}

void MdioPhy::update_link() {
    const bool up = negotiated_ && carrier_ && (registers_[control] & control_power_down) == 0;
    if (up == link_) return;
    link_ = up;
    if (!up) link_was_lost_ = true;
    if (link_changed_) link_changed_(up);
}

}  // namespace nicsim::models
