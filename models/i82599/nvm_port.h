// SPDX-License-Identifier: Apache-2.0
// The EEPROM as software reads it: EEC, EERD and the words that a driver looks at (datasheet 6,
// 8.2.3.2). Not modelled: the bit-banged access of EEC (its pins read back what is written), the
// flash, writing, and what the hardware loads from the EEPROM besides the address.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/nvm.h"
#include "models/common/nvm_reader.h"
#include "models/common/register_file.h"
#include "models/i82599/config.h"

namespace nicsim::models::i82599 {

class NvmPort {
public:
    NvmPort(const I82599Config& config, RegisterFile& registers);

    [[nodiscard]] const Nvm& nvm() const { return nvm_; }
    [[nodiscard]] const std::array<std::uint8_t, 6>& mac() const { return mac_; }

private:
    void write_eec(unsigned, std::uint32_t value);

    Nvm nvm_;
    std::array<std::uint8_t, 6> mac_{};
    NvmReader reader_;
    Register* eec_ = nullptr;
};

}  // namespace nicsim::models::i82599
