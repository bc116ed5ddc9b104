// SPDX-License-Identifier: Apache-2.0
// atl1c: the link and what interrupts leave to a thread (atl1c_check_link_status,
// atl1c_common_task).
#include <utility>

#include "host_driver/drivers/atl1c.h"
#include "host_driver/drivers/atl1c_events.h"
#include "host_driver/drivers/atl1c_regs.h"

namespace nicsim::host {

using namespace atl1c;
using namespace sim::literals;

/// Mbit/s, 0 without a link. MikroTik's card says it in a register of its own; a PHY latches the
/// loss of the link, so that its status is read twice.
std::uint32_t Atl1cDriver::read_link(Core& core) const {
    if (mikrotik_) return rd(core, MT_SPEED);
    (void)read_phy(core, BMSR);
    if ((read_phy(core, BMSR) & BMSR_LSTATUS) == 0) return 0;
    const std::uint16_t status = read_phy(core, GIGA_PSSR);
    if ((status & GIGA_PSSR_RESOLVED) == 0) return 0;
    constexpr std::array<std::uint32_t, 4> speeds = {10, 100, 1000, 0};
    return speeds[status >> GIGA_PSSR_SPEED_SHIFT];
}

/// atl1c_link_chg_event: the stack hears of a lost link at once.
void Atl1cDriver::link_interrupt(Core& core) {
    ++link_events_;
    if (read_link(core) == 0 && device_->carrier()) {
        device_->set_carrier(false);
        link_mbit_ = 0;
    }
    link_event_ = true;
    core.wake(*events_);
}

// ---------------------------------------------------------------- receive filters

/// Promiscuous mode makes the other bit unnecessary.
std::uint32_t Atl1cDriver::rx_mode_bits() const {
    if (rx_mode_.promiscuous) return MAC_CTRL_PROMIS_EN;
    return rx_mode_.all_multicast ? MAC_CTRL_MC_ALL_EN : 0;
}

/// Of the CRC of each address with its bits in reverse order the topmost chooses the word and the
/// next five the bit (atl1c_hash_mc_addr, atl1c_hash_set).
void Atl1cDriver::write_multicast_hash(Core& core) const {
    constexpr std::uint32_t reflected_polynomial = 0xedb88320;
    std::array<std::uint32_t, 2> table{};
    for (const auto& address : rx_mode_.multicast) {
        std::uint32_t crc = ~0U;
        for (const std::uint8_t byte : address) {
            crc ^= byte;
            for (int i = 0; i < 8; ++i)
                crc = crc >> 1 ^ ((crc & 1U) != 0 ? reflected_polynomial : 0);
        }
        unsigned place = 0;  // the word and, behind it, the bit
        for (unsigned i = 0; i < 6; ++i) place = place << 1 | (crc >> i & 1U);
        table.at(place >> 5) |= 1U << (place & 31U);
    }
    wr(core, RX_HASH_TABLE, table[0]);
    wr(core, RX_HASH_TABLE + 4, table[1]);
}

/// Without a link only kept: the MAC is set up when one comes.
void Atl1cDriver::set_rx_mode(Core& core, const Atl1cRxMode& mode) {
    rx_mode_ = mode;
    if (!up_) return;
    const std::uint32_t others = rd(core, MAC_CTRL) & ~(MAC_CTRL_PROMIS_EN | MAC_CTRL_MC_ALL_EN);
    wr(core, MAC_CTRL, others | rx_mode_bits());
    write_multicast_hash(core);
}

// ---------------------------------------------------------------- link

/// Lets frames through at the speed of the link.
void Atl1cDriver::start_mac(Core& core) const {
    wr(core, TXQ_CTRL, rd(core, TXQ_CTRL) | TXQ_CTRL_EN);
    wr(core, RXQ_CTRL, rd(core, RXQ_CTRL) | RXQ_CTRL_EN);
    const std::uint32_t speed = link_mbit_ >= 1000 ? MAC_CTRL_SPEED_1000 : MAC_CTRL_SPEED_10_100;
    wr(core, MAC_CTRL, MAC_CTRL_USED | MAC_CTRL_TX_RX_EN | speed | rx_mode_bits());
}

/// atl1c_check_link_status
void Atl1cDriver::check_link(Core& core) {
    const std::uint32_t speed = read_link(core);
    if (speed == 0) {
        device_->set_carrier(false);
        link_mbit_ = 0;
        // What waits in the queue disciplines goes on when the link is back.
        for (unsigned q = 0; q < tx_queues(); ++q) device_->stop_queue(q);
        const bool was_up = std::exchange(up_, false);
        reset_mac(core);
        set_power_management(core, false);
        drop_rings();
        configure(core);
        up_ = was_up;
        return;
    }
    if (link_mbit_ != speed) {
        link_mbit_ = speed;
        set_power_management(core, true);
        if (!mikrotik_) {
            (void)access_phy_extension(core, EXT_PCS, EXT_CLDCTRL6, MDIO_CTRL_OP_READ);
            write_phy_debug(core, DBG_AZ_ANADECT, AZ_ANADECT_DEF);
        }
        start_mac(core);
    }
    if (device_->carrier()) return;
    device_->set_carrier(true);
    if (!up_) return;
    for (unsigned q = 0; q < tx_queues(); ++q) device_->wake_queue(core, q);
}

void Atl1cDriver::handle_events(Core& core) {
    if (std::exchange(reset_event_, false)) {
        down(core);
        up(core);
    }
    if (std::exchange(link_event_, false) && up_) check_link(core);
}

/// Linux does not wait here: who uses the interface does.
void Atl1cDriver::wait_for_link(Core& core) {
    constexpr int attempts = 10'000;
    for (int i = 0; i < attempts; ++i) {
        if (device_->carrier()) return;
        core.sleep(1_ms);
        handle_events(core);
    }
    throw DriverError("atl1c: " + device_->name() + " has no link after 10 s");
}

}  // namespace nicsim::host
