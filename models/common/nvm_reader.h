// SPDX-License-Identifier: Apache-2.0
// EERD, the register by which software reads words of the NVM (I210 datasheet 8.4.2, 82599
// datasheet 8.2.3.2.2): start 0, done 1, address 15:2, data 31:16. A read is done at once.
#pragma once

#include <cstdint>

#include "models/common/nvm.h"
#include "models/common/register_file.h"

namespace nicsim::models {

class NvmReader {
public:
    NvmReader(const Nvm& nvm, RegisterFile& registers, std::uint32_t offset);

private:
    void write_eerd(unsigned, std::uint32_t value);

    const Nvm& nvm_;
    Register* eerd_ = nullptr;
};

}  // namespace nicsim::models
