// SPDX-License-Identifier: Apache-2.0
// The PHY behind MDIO as atl1c drives it: the clause 22 registers of models/common/mdio_phy.h, the
// interrupt enable and status of link changes (18, 19), the debug port (29, 30), and extended
// registers (device and register of clause 45, reached by MDIO_EXTN). Debug and extended registers
// are plain storage.
// Not modelled: what the debug registers tune, cable tests, energy-efficient Ethernet, hibernation.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <systemc>

#include "models/ar8151/config.h"
#include "models/common/mdio_phy.h"
#include "sim/callback.h"

namespace nicsim::models::ar8151 {

class Phy : public sc_core::sc_module {
public:
    /// `link_changed`: with the new state. `interrupt`: a link change that software wants to hear.
    Phy(const sc_core::sc_module_name& name, const Ar8151Config& config,
        sim::Callback<bool> link_changed, sim::Callback<> interrupt);

    [[nodiscard]] std::uint16_t read(unsigned address);
    void write(unsigned address, std::uint16_t value);
    [[nodiscard]] std::uint16_t read_extended(std::uint32_t device_and_register) const;
    void write_extended(std::uint32_t device_and_register, std::uint16_t value) {
        extended_[device_and_register] = value;
    }

    void set_carrier(bool present) { mii_.set_carrier(present); }
    [[nodiscard]] bool link() const { return mii_.link(); }
    /// In bit/s, 0 without link.
    [[nodiscard]] std::uint64_t rate() const { return mii_.link() ? mii_.speed() : 0; }

private:
    void on_link(bool up);

    sim::Callback<bool> link_changed_;
    sim::Callback<> interrupt_;
    MdioPhy mii_;
    std::uint16_t enable_ = 0;  ///< IER
    std::uint16_t status_ = 0;  ///< ISR
    unsigned debug_address_ = 0;
    std::array<std::uint16_t, 64> debug_{};
    std::map<std::uint32_t, std::uint16_t> extended_;
};

}  // namespace nicsim::models::ar8151
