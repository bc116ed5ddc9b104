// SPDX-License-Identifier: Apache-2.0
// Offsets and fields of the 82599's registers, named as in the datasheet (Intel 82599 10 GbE
// Controller Datasheet, section 8.2.3) and in the headers of Intel's ixgbe driver.
#pragma once

#include <cstdint>

namespace nicsim::models::i82599 {

constexpr unsigned max_queues = 128;  ///< transmit queues, and as many receive queues
constexpr unsigned vectors = 64;      ///< MSI-X
constexpr unsigned traffic_classes = 8;
constexpr unsigned statistics_counters = 16;  ///< of the per-queue kind; queues are mapped to them
constexpr std::uint32_t register_bar_bytes = 512 * 1024;

namespace reg {
// General
constexpr std::uint32_t CTRL = 0x00000;
constexpr std::uint32_t STATUS = 0x00008;
constexpr std::uint32_t CTRL_EXT = 0x00018;
constexpr std::uint32_t ESDP = 0x00020;
constexpr std::uint32_t I2CCTL = 0x00028;
constexpr std::uint32_t EEC = 0x10010;
constexpr std::uint32_t EERD = 0x10014;
constexpr std::uint32_t EEMNGCTL = 0x10110;
constexpr std::uint32_t SWSM = 0x10140;
constexpr std::uint32_t FWSM = 0x10148;
constexpr std::uint32_t SW_FW_SYNC = 0x10160;
// Interrupts
constexpr std::uint32_t EICR = 0x00800;
constexpr std::uint32_t EICS = 0x00808;
constexpr std::uint32_t EIAC = 0x00810;
constexpr std::uint32_t EITR_LOW = 0x00820;   ///< vectors 0-23
constexpr std::uint32_t EITR_HIGH = 0x12300;  ///< from vector 24 on
constexpr unsigned eitr_low_count = 24;
constexpr std::uint32_t EIMS = 0x00880;
constexpr std::uint32_t EIMC = 0x00888;
constexpr std::uint32_t EIAM = 0x00890;
constexpr std::uint32_t EITRSEL = 0x00894;
constexpr std::uint32_t GPIE = 0x00898;
constexpr std::uint32_t IVAR = 0x00900;
constexpr std::uint32_t IVAR_MISC = 0x00A00;
constexpr std::uint32_t EICS_EX = 0x00A90;
constexpr std::uint32_t EIMS_EX = 0x00AA0;
constexpr std::uint32_t EIMC_EX = 0x00AB0;
constexpr std::uint32_t EIAM_EX = 0x00AD0;
// Receive
constexpr std::uint32_t RDBAL = 0x01000;  ///< queues 0-63 at + 0x40 q
constexpr std::uint32_t RDBAH = 0x01004;
constexpr std::uint32_t RDLEN = 0x01008;
constexpr std::uint32_t DCA_RXCTRL = 0x0100C;
constexpr std::uint32_t RDH = 0x01010;
constexpr std::uint32_t SRRCTL = 0x01014;
constexpr std::uint32_t RDT = 0x01018;
constexpr std::uint32_t RXDCTL = 0x01028;
constexpr std::uint32_t RSCCTL = 0x0102C;
constexpr std::uint32_t rx_high =
    0x0D000 - 0x01000;                            ///< queues 64-127 at + rx_high + 0x40 (q - 64)
constexpr std::uint32_t SRRCTL_LEGACY = 0x02100;  ///< queues 0-15
constexpr std::uint32_t DCA_RXCTRL_LEGACY = 0x02200;
constexpr std::uint32_t RQSMR = 0x02300;
constexpr std::uint32_t RDRXCTL = 0x02F00;
constexpr std::uint32_t PFQDE = 0x02F04;
constexpr std::uint32_t RXCTRL = 0x03000;
constexpr std::uint32_t RXPBSIZE = 0x03C00;
constexpr std::uint32_t RXCSUM = 0x05000;
constexpr std::uint32_t RFCTL = 0x05008;
constexpr std::uint32_t FCTRL = 0x05080;
constexpr std::uint32_t VLNCTRL = 0x05088;
constexpr std::uint32_t MCSTCTRL = 0x05090;
constexpr std::uint32_t MTA = 0x05200;
constexpr std::uint32_t RAL_LEGACY = 0x05400;  ///< addresses 0-15
constexpr std::uint32_t MRQC_LEGACY = 0x05818;
constexpr std::uint32_t RETA_LEGACY = 0x05C00;
constexpr std::uint32_t RSSRK_LEGACY = 0x05C80;
constexpr std::uint32_t SECRXCTRL = 0x08D00;
constexpr std::uint32_t SECRXSTAT = 0x08D04;
constexpr std::uint32_t VFTA = 0x0A000;
constexpr std::uint32_t RAL = 0x0A200;
constexpr std::uint32_t RAH = 0x0A204;
constexpr std::uint32_t MPSAR = 0x0A600;
constexpr std::uint32_t RETA = 0x0EB00;
constexpr std::uint32_t RSSRK = 0x0EB80;
constexpr std::uint32_t MRQC = 0x0EC80;
constexpr std::uint32_t FDIRCTRL = 0x0EE00;
constexpr std::uint32_t FDIRCMD = 0x0EE2C;
// Transmit
constexpr std::uint32_t RTTDCS = 0x04900;
constexpr std::uint32_t TXPBTHRESH = 0x04950;
constexpr std::uint32_t DMATXCTL = 0x04A80;
constexpr std::uint32_t DTXTCPFLGL = 0x04A88;
constexpr std::uint32_t DTXTCPFLGH = 0x04A8C;
constexpr std::uint32_t TDBAL = 0x06000;  ///< queue q at + 0x40 q
constexpr std::uint32_t TDBAH = 0x06004;
constexpr std::uint32_t TDLEN = 0x06008;
constexpr std::uint32_t DCA_TXCTRL = 0x0600C;
constexpr std::uint32_t TDH = 0x06010;
constexpr std::uint32_t TDT = 0x06018;
constexpr std::uint32_t TXDCTL = 0x06028;
constexpr std::uint32_t TDWBAL = 0x06038;
constexpr std::uint32_t TDWBAH = 0x0603C;
constexpr std::uint32_t DTXMXSZRQ = 0x08100;
constexpr std::uint32_t MTQC = 0x08120;
constexpr std::uint32_t TQSM = 0x08600;
constexpr std::uint32_t TXPBSIZE = 0x0CC00;
constexpr std::uint32_t queue_stride = 0x40;
// Flow control
constexpr std::uint32_t PFCTOP = 0x03008;
constexpr std::uint32_t FCTTV = 0x03200;
constexpr std::uint32_t FCRTL = 0x03220;
constexpr std::uint32_t FCRTH = 0x03260;
constexpr std::uint32_t FCRTV = 0x032A0;
constexpr std::uint32_t FCCFG = 0x03D00;
constexpr std::uint32_t MFLCN = 0x04294;
constexpr std::uint32_t TFCS = 0x0CE00;
// MAC and link
constexpr std::uint32_t HLREG0 = 0x04240;
constexpr std::uint32_t MSCA = 0x0425C;
constexpr std::uint32_t MSRWD = 0x04260;
constexpr std::uint32_t MAXFRS = 0x04268;
constexpr std::uint32_t AUTOC = 0x042A0;
constexpr std::uint32_t LINKS = 0x042A4;
constexpr std::uint32_t AUTOC2 = 0x042A8;
constexpr std::uint32_t ANLP1 = 0x042B0;
}  // namespace reg

namespace ctrl {
constexpr std::uint32_t GIO_DIS = 1U << 2;
constexpr std::uint32_t LRST = 1U << 3;
constexpr std::uint32_t RST = 1U << 26;
}  // namespace ctrl

namespace status {
constexpr std::uint32_t LINK_UP = 1U << 7;
constexpr std::uint32_t GIO_MASTER_ENABLE = 1U << 19;
}  // namespace status

namespace esdp {
constexpr std::uint32_t SDP2 = 1U << 2;  ///< module present on SFP+ boards
}

/// Causes besides the queues' (EICR, EICS, EIMS, EIMC, EIAM).
namespace eicr {
constexpr std::uint32_t queues = 0x0000'FFFF;
constexpr std::uint32_t RX_MISS = 1U << 17;
constexpr std::uint32_t LSC = 1U << 20;
constexpr std::uint32_t TCP_TIMER = 1U << 30;
constexpr std::uint32_t others = 0x7FFF'0000;
}  // namespace eicr

namespace gpie {
constexpr std::uint32_t MSIX_MODE = 1U << 4;
constexpr std::uint32_t OCD = 1U << 5;
constexpr std::uint32_t EIAME = 1U << 30;
}  // namespace gpie

namespace eitr {
constexpr std::uint32_t interval_mask = 0x0000'0FF8;
constexpr unsigned interval_shift = 3;  ///< 2.048 us at bits 11:3
constexpr std::uint32_t counter_mask = 0x0FE0'0000;
constexpr unsigned counter_shift = 21;  ///< the counter's upper 7 bits of 9
constexpr std::uint32_t CNT_WDIS = 1U << 31;
}  // namespace eitr

namespace ivar {
constexpr std::uint32_t valid = 0x80;
constexpr std::uint32_t vector_mask = 0x3F;
}  // namespace ivar

/// RXDCTL and TXDCTL.
namespace dctl {
constexpr unsigned hthresh_shift = 8;
constexpr unsigned wthresh_shift = 16;
constexpr std::uint32_t thresh_mask = 0x7F;
constexpr std::uint32_t ENABLE = 1U << 25;
constexpr std::uint32_t SWFLSH = 1U << 26;
constexpr std::uint32_t VME = 1U << 30;  ///< RXDCTL only
}  // namespace dctl

namespace srrctl {
constexpr std::uint32_t bsizepacket_mask = 0x1F;  ///< 1 KiB
constexpr unsigned rdmts_shift = 22;              ///< 64 descriptors, 3 bits
constexpr unsigned desctype_shift = 25;           ///< 3 bits; 0 legacy, 1 advanced one buffer
constexpr std::uint32_t DROP_EN = 1U << 28;
}  // namespace srrctl

namespace pfqde {
constexpr std::uint32_t QDE = 1U << 0;
constexpr unsigned queue_shift = 8;  ///< 7 bits
constexpr std::uint32_t WE = 1U << 16;
}  // namespace pfqde

namespace rdrxctl {
constexpr std::uint32_t CRCSTRIP = 1U << 1;
constexpr std::uint32_t DMAIDONE = 1U << 3;
}  // namespace rdrxctl

namespace rxctrl {
constexpr std::uint32_t RXEN = 1U << 0;
}

namespace secrxctrl {
constexpr std::uint32_t RX_DIS = 1U << 1;
}

namespace fctrl {
constexpr std::uint32_t MPE = 1U << 8;
constexpr std::uint32_t UPE = 1U << 9;
constexpr std::uint32_t BAM = 1U << 10;
}  // namespace fctrl

namespace vlnctrl {
constexpr std::uint32_t vet_mask = 0xFFFF;
constexpr std::uint32_t VFE = 1U << 30;
}  // namespace vlnctrl

namespace mcstctrl {
constexpr std::uint32_t MFE = 1U << 2;
}

namespace rxcsum {
constexpr std::uint32_t PCSD = 1U << 13;
}

namespace mrqc {
constexpr std::uint32_t mode_mask = 0xF;
constexpr std::uint32_t rss_only = 1;
constexpr std::uint32_t dcb8_rss = 4, dcb4_rss = 5;
}  // namespace mrqc

namespace dmatxctl {
constexpr std::uint32_t TE = 1U << 0;
}

namespace rttdcs {
constexpr std::uint32_t ARBDIS = 1U << 6;
}

namespace mtqc {
constexpr std::uint32_t RT_ENA = 1U << 0;
constexpr std::uint32_t VT_ENA = 1U << 1;
constexpr unsigned num_tc_shift = 2;  ///< 2 bits; 2 = 4 classes, 3 = 8 classes
}  // namespace mtqc

namespace hlreg0 {
constexpr std::uint32_t JUMBOEN = 1U << 2;
}

namespace mflcn {
constexpr std::uint32_t PMCF = 1U << 0;
constexpr std::uint32_t DPF = 1U << 1;
constexpr std::uint32_t RFCE = 1U << 3;
}  // namespace mflcn

namespace fccfg {
constexpr unsigned tfce_shift = 3;  ///< 2 bits; 1 = link flow control
}

namespace fcrt {
constexpr std::uint32_t threshold_mask = 0x0007'FFE0;  ///< bytes
constexpr std::uint32_t enable = 1U << 31;             ///< FCRTH.FCEN, FCRTL.XONE
}  // namespace fcrt

namespace autoc {
constexpr std::uint32_t AN_RESTART = 1U << 12;
constexpr unsigned lms_shift = 13;
constexpr std::uint32_t lms_10g_parallel = 1;
constexpr std::uint32_t lms_10g_serial = 3;
constexpr std::uint32_t pma_kx4 = 1U << 7;
constexpr std::uint32_t KX4_SUPP = 1U << 31;
constexpr std::uint32_t sfi = 2U << 16;  ///< in AUTOC2
}  // namespace autoc

namespace links {
constexpr std::uint32_t latched_up = 1U << 7;
constexpr std::uint32_t speed_10g = 3U << 28;
constexpr std::uint32_t speed_1g = 2U << 28;
constexpr std::uint32_t UP = 1U << 30;
}  // namespace links

}  // namespace nicsim::models::i82599
