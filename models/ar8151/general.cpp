// SPDX-License-Identifier: Apache-2.0
#include "models/ar8151/general.h"

#include "models/ar8151/registers.h"

namespace nicsim::models::ar8151 {

namespace {

constexpr std::uint32_t class_and_revision = 0x0200'00C0;  ///< as in configuration space
constexpr std::uint32_t twsi_load_start = 1U << 11;
constexpr std::uint32_t fifo_unit = 8;  ///< of the SRAM lengths

struct Storage {
    const char* name = nullptr;
    std::uint32_t offset = 0;
    unsigned count = 1;
    bool sticky = false;  ///< outside of what a soft reset reaches: MAC and DMA
};

constexpr Storage storage[] = {
    // The first bytes mirror configuration space.
    {"PCI_COMMAND", 0x0004, 1, true},
    {"DEVICE_CAP", 0x005C, 1, true},
    {"LINK_CTRL", reg::LINK_CTRL, 1, true},
    {"DEV_SERIALNUM_CTRL", 0x0200, 1, true},
    {"PCIE_DEV_MISC_CTRL", 0x021C, 1, true},
    {"PCIE_PHYMISC", 0x1000, 1, true},
    {"PCIE_PHYMISC2", 0x1004, 1, true},
    {"EEPROM_CTRL", 0x12C0, 1, true},
    {"EEPROM_DATA_LO", 0x12C4, 1, true},
    {"OTP_CTRL", reg::OTP_CTRL, 1, true},
    {"PM_CTRL", reg::PM_CTRL, 1, true},
    {"LTSSM_ID_CTRL", reg::LTSSM_ID_CTRL, 1, true},
    {"MANUAL_TIMER_INIT", reg::MANUAL_TIMER_INIT},
    {"GPHY_CTRL", reg::GPHY_CTRL, 1, true},
    {"PHY_STATUS", 0x1418, 1, true},
    {"BIST0_CTRL", 0x141C, 1, true},
    {"BIST1_CTRL", 0x1420, 1, true},
    {"SERDES_LOCK", reg::SERDES, 1, true},
    {"LPI_DECISN_TIMER", 0x143C, 1, true},
    {"LPI_CTRL", 0x1440, 1, true},
    {"LPI_WAIT", 0x1444, 1, true},
    {"MAC_IPG_IFG", 0x1484},
    {"MAC_HALF_DUPLX_CTRL", 0x1498},
    {"WOL_CTRL", reg::WOL_CTRL, 1, true},
    {"WOL_PATTERN_LEN", 0x14A4, 2, true},
    {"RSS_KEY", 0x14B0, 10},
    {"RSS_IDT_TABLE", 0x14E0, 8},
    {"SRAM_RFD_INFO", reg::SRAM_RFD0_INFO, 4},
    {"RFD_NIC_LEN", 0x1510},
    {"SRAM_TRD_ADDR", 0x1518},
    {"SRAM_TRD_LEN", 0x151C},
    {"SRAM_RXF_ADDR", 0x1520},
    {"SRAM_TXF_ADDR", 0x1528},
    {"SRAM_TCPH_ADDR", 0x1530},
    {"SMB_BASE_ADDR_HI", 0x1548},
    {"SMB_BASE_ADDR_LO", 0x154C},
    {"TX_TSO_OFFLOAD_THRESH", reg::TX_TSO_OFFLOAD_THRESH},
    {"TXF_WATER_MARK", reg::TXF_WATER_MARK},
    {"THRUPUT_MON_CTRL", 0x159C},
    {"RFD_FREE_THRESH", reg::RFD_FREE_THRESH},
    {"RXQ_RXF_PAUSE_THRESH", reg::RXQ_RXF_PAUSE_THRESH},
    {"BASE_CPU_NUMBER", 0x15B8},
    {"SMB_STAT_TIMER", reg::SMB_STAT_TIMER},
    {"TINT_TPD_THRESH", reg::TINT_TPD_THRESH},
    {"CLK_GATING_CTRL", 0x1814, 1, true},
    {"DEBUG_DATA", 0x1900, 2, true},
};

}  // namespace

General::General(const sc_core::sc_module_name& name, const Ar8151Config& config,
                 RegisterFile& registers, const ActivityIf& activity, const Callbacks& callbacks)
    : sc_module(name),
      phy_("phy", config, callbacks.link, callbacks.phy_interrupt),
      activity_(activity),
      callbacks_(callbacks) {
    map_control(registers, config);
    map_storage(registers);
    if (config.mikrotik())
        map_mikrotik(registers, config);
    else  // anything but the magic number; every probe looks
        registers.add({.name = "MT_MAGIC", .offset = reg::MT_MAGIC, .access = Access::read_only});
}

void General::map_control(RegisterFile& file, const Ar8151Config& config) {
    file.add({.name = "PCI_CLASS_REVISION",
              .offset = 0x0008,
              .reset = class_and_revision,
              .access = Access::read_only});
    file.add({.name = "TWSI_CTRL", .offset = reg::TWSI_CTRL, .write_mask = ~twsi_load_start});
    file.add({.name = "TWSI_DEBUG", .offset = reg::TWSI_DEBUG, .access = Access::read_only});
    file.add({.name = "MASTER_CTRL",
              .offset = reg::MASTER_CTRL,
              .write_mask = ~master::SOFT_RST,
              .write = WriteHook::to<&General::write_master>(this),
              .sticky = true});
    file.add({.name = "IDLE_STATUS",
              .offset = reg::IDLE_STATUS,
              .access = Access::read_only,
              .read = ReadHook::to<&General::read_idle>(this),
              .pure_read = true});
    mdio_ = &file.add({.name = "MDIO_CTRL",
                       .offset = reg::MDIO_CTRL,
                       .write_mask = ~(mdio::START | mdio::BUSY),
                       .write = WriteHook::to<&General::write_mdio>(this)});
    mdio_extn_ = &file.add({.name = "MDIO_EXTN", .offset = reg::MDIO_EXTN});
    file.add({.name = "SRAM_RXF_LEN",
              .offset = reg::SRAM_RXF_LEN,
              .reset = static_cast<std::uint32_t>(config.rx_fifo) / fifo_unit,
              .access = Access::read_only});
    file.add({.name = "SRAM_TXF_LEN",
              .offset = reg::SRAM_TXF_LEN,
              .reset = static_cast<std::uint32_t>(config.tx_fifo) / fifo_unit,
              .access = Access::read_only});
}

void General::map_storage(RegisterFile& file) {
    for (const Storage& s : storage)
        file.add({.name = s.name, .offset = s.offset, .count = s.count, .sticky = s.sticky});
}

void General::map_mikrotik(RegisterFile& file, const Ar8151Config& config) {
    file.add({.name = "MT_MAGIC",
              .offset = reg::MT_MAGIC,
              .reset = mt_magic,
              .access = Access::read_only});
    file.add({.name = "MT_SPEED",
              .offset = reg::MT_SPEED,
              .access = Access::read_only,
              .read = ReadHook::to<&General::read_speed>(this),
              .pure_read = true});
    const std::uint32_t version = config.queues == max_queues ? 2 : 1;
    file.add({.name = "MT_VERSION",
              .offset = reg::MT_VERSION,
              .reset = version,
              .access = Access::read_only});
}

void General::write_master(unsigned, std::uint32_t value) {
    if ((value & master::SOFT_RST) != 0) {
        ++resets_;
        if (callbacks_.reset) callbacks_.reset();
    }
    if (callbacks_.master) callbacks_.master(value);
}

/// An access is done at once; START and BUSY read 0.
void General::write_mdio(unsigned, std::uint32_t value) {
    if ((value & mdio::START) == 0) return;
    const bool extended = (value & mdio::EXT) != 0;
    const unsigned address = value >> mdio::register_shift & 0x1FU;
    const auto data = static_cast<std::uint16_t>(value);
    if ((value & mdio::READ) != 0) {
        const std::uint16_t result =
            extended ? phy_.read_extended(mdio_extn_->get()) : phy_.read(address);
        mdio_->set((mdio_->get() & 0xFFFF'0000) | result);
    } else if (extended) {
        phy_.write_extended(mdio_extn_->get(), data);
    } else {
        phy_.write(address, data);
    }
}

/// In Mbit/s, 0 without link.
std::uint32_t General::read_speed(unsigned) {
    return static_cast<std::uint32_t>(phy_.rate() / 1'000'000);
}

}  // namespace nicsim::models::ar8151
