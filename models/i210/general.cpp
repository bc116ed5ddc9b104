// SPDX-License-Identifier: Apache-2.0
#include "models/i210/general.h"

#include "models/i210/registers.h"

namespace nicsim::models::i210 {

namespace {
constexpr std::uint32_t mdic_write = 1U << 26;
constexpr std::uint32_t mdic_read = 1U << 27;
constexpr std::uint32_t mdic_ready = 1U << 28;
constexpr std::uint32_t eemngctl_cfg_done = 1U << 18;

PhyConfig phy_config(const I210Config& config) {
    PhyConfig phy;
    phy.link_speed = config.link_speed;
    phy.auto_negotiation_time = config.auto_negotiation_time;
    return phy;
}
}  // namespace

General::General(const sc_core::sc_module_name& name, const I210Config& config,
                 RegisterFile& registers, sim::Callback<> reset, sim::Callback<bool> link)
    : sc_module(name), phy_("phy", phy_config(config), link), reset_(reset) {
    ctrl_ = &registers.add({.name = "CTRL",
                            .offset = reg::CTRL,
                            .reset = ctrl::FD,
                            .write_mask = ~(ctrl::RST | ctrl::DEV_RST | ctrl::PHY_RST),
                            .write = WriteHook::to<&General::write_ctrl>(this)});
    registers.alias(0x0004, reg::CTRL);
    registers.add({.name = "STATUS",
                   .offset = reg::STATUS,
                   .access = Access::read_only,
                   .read = ReadHook::to<&General::read_status>(this),
                   .pure_read = true});
    // Link mode (23:22) is 0: internal copper PHY.
    registers.add({.name = "CTRL_EXT", .offset = reg::CTRL_EXT, .write_mask = 0xFF3F'FFFF});
    mdic_ = &registers.add({.name = "MDIC",
                            .offset = reg::MDIC,
                            .reset = mdic_ready,
                            .write = WriteHook::to<&General::write_mdic>(this)});
    map_storage(registers);
}

/// Registers that software writes and reads back, and which change nothing that is modelled.
void General::map_storage(RegisterFile& file) {
    struct Storage {
        const char* name = nullptr;
        std::uint32_t offset = 0;
        std::uint32_t reset = 0;
        unsigned count = 1;
    };
    static constexpr Storage storage[] = {
        {"FCAL", reg::FCAL, 0x00C2'8001},
        {"FCAH", reg::FCAH, 0x0000'0100},
        {"FCT", reg::FCT, 0x0000'8808},
        {"CONNSW", reg::CONNSW},
        {"TSSDP", reg::TSSDP},
        {"FCTTV", reg::FCTTV},
        {"LTRC", reg::LTRC},
        {"FCRTL", reg::FCRTL},
        {"FCRTH", reg::FCRTH},
        {"FCRTV", reg::FCRTV},
        {"TCTL_EXT", reg::TCTL_EXT, 0x0004'2800},
        {"LEDCTL", reg::LEDCTL},
        {"MDICNFG", reg::MDICNFG},
        {"PHPM", reg::PHPM},
        {"EEER", reg::EEER},
        {"EEE_SU", reg::EEE_SU},
        {"IPCNFG", reg::IPCNFG},
        {"EEMNGCTL", reg::EEMNGCTL, eemngctl_cfg_done},
        {"WUC", reg::WUC},
        {"WUFC", reg::WUFC},
        {"WUS", 0x5810},
        {"MANC", reg::MANC},
        {"PCIEMISC", reg::PCIEMISC},
        {"DCA_CTRL", 0x5B74},
        {"VMOLR", 0x5AD0, 0, 8},
        {"ETQF", reg::ETQF, 0, 8},
        {"FTQF", 0x59E0, 0, 8},
        {"IMIR", 0x5A80, 0, 8},
        {"IMIREXT", 0x5AA0, 0, 8},
        {"DMACR", 0x2508},
        {"SPQF", 0x59C0, 0, 8},
    };
    for (const Storage& s : storage)
        file.add({.name = s.name, .offset = s.offset, .reset = s.reset, .count = s.count});
}

void General::write_ctrl(unsigned, std::uint32_t value) {
    if ((value & ctrl::PHY_RST) != 0) phy_.reset();
    if ((value & (ctrl::RST | ctrl::DEV_RST)) == 0) return;
    ++resets_;
    if (reset_) reset_();
}

std::uint32_t General::read_status(unsigned) {
    std::uint32_t value = status::PF_RST_DONE;
    if ((ctrl_->get() & ctrl::GIO_MASTER_DISABLE) == 0) value |= status::GIO_MASTER_ENABLE;
    const std::uint64_t rate = link_rate();
    if (rate == 0) return value;
    const std::uint32_t speed = rate >= 1'000'000'000 ? 2 : rate >= 100'000'000 ? 1 : 0;
    return value | status::FD | status::LU | speed << status::speed_shift;
}

void General::write_mdic(unsigned, std::uint32_t value) {
    const unsigned address = value >> 16 & 0x1FU;
    std::uint32_t result = value | mdic_ready;
    if ((value & mdic_read) != 0)
        result = (result & 0xFFFF'0000) | phy_.read(address);
    else if ((value & mdic_write) != 0)
        phy_.write(address, static_cast<std::uint16_t>(value));
    mdic_->set(result);
}

}  // namespace nicsim::models::i210
