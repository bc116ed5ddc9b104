// SPDX-License-Identifier: Apache-2.0
// A copper PHY behind MDIO (IEEE 802.3 clause 22): control, status, identity, auto-negotiation with
// a partner that can do everything, and the vendor's pages behind register 22. Link comes up when
// auto-negotiation is done and the carrier is there; it is lost with power-down, reset or carrier.
// Registers of pages without meaning here are plain storage. Not modelled: forced speeds other than
// as a bit pattern, energy-efficient Ethernet, cable tests, clause 45.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <systemc>
#include <utility>

#include "sim/alarm.h"
#include "sim/callback.h"
#include "sim/time.h"

namespace nicsim::models {

struct PhyConfig {
    std::uint64_t link_speed = 1'000'000'000;  ///< bit/s
    sim::Ps auto_negotiation_time = 0;
    std::uint16_t id1 = 0x0141;  ///< Marvell
    std::uint16_t id2 = 0x0C00;
    unsigned page_register = 22;
};

class MdioPhy : public sc_core::sc_module {
public:
    /// `link_changed` is called with the new state, also from inside of read and write.
    MdioPhy(const sc_core::sc_module_name& name, const PhyConfig& config,
            sim::Callback<bool> link_changed);

    [[nodiscard]] std::uint16_t read(unsigned address);
    void write(unsigned address, std::uint16_t value);

    /// Hardware reset (CTRL.PHY_RST): registers to their defaults, auto-negotiation starts again.
    void reset();
    /// The far end's light or carrier.
    void set_carrier(bool present);
    [[nodiscard]] bool link() const { return link_; }
    [[nodiscard]] std::uint64_t speed() const { return config_.link_speed; }
    [[nodiscard]] unsigned page() const { return page_; }

private:
    [[nodiscard]] std::uint16_t status() const;
    [[nodiscard]] std::uint16_t partner_1000() const;
    [[nodiscard]] std::uint16_t vendor_status() const;
    void write_control(std::uint16_t value);
    void restart();
    void on_negotiated();
    void update_link();

    PhyConfig config_;
    sim::Callback<bool> link_changed_;
    sim::Alarm alarm_;
    std::array<std::uint16_t, 32> registers_{};
    std::map<std::pair<unsigned, unsigned>, std::uint16_t> pages_;  ///< page, register
    unsigned page_ = 0;
    bool negotiated_ = true;
    bool carrier_ = true;
    bool link_ = true;
    bool link_was_lost_ = false;  ///< status bit 2 latches low until read
};

}  // namespace nicsim::models
