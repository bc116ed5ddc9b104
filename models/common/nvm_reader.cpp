// SPDX-License-Identifier: Apache-2.0
#include "models/common/nvm_reader.h"

namespace nicsim::models {

namespace {
constexpr std::uint32_t eerd_start = 1U << 0;
constexpr std::uint32_t eerd_done = 1U << 1;
}  // namespace

NvmReader::NvmReader(const Nvm& nvm, RegisterFile& registers, std::uint32_t offset) : nvm_(nvm) {
    eerd_ = &registers.add({.name = "EERD",
                            .offset = offset,
                            .reset = eerd_done,
                            .access = Access::read_only,
                            .write = WriteHook::to<&NvmReader::write_eerd>(this)});
}

void NvmReader::write_eerd(unsigned, std::uint32_t value) {
    if ((value & eerd_start) == 0) return;
    const std::uint32_t address = value >> 2 & 0x3FFF;
    eerd_->set(std::uint32_t{nvm_.word(address)} << 16 | address << 2 | eerd_done);
}

}  // namespace nicsim::models
