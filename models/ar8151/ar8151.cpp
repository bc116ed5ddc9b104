// SPDX-License-Identifier: Apache-2.0
#include "models/ar8151/ar8151.h"
#include "sim/mac_address.h"

namespace nicsim::models::ar8151 {

/// Ids, BARs and the one MSI vector from public lspci listings and Linux' atl1c; largest payload
/// assumed. The MikroTik card shows the AR8151's ids; its link is that of MikroTik's data sheet
/// (CCR2004-1G-2XS-PCIe: PCIe 3.0 x8).
sim::DeviceIdentity ar8151_identity(const Ar8151Config& config) {
    sim::DeviceIdentity id;
    id.name = config.mikrotik() ? "mikrotik_10_25g" : "ar8151";
    id.vendor_id = 0x1969;
    id.device_id = 0x1083;
    id.subsystem_vendor_id = 0x1969;
    id.subsystem_id = 0x1083;
    id.revision = 0xC0;
    id.class_code = 0x020000;
    id.bars = {{.index = 0, .size = register_bar_bytes, .is_64_bit = true},
               {.index = 2, .size = io_bar_bytes, .io = true}};
    id.msi = true;
    id.max_link_generation = config.mikrotik() ? 3 : 1;
    id.max_link_width = config.mikrotik() ? 8 : 1;
    id.max_payload_supported = 512;
    id.max_read_request_limit = 4096;
    id.tags = config.tags();
    id.posted_header_credits = static_cast<unsigned>(config.posted_header_credits);
    id.posted_data_credits = static_cast<unsigned>(config.posted_data_credits);
    id.nonposted_header_credits = static_cast<unsigned>(config.nonposted_header_credits);
    id.nonposted_data_credits = static_cast<unsigned>(config.nonposted_header_credits);
    id.serial_number = sim::eui64_of(config.mac_bytes());
    return id;
}

Ar8151::Ar8151(const sc_core::sc_module_name& name, const Ar8151Config& config)
    : sc_module(name),
      config_(config),
      identity_(ar8151_identity(config)),
      target_("target", config.register_access_time),
      dma_engine_("dma_engine", DmaEngineConfig{}),
      dma_control_(file_, dma_engine_, sim::Callback<>::to<&Ar8151::load_rings>(this)),
      interrupt_unit_("interrupt_unit", config, file_),
      tx_("tx", config, dma_engine_, dma_control_, file_, interrupt_unit_),
      rx_("rx", config, dma_engine_, file_, interrupt_unit_,
          sim::Callback<bool>::to<&Ar8151::carrier_changed>(this)),
      general_("general", config, file_, *this, callbacks()),
      statistics_(file_, tx_.counts(), rx_.counts()) {
    mac_ctrl_ = &file_.add({.name = "MAC_CTRL",
                            .offset = reg::MAC_CTRL,
                            .write = WriteHook::to<&Ar8151::write_mac_ctrl>(this)});
    target_.map(0, file_);
    target_.map(2, io_file_);
    target_.allow_narrow();

    registers.bind(target_.socket);
    dma_engine_.socket.bind(dma);
    interrupt_unit_.out.bind(interrupts);
    tx_.ethernet_out.bind(ethernet_out);
    ethernet_in.bind(rx_.ethernet());
    apply_mac();
}

Ar8151::~Ar8151() = default;

General::Callbacks Ar8151::callbacks() {
    General::Callbacks c;
    c.reset = sim::Callback<>::to<&Ar8151::reset>(this);
    c.master = sim::Callback<std::uint32_t>::to<&Interrupts::master_written>(&interrupt_unit_);
    c.link = sim::Callback<bool>::to<&Ar8151::link_changed>(this);
    c.phy_interrupt = sim::Callback<>::to<&Ar8151::phy_interrupt>(this);
    return c;
}

/// The loss of the bus link resets the device as software can; the PHY and its link stay as they
/// are.
void Ar8151::set_bus_limits(const sim::BusLimits& limits) {
    if (!limits.link_up) reset();
    dma_engine_.set_limits(limits);
}

/// MASTER_CTRL.SOFT_RST: MAC and DMA go back to their first state; the PHY, the address and what
/// stands outside of them stay.
void Ar8151::reset() {
    dma_engine_.reset();
    file_.reset();
    dma_control_.apply();
    interrupt_unit_.reset();
    tx_.reset();
    rx_.reset();
    statistics_.reset();
    apply_mac();
}

void Ar8151::load_rings() {
    tx_.load_rings();
    rx_.load_rings();
}

void Ar8151::apply_mac() {
    const std::uint32_t value = mac_ctrl_->get();
    const std::uint64_t rate = general_.phy().rate();
    tx_.set_link((value & mac::TX_EN) != 0 ? rate : 0);
    rx_.set_link(rate);
    rx_.set_mac_control(value);
}

void Ar8151::register_stats(sim::StatGroup& group) {
    target_.register_stats(group.group("registers"), file_);
    group.counter("resets", "resets", "Soft resets by MASTER_CTRL.", general_.resets());
    interrupt_unit_.register_stats(group.group("interrupts"));
    dma_engine_.register_stats(group.group("dma"));
    tx_.register_stats(group.group("tx"));
    rx_.register_stats(group.group("rx"));
}

}  // namespace nicsim::models::ar8151
