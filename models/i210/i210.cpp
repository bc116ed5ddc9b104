// SPDX-License-Identifier: Apache-2.0
#include "models/i210/i210.h"
#include "sim/mac_address.h"

namespace nicsim::models::i210 {

namespace {

DmaEngineConfig dma_config(const I210Config& config) {
    DmaEngineConfig dma;
    dma.max_read_bytes = static_cast<std::uint32_t>(config.max_read_request);
    return dma;
}

}  // namespace

/// Datasheet 9 (configuration space), table 3-9 (credits), 3.1.4.2.2 (requests).
sim::DeviceIdentity i210_identity(const I210Config& config) {
    sim::DeviceIdentity id;
    id.name = "i210";
    id.vendor_id = 0x8086;
    id.device_id = config.nvm == NvmKind::flash ? 0x1533 : 0x157B;
    id.subsystem_vendor_id = 0x8086;
    id.subsystem_id = 0x0001;
    id.revision = 0x03;
    id.class_code = 0x020000;
    id.bars = {{.index = 0, .size = register_bar_bytes},
               {.index = 2, .size = 32, .io = true},
               {.index = 3, .size = 16 * 1024}};
    id.msix_vectors = vectors;
    id.msix_bar = 3;
    id.msix_table_offset = 0;
    id.msix_pba_offset = 0x2000;
    id.max_link_generation = 1;
    id.max_link_width = 1;
    id.max_payload_supported = 512;
    id.max_read_request_limit = static_cast<std::uint32_t>(config.max_read_request);
    id.posted_header_credits = 4;
    id.nonposted_header_credits = 4;
    id.nonposted_data_credits = 4;
    id.serial_number = sim::eui64_of(config.mac_bytes());
    return id;
}

I210::I210(const sc_core::sc_module_name& name, const I210Config& config, const Blocks& blocks)
    : sc_module(name),
      config_(config),
      identity_(i210_identity(config)),
      target_("target", config.register_access_time),
      dma_engine_("dma_engine", dma_config(config)),
      systim_(config.systim_start / sim::ps_per_ns),
      nvm_(config, file_),
      semaphores_(file_, {reg::SWSM, reg::FWSM, reg::SW_FW_SYNC}, 0, 0xFFFF),
      general_("general", config, file_, sim::Callback<>::to<&I210::reset>(this),
               sim::Callback<bool>::to<&I210::link_changed>(this)),
      interrupt_unit_("interrupt_unit", file_, blocks.throttle),
      tx_("tx", config, dma_engine_, systim_, file_, interrupt_unit_, blocks),
      rx_("rx", config, dma_engine_, systim_, file_, interrupt_unit_,
          sim::Callback<bool>::to<&I210::carrier_changed>(this), blocks.rx_descriptors),
      timestamps_(file_, systim_, interrupt_unit_,
                  sim::Callback<bool>::to<&I210::rx_timestamps>(this)),
      statistics_(file_, tx_.counts(), rx_.counts()) {
    systim_.map(file_);
    systim_.on_changed(sim::Callback<>::to<&I210::clock_changed>(this));
    interrupt_unit_.on_flush(sim::Callback<unsigned>::to<&I210::flush_tx>(this),
                             sim::Callback<unsigned>::to<&I210::flush_rx>(this));
    tx_.on_timestamp(sim::Callback<sim::Ps>::to<&I210::transmit_timestamp>(this));
    target_.map(0, file_);
    target_.map(2, io_.file());

    registers.bind(target_.socket);
    dma_engine_.socket.bind(dma);
    interrupt_unit_.out.bind(interrupts);
    tx_.ethernet_out.bind(ethernet_out);
    ethernet_in.bind(rx_.ethernet());

    rx_.load_address(nvm_.mac());
    apply_link_rate();
}

I210::~I210() = default;

/// CTRL.RST or DEV_RST: everything but the PHY, SYSTIM and the NVM goes back to its first state.
/// The loss of the bus link resets the device as software can; the PHY and its link stay as they
/// are.
void I210::set_bus_limits(const sim::BusLimits& limits) {
    if (!limits.link_up) reset();
    dma_engine_.set_limits(limits);
}

void I210::reset() {
    dma_engine_.reset();
    file_.reset();
    interrupt_unit_.reset();
    tx_.reset();
    rx_.reset();
    timestamps_.reset();
    statistics_.reset();
    rx_.load_address(nvm_.mac());
}

void I210::link_changed(bool) {
    apply_link_rate();
    interrupt_unit_.cause(icr::LSC);
}

void I210::apply_link_rate() {
    tx_.set_link(general_.link_rate());
    rx_.set_link(general_.link_rate());
}

void I210::register_stats(sim::StatGroup& group) {
    target_.register_stats(group.group("registers"), file_);
    group.counter("resets", "resets", "Device resets by CTRL.", general_.resets());
    tx_.register_stats(group.group("tx"));
    rx_.register_stats(group.group("rx"));
    interrupt_unit_.register_stats(group.group("interrupts"));
    dma_engine_.register_stats(group.group("dma"));
}

}  // namespace nicsim::models::i210
