// SPDX-License-Identifier: Apache-2.0
// Non-volatile memory of 16-bit words, as Intel's devices have it: the words 0x00-0x3F add up to
// 0xBABA. Only reading is modelled.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace nicsim::models {

class Nvm {
public:
    static constexpr std::uint16_t checksum_sum = 0xBABA;
    static constexpr unsigned checksum_word = 0x3F;

    explicit Nvm(unsigned words) : words_(words, 0xFFFF) {}

    /// Words beyond the end read as erased flash.
    [[nodiscard]] std::uint16_t word(unsigned index) const {
        return index < words_.size() ? words_[index] : 0xFFFF;
    }
    void set(unsigned index, std::uint16_t value) { words_.at(index) = value; }
    /// Bytes 0 and 1 of the address in word 0 (low byte first), and so on.
    void set_mac(const std::array<std::uint8_t, 6>& mac);
    /// Fills in the checksum word.
    void seal();
    /// Sum of the words that the checksum covers, and itself.
    [[nodiscard]] std::uint16_t sum() const;

private:
    std::vector<std::uint16_t> words_;
};

}  // namespace nicsim::models
