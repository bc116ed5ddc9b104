// SPDX-License-Identifier: Apache-2.0
#include "models/i82599/link.h"

#include "models/i82599/registers.h"

namespace nicsim::models::i82599 {

namespace {

constexpr std::uint32_t mdi_command = 1U << 30;
constexpr std::uint32_t no_phy = 0xFFFF'0000;            ///< data read from an address without PHY
constexpr std::uint32_t mode_serial_or_aneg = 1U << 27;  ///< of LINKS 28:27, with the speed bits
/// Arbitration state of backplane auto-negotiation: not 0, so that a driver that waits for the
/// state machine to have started goes on.
constexpr std::uint32_t anlp1_state = 1U << 16;

std::uint32_t autoc_reset(Board board) {
    if (board == Board::kx4)
        return autoc::KX4_SUPP | autoc::lms_10g_parallel << autoc::lms_shift | autoc::pma_kx4;
    return autoc::lms_10g_serial << autoc::lms_shift;
}

}  // namespace

Link::Link(const sc_core::sc_module_name& name, const I82599Config& config, RegisterFile& registers,
           sim::Callback<bool> changed)
    : sc_module(name),
      speed_(config.link_speed),
      link_time_(config.link_time),
      changed_(changed),
      alarm_("alarm", sim::Alarm::Action::to<&Link::on_trained>(this)) {
    registers.add({.name = "AUTOC",
                   .offset = reg::AUTOC,
                   .reset = autoc_reset(config.board),
                   .write_mask = ~autoc::AN_RESTART,
                   .write = WriteHook::to<&Link::write_autoc>(this)});
    registers.add({.name = "AUTOC2",
                   .offset = reg::AUTOC2,
                   .reset = config.board == Board::sfp ? autoc::sfi : 0});
    registers.add({.name = "LINKS",
                   .offset = reg::LINKS,
                   .access = Access::read_only,
                   .read = ReadHook::to<&Link::read_links>(this)});
    registers.add(
        {.name = "ANLP1", .offset = reg::ANLP1, .reset = anlp1_state, .access = Access::read_only});
    registers.add({.name = "MSCA",
                   .offset = reg::MSCA,
                   .write_mask = ~mdi_command,
                   .write = WriteHook::to<&Link::write_msca>(this)});
    msrwd_ = &registers.add({.name = "MSRWD", .offset = reg::MSRWD, .write_mask = 0x0000'FFFF});
    map_storage(registers);
}

void Link::map_storage(RegisterFile& file) {
    struct Storage {
        const char* name = nullptr;
        std::uint32_t offset = 0;
        std::uint32_t reset = 0;
    };
    static constexpr Storage storage[] = {
        {"PCS1GCFIG", 0x04200},   {"PCS1GLCTL", 0x04208}, {"PCS1GLSTA", 0x0420C},
        {"PCS1GANA", 0x04218},    {"PCS1GANLP", 0x0421C}, {"PCS1GANNP", 0x04220},
        {"PCS1GANLPNP", 0x04224}, {"HLREG1", 0x04244},    {"PAP", 0x04248},
        {"PCSS1", 0x04288},       {"PCSS2", 0x0428C},     {"XPCSS", 0x04290},
        {"SERDESC", 0x04298},     {"MACS", 0x0429C},      {"ANLP2", 0x042B4},
        {"MMNGC", 0x042D0},       {"ANLPNP1", 0x042D4},   {"ANLPNP2", 0x042D8},
        {"KRPCSFC", 0x042E0},     {"KRPCSS", 0x042E4},    {"FECS1", 0x042E8},
        {"FECS2", 0x042EC},       {"SGMIIC", 0x04314},    {"LINKS2", 0x04324},
        {"MACC", 0x04330},
    };
    for (const Storage& s : storage)
        file.add({.name = s.name, .offset = s.offset, .reset = s.reset});
}

void Link::write_autoc(unsigned, std::uint32_t value) {
    if ((value & autoc::AN_RESTART) != 0) restart();
}

void Link::restart() {
    if (link_time_ == 0) {
        update();
        return;
    }
    trained_ = false;
    alarm_.after(link_time_);
    update();
}

void Link::on_trained() {
    trained_ = true;
    update();
}

void Link::set_carrier(bool present) {
    if (carrier_ == present) return;
    carrier_ = present;
    if (present)
        restart();
    else
        update();
}

void Link::update() {
    const bool up = trained_ && carrier_;
    if (up == up_) return;
    up_ = up;
    if (!up) was_lost_ = true;
    if (changed_) changed_(up);
}

std::uint32_t Link::read_links(unsigned) {
    if (!up_) {
        was_lost_ = false;
        return 0;
    }
    std::uint32_t value = links::UP | mode_serial_or_aneg;
    value |= speed_ >= 10'000'000'000 ? links::speed_10g : links::speed_1g;
    if (!was_lost_) value |= links::latched_up;
    was_lost_ = false;
    return value;
}

void Link::write_msca(unsigned, std::uint32_t value) {
    if ((value & mdi_command) != 0) msrwd_->set((msrwd_->get() & 0xFFFF) | no_phy);
}

}  // namespace nicsim::models::i82599
