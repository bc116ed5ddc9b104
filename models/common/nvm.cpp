// SPDX-License-Identifier: Apache-2.0
#include "models/common/nvm.h"

namespace nicsim::models {

void Nvm::set_mac(const std::array<std::uint8_t, 6>& mac) {
    for (unsigned i = 0; i < 3; ++i)
        set(i, static_cast<std::uint16_t>(mac[i * 2] | (mac[i * 2 + 1] << 8)));
}

std::uint16_t Nvm::sum() const {
    std::uint16_t total = 0;
    for (unsigned i = 0; i <= checksum_word; ++i)
        total = static_cast<std::uint16_t>(total + word(i));
    return total;
}

void Nvm::seal() {
    set(checksum_word, 0);
    set(checksum_word, static_cast<std::uint16_t>(checksum_sum - sum()));
}

}  // namespace nicsim::models
