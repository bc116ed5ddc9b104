// SPDX-License-Identifier: Apache-2.0
// The 82599's registers and bits that the driver uses, named as in the data sheet (section 8.2.3).
#pragma once

#include <cstdint>

#include "host_driver/drivers/intel_descriptors.h"

namespace nicsim::host::ixgbe {

// ---- general, EEPROM, semaphores
constexpr std::uint32_t CTRL = 0x00000;
constexpr std::uint32_t CTRL_GIO_DIS = 1U << 2;
constexpr std::uint32_t CTRL_LRST = 1U << 3;
constexpr std::uint32_t CTRL_RST = 1U << 26;
constexpr std::uint32_t STATUS = 0x00008;
constexpr std::uint32_t STATUS_GIO = 1U << 19;
constexpr std::uint32_t CTRL_EXT = 0x00018;
constexpr std::uint32_t CTRL_EXT_DRV_LOAD = 1U << 28;
constexpr std::uint32_t ESDP = 0x00020;
constexpr std::uint32_t ESDP_MODULE = 1U << 2;
constexpr std::uint32_t ESDP_LASER_OFF = 1U << 3;
constexpr std::uint32_t EEC = 0x10010;
constexpr std::uint32_t EEC_PRES = 1U << 8;
constexpr std::uint32_t EERD = 0x10014;
constexpr std::uint32_t SWSM = 0x10140;
constexpr std::uint32_t SW_FW_SYNC = 0x10160;
constexpr unsigned SW_FW_SYNC_FW_SHIFT = 5;
constexpr std::uint32_t SYNC_EEPROM = 1U << 0;
constexpr std::uint32_t SYNC_MAC_CSR = 1U << 3;
constexpr std::uint32_t CORECTL = 0x14f00;

// ---- interrupts
constexpr std::uint32_t EICR = 0x00800;
constexpr std::uint32_t EICS = 0x00808;
constexpr std::uint32_t EICR_QUEUES = 0xffff;
constexpr std::uint32_t EICR_LSC = 1U << 20;
constexpr std::uint32_t EIAC = 0x00810;
constexpr std::uint32_t EIAC_USED = 0x4000ffff;
constexpr std::uint32_t EITR(unsigned v) {
    return v < 24 ? 0x00820 + 4 * v : 0x12300 + 4 * (v - 24);
}
constexpr std::uint32_t EITR_OTHER = 1950;
constexpr std::uint32_t EIMS = 0x00880;
constexpr std::uint32_t EIMS_USED = 0xd6180000;  ///< link, module, errors, mailbox
constexpr std::uint32_t EIMC = 0x00888;
constexpr std::uint32_t GPIE = 0x00898;
constexpr std::uint32_t GPIE_USED = 0xc0000036;  ///< PBA, EIAME, OCD, MSIX_MODE, SDP 0 and 1
constexpr std::uint32_t IVAR(unsigned n) {
    return 0x00900 + 4 * n;
}
constexpr std::uint32_t IVAR_MISC = 0x00a00;
constexpr std::uint32_t IVAR_VALID = 0x80;
constexpr std::uint32_t EICS_EX = 0x00a90;
constexpr std::uint32_t EIMS_EX = 0x00aa0;  ///< vectors 0-31; 32-63 at + 4
constexpr std::uint32_t EIMC_EX = 0x00ab0;
constexpr std::uint32_t EIAM_EX = 0x00ad0;

// ---- rings: offsets from RX_RING and TX_RING
constexpr std::uint32_t RX_RING(unsigned q) {
    return q < 64 ? 0x01000 + 0x40 * q : 0x0d000 + 0x40 * (q - 64);
}
constexpr std::uint32_t TX_RING(unsigned q) {
    return 0x06000 + 0x40 * q;
}
constexpr unsigned all_rings = 128;
constexpr std::uint32_t DBAL = 0x00;
constexpr std::uint32_t DBAH = 0x04;
constexpr std::uint32_t DLEN = 0x08;
constexpr std::uint32_t DHEAD = 0x10;
constexpr std::uint32_t DTAIL = 0x18;
constexpr std::uint32_t DCTL = 0x28;
constexpr std::uint32_t DCTL_ENABLE = 1U << 25;
constexpr std::uint32_t DCTL_SWFLSH = 1U << 26;
constexpr std::uint32_t RXDCTL_VME = 1U << 30;
constexpr std::uint32_t SRRCTL(unsigned q) {
    return 0x02100 + 4 * q;  // queues 0-15
}
constexpr std::uint32_t SRRCTL_USED = 0x02000402;  ///< 2 KB buffers, advanced, one per packet
constexpr std::uint32_t SRRCTL_DROP_EN = 1U << 28;

// ---- receive
constexpr std::uint32_t RDRXCTL = 0x02f00;
constexpr std::uint32_t RDRXCTL_CRCSTRIP = 1U << 1;
constexpr std::uint32_t RDRXCTL_DMAIDONE = 1U << 3;
constexpr std::uint32_t RDRXCTL_USED = 0x06000000;  ///< RSCACKC, FCOE_WRFIX
constexpr std::uint32_t RXCTRL = 0x03000;
constexpr std::uint32_t RXCTRL_RXEN = 1U << 0;
constexpr std::uint32_t RXPBSIZE(unsigned n) {
    return 0x03c00 + 4 * n;
}
constexpr std::uint32_t RXCSUM = 0x05000;
constexpr std::uint32_t RXCSUM_PCSD = 1U << 13;
constexpr std::uint32_t FCTRL = 0x05080;
constexpr std::uint32_t FCTRL_USED = (1U << 10) | (1U << 12) | (1U << 13);  ///< BAM, DPF, PMCF
constexpr std::uint32_t MTA(unsigned n) {
    return 0x05200 + 4 * n;
}
constexpr std::uint32_t RAL(unsigned n) {
    return 0x0a200 + 8 * n;
}
constexpr std::uint32_t RAH(unsigned n) {
    return 0x0a204 + 8 * n;
}
constexpr std::uint32_t RAH_AV = 1U << 31;
constexpr std::uint32_t MRQC = 0x05818;
constexpr std::uint32_t MRQC_RSS = 0x00330001;  ///< by IPv4, IPv6 and TCP
constexpr std::uint32_t RETA(unsigned n) {
    return 0x05c00 + 4 * n;
}
constexpr std::uint32_t RSSRK(unsigned n) {
    return 0x05c80 + 4 * n;
}
constexpr std::uint32_t SECRXCTRL = 0x08d00;
constexpr std::uint32_t SECRXCTRL_RX_DIS = 1U << 1;
constexpr std::uint32_t SECRXSTAT = 0x08d04;
constexpr std::uint32_t SECRXSTAT_RDY = 1U << 0;

// ---- transmit
constexpr std::uint32_t RTTDCS = 0x04900;
constexpr std::uint32_t RTTDCS_ARBDIS = 1U << 6;
constexpr std::uint32_t TXPBTHRESH(unsigned n) {
    return 0x04950 + 4 * n;
}
constexpr std::uint32_t DMATXCTL = 0x04a80;
constexpr std::uint32_t DMATXCTL_TE = 1U << 0;
constexpr std::uint32_t MTQC = 0x08120;
constexpr std::uint32_t TXPBSIZE(unsigned n) {
    return 0x0cc00 + 4 * n;
}
constexpr unsigned packet_buffers = 8;

// ---- flow control: of each packet buffer, and pause times of two classes a register
constexpr std::uint32_t FCTTV(unsigned n) {
    return 0x03200 + 4 * n;
}
constexpr std::uint32_t FCRTL(unsigned n) {
    return 0x03220 + 4 * n;
}
constexpr std::uint32_t FCRTL_XONE = 1U << 31;
constexpr std::uint32_t FCRTH(unsigned n) {
    return 0x03260 + 4 * n;
}
constexpr std::uint32_t FCRTH_FCEN = 1U << 31;
constexpr std::uint32_t FCRTV = 0x032a0;
constexpr std::uint32_t FCCFG = 0x03d00;
constexpr std::uint32_t FCCFG_TFCE_802_3X = 1U << 3;
constexpr std::uint32_t FCCFG_TFCE_PRIORITY = 1U << 4;
constexpr std::uint32_t MFLCN = 0x04294;
constexpr std::uint32_t MFLCN_DPF = 1U << 1;
constexpr std::uint32_t MFLCN_RFCE = 1U << 3;
constexpr std::uint32_t MFLCN_RPFCE_MASK = 0xff4;

// ---- MAC and link
constexpr std::uint32_t HLREG0 = 0x04240;
constexpr std::uint32_t HLREG0_USED = 0x7;  ///< TXCRCEN, RXCRCSTRP, JUMBOEN
constexpr std::uint32_t MAXFRS = 0x04268;
constexpr std::uint32_t MAXFRS_1518 = 0x05ee0000;
constexpr std::uint32_t AUTOC = 0x042a0;
constexpr std::uint32_t AUTOC_AN_RESTART = 1U << 12;
constexpr std::uint32_t LINKS = 0x042a4;
constexpr std::uint32_t LINKS_UP = 1U << 30;
constexpr unsigned LINKS_SPEED_SHIFT = 28;  ///< 3: 10 Gbit/s, 2: 1 Gbit/s
constexpr std::uint32_t ANLP1 = 0x042b0;
constexpr std::uint32_t ANLP1_STATE = 0xfU << 16;

using namespace intel;  // descriptors

}  // namespace nicsim::host::ixgbe
