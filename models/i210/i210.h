// SPDX-License-Identifier: Apache-2.0
// The Intel I210 Ethernet controller: the doors of sim/doors.h around its units. This file only
// wires; every unit says itself what it models. docs/devices/i210.md is the overview.
#pragma once

#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/common/dma_engine.h"
#include "models/common/io_window.h"
#include "models/common/register_file.h"
#include "models/common/register_target.h"
#include "models/common/semaphores.h"
#include "models/i210/blocks.h"
#include "models/i210/config.h"
#include "models/i210/general.h"
#include "models/i210/interrupts.h"
#include "models/i210/nvm_port.h"
#include "models/i210/rx_unit.h"
#include "models/i210/statistics.h"
#include "models/i210/systim.h"
#include "models/i210/timestamps.h"
#include "models/i210/tx_unit.h"
#include "sim/doors.h"
#include "sim/life_cycle.h"
#include "sim/stat.h"

namespace nicsim::models::i210 {

class I210 : public sc_core::sc_module {
public:
    /// Throws std::invalid_argument if the configuration's address is none.
    /// `blocks`: what takes the place of models in C++.
    I210(const sc_core::sc_module_name& name, const I210Config& config, const Blocks& blocks = {});
    ~I210() override;

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
    [[nodiscard]] const SystemTime& system_time() const { return systim_; }

private:
    void reset();
    void link_changed(bool up);
    void carrier_changed(bool present) { general_.phy().set_carrier(present); }
    void apply_link_rate();
    void flush_tx(unsigned queue) { tx_.flush_writebacks(queue); }
    void flush_rx(unsigned queue) { rx_.flush_writebacks(queue); }
    void clock_changed() { tx_.clock_changed(); }
    void rx_timestamps(bool all) { rx_.set_timestamp_all(all); }
    void transmit_timestamp(sim::Ps start) { timestamps_.on_transmit(start); }

    I210Config config_;
    sim::DeviceIdentity identity_;
    RegisterFile file_{register_bar_bytes};
    IoWindow io_{file_, 0x0001'FFFC};
    RegisterTarget target_;
    DmaEngine dma_engine_;
    SystemTime systim_;
    NvmPort nvm_;
    Semaphores semaphores_;
    General general_;
    Interrupts interrupt_unit_;
    TxUnit tx_;
    RxUnit rx_;
    Timestamps timestamps_;
    Statistics statistics_;
};

/// What the device says of itself to a bus.
sim::DeviceIdentity i210_identity(const I210Config& config);

}  // namespace nicsim::models::i210
