// SPDX-License-Identifier: Apache-2.0
#include "models/i82599/nvm_port.h"

#include "models/i82599/registers.h"

namespace nicsim::models::i82599 {

namespace {

constexpr unsigned nvm_words = 2048;
// EEC: present 8, auto-read done 9, size 14:11 = 5 (2048 words), flash update done 26.
constexpr std::uint32_t eec_status = 0x0400'2B00;
constexpr std::uint32_t eec_request = 1U << 6;
constexpr std::uint32_t eec_grant = 1U << 7;
constexpr std::uint32_t eec_pins = 0x0000'0077;  ///< clock, select, data in, flash enable, request

// Words by the names of ixgbe_type.h.
constexpr unsigned first_pointer = 0x03, last_pointer = 0x0E, fw_ptr = 0x0F;
constexpr unsigned serial_number_mac = 0x11;
constexpr unsigned pbanum0 = 0x15, pbanum1 = 0x16;
constexpr unsigned alt_san_mac_ptr = 0x27, san_mac_ptr = 0x28;
constexpr unsigned phy_init_ptr = 0x2B;
constexpr unsigned device_caps = 0x2C;
constexpr unsigned etrack_low = 0x2D, etrack_high = 0x2E;
constexpr std::uint16_t none = 0xFFFF;

// SFP section: a length, pairs of module type and pointer to its data, and the end mark; data
// begin with a length too.
constexpr unsigned sfp_section = 0x100, sfp_data = 0x110;
constexpr std::uint16_t sfp_sr_lr_core0 = 5, sfp_sr_lr_core1 = 6;

void fill(Nvm& nvm, Board board) {
    for (unsigned i = first_pointer; i < Nvm::checksum_word; ++i) nvm.set(i, 0);
    for (unsigned i = first_pointer; i <= last_pointer; ++i) nvm.set(i, none);
    nvm.set(fw_ptr, none);
    nvm.set(serial_number_mac, none);
    nvm.set(pbanum0, 0xE666);
    nvm.set(pbanum1, 0x1000);
    nvm.set(alt_san_mac_ptr, none);
    nvm.set(san_mac_ptr, none);
    nvm.set(device_caps, 0);
    nvm.set(etrack_low, 0x0001);
    nvm.set(etrack_high, 0x8000);
    nvm.set(phy_init_ptr, none);
    if (board != Board::sfp) return;
    nvm.set(phy_init_ptr, sfp_section);
    unsigned at = sfp_section;
    nvm.set(at++, 5);
    for (const std::uint16_t type : {sfp_sr_lr_core0, sfp_sr_lr_core1}) {
        nvm.set(at++, type);
        nvm.set(at++, sfp_data);
    }
    nvm.set(at, none);
    nvm.set(sfp_data, 2);
    nvm.set(sfp_data + 1, 0x0000);  // one word for CORECTL
    nvm.set(sfp_data + 2, none);
}

}  // namespace

NvmPort::NvmPort(const I82599Config& config, RegisterFile& registers)
    : nvm_(nvm_words), mac_(config.mac_bytes()), reader_(nvm_, registers, reg::EERD) {
    fill(nvm_, config.board);
    nvm_.set_mac(mac_);
    nvm_.seal();
    eec_ = &registers.add({.name = "EEC",
                           .offset = reg::EEC,
                           .reset = eec_status,
                           .write_mask = eec_pins,
                           .write = WriteHook::to<&NvmPort::write_eec>(this)});
}

/// There is no firmware that could hold the EEPROM: a request is granted at once.
void NvmPort::write_eec(unsigned, std::uint32_t value) {
    const std::uint32_t without = eec_->get() & ~eec_grant;
    eec_->set((value & eec_request) != 0 ? without | eec_grant : without);
}

}  // namespace nicsim::models::i82599
