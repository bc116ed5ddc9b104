// SPDX-License-Identifier: Apache-2.0
#include "models/i82599/general.h"

#include "models/i82599/registers.h"

namespace nicsim::models::i82599 {

namespace {
constexpr std::uint32_t i2c_clock_in = 1U << 0, i2c_clock_out = 1U << 1;
constexpr std::uint32_t i2c_data_in = 1U << 2, i2c_data_out = 1U << 3;
constexpr std::uint32_t eemngctl_done = 3U << 18;  ///< configuration of both ports is loaded
constexpr std::uint32_t fdirctrl_init_done = 1U << 3;
constexpr std::uint32_t sectxstat_ready = 1U << 0;
constexpr std::uint32_t fdircmd_command = 0x3;

struct Storage {
    const char* name = nullptr;
    std::uint32_t offset = 0;
    std::uint32_t reset = 0;
    unsigned count = 1;
};

constexpr Storage storage[] = {
    {"TCPTIMER", 0x0004C},
    {"LEDCTL", 0x00200},
    {"EXVET", 0x05078},
    {"EEMNGCTL", reg::EEMNGCTL, eemngctl_done},
    {"EEMNGDATA", 0x10114},
    {"FLA", 0x1001C},
    {"FLMNGCTL", 0x10118},
    {"FLMNGDATA", 0x1011C},
    {"FLOP", 0x1013C},
    {"GRC", 0x10200},
    {"FACTPS", 0x10150},
    {"GCR", 0x11000},
    {"GSCL", 0x11010, 0, 2},
    {"GSCN", 0x11020, 0, 4},
    {"GCR_EXT", 0x11050},
    {"MREVID", 0x11064},
    {"DCA_ID", 0x11070},
    {"DCA_CTRL", 0x11074, 1},
    {"PICAUSE", 0x110B0},
    {"PIENA", 0x110B8},
    {"PBACL", 0x110C0, 0, 8},
    {"CORECTL", 0x14F00},
    {"SMADARCTL", 0x14F10},
    // Bandwidth groups
    {"RTRPCS", 0x02430},
    {"RTRPT4C", 0x02140, 0, 8},
    {"RTRPT4S", 0x02160, 0, 8},
    {"RTRUP2TC", 0x03020},
    {"RTTDQSEL", 0x04904},
    {"RTTDT1C", 0x04908},
    {"RTTDT2C", 0x04910, 0, 8},
    {"RTTDT2S", 0x04930, 0, 8},
    {"RTTBCNRM", 0x04980},
    {"RTTBCNRC", 0x04984},
    {"RTTBCNRD", 0x0498C},
    {"RTTUP2TC", 0x0C800},
    {"RTTPCS", 0x0CD00},
    {"MNGTXMAP", 0x0CD10},
    {"RTTPT2C", 0x0CD20, 0, 8},
    {"RTTPT2S", 0x0CD40, 0, 8},
    {"TXLLQ", 0x082E0, 0, 4},
    // Virtualisation
    {"VTCTL", 0x051B0},
    {"PFVFRE", 0x051E0, 0, 2},
    {"PFVMTXSW", 0x05180, 0, 2},
    {"PFVFTE", 0x08110, 0, 2},
    {"PFVMVIR", 0x08000, 0, 64},
    {"PFVFSPOOF", 0x08200, 0, 8},
    {"PFDTXGSWC", 0x08220},
    {"PFVMECM", 0x08790, 0, 2},
    {"PFMAILBOX", 0x04B00, 0, 64},
    {"PFVML2FLT", 0x0F000, 0, 64},
    {"PFVLVF", 0x0F100, 0, 64},
    {"PFVLVFB", 0x0F200, 0, 128},
    {"PFMRCTL", 0x0F600, 0, 4},
    // Queue filters
    {"PSRTYPE", 0x0EA00, 0, 64},
    {"PSRTYPE_LEGACY", 0x05480, 0, 16},
    {"RQTC", 0x0EC70},
    {"SAQF", 0x0E000, 0, 128},
    {"DAQF", 0x0E200, 0, 128},
    {"SDPQF", 0x0E400, 0, 128},
    {"FTQF", 0x0E600, 0, 128},
    {"L34TIMIR", 0x0E800, 0, 128},
    {"SYNQF", 0x0EC30},
    {"ETQF", 0x05128, 0, 8},
    {"ETQS", 0x0EC00, 0, 8},
    {"IMIRVP", 0x0EC60},
    {"LLITHRESH", 0x0EC90},
    {"RXFECCERR0", 0x051B8},
    {"RSCDBU", 0x03028},
    {"FDIRSIPV6", 0x0EE0C, 0, 3},
    {"FDIRIPSA", 0x0EE18},
    {"FDIRIPDA", 0x0EE1C},
    {"FDIRPORT", 0x0EE20},
    {"FDIRVLAN", 0x0EE24},
    {"FDIRHASH", 0x0EE28},
    {"FDIRFREE", 0x0EE38},
    {"FDIRDIP4M", 0x0EE3C},
    {"FDIRSIP4M", 0x0EE40},
    {"FDIRTCPM", 0x0EE44},
    {"FDIRUDPM", 0x0EE48},
    {"FDIRHKEY", 0x0EE68},
    {"FDIRSKEY", 0x0EE6C},
    {"FDIRM", 0x0EE70},
    {"FDIRIP6M", 0x0EE74},
    {"FDIRSCTPM", 0x0EE78},
    // Wake-up, management, security, time stamps
    {"WUC", 0x05800},
    {"WUFC", 0x05808},
    {"WUS", 0x05810},
    {"IPAV", 0x05838},
    {"MANC", 0x05820},
    {"HICR", 0x15F00},
    {"FWSTS", 0x15F0C},
    {"SECTXCTRL", 0x08800},
    {"SECTXSTAT", 0x08804, sectxstat_ready},
    {"SECTXBUFFAF", 0x08808, 0x250},
    {"SECTXMINIFG", 0x08810, 0x1001},
    {"IPSTXIDX", 0x08900},
    {"IPSRXIDX", 0x08E00},
    {"TSYNCRXCTL", 0x05188},
    {"TSYNCTXCTL", 0x08C00},
    {"SYSTIML", 0x08C0C},
    {"SYSTIMH", 0x08C10},
    {"TIMINCA", 0x08C14},
    {"TSAUXC", 0x08C20},
    {"TXSTMPL", 0x08C04},
    {"TXSTMPH", 0x08C08},
    {"TRGTTIM", 0x08C24, 0, 4},
    {"RXSTMPL", 0x051E8},
    {"RXSTMPH", 0x051A4},
    {"RXMTRL", 0x05120},
    // Fibre Channel over Ethernet
    {"FCRXCTRL", 0x05100},
    {"FCRECTL", 0x0ED00},
    {"FCRETA", 0x0ED10, 0, 8},
};
}  // namespace

General::General(const I82599Config& config, RegisterFile& registers, const Link& link,
                 sim::Callback<> reset)
    : link_(link), reset_(reset) {
    if (config.board == Board::sfp) module_.emplace();
    ctrl_ = &registers.add({.name = "CTRL",
                            .offset = reg::CTRL,
                            .write_mask = ~(ctrl::RST | ctrl::LRST),
                            .write = WriteHook::to<&General::write_ctrl>(this)});
    registers.alias(0x00004, reg::CTRL);
    registers.add({.name = "STATUS",
                   .offset = reg::STATUS,
                   .access = Access::read_only,
                   .read = ReadHook::to<&General::read_status>(this),
                   .pure_read = true});
    registers.add({.name = "CTRL_EXT", .offset = reg::CTRL_EXT});
    registers.add({.name = "ESDP",
                   .offset = reg::ESDP,
                   .reset = module_ ? esdp::SDP2 : 0,
                   .write_mask = ~esdp::SDP2});
    i2cctl_ = &registers.add({.name = "I2CCTL",
                              .offset = reg::I2CCTL,
                              .reset = i2c_clock_out | i2c_data_out,
                              .write_mask = i2c_clock_out | i2c_data_out,
                              .read = ReadHook::to<&General::read_i2cctl>(this),
                              .write = WriteHook::to<&General::write_i2cctl>(this),
                              .pure_read = true});
    fdirctrl_ = &registers.add({.name = "FDIRCTRL",
                                .offset = reg::FDIRCTRL,
                                .write = WriteHook::to<&General::write_fdirctrl>(this)});
    // Commands are done at once, and none of their filters is kept.
    registers.add({.name = "FDIRCMD", .offset = reg::FDIRCMD, .write_mask = ~fdircmd_command});
    map_storage(registers);
}

void General::map_storage(RegisterFile& file) {
    for (const Storage& s : storage)
        file.add({.name = s.name, .offset = s.offset, .reset = s.reset, .count = s.count});
}

void General::write_ctrl(unsigned, std::uint32_t value) {
    if ((value & (ctrl::RST | ctrl::LRST)) == 0) return;
    ++resets_;
    if (reset_) reset_();
}

std::uint32_t General::read_status(unsigned) {
    std::uint32_t value = link_.up() ? status::LINK_UP : 0;
    if ((ctrl_->get() & ctrl::GIO_DIS) == 0) value |= status::GIO_MASTER_ENABLE;
    return value;
}

void General::write_i2cctl(unsigned, std::uint32_t value) {
    if (module_) module_->set_wires((value & i2c_clock_out) != 0, (value & i2c_data_out) != 0);
}

/// Without a module the pulled-up wires show what the host drives.
std::uint32_t General::read_i2cctl(unsigned) {
    const std::uint32_t driven = i2cctl_->get();
    const bool data = module_ ? module_->data() : (driven & i2c_data_out) != 0;
    std::uint32_t value = driven;
    if ((driven & i2c_clock_out) != 0) value |= i2c_clock_in;
    if (data) value |= i2c_data_in;
    return value;
}

void General::write_fdirctrl(unsigned, std::uint32_t value) {
    fdirctrl_->set(value | fdirctrl_init_done);
}

}  // namespace nicsim::models::i82599
