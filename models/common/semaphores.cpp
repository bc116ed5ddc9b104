// SPDX-License-Identifier: Apache-2.0
#include "models/common/semaphores.h"

namespace nicsim::models {

namespace {
constexpr std::uint32_t smbi = 1U << 0;     // set by the read that finds it clear
constexpr std::uint32_t swesmbi = 1U << 1;  // latches, as no firmware holds it
}  // namespace

Semaphores::Semaphores(RegisterFile& registers, const Offsets& offsets,
                       std::uint32_t firmware_status, std::uint32_t software_bits) {
    swsm_ = &registers.add({.name = "SWSM",
                            .offset = offsets.swsm,
                            .write_mask = smbi | swesmbi,
                            .read = ReadHook::to<&Semaphores::read_swsm>(this)});
    registers.add(
        {.name = "SW_FW_SYNC", .offset = offsets.sw_fw_sync, .write_mask = software_bits});
    registers.add({.name = "FWSM",
                   .offset = offsets.fwsm,
                   .reset = firmware_status,
                   .access = Access::read_only});
}

std::uint32_t Semaphores::read_swsm(unsigned) {
    const std::uint32_t value = swsm_->get();
    swsm_->set(value | smbi);
    return value;
}

}  // namespace nicsim::models
