// SPDX-License-Identifier: Apache-2.0
// What software and firmware use to keep out of each other's way (datasheet 4.6, 8.9): SWSM with
// its read-to-set bit, SW_FW_SYNC and FWSM. There is no firmware in this model, so its halves stay
// 0 and every request is granted.
#pragma once

#include <cstdint>

#include "models/common/register_file.h"

namespace nicsim::models::i210 {

class Semaphores {
public:
    explicit Semaphores(RegisterFile& registers);

private:
    std::uint32_t read_swsm(unsigned);
    Register* swsm_ = nullptr;
};

}  // namespace nicsim::models::i210
