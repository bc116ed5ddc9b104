// SPDX-License-Identifier: Apache-2.0
#include "models/i82599/i82599.h"
#include "sim/mac_address.h"

namespace nicsim::models::i82599 {

namespace {

constexpr std::uint32_t firmware_valid = 1U << 15;    ///< FWSM; no management mode
constexpr std::uint32_t software_bits = 0x0000'1C1F;  ///< of SW_FW_SYNC, incl. the I2C ones

DmaEngineConfig dma_config(const I82599Config& config) {
    DmaEngineConfig dma;
    dma.max_read_bytes = static_cast<std::uint32_t>(config.max_read_request);
    return dma;
}

}  // namespace

/// Datasheet 9 (configuration space); 5 GT/s x8, largest payload 512 bytes.
sim::DeviceIdentity i82599_identity(const I82599Config& config) {
    sim::DeviceIdentity id;
    id.name = "i82599";
    id.vendor_id = 0x8086;
    id.device_id = config.board == Board::kx4 ? 0x10F7 : 0x10FB;
    id.subsystem_vendor_id = 0x8086;
    id.subsystem_id = 0x0003;
    id.revision = 0x01;
    id.class_code = 0x020000;
    id.bars = {{.index = 0, .size = register_bar_bytes, .is_64_bit = true},
               {.index = 2, .size = 32, .io = true},
               {.index = 4, .size = 16 * 1024, .is_64_bit = true}};
    id.msix_vectors = vectors;
    id.msix_bar = 4;
    id.msix_table_offset = 0;
    id.msix_pba_offset = 0x2000;
    id.max_link_generation = 2;
    id.max_link_width = 8;
    id.max_payload_supported = 512;
    id.max_read_request_limit = static_cast<std::uint32_t>(config.max_read_request);
    id.tags = config.tags();
    id.posted_header_credits = static_cast<unsigned>(config.posted_header_credits);
    id.posted_data_credits = static_cast<unsigned>(config.posted_data_credits);
    id.nonposted_header_credits = static_cast<unsigned>(config.nonposted_header_credits);
    id.nonposted_data_credits = static_cast<unsigned>(config.nonposted_header_credits);
    id.serial_number = sim::eui64_of(config.mac_bytes());
    return id;
}

I82599::I82599(const sc_core::sc_module_name& name, const I82599Config& config)
    : sc_module(name),
      config_(config),
      identity_(i82599_identity(config)),
      target_("target", config.register_access_time),
      dma_engine_("dma_engine", dma_config(config)),
      nvm_(config, file_),
      semaphores_(file_, {reg::SWSM, reg::FWSM, reg::SW_FW_SYNC}, firmware_valid, software_bits),
      link_("link", config, file_, sim::Callback<bool>::to<&I82599::link_changed>(this)),
      general_(config, file_, link_, sim::Callback<>::to<&I82599::reset>(this)),
      interrupt_unit_("interrupt_unit", static_cast<unsigned>(config.queues), file_),
      tx_("tx", config, dma_engine_, file_, interrupt_unit_),
      flow_control_("flow_control", nvm_.mac(), file_, tx_.wire()),
      rx_("rx", config, dma_engine_, file_, interrupt_unit_, flow_control_,
          sim::Callback<bool>::to<&I82599::carrier_changed>(this)),
      statistics_(file_, tx_.counts(), rx_.counts(), flow_control_.counts()) {
    interrupt_unit_.on_flush(sim::Callback<unsigned>::to<&I82599::flush_tx>(this),
                             sim::Callback<unsigned>::to<&I82599::flush_rx>(this));
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

I82599::~I82599() = default;

/// CTRL.RST or LRST: everything but the EEPROM goes back to its first state; the link starts again.
/// The loss of the bus link resets the device as software can; the PHY and its link stay as they
/// are.
void I82599::set_bus_limits(const sim::BusLimits& limits) {
    if (!limits.link_up) reset();
    dma_engine_.set_limits(limits);
}

void I82599::reset() {
    dma_engine_.reset();
    file_.reset();
    interrupt_unit_.reset();
    flow_control_.reset();
    tx_.reset();
    rx_.reset();
    statistics_.reset();
    rx_.load_address(nvm_.mac());
    link_.reset();
}

void I82599::link_changed(bool) {
    apply_link_rate();
    interrupt_unit_.cause(eicr::LSC);
}

void I82599::apply_link_rate() {
    tx_.set_link(link_.rate());
    flow_control_.set_link(link_.rate());
    rx_.set_link(link_.rate());
}

void I82599::register_stats(sim::StatGroup& group) {
    target_.register_stats(group.group("registers"), file_);
    group.counter("resets", "resets", "Device resets by CTRL.", general_.resets());
    interrupt_unit_.register_stats(group.group("interrupts"));
    dma_engine_.register_stats(group.group("dma"));
    tx_.register_stats(group.group("tx"));
    rx_.register_stats(group.group("rx"));
    flow_control_.register_stats(group.group("flow_control"));
}

}  // namespace nicsim::models::i82599
