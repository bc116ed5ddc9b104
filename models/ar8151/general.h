// SPDX-License-Identifier: Apache-2.0
// Device control and what belongs to no other unit: MASTER_CTRL with its soft reset, IDLE_STATUS,
// MDIO with the PHY, the MikroTik card's magic and speed, and the registers that software writes
// and reads back without an effect that is modelled (power management, EEPROM and OTP access,
// wake-up, memory split, RSS, statistics block in host memory).
// There is no EEPROM: MAC_STA_ADDR holds the address after power-up and keeps it over a soft reset.
#pragma once

#include <cstdint>
#include <systemc>

#include "models/ar8151/config.h"
#include "models/ar8151/phy.h"
#include "models/common/register_file.h"
#include "sim/callback.h"

namespace nicsim::models::ar8151 {

class General : public sc_core::sc_module {
public:
    struct Callbacks {
        sim::Callback<> reset;                ///< MASTER_CTRL.SOFT_RST was written
        sim::Callback<std::uint32_t> master;  ///< MASTER_CTRL was written otherwise
        sim::Callback<bool> link;             ///< the link came up or went down
        sim::Callback<> phy_interrupt;        ///< a link change that software wants to hear
    };
    /// What is at work, for IDLE_STATUS.
    class ActivityIf {
    public:
        virtual ~ActivityIf() = default;
        [[nodiscard]] virtual std::uint32_t busy_bits() const = 0;
    };

    General(const sc_core::sc_module_name& name, const Ar8151Config& config,
            RegisterFile& registers, const ActivityIf& activity, const Callbacks& callbacks);

    [[nodiscard]] Phy& phy() { return phy_; }
    [[nodiscard]] const std::uint64_t& resets() const { return resets_; }

private:
    void map_control(RegisterFile& file, const Ar8151Config& config);
    void map_storage(RegisterFile& file);
    void map_mikrotik(RegisterFile& file, const Ar8151Config& config);
    void write_master(unsigned, std::uint32_t value);
    std::uint32_t read_idle(unsigned) { return activity_.busy_bits(); }
    void write_mdio(unsigned, std::uint32_t value);
    std::uint32_t read_speed(unsigned);

    Phy phy_;
    const ActivityIf& activity_;
    Callbacks callbacks_;
    Register* mdio_ = nullptr;
    Register* mdio_extn_ = nullptr;
    std::uint64_t resets_ = 0;
};

}  // namespace nicsim::models::ar8151
