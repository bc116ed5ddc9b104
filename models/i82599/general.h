// SPDX-License-Identifier: Apache-2.0
// Device control and what belongs to no other unit: CTRL with its resets, STATUS, ESDP and I2CCTL
// with the SFP+ module, and the registers that software writes and reads back without an effect
// that is modelled (virtualisation, bandwidth groups, wake-up, management, security, FCoE).
#pragma once

#include <cstdint>
#include <optional>

#include "models/common/register_file.h"
#include "models/i82599/config.h"
#include "models/i82599/link.h"
#include "models/i82599/sfp_module.h"
#include "sim/callback.h"

namespace nicsim::models::i82599 {

class General {
public:
    /// `reset`: CTRL.RST or CTRL.LRST was written.
    General(const I82599Config& config, RegisterFile& registers, const Link& link,
            sim::Callback<> reset);

    [[nodiscard]] const std::uint64_t& resets() const { return resets_; }

private:
    void map_storage(RegisterFile& file);
    void write_ctrl(unsigned, std::uint32_t value);
    std::uint32_t read_status(unsigned);
    void write_i2cctl(unsigned, std::uint32_t value);
    std::uint32_t read_i2cctl(unsigned);
    void write_fdirctrl(unsigned, std::uint32_t value);

    const Link& link_;
    sim::Callback<> reset_;
    std::optional<SfpModule> module_;
    Register* ctrl_ = nullptr;
    Register* i2cctl_ = nullptr;
    Register* fdirctrl_ = nullptr;
    std::uint64_t resets_ = 0;
};

}  // namespace nicsim::models::i82599
