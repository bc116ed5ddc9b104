// SPDX-License-Identifier: Apache-2.0
// atl1c: bus registers, PHY, reset and address (atl1c_hw.c, atl1c_main.c).
#include <string>

#include "host_driver/drivers/atl1c.h"
#include "host_driver/drivers/atl1c_regs.h"

namespace nicsim::host {

using namespace atl1c;
using namespace sim::literals;

/// A read makes the writes before it arrive.
void Atl1cDriver::flush(Core& core) const {
    (void)rd(core, MASTER_CTRL);
}

// ---------------------------------------------------------------- PHY

bool Atl1cDriver::wait_mdio(Core& core) const {
    constexpr int attempts = 120;
    for (int i = 0; i < attempts; ++i) {
        if ((rd(core, MDIO_CTRL) & (MDIO_CTRL_BUSY | MDIO_CTRL_START)) == 0) return true;
        core.delay(10_us);
    }
    return false;
}

/// The emulated management interface of MikroTik's card may fail, and nothing depends on it there.
std::uint16_t Atl1cDriver::mdio(Core& core, std::uint32_t command) const {
    const std::uint32_t clock = link_mbit_ == 0 ? MDIO_CTRL_CLK_25_128 : 0;
    wr(core, MDIO_CTRL, command | clock | MDIO_CTRL_SPRES_PRMBL | MDIO_CTRL_START);
    if (!wait_mdio(core)) {
        if (mikrotik_) return 0;
        throw DriverError("atl1c: MDIO_CTRL stays busy: the PHY cannot be reached");
    }
    if ((command & MDIO_CTRL_OP_READ) == 0) return 0;
    return static_cast<std::uint16_t>(rd(core, MDIO_CTRL));
}

std::uint16_t Atl1cDriver::read_phy(Core& core, unsigned reg) const {
    return mdio(core, reg << MDIO_CTRL_REG_SHIFT | MDIO_CTRL_OP_READ);
}

void Atl1cDriver::write_phy(Core& core, unsigned reg, std::uint16_t value) const {
    (void)mdio(core, reg << MDIO_CTRL_REG_SHIFT | value);
}

void Atl1cDriver::write_phy_debug(Core& core, unsigned reg, std::uint16_t value) const {
    write_phy(core, DBG_ADDR, static_cast<std::uint16_t>(reg));
    write_phy(core, DBG_DATA, value);
}

std::uint16_t Atl1cDriver::access_phy_extension(Core& core, unsigned device, unsigned reg,
                                                std::uint32_t command) const {
    wr(core, MDIO_EXTN, device << MDIO_EXTN_DEVAD_SHIFT | reg);
    return mdio(core, MDIO_CTRL_MODE_EXT | command);
}

/// atl1c_phy_reset
void Atl1cDriver::reset_phy(Core& core) const {
    (void)rd(core, GPHY_CTRL);
    wr(core, GPHY_CTRL, GPHY_CTRL_USED);
    flush(core);
    core.delay(10_us);
    wr(core, GPHY_CTRL, GPHY_CTRL_USED | GPHY_CTRL_EXT_RESET);
    flush(core);
    core.delay(800_us);
    constexpr std::size_t before_extensions = 2;
    std::size_t n = 0;
    for (; n < before_extensions; ++n)
        write_phy_debug(core, phy_debug_settings[n].reg, phy_debug_settings[n].value);
    wr(core, LPI_CTRL, rd(core, LPI_CTRL) & ~LPI_CTRL_EN);
    (void)access_phy_extension(core, EXT_ANEG, EXT_LOCAL_EEEADV, 0);
    (void)access_phy_extension(core, EXT_PCS, EXT_CLDCTRL3, CLDCTRL3_USED);
    for (; n < phy_debug_settings.size(); ++n)
        write_phy_debug(core, phy_debug_settings[n].reg, phy_debug_settings[n].value);
    write_phy(core, PHY_IER, PHY_IER_LINK);
}

/// atl1c_phy_init: offers every speed and starts auto-negotiation.
void Atl1cDriver::init_phy(Core& core) const {
    (void)read_phy(core, PHYSID1);
    (void)read_phy(core, PHYSID2);
    write_phy(core, ADVERTISE, ADVERTISE_USED);
    write_phy(core, CTRL1000, CTRL1000_USED);
    write_phy(core, BMCR, BMCR_RESET_AND_RESTART);
}

// ---------------------------------------------------------------- bus and reset

/// atl1c_set_aspm; the L0s and L1 of the bus link that it allows are not modelled.
void Atl1cDriver::set_power_management(Core& core, bool link) const {
    (void)rd(core, PM_CTRL);
    wr(core, PM_CTRL, link ? PM_CTRL_LINK : PM_CTRL_NO_LINK);
}

/// atl1c_reset_pcie
void Atl1cDriver::reset_bus(Core& core) const {
    (void)rd(core, PCI_COMMAND);
    wr(core, PCI_COMMAND, PCI_COMMAND_USED);
    wr(core, WOL_CTRL, 0);
    wr(core, LTSSM_ID_CTRL, rd(core, LTSSM_ID_CTRL) & ~LTSSM_ID_EN_WRO);
    wr(core, MASTER_CTRL,
       (rd(core, MASTER_CTRL) & ~MASTER_CTRL_CLK_SEL_DIS) | MASTER_CTRL_WAKEN_25M);
    wr(core, PCIE_PHYMISC, rd(core, PCIE_PHYMISC) | PCIE_PHYMISC_FORCE_RCV_DET);
    set_power_management(core, false);
    core.sleep(5_ms);
}

void Atl1cDriver::wait_idle(Core& core, std::uint32_t which) const {
    constexpr int attempts = 10;
    for (int i = 0; i < attempts; ++i) {
        if ((rd(core, IDLE_STATUS) & which) == 0) return;
        core.sleep(1_ms);
    }
    throw DriverError("atl1c: IDLE_STATUS shows that the device does not come to rest");
}

/// atl1c_stop_mac
void Atl1cDriver::stop_mac(Core& core) const {
    wr(core, RXQ_CTRL, rd(core, RXQ_CTRL) & ~RXQ_CTRL_EN);
    wr(core, TXQ_CTRL, rd(core, TXQ_CTRL) & ~TXQ_CTRL_EN);
    wait_idle(core, IDLE_STATUS_QUEUES);
    wr(core, MAC_CTRL, rd(core, MAC_CTRL) & ~MAC_CTRL_TX_RX_EN);
    wait_idle(core, IDLE_STATUS_MACS);
}

/// atl1c_reset_mac: the PHY and the address keep what they have.
void Atl1cDriver::reset_mac(Core& core) const {
    stop_mac(core);
    const std::uint32_t master = rd(core, MASTER_CTRL) | MASTER_CTRL_OOB_DIS;
    wr(core, MASTER_CTRL, master | MASTER_CTRL_SOFT_RST);
    flush(core);
    core.sleep(10_ms);
    wait_idle(core, IDLE_STATUS_QUEUES | IDLE_STATUS_MACS);
    wr(core, MASTER_CTRL, master);
    wr(core, MAC_CTRL, rd(core, MAC_CTRL) | MAC_CTRL_SPEED_MODE_SW);
    wr(core, SERDES, rd(core, SERDES) | SERDES_SLOWDOWN);
}

// ---------------------------------------------------------------- address

/// atl1c_read_mac_addr: what the device holds, or what it loads from its EEPROM when asked to.
void Atl1cDriver::read_address(Core& core) {
    const auto read = [&] {
        const std::uint32_t low = rd(core, MAC_STA_ADDR);
        const std::uint32_t high = rd(core, MAC_STA_ADDR + 4);
        for (unsigned i = 0; i < 2; ++i) mac_[i] = static_cast<std::uint8_t>(high >> (8 - 8 * i));
        for (unsigned i = 0; i < 4; ++i)
            mac_[2 + i] = static_cast<std::uint8_t>(low >> (24 - 8 * i));
        return (low != 0 || (high & 0xffffU) != 0) && (mac_[0] & 1U) == 0;
    };
    if (read()) return;
    if ((rd(core, TWSI_DEBUG) & TWSI_DEBUG_DEV_EXIST) != 0) {
        wr(core, TWSI_CTRL, rd(core, TWSI_CTRL) | TWSI_CTRL_SW_LDSTART);
        constexpr int attempts = 100;
        for (int i = 0; i < attempts; ++i) {
            core.sleep(10_ms);
            if ((rd(core, TWSI_CTRL) & TWSI_CTRL_SW_LDSTART) == 0) break;
        }
        if (read()) return;
    }
    throw DriverError("atl1c: MAC_STA_ADDR holds no valid station address");
}

}  // namespace nicsim::host
