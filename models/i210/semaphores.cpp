// SPDX-License-Identifier: Apache-2.0
#include "models/i210/semaphores.h"

#include "models/i210/registers.h"

namespace nicsim::models::i210 {

namespace {
constexpr std::uint32_t smbi = 1U << 0;     // set by the read that finds it clear
constexpr std::uint32_t swesmbi = 1U << 1;  // latches, as no firmware holds it
constexpr std::uint32_t software_half = 0x0000'FFFF;
}  // namespace

Semaphores::Semaphores(RegisterFile& registers) {
    swsm_ = &registers.add({.name = "SWSM",
                            .offset = reg::SWSM,
                            .write_mask = smbi | swesmbi,
                            .read = ReadHook::to<&Semaphores::read_swsm>(this)});
    registers.add({.name = "SW_FW_SYNC", .offset = reg::SW_FW_SYNC, .write_mask = software_half});
    registers.add({.name = "FWSM", .offset = reg::FWSM, .access = Access::read_only});
}

std::uint32_t Semaphores::read_swsm(unsigned) {
    const std::uint32_t value = swsm_->get();
    swsm_->set(value | smbi);
    return value;
}

}  // namespace nicsim::models::i210
