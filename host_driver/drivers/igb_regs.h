// SPDX-License-Identifier: Apache-2.0
// The I210's registers and descriptor bits that the driver uses, named as in the data sheet.
#pragma once

#include <cstdint>

#include "host_driver/drivers/intel_descriptors.h"

namespace nicsim::host::igb {

// ---- general, DS 8.2-8.5
constexpr std::uint32_t CTRL = 0x0000;
constexpr std::uint32_t CTRL_MASTER_DISABLE = 1U << 2;
constexpr std::uint32_t CTRL_SLU = 1U << 6;
constexpr std::uint32_t CTRL_FRCSPD = 1U << 11;
constexpr std::uint32_t CTRL_FRCDPX = 1U << 12;
constexpr std::uint32_t CTRL_RST = 1U << 26;
constexpr std::uint32_t CTRL_PHY_RST = 1U << 31;
constexpr std::uint32_t STATUS = 0x0008;
constexpr std::uint32_t STATUS_FD = 1U << 0;
constexpr std::uint32_t STATUS_LU = 1U << 1;
constexpr std::uint32_t STATUS_TXOFF = 1U << 4;
constexpr std::uint32_t STATUS_DEV_RST_SET = 1U << 20;
constexpr std::uint32_t STATUS_MASTER_ENABLE = 1U << 19;
constexpr std::uint32_t EECD = 0x0010;
constexpr std::uint32_t EECD_AUTO_RD = 1U << 9;
constexpr std::uint32_t EECD_FLASH_DETECTED = 1U << 19;
constexpr std::uint32_t EERD = 0x0014;
constexpr std::uint32_t CTRL_EXT = 0x0018;
constexpr std::uint32_t CTRL_EXT_LINK_MODE = 3U << 22;
constexpr std::uint32_t CTRL_EXT_DRV_LOAD = 1U << 28;
constexpr std::uint32_t MDIC = 0x0020;
constexpr std::uint32_t MDIC_WRITE = 1U << 26;
constexpr std::uint32_t MDIC_READ = 1U << 27;
constexpr std::uint32_t MDIC_READY = 1U << 28;
constexpr std::uint32_t MDIC_ERROR = 1U << 30;
constexpr std::uint32_t FCAL = 0x0028;
constexpr std::uint32_t FCAH = 0x002c;
constexpr std::uint32_t FCT = 0x0030;
constexpr std::uint32_t FCTTV = 0x0170;
constexpr std::uint32_t FCRTL = 0x2160;
constexpr std::uint32_t FCRTH = 0x2168;
constexpr std::uint32_t ICR = 0x00c0;
constexpr std::uint32_t ICR_LSC = 1U << 2;
constexpr std::uint32_t IMS = 0x00d0;
constexpr std::uint32_t IMS_LSC_DOUTSYNC_DRSTA = 0x50000004;
constexpr std::uint32_t IMC = 0x00d8;
constexpr std::uint32_t IAM = 0x00e0;
constexpr std::uint32_t EEMNGCTL = 0x12030;
constexpr std::uint32_t EEMNGCTL_CFG_DONE_0 = 1U << 18;
constexpr std::uint32_t WUC = 0x5800;
constexpr std::uint32_t SWSM = 0x5b50;
constexpr std::uint32_t SWSM_SMBI = 1U << 0;
constexpr std::uint32_t SW_FW_SYNC = 0x5b5c;
constexpr std::uint32_t SYNC_NVM = 1U << 0;
constexpr std::uint32_t SYNC_PHY = 1U << 1;

// ---- interrupts, DS 8.8
constexpr std::uint32_t GPIE = 0x1514;
constexpr std::uint32_t GPIE_MSIX = 0xc0000011;  ///< NSICR, MSIX_MODE, EIAME, PBA
constexpr std::uint32_t EICS = 0x1520;
constexpr std::uint32_t EIMS = 0x1524;
constexpr std::uint32_t EIMC = 0x1528;
constexpr std::uint32_t EIAC = 0x152c;
constexpr std::uint32_t EIAM = 0x1530;
constexpr std::uint32_t EICR = 0x1580;
constexpr std::uint32_t EITR(unsigned v) {
    return 0x1680 + 4 * v;
}
constexpr std::uint32_t EITR_CNT_IGNR = 1U << 31;
constexpr std::uint32_t IVAR(unsigned n) {
    return 0x1700 + 4 * n;
}
constexpr std::uint32_t IVAR_MISC = 0x1740;
constexpr std::uint32_t IVAR_VALID = 0x80;

// ---- receive, DS 8.10
constexpr std::uint32_t RCTL = 0x0100;
constexpr std::uint32_t RCTL_EN = 1U << 1;
constexpr std::uint32_t RCTL_USED = 0x04048022;  ///< EN, LPE, BAM, VFE, SECRC
constexpr std::uint32_t RXPBSIZE = 0x2404;
constexpr std::uint32_t RXPBSIZE_DEFAULT = 0xa2;
constexpr std::uint32_t RXPBSIZE_QAV = 0x9e;  ///< 30 KB for the host, 2 KB BMC to host
constexpr std::uint32_t RXCSUM = 0x5000;
constexpr std::uint32_t RLPML = 0x5004;
constexpr std::uint32_t RFCTL = 0x5008;
constexpr std::uint32_t MTA(unsigned n) {
    return 0x5200 + 4 * n;
}
constexpr std::uint32_t RAL(unsigned n) {
    return 0x5400 + 8 * n;
}
constexpr std::uint32_t RAH(unsigned n) {
    return 0x5404 + 8 * n;
}
constexpr std::uint32_t RAH_AV = 1U << 31;
constexpr std::uint32_t MRQC = 0x5818;
constexpr std::uint32_t MRQC_RSS = 0x00370002;
constexpr std::uint32_t RETA(unsigned n) {
    return 0x5c00 + 4 * n;
}
constexpr std::uint32_t RSSRK(unsigned n) {
    return 0x5c80 + 4 * n;
}
constexpr std::uint32_t RX_RING(unsigned q) {
    return 0x2800 + 0x100 * q;
}
constexpr std::uint32_t TX_RING(unsigned q) {
    return 0x3800 + 0x100 * q;
}
// Offsets from RX_RING and TX_RING.
constexpr std::uint32_t DBAL = 0x00;
constexpr std::uint32_t DBAH = 0x04;
constexpr std::uint32_t DLEN = 0x08;
constexpr std::uint32_t SRRCTL = 0x0c;
constexpr std::uint32_t SRRCTL_USED = 0x42000402;  ///< 2 KB buffers, one per packet, time stamps
constexpr std::uint32_t SRRCTL_DROP_EN = 1U << 31;
constexpr std::uint32_t DHEAD = 0x10;
constexpr std::uint32_t DTAIL = 0x18;
constexpr std::uint32_t DCTL = 0x28;
constexpr std::uint32_t RQDPC = 0x30;
constexpr std::uint32_t DCTL_ENABLE = 1U << 25;

// ---- transmit, DS 8.12
constexpr std::uint32_t TCTL = 0x0400;
constexpr std::uint32_t TCTL_EN = 1U << 1;
constexpr std::uint32_t TCTL_PSP = 1U << 3;
constexpr std::uint32_t TCTL_USED = 0x0103f0fa;
constexpr std::uint32_t TXPBSIZE = 0x3404;
constexpr std::uint32_t TXPBSIZE_DEFAULT = 0x04000014;
constexpr std::uint32_t TXPBSIZE_MASK = 0xc0ffffff;  ///< the four sizes; bits 29:24 are kept
constexpr std::uint32_t DTXMXPKTSZ = 0x355c;
constexpr std::uint32_t TQAVCTRL = 0x3570;
constexpr std::uint32_t TQAVCTRL_XMIT_MODE = 1U << 0;
constexpr std::uint32_t TQAVCTRL_DATAFETCHARB = 1U << 4;
constexpr std::uint32_t TQAVCTRL_DATATRANARB = 1U << 8;
constexpr std::uint32_t TQAVCTRL_DATATRANTIM = 1U << 9;
constexpr std::uint32_t TQAVCTRL_SP_WAIT_SR = 1U << 10;
constexpr std::uint32_t TQAVCTRL_FETCHTIME_DELTA = 0xffffU << 16;
constexpr std::uint32_t TQAVCC(unsigned q) {
    return 0x3004 + 0x40 * q;
}
constexpr std::uint32_t TQAVCC_IDLESLOPE = 0xffff;
constexpr std::uint32_t TQAVCC_QUEUEMODE = 1U << 31;
constexpr std::uint32_t TQAVHC(unsigned q) {
    return 0x300c + 0x40 * q;
}
constexpr std::uint32_t I210_TXDCTL(unsigned q) {
    return 0xe028 + 0x40 * q;
}
constexpr std::uint32_t TXDCTL_PRIORITY = 1U << 27;

// ---- statistics, DS 8.18, and management
constexpr std::uint32_t MPC = 0x4010;
constexpr std::uint32_t GPTC = 0x4080;
constexpr std::uint32_t RNBC = 0x40a0;
constexpr std::uint32_t MANC = 0x5820;

// ---- time, DS 8.15
constexpr std::uint32_t SYSTIML = 0xb600;
constexpr std::uint32_t SYSTIMH = 0xb604;
constexpr std::uint32_t TSYNCTXCTL = 0xb614;
constexpr std::uint32_t TSYNCRXCTL = 0xb620;
constexpr std::uint32_t TSAUXC = 0xb640;
constexpr std::uint32_t TSIM = 0xb674;

using namespace intel;  // descriptors

}  // namespace nicsim::host::igb
