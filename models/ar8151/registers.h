// SPDX-License-Identifier: Apache-2.0
// Offsets and fields of the registers of the Atheros AR8151 v2.0, and of MikroTik's 10/25G card
// that answers at the same offsets, named as in the header of Linux' atl1c driver (atl1c_hw.h). No
// register description of the maker is public.
#pragma once

#include <array>
#include <cstdint>

namespace nicsim::models::ar8151 {

constexpr unsigned max_queues = 4;  ///< of the MikroTik card, each way
constexpr std::uint32_t register_bar_bytes = 256 * 1024;
constexpr std::uint32_t io_bar_bytes = 128;
constexpr unsigned tpd_bytes = 16;  ///< transmit packet descriptor
constexpr unsigned rfd_bytes = 8;   ///< receive free descriptor
constexpr unsigned rrd_bytes = 16;  ///< receive return descriptor

namespace reg {
constexpr std::uint32_t LINK_CTRL = 0x0068;
constexpr std::uint32_t TWSI_CTRL = 0x0218;
constexpr std::uint32_t TWSI_DEBUG = 0x1108;
constexpr std::uint32_t OTP_CTRL = 0x12F0;
constexpr std::uint32_t PM_CTRL = 0x12F8;
constexpr std::uint32_t LTSSM_ID_CTRL = 0x12FC;
constexpr std::uint32_t MASTER_CTRL = 0x1400;
constexpr std::uint32_t MANUAL_TIMER_INIT = 0x1404;
constexpr std::uint32_t IRQ_MODRT_TIMER_INIT = 0x1408;
constexpr std::uint32_t GPHY_CTRL = 0x140C;
constexpr std::uint32_t IDLE_STATUS = 0x1410;
constexpr std::uint32_t MDIO_CTRL = 0x1414;
constexpr std::uint32_t MDIO_EXTN = 0x1448;
constexpr std::uint32_t SERDES = 0x1424;
constexpr std::uint32_t MAC_CTRL = 0x1480;
constexpr std::uint32_t MAC_STA_ADDR = 0x1488;   ///< two words
constexpr std::uint32_t RX_HASH_TABLE = 0x1490;  ///< two words
constexpr std::uint32_t MTU = 0x149C;
constexpr std::uint32_t WOL_CTRL = 0x14A0;
// Memory of the die
constexpr std::uint32_t SRAM_RFD0_INFO = 0x1500;
constexpr std::uint32_t SRAM_RXF_LEN = 0x1524;
constexpr std::uint32_t SRAM_TXF_LEN = 0x152C;
// Rings
constexpr std::uint32_t LOAD_PTR = 0x1534;
constexpr std::uint32_t RX_BASE_ADDR_HI = 0x1540;
constexpr std::uint32_t TX_BASE_ADDR_HI = 0x1544;
constexpr std::uint32_t RFD0_HEAD_ADDR_LO = 0x1550;  ///< queue q at + 4 q
constexpr std::uint32_t RFD_RING_SIZE = 0x1560;
constexpr std::uint32_t RX_BUF_SIZE = 0x1564;
constexpr std::uint32_t RRD0_HEAD_ADDR_LO = 0x1568;  ///< queue q at + 4 q
constexpr std::uint32_t RRD_RING_SIZE = 0x1578;
constexpr std::uint32_t TPD_PRI1_ADDR_LO = 0x157C;
constexpr std::uint32_t TPD_PRI0_ADDR_LO = 0x1580;
constexpr std::uint32_t TPD_RING_SIZE = 0x1584;
constexpr std::uint32_t TXQ_CTRL = 0x1590;
constexpr std::uint32_t TX_TSO_OFFLOAD_THRESH = 0x1594;
constexpr std::uint32_t TXF_WATER_MARK = 0x1598;
constexpr std::uint32_t RXQ_CTRL = 0x15A0;
constexpr std::uint32_t RFD_FREE_THRESH = 0x15A4;
constexpr std::uint32_t RXQ_RXF_PAUSE_THRESH = 0x15A8;
constexpr std::uint32_t RXD_DMA_CTRL = 0x15AC;
constexpr std::uint32_t DMA_CTRL = 0x15C0;
constexpr std::uint32_t SMB_STAT_TIMER = 0x15C4;
constexpr std::uint32_t TINT_TPD_THRESH = 0x15C8;
constexpr std::uint32_t MB_RFD0_PROD_IDX = 0x15E0;  ///< queue q at + 4 q
// Two 16-bit registers in each double word: the lower address is bits 15:0.
constexpr std::uint32_t TPD_PRI1_PIDX = 0x15F0;
constexpr std::uint32_t TPD_PRI0_PIDX = 0x15F2;
constexpr std::uint32_t TPD_PRI1_CIDX = 0x15F4;
constexpr std::uint32_t TPD_PRI0_CIDX = 0x15F6;
constexpr std::uint32_t MB_RFD01_CONS_IDX = 0x15F8;
constexpr std::uint32_t MB_RFD23_CONS_IDX = 0x15FC;
constexpr std::uint32_t ISR = 0x1600;
constexpr std::uint32_t IMR = 0x1604;
constexpr std::uint32_t INT_RETRIG_TIMER = 0x1608;
constexpr std::uint32_t MAC_RX_STATUS_BIN = 0x1700;
constexpr std::uint32_t MAC_TX_STATUS_BIN = 0x1760;
// MikroTik only
constexpr std::uint32_t MT_MAGIC = 0x1F00;
constexpr std::uint32_t MT_MODE = 0x1F04;
constexpr std::uint32_t MT_SPEED = 0x1F08;
constexpr std::uint32_t MT_VERSION = 0x1F0C;
constexpr std::uint32_t TPD_PRI2_ADDR_LO = 0x1F10;
constexpr std::uint32_t TPD_PRI3_ADDR_LO = 0x1F14;
constexpr std::uint32_t TPD_PRI3_PIDX = 0x1F18;
constexpr std::uint32_t TPD_PRI2_PIDX = 0x1F1A;
constexpr std::uint32_t TPD_PRI3_CIDX = 0x1F1C;
constexpr std::uint32_t TPD_PRI2_CIDX = 0x1F1E;
}  // namespace reg

namespace master {
constexpr std::uint32_t SOFT_RST = 1U << 0, SA_TIMER_EN = 1U << 7;
constexpr std::uint32_t TX_ITIMER_EN = 1U << 10, RX_ITIMER_EN = 1U << 11;
constexpr std::uint32_t INT_RDCLR = 1U << 14;
}  // namespace master

namespace idle {
constexpr std::uint32_t RXMAC_BUSY = 1U << 0, TXMAC_BUSY = 1U << 1;
constexpr std::uint32_t RXQ_BUSY = 1U << 2, TXQ_BUSY = 1U << 3;
}  // namespace idle

namespace mdio {
constexpr std::uint32_t READ = 1U << 21, START = 1U << 23;
constexpr std::uint32_t BUSY = 1U << 27, EXT = 1U << 30;
constexpr unsigned register_shift = 16;
}  // namespace mdio

namespace mac {
constexpr std::uint32_t TX_EN = 1U << 0, RX_EN = 1U << 1, LOOPBACK = 1U << 4;
constexpr std::uint32_t RMV_VLAN = 1U << 14, PROMIS_EN = 1U << 15;
constexpr std::uint32_t RX_CHKSUM_EN = 1U << 24, MC_ALL_EN = 1U << 25, BC_EN = 1U << 26;
}  // namespace mac

namespace txq {
constexpr std::uint32_t tpd_burst_mask = 0xF;  ///< descriptors that one read fetches
constexpr std::uint32_t EN = 1U << 5;
constexpr unsigned txf_burst_shift = 16;  ///< bytes of one data read
}  // namespace txq

namespace rxq {
constexpr unsigned rfd_burst_shift = 20;
constexpr std::uint32_t rfd_burst_mask = 0x3F;
constexpr std::uint32_t EN = 1U << 31;
}  // namespace rxq

namespace rxd_dma {
constexpr std::uint32_t threshold_mask = 0xFFF;  ///< units of 8 bytes
constexpr unsigned timer_shift = 16;
}  // namespace rxd_dma

namespace dma_ctrl {
constexpr std::uint32_t order_mask = 0x7, order_in = 1;
constexpr unsigned read_block_shift = 4, write_block_shift = 7;  ///< 128 << n bytes
constexpr std::uint32_t block_mask = 0x7;
}  // namespace dma_ctrl

namespace isr {
constexpr std::uint32_t SMB = 1U << 0, TIMER = 1U << 1, MANUAL = 1U << 2;
constexpr std::uint32_t HW_RXF_OV = 1U << 3, RFD0_UR = 1U << 4, TXF_UR = 1U << 8;
constexpr std::uint32_t DMAR_TO_RST = 1U << 9, DMAW_TO_RST = 1U << 10, GPHY = 1U << 12;
constexpr std::uint32_t TXQ_TO_RST = 1U << 14;
constexpr std::uint32_t TX_PKT = 1U << 15;
constexpr std::uint32_t RX_PKT_0 = 1U << 16;  ///< queue q at bit 16 + q
constexpr std::uint32_t TX_PKT_1 = 1U << 28;  ///< queue q > 0 at bit 27 + q
constexpr std::uint32_t PHY_LINKDOWN = 1U << 26;
constexpr std::uint32_t DIS_INT = 1U << 31;
/// The causes of transmit and receive queues.
constexpr std::array<std::uint32_t, max_queues> tx = {TX_PKT, TX_PKT_1, 1U << 29, 1U << 30};
constexpr std::array<std::uint32_t, max_queues> rx = {RX_PKT_0, 1U << 17, 1U << 18, 1U << 19};
}  // namespace isr

namespace tpd {
// Word 1 of a transmit descriptor; word 0 is the buffer's length and the VLAN tag.
constexpr std::uint32_t header_offset_mask = 0xFF;  ///< of layer 4; with CCSUM_EN half the start
constexpr std::uint32_t CCSUM_EN = 1U << 8, IP_CSUM = 1U << 9, TCP_CSUM = 1U << 10;
constexpr std::uint32_t UDP_CSUM = 1U << 11, LSO_EN = 1U << 12, LSO_VER = 1U << 13;
constexpr std::uint32_t CON_VTAG = 1U << 14, INS_VTAG = 1U << 15, IPV4_PACKET = 1U << 16;
constexpr std::uint32_t ETH_TYPE = 1U << 17, EOP = 1U << 31;
constexpr unsigned ccsum_offset_shift = 18;  ///< half the place of the custom checksum
constexpr unsigned mss_shift = 18;
constexpr std::uint32_t mss_mask = 0x1FFF;
}  // namespace tpd

namespace rrd {
// Word 0
constexpr unsigned rfd_count_shift = 16, rfd_index_shift = 20;
// Word 2: the VLAN tag in its lower half. Word 3:
constexpr std::uint32_t size_mask = 0x3FFF;  ///< with FCS
constexpr std::uint32_t ERR_L4_CSUM = 1U << 14, ERR_IP_CSUM = 1U << 15, VLAN_INS = 1U << 16;
constexpr unsigned protocol_shift = 17;
constexpr std::uint32_t protocol_ipv4 = 1, protocol_ipv4_tcp = 2, protocol_ipv4_udp = 3;
constexpr std::uint32_t protocol_ipv6_tcp = 4, protocol_ipv6_udp = 5, protocol_ipv6 = 6;
constexpr std::uint32_t MT_L4_CHECKED = 1U << 19;  ///< MikroTik, in place of the protocol
constexpr std::uint32_t BCAST = 1U << 26, MCAST = 1U << 27;
constexpr std::uint32_t UPDATED = 1U << 31;
}  // namespace rrd

namespace phy {
constexpr unsigned IER = 18, ISR = 19, DBG_ADDR = 29, DBG_DATA = 30;
constexpr std::uint16_t link_up = 1U << 10, link_down = 1U << 11;  ///< of IER and ISR
}  // namespace phy

constexpr std::uint32_t mt_magic = 0xAABB'1234;
constexpr std::uint32_t mt_mode_four_queues = 1U << 0;

}  // namespace nicsim::models::ar8151
