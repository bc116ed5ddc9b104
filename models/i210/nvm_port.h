// SPDX-License-Identifier: Apache-2.0
// The NVM as software reads it: EERD with its words, EECD, and the on-die iNVM of boards without
// flash (datasheet 3.3, 8.4). Reads are done at once. Not modelled: writing, flash access by BAR.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/nvm.h"
#include "models/common/nvm_reader.h"
#include "models/common/register_file.h"
#include "models/i210/config.h"

namespace nicsim::models::i210 {

class NvmPort {
public:
    NvmPort(const I210Config& config, RegisterFile& registers);

    [[nodiscard]] const Nvm& nvm() const { return nvm_; }
    [[nodiscard]] const std::array<std::uint8_t, 6>& mac() const { return mac_; }

private:
    std::uint32_t read_invm(unsigned index);

    Nvm nvm_;
    std::array<std::uint8_t, 6> mac_{};
    bool flash_;
    NvmReader reader_;
};

}  // namespace nicsim::models::i210
