// SPDX-License-Identifier: Apache-2.0
// Device control and what belongs to no other unit: CTRL with its resets, STATUS, CTRL_EXT, MDIC
// with the PHY, LEDs, power and management registers that are storage only.
#pragma once

#include <cstdint>
#include <systemc>

#include "models/common/mdio_phy.h"
#include "models/common/register_file.h"
#include "models/i210/config.h"
#include "sim/callback.h"

namespace nicsim::models::i210 {

class General : public sc_core::sc_module {
public:
    /// `reset`: CTRL.RST or DEV_RST was written. `link`: the link came up or went down.
    General(const sc_core::sc_module_name& name, const I210Config& config, RegisterFile& registers,
            sim::Callback<> reset, sim::Callback<bool> link);

    [[nodiscard]] MdioPhy& phy() { return phy_; }
    /// Link rate in bit/s, 0 without link.
    [[nodiscard]] std::uint64_t link_rate() const { return phy_.link() ? phy_.speed() : 0; }
    [[nodiscard]] const std::uint64_t& resets() const { return resets_; }

private:
    void map_storage(RegisterFile& file);
    void write_ctrl(unsigned, std::uint32_t value);
    std::uint32_t read_status(unsigned);
    void write_mdic(unsigned, std::uint32_t value);

    MdioPhy phy_;
    sim::Callback<> reset_;
    Register* ctrl_ = nullptr;
    Register* mdic_ = nullptr;
    std::uint64_t resets_ = 0;
};

}  // namespace nicsim::models::i210
