// SPDX-License-Identifier: Apache-2.0
// The Atheros AR8151 gigabit Ethernet controller, and MikroTik's 10/25G card, which presents itself
// as one: the doors of sim/doors.h around its units. This file only wires; every unit says itself
// what it models. docs/devices/ar8151.md is the overview.
#pragma once

#include <systemc>
#include <tlm>
#include <vector>

#include "models/ar8151/config.h"
#include "models/ar8151/dma_control.h"
#include "models/ar8151/general.h"
#include "models/ar8151/interrupts.h"
#include "models/ar8151/registers.h"
#include "models/ar8151/rx_unit.h"
#include "models/ar8151/statistics.h"
#include "models/ar8151/tx_unit.h"
#include "models/common/dma_engine.h"
#include "models/common/register_file.h"
#include "models/common/register_target.h"
#include "sim/doors.h"
#include "sim/life_cycle.h"
#include "sim/stat.h"

namespace nicsim::models::ar8151 {

class Ar8151 : public sc_core::sc_module, private General::ActivityIf {
public:
    /// Throws std::invalid_argument if the configuration's address is none.
    Ar8151(const sc_core::sc_module_name& name, const Ar8151Config& config);
    ~Ar8151() override;

    // ---- doors ----
    tlm::tlm_target_socket<> registers{"registers"};
    tlm::tlm_initiator_socket<> dma{"dma"};
    sc_core::sc_port<sim::InterruptIf> interrupts{"interrupts"};
    sc_core::sc_port<sim::EthernetIf> ethernet_out{"ethernet_out"};
    sc_core::sc_export<sim::EthernetIf> ethernet_in{"ethernet_in"};

    [[nodiscard]] const sim::DeviceIdentity& identity() const { return identity_; }
    void set_bus_limits(const sim::BusLimits& limits);
    void register_stats(sim::StatGroup& group);
    void set_life_cycle(sim::LifeCycle* life_cycle) {
        tx_.set_life_cycle(life_cycle);
        rx_.set_life_cycle(life_cycle);
    }

    /// Accesses to offsets of BAR 0 that are not modelled, in order of offset.
    [[nodiscard]] std::vector<UnmodelledOffset> unmodelled() const {
        return file_.unmodelled_offsets();
    }
    /// Every declared register, for documentation.
    [[nodiscard]] const RegisterFile& register_file() const { return file_; }

    [[nodiscard]] const RxUnit& rx() const { return rx_; }
    [[nodiscard]] const FrameCounts& tx_counts() const { return tx_.counts(); }

private:
    void reset();
    void load_rings();
    void link_changed(bool) { apply_mac(); }
    void phy_interrupt() { interrupt_unit_.cause(isr::GPHY); }
    void carrier_changed(bool present) { general_.phy().set_carrier(present); }
    void write_mac_ctrl(unsigned, std::uint32_t) { apply_mac(); }
    void apply_mac();
    [[nodiscard]] std::uint32_t busy_bits() const override {
        return tx_.busy_bits() | rx_.busy_bits();
    }
    [[nodiscard]] General::Callbacks callbacks();

    Ar8151Config config_;
    sim::DeviceIdentity identity_;
    RegisterFile file_{register_bar_bytes};
    RegisterFile io_file_{io_bar_bytes};  ///< BAR 2; no driver is known to use it
    Register* mac_ctrl_ = nullptr;
    RegisterTarget target_;
    DmaEngine dma_engine_;
    DmaControl dma_control_;
    Interrupts interrupt_unit_;
    TxUnit tx_;
    RxUnit rx_;
    General general_;
    Statistics statistics_;
};

/// What the device says of itself to a bus.
sim::DeviceIdentity ar8151_identity(const Ar8151Config& config);

}  // namespace nicsim::models::ar8151
