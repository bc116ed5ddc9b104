// SPDX-License-Identifier: Apache-2.0
// What software and firmware use to keep out of each other's way (I210 datasheet 4.6, 8.9; 82599
// datasheet 8.2.3.4): SWSM with its read-to-set bit, SW_FW_SYNC and FWSM. There is no firmware in
// this model, so its halves stay 0 and every request is granted.
#pragma once

#include <cstdint>

#include "models/common/register_file.h"

namespace nicsim::models {

class Semaphores {
public:
    struct Offsets {
        std::uint32_t swsm = 0, fwsm = 0, sw_fw_sync = 0;
    };
    /// `firmware_status`: what FWSM reads. `software_bits`: of SW_FW_SYNC.
    Semaphores(RegisterFile& registers, const Offsets& offsets, std::uint32_t firmware_status,
               std::uint32_t software_bits);

private:
    std::uint32_t read_swsm(unsigned);
    Register* swsm_ = nullptr;
};

}  // namespace nicsim::models
