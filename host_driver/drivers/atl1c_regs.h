// SPDX-License-Identifier: Apache-2.0
// The registers and bits of the AR8151 and of MikroTik's card that the driver uses, and the layout
// of their descriptors, named as in Linux' atl1c_hw.h and atl1c.h. There is no public data sheet.
#pragma once

#include <array>
#include <cstdint>

namespace nicsim::host::atl1c {

constexpr unsigned max_queues = 4;

// ---- configuration space as seen through the BAR, bus and power
constexpr std::uint32_t PCI_COMMAND = 0x0004;
constexpr std::uint32_t PCI_COMMAND_USED = 0x7;  ///< I/O, memory, bus master
constexpr std::uint32_t LINK_CTRL = 0x0068;
constexpr std::uint32_t TWSI_CTRL = 0x0218;
constexpr std::uint32_t TWSI_CTRL_SW_LDSTART = 1U << 11;
constexpr std::uint32_t PCIE_PHYMISC = 0x1000;
constexpr std::uint32_t PCIE_PHYMISC_FORCE_RCV_DET = 1U << 2;
constexpr std::uint32_t TWSI_DEBUG = 0x1108;
constexpr std::uint32_t TWSI_DEBUG_DEV_EXIST = 1U << 29;
constexpr std::uint32_t PM_CTRL = 0x12f8;
constexpr std::uint32_t PM_CTRL_NO_LINK = 0x00f1a040;  ///< no L0s, no L1
constexpr std::uint32_t PM_CTRL_LINK = 0x40f4b048;
constexpr std::uint32_t LTSSM_ID_CTRL = 0x12fc;
constexpr std::uint32_t LTSSM_ID_EN_WRO = 1U << 12;

// ---- master control, moderation, PHY
constexpr std::uint32_t MASTER_CTRL = 0x1400;
constexpr std::uint32_t MASTER_CTRL_SOFT_RST = 1U << 0;
constexpr std::uint32_t MASTER_CTRL_WAKEN_25M = 1U << 5;
constexpr std::uint32_t MASTER_CTRL_OOB_DIS = 1U << 6;
constexpr std::uint32_t MASTER_CTRL_SA_TIMER_EN = 1U << 7;
constexpr std::uint32_t MASTER_CTRL_TX_ITIMER_EN = 1U << 10;
constexpr std::uint32_t MASTER_CTRL_RX_ITIMER_EN = 1U << 11;
constexpr std::uint32_t MASTER_CTRL_CLK_SEL_DIS = 1U << 12;
constexpr std::uint32_t MASTER_CTRL_INT_RDCLR = 1U << 14;
constexpr std::uint32_t IRQ_MODRT_TIMER_INIT = 0x1408;
constexpr unsigned IRQ_MODRT_RX_TIMER_SHIFT = 16;
constexpr std::uint32_t GPHY_CTRL = 0x140c;
constexpr std::uint32_t GPHY_CTRL_EXT_RESET = 1U << 0;
constexpr std::uint32_t GPHY_CTRL_USED = 0x1c00;  ///< SEL_ANA_RST, HIB_PULSE, HIB_EN
constexpr std::uint32_t IDLE_STATUS = 0x1410;
constexpr std::uint32_t IDLE_STATUS_QUEUES = 0xc;
constexpr std::uint32_t IDLE_STATUS_MACS = 0x3;
constexpr std::uint32_t MDIO_CTRL = 0x1414;
constexpr unsigned MDIO_CTRL_REG_SHIFT = 16;
constexpr std::uint32_t MDIO_CTRL_OP_READ = 1U << 21;
constexpr std::uint32_t MDIO_CTRL_SPRES_PRMBL = 1U << 22;
constexpr std::uint32_t MDIO_CTRL_START = 1U << 23;
constexpr std::uint32_t MDIO_CTRL_CLK_25_128 = 7U << 24;  ///< the slow clock, without a link
constexpr std::uint32_t MDIO_CTRL_BUSY = 1U << 27;
constexpr std::uint32_t MDIO_CTRL_MODE_EXT = 1U << 30;
constexpr std::uint32_t SERDES = 0x1424;
constexpr std::uint32_t SERDES_SLOWDOWN = 3U << 17;  ///< of the MAC's and the PHY's clock
constexpr std::uint32_t LPI_CTRL = 0x1440;
constexpr std::uint32_t LPI_CTRL_EN = 1U << 0;
constexpr std::uint32_t MDIO_EXTN = 0x1448;
constexpr unsigned MDIO_EXTN_DEVAD_SHIFT = 16;

// ---- PHY
constexpr unsigned BMCR = 0, BMSR = 1, PHYSID1 = 2, PHYSID2 = 3, ADVERTISE = 4, CTRL1000 = 9,
                   GIGA_PSSR = 17, PHY_IER = 18, PHY_ISR = 19, DBG_ADDR = 29, DBG_DATA = 30;
constexpr std::uint16_t BMCR_RESET_AND_RESTART = 0x9200;  ///< and auto-negotiation on
constexpr std::uint16_t BMSR_LSTATUS = 1U << 2;
constexpr std::uint16_t ADVERTISE_USED = 0x0de0;  ///< 10 and 100 Mbit/s, pause
constexpr std::uint16_t CTRL1000_USED = 0x0300;
constexpr std::uint16_t GIGA_PSSR_RESOLVED = 1U << 11;
constexpr unsigned GIGA_PSSR_SPEED_SHIFT = 14;
constexpr std::uint16_t PHY_IER_LINK = 0x0c00;  ///< up and down
struct PhySetting {
    std::uint16_t reg;
    std::uint16_t value;
};
/// Of the debug port, as the L1D takes them.
constexpr std::array<PhySetting, 6> phy_debug_settings = {{{0x29, 0x129d},
                                                           {0x04, 0xbb8b},
                                                           {0x00, 0x02ef},
                                                           {0x05, 0x2c46},
                                                           {0x12, 0x4c04},
                                                           {0x36, 0xe1ac}}};
constexpr std::uint16_t DBG_AZ_ANADECT = 0x15;
constexpr std::uint16_t AZ_ANADECT_DEF = 0x3220;
constexpr unsigned EXT_PCS = 3, EXT_ANEG = 7;
constexpr unsigned EXT_CLDCTRL3 = 0x8003, EXT_CLDCTRL6 = 0x8006, EXT_LOCAL_EEEADV = 0x3c;
constexpr std::uint16_t CLDCTRL3_USED = 0x4d19;

// ---- MAC
constexpr std::uint32_t MAC_CTRL = 0x1480;
constexpr std::uint32_t MAC_CTRL_TX_RX_EN = 0x3;
constexpr std::uint32_t MAC_CTRL_PROMIS_EN = 1U << 15;
constexpr std::uint32_t MAC_CTRL_SPEED_1000 = 2U << 20;
constexpr std::uint32_t MAC_CTRL_SPEED_10_100 = 1U << 20;
constexpr std::uint32_t MAC_CTRL_MC_ALL_EN = 1U << 25;
constexpr std::uint32_t MAC_CTRL_SPEED_MODE_SW = 1U << 30;
/// Flow control, full duplex, CRC and padding added, preamble 7, tags stripped, broadcast, single
/// pause, CRC as hash, speed by software.
constexpr std::uint32_t MAC_CTRL_USED = 0x74005cec;
constexpr std::uint32_t MAC_STA_ADDR = 0x1488;
constexpr std::uint32_t RX_HASH_TABLE = 0x1490;
constexpr std::uint32_t MTU = 0x149c;
constexpr std::uint32_t WOL_CTRL = 0x14a0;

// ---- rings
constexpr std::uint32_t LOAD_PTR = 0x1534;
constexpr std::uint32_t RX_BASE_ADDR_HI = 0x1540;
constexpr std::uint32_t TX_BASE_ADDR_HI = 0x1544;
constexpr std::uint32_t RFD_HEAD_ADDR_LO(unsigned q) {
    return 0x1550 + 4 * q;
}
constexpr std::uint32_t RFD_RING_SIZE = 0x1560;
constexpr std::uint32_t RX_BUF_SIZE = 0x1564;
constexpr std::uint32_t RRD_HEAD_ADDR_LO(unsigned q) {
    return 0x1568 + 4 * q;
}
constexpr std::uint32_t RRD_RING_SIZE = 0x1578;
constexpr std::uint32_t TPD_RING_SIZE = 0x1584;
constexpr std::uint32_t MB_RFD_PROD_IDX(unsigned q) {
    return 0x15e0 + 4 * q;
}
/// Queue 0 has normal priority, 1 high; 2 and 3 exist on MikroTik's card only.
constexpr std::array<std::uint32_t, max_queues> TPD_ADDR_LO = {0x1580, 0x157c, 0x1f10, 0x1f14};
constexpr std::array<std::uint32_t, max_queues> TPD_PIDX = {0x15f2, 0x15f0, 0x1f1a, 0x1f18};
constexpr std::array<std::uint32_t, max_queues> TPD_CIDX = {0x15f6, 0x15f4, 0x1f1e, 0x1f1c};

// ---- queues and DMA
constexpr std::uint32_t TXQ_CTRL = 0x1590;
constexpr std::uint32_t TXQ_CTRL_EN = 1U << 5;
/// IP options, enhanced mode, 802.3, bursts of 512 bytes from the FIFO.
constexpr std::uint32_t TXQ_CTRL_USED = 0x020000d0;
constexpr std::uint32_t TSO_OFFLOAD_THRESH = 0x1594;
constexpr std::uint32_t TSO_OFFLOAD_THRESH_USED = 7 * 1024 / 8;
constexpr std::uint32_t RXQ_CTRL = 0x15a0;
constexpr unsigned RXQ_RFD_BURST_SHIFT = 20;
constexpr std::uint32_t RXQ_CTRL_EN = 1U << 31;
constexpr std::uint32_t DMA_CTRL = 0x15c0;
constexpr unsigned DMA_CTRL_RREQ_BLEN_SHIFT = 4;
/// Out of order, data before descriptors, delay counters 15 and 4.
constexpr std::uint32_t DMA_CTRL_USED = 0x47c04;
constexpr std::uint32_t SMB_STAT_TIMER = 0x15c4;
constexpr std::uint32_t SMB_STAT_TIMER_USED = 200'000;

// ---- interrupts
constexpr std::uint32_t ISR = 0x1600;
constexpr std::uint32_t ISR_MANUAL = 1U << 2;
constexpr std::uint32_t ISR_OVER = 0x1f8;  ///< receive FIFO and buffers, transmit FIFO
constexpr std::uint32_t ISR_GPHY = 1U << 12;
constexpr std::uint32_t ISR_ERROR = 0x04004600;  ///< DMA and queue timeouts, PCIe link down
constexpr std::uint32_t ISR_DIS_INT = 1U << 31;
constexpr std::uint32_t ISR_CLEAR_ALL = 0x7fffffff;
constexpr std::array<std::uint32_t, max_queues> ISR_TX = {1U << 15, 1U << 28, 1U << 29, 1U << 30};
constexpr std::uint32_t ISR_RX(unsigned q) {
    return 1U << (16 + q);
}
constexpr std::uint32_t IMR = 0x1604;
constexpr std::uint32_t IMR_OTHER = 0x0400771c;  ///< everything but the queues
constexpr std::uint32_t INT_RETRIG_TIMER = 0x1608;
constexpr std::uint32_t CLK_GATING_CTRL = 0x1814;
constexpr std::uint32_t CLK_GATING_ALL = 0x3f;

// ---- MikroTik's card
constexpr std::uint32_t MT_MAGIC = 0x1f00;
constexpr std::uint32_t MT_MAGIC_VALUE = 0xaabb1234;
constexpr std::uint32_t MT_MODE = 0x1f04;
constexpr std::uint32_t MT_MODE_4Q = 1U << 0;
constexpr std::uint32_t MAC_RX_STATUS = 0x1700;  ///< 24 counters, cleared by their read
constexpr std::uint32_t MAC_TX_STATUS = 0x1760;  ///< 25 counters
constexpr std::uint32_t MT_SPEED = 0x1f08;       ///< Mbit/s, 0 without a link

// ---- descriptors
constexpr unsigned tpd_bytes = 16;
constexpr unsigned rfd_bytes = 8;
constexpr unsigned rrd_bytes = 16;
constexpr unsigned TPD_TCPHDR_OFFSET_SHIFT = 0;  ///< with LSO, bytes
constexpr unsigned TPD_PLOADOFFSET_SHIFT = 0;    ///< with CCSUM, where the sum starts, 2 bytes
constexpr std::uint32_t TPD_CCSUM_EN = 1U << 8;
constexpr std::uint32_t TPD_LSO_EN = 1U << 12;
constexpr std::uint32_t TPD_IPV4_PACKET = 1U << 16;
constexpr unsigned TPD_CCSUM_OFFSET_SHIFT = 18;  ///< where it goes, 2 bytes
constexpr unsigned TPD_MSS_SHIFT = 18;
constexpr std::uint32_t TPD_MSS_MASK = 0x1fff;
constexpr std::uint32_t TPD_EOP = 1U << 31;
constexpr unsigned RRS_RX_RFD_CNT_SHIFT = 16;  ///< word 0
constexpr std::uint32_t RRS_RX_RFD_CNT_MASK = 0xf;
constexpr unsigned RRS_RX_RFD_INDEX_SHIFT = 20;
constexpr std::uint32_t RRS_RX_RFD_INDEX_MASK = 0xfff;
constexpr std::uint32_t RRS_PKT_SIZE_MASK = 0x3fff;  ///< word 3, with FCS
constexpr std::uint32_t RRS_RX_ERR_SUM = 1U << 20;
constexpr std::uint32_t RRS_802_3_LEN_ERR = 1U << 30;
constexpr std::uint32_t RRS_RXD_UPDATED = 1U << 31;
constexpr std::uint32_t fcs_bytes = 4;

}  // namespace nicsim::host::atl1c
