// SPDX-License-Identifier: Apache-2.0
#include "models/ar8151/phy.h"

#include "models/ar8151/registers.h"

namespace nicsim::models::ar8151 {

namespace {

constexpr unsigned no_page_register = 32;

/// Atheros' identifier (OUI 00-13-74). Linux' driver takes any but three of early samples.
PhyConfig mii_config(const Ar8151Config& config) {
    PhyConfig phy;
    phy.link_speed = config.link_speed;
    phy.auto_negotiation_time = config.auto_negotiation_time;
    phy.id1 = 0x004D;
    phy.id2 = 0xD042;
    phy.page_register = no_page_register;
    return phy;
}

}  // namespace

Phy::Phy(const sc_core::sc_module_name& name, const Ar8151Config& config,
         sim::Callback<bool> link_changed, sim::Callback<> interrupt)
    : sc_module(name),
      link_changed_(link_changed),
      interrupt_(interrupt),
      mii_("mii", mii_config(config), sim::Callback<bool>::to<&Phy::on_link>(this)) {}

/// The interrupt status is cleared by its read.
std::uint16_t Phy::read(unsigned address) {
    switch (address) {
        case phy::IER:
            return enable_;
        case phy::ISR: {
            const std::uint16_t value = status_;
            status_ = 0;
            return value;
        }
        case phy::DBG_ADDR:
            return static_cast<std::uint16_t>(debug_address_);
        case phy::DBG_DATA:
            return debug_[debug_address_ % debug_.size()];
        default:
            return mii_.read(address);
    }
}

void Phy::write(unsigned address, std::uint16_t value) {
    switch (address) {
        case phy::IER:
            enable_ = value;
            break;
        case phy::ISR:
            break;
        case phy::DBG_ADDR:
            debug_address_ = value;
            break;
        case phy::DBG_DATA:
            debug_[debug_address_ % debug_.size()] = value;
            break;
        default:
            mii_.write(address, value);
    }
}

std::uint16_t Phy::read_extended(std::uint32_t device_and_register) const {
    const auto found = extended_.find(device_and_register);
    return found == extended_.end() ? 0 : found->second;
}

void Phy::on_link(bool up) {
    const std::uint16_t what = up ? phy::link_up : phy::link_down;
    status_ |= what;
    if (link_changed_) link_changed_(up);
    if ((enable_ & what) != 0 && interrupt_) interrupt_();
}

}  // namespace nicsim::models::ar8151
