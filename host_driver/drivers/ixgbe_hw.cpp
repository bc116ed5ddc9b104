// SPDX-License-Identifier: Apache-2.0
// ixgbe: EEPROM, reset, module and addresses (ixgbe_82599.c, ixgbe_common.c).
#include <string>

#include "host_driver/drivers/ixgbe.h"
#include "host_driver/drivers/ixgbe_regs.h"

namespace nicsim::host {

using namespace ixgbe;
using namespace sim::literals;

namespace {

constexpr unsigned eeprom_sum_word = 0x3f;
constexpr std::uint16_t eeprom_sum = 0xbaba;
constexpr unsigned eeprom_first_pointer = 0x03;
constexpr unsigned eeprom_end_of_pointers = 0x0f;
constexpr std::uint16_t no_section = 0xffff;
constexpr unsigned eeprom_module_section = 0x2b;
constexpr std::uint16_t module_sr_lr = 5;  ///< the section's type for short and long range, core 0

}  // namespace

/// A read makes the writes before it arrive.
void IxgbeDriver::flush(Core& core) const {
    (void)rd(core, STATUS);
}

bool IxgbeDriver::has_module() const {
    constexpr std::uint16_t sfp = 0x10fb;
    return function_.device_id == sfp;
}

/// ixgbe_validate_eeprom_checksum_generic: words 0 to 3E and the sections that words 3 to E lead to
/// add up with the sum in word 3F to 0xBABA.
void IxgbeDriver::check_eeprom(Core& core) const {
    if ((rd(core, EEC) & EEC_PRES) == 0)
        throw DriverError("ixgbe: EEC shows no EEPROM; bit-banged access is not supported");
    shared_.acquire(core, SYNC_EEPROM);
    std::uint16_t sum = 0;
    const auto add = [&](unsigned word) {
        const std::uint16_t value = shared_.read_nvm_word(core, word);
        sum = static_cast<std::uint16_t>(sum + value);
        return value;
    };
    for (unsigned w = 0; w < eeprom_sum_word; ++w) (void)add(w);
    for (unsigned p = eeprom_first_pointer; p < eeprom_end_of_pointers; ++p) {
        const std::uint16_t section = shared_.read_nvm_word(core, p);
        if (section == no_section || section == 0) continue;
        const std::uint16_t length = shared_.read_nvm_word(core, section);
        if (length == no_section) continue;
        for (unsigned i = 1; i <= length; ++i) (void)add(section + i);
    }
    const std::uint16_t stored = shared_.read_nvm_word(core, eeprom_sum_word);
    shared_.release(core, SYNC_EEPROM);
    const auto expected = static_cast<std::uint16_t>(eeprom_sum - sum);
    if (stored != expected)
        throw DriverError("ixgbe: the EEPROM checksum is not valid: word 0x3f is " +
                          intel::hex(stored) + " instead of " + intel::hex(expected));
}

/// ixgbe_stop_adapter_generic, ixgbe_disable_pcie_master
void IxgbeDriver::stop_hardware(Core& core) const {
    wr(core, RXCTRL, rd(core, RXCTRL) & ~RXCTRL_RXEN);
    wr(core, EIMC, 0xffff0000);
    wr(core, EIMC_EX, ~0U);
    wr(core, EIMC_EX + 4, ~0U);
    (void)rd(core, EICR);
    for (unsigned q = 0; q < all_rings; ++q) wr(core, TX_RING(q) + DCTL, DCTL_SWFLSH);
    for (unsigned q = 0; q < all_rings; ++q) wr(core, RX_RING(q) + DCTL, DCTL_SWFLSH);
    flush(core);
    core.sleep(2_ms);
    wr(core, CTRL, CTRL_GIO_DIS);
    for (int i = 0; i < 800; ++i) {
        if ((rd(core, STATUS) & STATUS_GIO) == 0) return;
        core.delay(100_us);
    }
    // Requests that never end are flushed by a second reset, which is not needed here.
}

/// ixgbe_reset_hw_82599
void IxgbeDriver::reset_hardware(Core& core) const {
    stop_hardware(core);
    // With the link up only the device is reset, and the link kept.
    const bool link = (rd(core, LINKS) & LINKS_UP) != 0;
    const std::uint32_t reset = link ? CTRL_RST : CTRL_LRST;
    wr(core, CTRL, rd(core, CTRL) | reset);
    flush(core);
    core.sleep(1_ms);
    bool done = false;
    for (int i = 0; i < 10 && !done; ++i) {
        core.delay(1_us);
        done = (rd(core, CTRL) & (CTRL_RST | CTRL_LRST)) == 0;
    }
    if (!done) throw DriverError("ixgbe: CTRL.RST and CTRL.LRST do not clear");
    const sim::Ps settled = core.local_time() + 50_ms;
    enable_flow_control(core);
    core.sleep(settled - core.local_time());
    set_up_module(core);
    wr(core, AUTOC, rd(core, AUTOC) | AUTOC_AN_RESTART);
    flush(core);
}

/// ixgbe_setup_sfp_modules_82599: the words that the EEPROM lists for the kind of module go to
/// CORECTL, then the link's state machine is started.
void IxgbeDriver::set_up_module(Core& core) const {
    if (!has_module() || (rd(core, ESDP) & ESDP_MODULE) == 0) return;
    shared_.acquire(core, SYNC_MAC_CSR);
    const std::uint16_t list = shared_.read_nvm_word(core, eeprom_module_section);
    if (list == 0 || list == no_section)
        throw DriverError("ixgbe: EEPROM word 0x2b leads to no section for modules");
    unsigned data = 0;
    for (unsigned at = list + 1U; data == 0; at += 2) {
        const std::uint16_t type = shared_.read_nvm_word(core, at);
        if (type == no_section)
            throw DriverError("ixgbe: the EEPROM has no section for an SR or LR module");
        if (type == module_sr_lr) data = shared_.read_nvm_word(core, at + 1);
    }
    for (;;) {
        const std::uint16_t word = shared_.read_nvm_word(core, ++data);
        if (word == no_section) break;
        wr(core, CORECTL, word);
        flush(core);
    }
    shared_.release(core, SYNC_MAC_CSR);
    wr(core, AUTOC, rd(core, AUTOC) | AUTOC_AN_RESTART);
    for (int i = 0; i < 10; ++i) {
        core.sleep(4_ms);
        if ((rd(core, ANLP1) & ANLP1_STATE) != 0) return;
    }
    throw DriverError("ixgbe: ANLP1 shows that the link's state machine does not start");
}

/// ixgbe_init_rx_addrs_generic; the address is what the device loaded from its EEPROM.
void IxgbeDriver::init_addresses(Core& core) {
    constexpr unsigned address_registers = 128;
    constexpr unsigned multicast_registers = 128;
    const std::uint32_t low = rd(core, RAL(0));
    const std::uint32_t high = rd(core, RAH(0));
    for (unsigned i = 0; i < 4; ++i) mac_[i] = static_cast<std::uint8_t>(low >> 8 * i);
    for (unsigned i = 0; i < 2; ++i) mac_[4 + i] = static_cast<std::uint8_t>(high >> 8 * i);
    if ((low == 0 && (high & 0xffffU) == 0) || (mac_[0] & 1U) != 0)
        throw DriverError("ixgbe: RAL0/RAH0 hold no valid station address");
    for (unsigned i = 1; i < address_registers; ++i) {
        wr(core, RAL(i), 0);
        wr(core, RAH(i), 0);
    }
    for (unsigned i = 0; i < multicast_registers; ++i) wr(core, MTA(i), 0);
}

}  // namespace nicsim::host
