// SPDX-License-Identifier: Apache-2.0
// The Intel 82599 10 Gbit/s Ethernet controller (one port): the doors of sim/doors.h around its
// units. This file only wires; every unit says itself what it models. docs/devices/i82599.md is
// the overview.
#pragma once

#include <systemc>
#include <tlm>
#include <vector>

#include "models/common/dma_engine.h"
#include "models/common/io_window.h"
#include "models/common/register_file.h"
#include "models/common/register_target.h"
#include "models/common/semaphores.h"
#include "models/i82599/config.h"
#include "models/i82599/flow_control.h"
#include "models/i82599/general.h"
#include "models/i82599/interrupts.h"
#include "models/i82599/link.h"
#include "models/i82599/nvm_port.h"
#include "models/i82599/rx_unit.h"
#include "models/i82599/statistics.h"
#include "models/i82599/tx_unit.h"
#include "sim/doors.h"
#include "sim/life_cycle.h"
#include "sim/stat.h"

namespace nicsim::models::i82599 {

class I82599 : public sc_core::sc_module {
public:
    /// Throws std::invalid_argument if the configuration's address is none.
    I82599(const sc_core::sc_module_name& name, const I82599Config& config);
    ~I82599() override;

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
    [[nodiscard]] const TxCounts& tx_counts() const { return tx_.counts(); }

private:
    void reset();
    void link_changed(bool up);
    void carrier_changed(bool present) { link_.set_carrier(present); }
    void apply_link_rate();
    void flush_tx(unsigned queue) { tx_.flush_writebacks(queue); }
    void flush_rx(unsigned queue) { rx_.flush_writebacks(queue); }

    I82599Config config_;
    sim::DeviceIdentity identity_;
    RegisterFile file_{register_bar_bytes};
    IoWindow io_{file_, 0x0007'FFFC};
    RegisterTarget target_;
    DmaEngine dma_engine_;
    NvmPort nvm_;
    Semaphores semaphores_;
    Link link_;
    General general_;
    Interrupts interrupt_unit_;
    TxUnit tx_;
    FlowControl flow_control_;
    RxUnit rx_;
    Statistics statistics_;
};

/// What the device says of itself to a bus.
sim::DeviceIdentity i82599_identity(const I82599Config& config);

}  // namespace nicsim::models::i82599
