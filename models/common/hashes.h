// SPDX-License-Identifier: Apache-2.0
// Functions over frame bytes that receive hardware computes: the Toeplitz hash of RSS and the CRC
// of the Ethernet FCS.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace nicsim::models {

/// Microsoft's RSS hash: for every set bit of `input`, XOR of the 32 key bits that begin there.
/// The key is at least 4 bytes longer than the input.
inline std::uint32_t toeplitz(std::span<const std::uint8_t> key,
                              std::span<const std::uint8_t> input) {
    std::uint32_t result = 0;
    std::uint32_t window = static_cast<std::uint32_t>(key[0]) << 24 |
                           static_cast<std::uint32_t>(key[1]) << 16 |
                           static_cast<std::uint32_t>(key[2]) << 8 | key[3];
    for (std::size_t i = 0; i < input.size(); ++i) {
        const std::uint8_t next = i + 4 < key.size() ? key[i + 4] : 0;
        for (unsigned bit = 0; bit < 8; ++bit) {
            if ((input[i] >> (7 - bit) & 1U) != 0) result ^= window;
            window = window << 1 | (static_cast<std::uint32_t>(next) >> (7 - bit) & 1U);
        }
    }
    return result;
}

namespace detail {
constexpr std::array<std::uint32_t, 256> make_crc_table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t c = i;
        for (int k = 0; k < 8; ++k) c = (c & 1U) != 0 ? 0xEDB8'8320U ^ c >> 1 : c >> 1;
        table[i] = c;
    }
    return table;
}
inline constexpr std::array<std::uint32_t, 256> crc_table = make_crc_table();
}  // namespace detail

/// The FCS of a frame; its bytes are sent from the low one up.
inline std::uint32_t ethernet_fcs(std::span<const std::uint8_t> bytes) {
    std::uint32_t c = 0xFFFF'FFFF;
    for (const std::uint8_t byte : bytes) c = detail::crc_table[(c ^ byte) & 0xFFU] ^ c >> 8;
    return ~c;
}

}  // namespace nicsim::models
