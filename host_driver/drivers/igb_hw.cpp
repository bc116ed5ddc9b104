// SPDX-License-Identifier: Apache-2.0
// igb: the device's semaphores, NVM, PHY and resets (e1000_i210.c, e1000_82575.c, e1000_phy.c).
#include <string>

#include "host_driver/drivers/igb.h"
#include "host_driver/drivers/igb_regs.h"

namespace nicsim::host {

using namespace igb;
using namespace sim::literals;

namespace {

constexpr unsigned nvm_words_summed = 0x40;
constexpr std::uint32_t nvm_sum = 0xbaba;
constexpr std::uint32_t phy_address = 1;
constexpr std::uint32_t phy_id_i210 = 0x01410c00;
constexpr std::uint32_t phy_id_mask = 0xfffffff0;
constexpr unsigned phy_control = 0;
constexpr unsigned phy_id1 = 2;
constexpr unsigned phy_id2 = 3;
constexpr unsigned phy_autoneg_advertise = 4;
constexpr unsigned phy_1000t_control = 9;

}  // namespace

/// A read makes the writes before it arrive.
void IgbDriver::flush(Core& core) const {
    (void)rd(core, STATUS);
}

/// With a flash the first words must add up; the on-chip memory of a flash-less part has no sum.
void IgbDriver::check_nvm(Core& core) const {
    if ((rd(core, EECD) & EECD_FLASH_DETECTED) == 0) return;
    shared_.acquire(core, SYNC_NVM);
    std::uint32_t sum = 0;
    for (unsigned w = 0; w < nvm_words_summed; ++w) sum += shared_.read_nvm_word(core, w);
    shared_.release(core, SYNC_NVM);
    if ((sum & 0xffffU) != nvm_sum)
        throw DriverError("igb: the NVM checksum is not valid: the words add up to " +
                          intel::hex(sum & 0xffffU) + " instead of 0x0000baba");
}

std::uint32_t IgbDriver::wait_mdic(Core& core) const {
    for (int i = 0; i < 1920; ++i) {
        core.delay(50_us);
        const std::uint32_t value = rd(core, MDIC);
        if ((value & MDIC_READY) == 0) continue;
        if ((value & MDIC_ERROR) != 0) throw DriverError("igb: MDIC reports an error");
        return value;
    }
    throw DriverError("igb: MDIC is never ready");
}

std::uint16_t IgbDriver::read_phy(Core& core, unsigned reg) const {
    shared_.acquire(core, SYNC_PHY);
    wr(core, MDIC, MDIC_READ | phy_address << 21 | reg << 16);
    const std::uint32_t value = wait_mdic(core);
    shared_.release(core, SYNC_PHY);
    return static_cast<std::uint16_t>(value);
}

void IgbDriver::write_phy(Core& core, unsigned reg, std::uint16_t value) const {
    shared_.acquire(core, SYNC_PHY);
    wr(core, MDIC, MDIC_WRITE | phy_address << 21 | reg << 16 | value);
    (void)wait_mdic(core);
    shared_.release(core, SYNC_PHY);
}

/// igb_reset_hw_82580: the whole function but for the PHY.
void IgbDriver::reset_hardware(Core& core) const {
    wr(core, CTRL, rd(core, CTRL) | CTRL_MASTER_DISABLE);
    for (int i = 0; i < 800; ++i) {
        if ((rd(core, STATUS) & STATUS_MASTER_ENABLE) == 0) break;
        core.delay(100_us);
    }
    wr(core, IMC, ~0U);
    wr(core, RCTL, 0);
    wr(core, TCTL, TCTL_PSP);
    flush(core);
    core.sleep(10_ms);
    wr(core, CTRL, rd(core, CTRL) | CTRL_RST);
    flush(core);
    core.sleep(5_ms);
    for (int i = 0; i < 10; ++i) {
        if ((rd(core, EECD) & EECD_AUTO_RD) != 0) break;
        core.sleep(1_ms);
    }
    wr(core, STATUS, STATUS_DEV_RST_SET);
    wr(core, IMC, ~0U);
    (void)rd(core, ICR);
}

/// igb_phy_hw_reset, then wait until the PHY's configuration is loaded.
void IgbDriver::reset_phy(Core& core) const {
    shared_.acquire(core, SYNC_PHY);
    const std::uint32_t ctrl = rd(core, CTRL);
    wr(core, CTRL, ctrl | CTRL_PHY_RST);
    flush(core);
    core.delay(100_us);
    wr(core, CTRL, ctrl);
    flush(core);
    core.delay(150_us);
    shared_.release(core, SYNC_PHY);
    for (int i = 0; i < 100; ++i) {
        if ((rd(core, EEMNGCTL) & EEMNGCTL_CFG_DONE_0) != 0) break;
        core.sleep(1_ms);
    }
}

/// igb_init_hw_i210: addresses, multicast table, PHY with auto-negotiation, flow control values.
void IgbDriver::init_hardware(Core& core) const {
    constexpr unsigned address_registers = 16;
    constexpr unsigned multicast_registers = 128;
    for (unsigned i = 1; i < address_registers; ++i) {
        wr(core, RAL(i), 0);
        wr(core, RAH(i), 0);
    }
    for (unsigned i = 0; i < multicast_registers; ++i) wr(core, MTA(i), 0);

    wr(core, CTRL, (rd(core, CTRL) | CTRL_SLU) & ~(CTRL_FRCSPD | CTRL_FRCDPX));
    const std::uint32_t id = std::uint32_t{read_phy(core, phy_id1)} << 16 | read_phy(core, phy_id2);
    if ((id & phy_id_mask) != phy_id_i210)
        throw DriverError("igb: unknown PHY id " + intel::hex(id) + ", expected 0x01410c00");
    reset_phy(core);
    constexpr std::uint16_t advertise_all_with_pause = 0x0de1;
    constexpr std::uint16_t advertise_1000_full = 0x0200;
    constexpr std::uint16_t autoneg_restart = 0x1200;
    write_phy(core, phy_autoneg_advertise, advertise_all_with_pause);
    write_phy(core, phy_1000t_control, advertise_1000_full);
    write_phy(core, phy_control,
              static_cast<std::uint16_t>(read_phy(core, phy_control) | autoneg_restart));

    wr(core, FCT, 0x8808);
    wr(core, FCAH, 0x0100);
    wr(core, FCAL, 0x00c28001);
    wr(core, FCTTV, 0xffff);
    wr(core, FCRTL, 0);
    wr(core, FCRTH, 0);
}

void IgbDriver::read_mac_address(Core& core) {
    const std::uint32_t low = rd(core, RAL(0));
    const std::uint32_t high = rd(core, RAH(0));
    for (unsigned i = 0; i < 4; ++i) mac_[i] = static_cast<std::uint8_t>(low >> 8 * i);
    for (unsigned i = 0; i < 2; ++i) mac_[4 + i] = static_cast<std::uint8_t>(high >> 8 * i);
    if ((high & RAH_AV) == 0 || (low == 0 && (high & 0xffffU) == 0) || (mac_[0] & 1U) != 0)
        throw DriverError("igb: RAL0/RAH0 hold no valid station address");
}

/// igb_ptp_reset: the clock is set to the host's after every reset. The write of the seconds sets
/// it.
void IgbDriver::set_clock(Core& core) const {
    wr(core, TSYNCTXCTL, 0);
    wr(core, TSYNCRXCTL, 0);
    wr(core, TSAUXC, 0);
    wr(core, TSIM, 2);
    const sim::Ps t = core.local_time();
    wr(core, SYSTIML, static_cast<std::uint32_t>(t % sim::ps_per_s / sim::ps_per_ns));
    wr(core, SYSTIMH, static_cast<std::uint32_t>(t / sim::ps_per_s));
}

}  // namespace nicsim::host
