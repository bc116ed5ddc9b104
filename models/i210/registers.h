// SPDX-License-Identifier: Apache-2.0
// Offsets and fields of the I210's registers, named as in the datasheet (Intel Ethernet Controller
// I210 Data Sheet, section 8) and in the headers of Intel's igb driver.
#pragma once

#include <cstdint>

namespace nicsim::models::i210 {

constexpr unsigned queues = 4;   ///< transmit queues, and as many receive queues
constexpr unsigned vectors = 5;  ///< MSI-X
constexpr std::uint32_t register_bar_bytes = 128 * 1024;

namespace reg {
// General
constexpr std::uint32_t CTRL = 0x0000;
constexpr std::uint32_t STATUS = 0x0008;
constexpr std::uint32_t EECD = 0x0010;
constexpr std::uint32_t EERD = 0x0014;
constexpr std::uint32_t CTRL_EXT = 0x0018;
constexpr std::uint32_t MDIC = 0x0020;
constexpr std::uint32_t FCAL = 0x0028;
constexpr std::uint32_t FCAH = 0x002C;
constexpr std::uint32_t FCT = 0x0030;
constexpr std::uint32_t CONNSW = 0x0034;
constexpr std::uint32_t VET = 0x0038;
constexpr std::uint32_t TSSDP = 0x003C;
constexpr std::uint32_t FCTTV = 0x0170;
constexpr std::uint32_t FCRTL = 0x2160;
constexpr std::uint32_t FCRTH = 0x2168;
constexpr std::uint32_t FCRTV = 0x2460;
constexpr std::uint32_t LEDCTL = 0x0E00;
constexpr std::uint32_t MDICNFG = 0x0E04;
constexpr std::uint32_t PHPM = 0x0E14;
constexpr std::uint32_t IPCNFG = 0x0E38;
constexpr std::uint32_t LTRC = 0x01A0;
constexpr std::uint32_t EEER = 0x0E30;
constexpr std::uint32_t EEE_SU = 0x0E34;
constexpr std::uint32_t EEMNGCTL = 0x12030;
constexpr std::uint32_t INVM_DATA = 0x12120;  ///< 64 double words
// Interrupts
constexpr std::uint32_t ICR = 0x1500;  ///< and at 0x00C0
constexpr std::uint32_t ICS = 0x1504;  ///< and at 0x00C8
constexpr std::uint32_t IMS = 0x1508;  ///< and at 0x00D0
constexpr std::uint32_t IMC = 0x150C;  ///< and at 0x00D8
constexpr std::uint32_t IAM = 0x1510;  ///< and at 0x00E0
constexpr std::uint32_t ICR_LEGACY = 0x00C0;
constexpr std::uint32_t ICS_LEGACY = 0x00C8;
constexpr std::uint32_t IMS_LEGACY = 0x00D0;
constexpr std::uint32_t IMC_LEGACY = 0x00D8;
constexpr std::uint32_t IAM_LEGACY = 0x00E0;
constexpr std::uint32_t GPIE = 0x1514;
constexpr std::uint32_t EICS = 0x1520;
constexpr std::uint32_t EIMS = 0x1524;
constexpr std::uint32_t EIMC = 0x1528;
constexpr std::uint32_t EIAC = 0x152C;
constexpr std::uint32_t EIAM = 0x1530;
constexpr std::uint32_t EICR = 0x1580;
constexpr std::uint32_t EITR = 0x1680;  ///< + 4 x vector
constexpr std::uint32_t IVAR0 = 0x1700;
constexpr std::uint32_t IVAR_MISC = 0x1740;
// Receive
constexpr std::uint32_t RCTL = 0x0100;
constexpr std::uint32_t RXPBSIZE = 0x2404;
constexpr std::uint32_t RDBAL = 0xC000;  ///< queue q at + 0x40 q; also at 0x2800 + 0x100 q
constexpr std::uint32_t RDBAH = 0xC004;
constexpr std::uint32_t RDLEN = 0xC008;
constexpr std::uint32_t SRRCTL = 0xC00C;
constexpr std::uint32_t RDH = 0xC010;
constexpr std::uint32_t RXCTL = 0xC014;
constexpr std::uint32_t RDT = 0xC018;
constexpr std::uint32_t RXDCTL = 0xC028;
constexpr std::uint32_t RQDPC = 0xC030;
constexpr std::uint32_t RXCSUM = 0x5000;
constexpr std::uint32_t RLPML = 0x5004;
constexpr std::uint32_t RFCTL = 0x5008;
constexpr std::uint32_t MTA = 0x5200;  ///< 128 double words
constexpr std::uint32_t RAL = 0x5400;  ///< 16 addresses, + 8 each
constexpr std::uint32_t RAH = 0x5404;
constexpr std::uint32_t VFTA = 0x5600;  ///< 128 double words
constexpr std::uint32_t MRQC = 0x5818;
constexpr std::uint32_t RETA = 0x5C00;   ///< 32 double words, 4 entries each
constexpr std::uint32_t RSSRK = 0x5C80;  ///< 10 double words
constexpr std::uint32_t UTA = 0xA000;    ///< 128 double words
constexpr std::uint32_t ETQF = 0x5CB0;   ///< 8
// Transmit
constexpr std::uint32_t TCTL = 0x0400;
constexpr std::uint32_t TCTL_EXT = 0x0404;
constexpr std::uint32_t TIPG = 0x0410;
constexpr std::uint32_t TXPBSIZE = 0x3404;
constexpr std::uint32_t TQAVCC = 0x3004;  ///< queue q (0, 1) at + 0x40 q
constexpr std::uint32_t TQAVHC = 0x300C;
constexpr std::uint32_t DTXMXPKTSZ = 0x355C;
constexpr std::uint32_t DTXTCPFLGL = 0x359C;
constexpr std::uint32_t DTXTCPFLGH = 0x35A0;
constexpr std::uint32_t TQAVCTRL = 0x3570;
constexpr std::uint32_t TQAVARBCTRL = 0x3574;
constexpr std::uint32_t LAUNCH_OS0 = 0x3578;
constexpr std::uint32_t DTXCTL = 0x3590;
constexpr std::uint32_t DMCTXTH = 0x3550;
constexpr std::uint32_t TDBAL = 0xE000;  ///< queue q at + 0x40 q; also at 0x3800 + 0x100 q
constexpr std::uint32_t TDBAH = 0xE004;
constexpr std::uint32_t TDLEN = 0xE008;
constexpr std::uint32_t TDH = 0xE010;
constexpr std::uint32_t TXCTL = 0xE014;
constexpr std::uint32_t TDT = 0xE018;
constexpr std::uint32_t TXDCTL = 0xE028;
constexpr std::uint32_t TDWBAL = 0xE038;
constexpr std::uint32_t TDWBAH = 0xE03C;
constexpr std::uint32_t queue_stride = 0x40;
constexpr std::uint32_t rx_alias = 0x2800;
constexpr std::uint32_t tx_alias = 0x3800;
constexpr std::uint32_t alias_stride = 0x100;
// Time
constexpr std::uint32_t SYSTIML = 0xB600;
constexpr std::uint32_t SYSTIMH = 0xB604;
constexpr std::uint32_t TIMINCA = 0xB608;
constexpr std::uint32_t TIMADJ = 0xB60C;
constexpr std::uint32_t TSYNCTXCTL = 0xB614;
constexpr std::uint32_t TXSTMPL = 0xB618;
constexpr std::uint32_t TXSTMPH = 0xB61C;
constexpr std::uint32_t TSYNCRXCTL = 0xB620;
constexpr std::uint32_t RXSTMPL = 0xB624;
constexpr std::uint32_t RXSTMPH = 0xB628;
constexpr std::uint32_t TSAUXC = 0xB640;
constexpr std::uint32_t TSICR = 0xB66C;
constexpr std::uint32_t TSIM = 0xB674;
constexpr std::uint32_t SYSTIMR = 0xB6F8;
// Management, wake-up, semaphores
constexpr std::uint32_t WUC = 0x5800;
constexpr std::uint32_t WUFC = 0x5808;
constexpr std::uint32_t MANC = 0x5820;
constexpr std::uint32_t SWSM = 0x5B50;
constexpr std::uint32_t FWSM = 0x5B54;
constexpr std::uint32_t SW_FW_SYNC = 0x5B5C;
constexpr std::uint32_t PCIEMISC = 0x5BB8;
// Statistics: 0x4000..0x4138, see statistics.cpp; per queue
constexpr std::uint32_t PQGPRC = 0x10010;  ///< + 0x100 q
constexpr std::uint32_t PQGPTC = 0x10014;
constexpr std::uint32_t PQGORC = 0x10018;
constexpr std::uint32_t PQMPRC = 0x10038;
constexpr std::uint32_t PQGOTC = 0x10034;
}  // namespace reg

namespace ctrl {
constexpr std::uint32_t FD = 1U << 0;
constexpr std::uint32_t GIO_MASTER_DISABLE = 1U << 2;
constexpr std::uint32_t SLU = 1U << 6;
constexpr std::uint32_t RST = 1U << 26;
constexpr std::uint32_t RFCE = 1U << 27;
constexpr std::uint32_t TFCE = 1U << 28;
constexpr std::uint32_t DEV_RST = 1U << 29;
constexpr std::uint32_t VME = 1U << 30;
constexpr std::uint32_t PHY_RST = 1U << 31;
}  // namespace ctrl

namespace status {
constexpr std::uint32_t FD = 1U << 0;
constexpr std::uint32_t LU = 1U << 1;
constexpr unsigned speed_shift = 6;  ///< 0 = 10, 1 = 100, 2 = 1000 Mbit/s
constexpr std::uint32_t GIO_MASTER_ENABLE = 1U << 19;
constexpr std::uint32_t PF_RST_DONE = 1U << 21;
}  // namespace status

namespace ctrl_ext {
constexpr std::uint32_t EIAME = 1U << 24;
constexpr std::uint32_t IAME = 1U << 27;
constexpr std::uint32_t DRV_LOAD = 1U << 28;
}  // namespace ctrl_ext

namespace icr {
constexpr std::uint32_t TXDW = 1U << 0;
constexpr std::uint32_t LSC = 1U << 2;
constexpr std::uint32_t RXDMT0 = 1U << 4;
constexpr std::uint32_t RXO = 1U << 6;
constexpr std::uint32_t RXT0 = 1U << 7;
constexpr std::uint32_t TIME_SYNC = 1U << 19;
constexpr std::uint32_t DOUTSYNC = 1U << 28;
constexpr std::uint32_t DRSTA = 1U << 30;
constexpr std::uint32_t INT_ASSERTED = 1U << 31;
}  // namespace icr

namespace gpie {
constexpr std::uint32_t NSICR = 1U << 0;
constexpr std::uint32_t MSIX_MODE = 1U << 4;
constexpr std::uint32_t EIAME = 1U << 30;
constexpr std::uint32_t PBA = 1U << 31;
}  // namespace gpie

namespace eitr {
constexpr std::uint32_t interval_mask = 0x0000'7FFC;
constexpr unsigned interval_shift = 2;  ///< microseconds at bits 14:2
constexpr std::uint32_t counter_mask = 0x7FE0'0000;
constexpr unsigned counter_shift = 21;  ///< the counter's upper 10 bits of 13
constexpr std::uint32_t CNT_IGNR = 1U << 31;
}  // namespace eitr

namespace rctl {
constexpr std::uint32_t EN = 1U << 1;
constexpr std::uint32_t SBP = 1U << 2;
constexpr std::uint32_t UPE = 1U << 3;
constexpr std::uint32_t MPE = 1U << 4;
constexpr std::uint32_t LPE = 1U << 5;
constexpr unsigned mo_shift = 12;  ///< multicast offset, bits 13:12
constexpr std::uint32_t BAM = 1U << 15;
constexpr unsigned bsize_shift = 16;
constexpr std::uint32_t VFE = 1U << 18;
constexpr std::uint32_t SECRC = 1U << 26;
}  // namespace rctl

namespace srrctl {
constexpr std::uint32_t bsizepacket_mask = 0x7F;  ///< 1 KiB
constexpr unsigned bsizehdr_shift = 8;            ///< 64 B, 6 bits
constexpr unsigned rdmts_shift = 20;              ///< 16 descriptors, 5 bits
constexpr unsigned desctype_shift = 25;           ///< 3 bits; 0 legacy, 1 advanced one buffer
constexpr std::uint32_t TIMESTAMP = 1U << 30;
constexpr std::uint32_t DROP_EN = 1U << 31;
}  // namespace srrctl

/// RXDCTL and TXDCTL.
namespace dctl {
constexpr unsigned pthresh_shift = 0;
constexpr unsigned hthresh_shift = 8;
constexpr unsigned wthresh_shift = 16;
constexpr std::uint32_t thresh_mask = 0x1F;
constexpr std::uint32_t ENABLE = 1U << 25;
constexpr std::uint32_t SWFLSH = 1U << 26;
constexpr std::uint32_t PRIORITY = 1U << 27;
}  // namespace dctl

namespace rxcsum {
constexpr std::uint32_t IPOFLD = 1U << 8;
constexpr std::uint32_t TUOFLD = 1U << 9;
constexpr std::uint32_t CRCOFL = 1U << 11;
constexpr std::uint32_t PCSD = 1U << 13;
}  // namespace rxcsum

namespace tctl {
constexpr std::uint32_t EN = 1U << 1;
constexpr std::uint32_t PSP = 1U << 3;
}  // namespace tctl

namespace tqavctrl {
constexpr std::uint32_t TRANSMIT_MODE = 1U << 0;  ///< 1 = Qav
constexpr std::uint32_t STAT_EN = 1U << 2;
constexpr std::uint32_t DATA_FETCH_ARB = 1U << 4;
constexpr std::uint32_t DATA_TRAN_ARB = 1U << 8;
constexpr std::uint32_t DATA_TRAN_TIM = 1U << 9;
constexpr std::uint32_t SP_WAIT_SR = 1U << 10;
constexpr unsigned fetch_time_delta_shift = 16;  ///< 32 ns
}  // namespace tqavctrl

namespace tqavcc {
constexpr std::uint32_t idle_slope_mask = 0xFFFF;
constexpr std::uint32_t KEEP_CREDITS = 1U << 30;
constexpr std::uint32_t QUEUE_MODE = 1U << 31;  ///< 1 = SR
}  // namespace tqavcc

namespace tsauxc {
constexpr std::uint32_t disable_systime = 1U << 31;
}

}  // namespace nicsim::models::i210
