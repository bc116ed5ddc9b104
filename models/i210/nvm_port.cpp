// SPDX-License-Identifier: Apache-2.0
#include "models/i210/nvm_port.h"

#include "models/i210/registers.h"

namespace nicsim::models::i210 {

namespace {
constexpr unsigned nvm_words = 2048;
constexpr unsigned invm_dwords = 64;
// EECD: present 8, auto-read done 9, size 14:11 = 5 (2048 words), 13 unused; flash detected 19,
// flash update done 26.
constexpr std::uint32_t eecd_base = 0x0000'2B00;
constexpr std::uint32_t eecd_flash = 0x0408'0000;
constexpr std::uint32_t invm_word_autoload = 1;  ///< record type in bits 2:0

void fill(Nvm& nvm, bool flash) {
    for (unsigned i = 3; i < Nvm::checksum_word; ++i) nvm.set(i, 0);
    nvm.set(0x03, 0x0420);                   // copper LOM
    nvm.set(0x05, 0x3010);                   // image version
    nvm.set(0x0B, 0x0001);                   // subsystem id
    nvm.set(0x0C, 0x8086);                   // subsystem vendor
    nvm.set(0x0D, flash ? 0x1533 : 0x157B);  // device id
    nvm.set(0x0E, 0x8086);                   // vendor
    nvm.set(0x1C, 0x0000);                   // LED 1 and 2
    nvm.set(0x1F, 0x0000);                   // LED 0
    nvm.set(0x37, 0xFFFF);                   // no alternate address
}
}  // namespace

NvmPort::NvmPort(const I210Config& config, RegisterFile& registers)
    : nvm_(nvm_words),
      mac_(config.mac_bytes()),
      flash_(config.nvm == NvmKind::flash),
      reader_(nvm_, registers, reg::EERD) {
    fill(nvm_, flash_);
    nvm_.set_mac(mac_);
    nvm_.seal();
    registers.add({.name = "EECD",
                   .offset = reg::EECD,
                   .reset = eecd_base | (flash_ ? eecd_flash : 0),
                   .access = Access::read_only});
    registers.alias(0x12010, reg::EECD);
    registers.alias(0x12014, reg::EERD);
    registers.add({.name = "INVM_DATA",
                   .offset = reg::INVM_DATA,
                   .access = Access::read_only,
                   .count = invm_dwords,
                   .read = ReadHook::to<&NvmPort::read_invm>(this),
                   .pure_read = true});
}

/// Word records: type 2:0, address 15:9, data 31:16. A zero ends the list.
std::uint32_t NvmPort::read_invm(unsigned index) {
    if (flash_ || index >= 3) return 0;
    return std::uint32_t{nvm_.word(index)} << 16 | index << 9 | invm_word_autoload;
}

}  // namespace nicsim::models::i210
