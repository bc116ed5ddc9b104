// SPDX-License-Identifier: Apache-2.0
// The link as software sees it (datasheet 8.2.3.22): AUTOC, LINKS and their neighbours, MDIO
// without a PHY behind it. The link comes up `link_time` after its restart if the far end's carrier
// is there; the speed is that of the configuration, whatever AUTOC asks for.
// Not modelled: auto-negotiation with a partner of other abilities, faults, forward error
// correction, 100 Mbit/s.
#pragma once

#include <cstdint>
#include <systemc>

#include "models/common/register_file.h"
#include "models/i82599/config.h"
#include "sim/alarm.h"
#include "sim/callback.h"

namespace nicsim::models::i82599 {

class Link : public sc_core::sc_module {
public:
    /// `changed`: the link came up or went down.
    Link(const sc_core::sc_module_name& name, const I82599Config& config, RegisterFile& registers,
         sim::Callback<bool> changed);

    [[nodiscard]] bool up() const { return up_; }
    /// In bit/s, 0 without link.
    [[nodiscard]] std::uint64_t rate() const { return up_ ? speed_ : 0; }
    /// The far end's light or carrier.
    void set_carrier(bool present);
    /// After RegisterFile::reset: the link starts again.
    void reset() { restart(); }

private:
    void map_storage(RegisterFile& file);
    void restart();
    void on_trained();
    void update();
    void write_autoc(unsigned, std::uint32_t value);
    std::uint32_t read_links(unsigned);
    void write_msca(unsigned, std::uint32_t value);

    std::uint64_t speed_;
    sim::Ps link_time_;
    sim::Callback<bool> changed_;
    sim::Alarm alarm_;
    bool trained_ = true, carrier_ = true, up_ = true;
    bool was_lost_ = false;  ///< LINKS bit 7 latches low until read
    Register* msrwd_ = nullptr;
};

}  // namespace nicsim::models::i82599
