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
/// Tables for eight bytes at a time: table k is the CRC of a byte that k more bytes follow.
using CrcTables = std::array<std::array<std::uint32_t, 256>, 8>;
constexpr CrcTables make_crc_tables() {
    CrcTables tables{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t c = i;
        for (int k = 0; k < 8; ++k) c = (c & 1U) != 0 ? 0xEDB8'8320U ^ c >> 1 : c >> 1;
        tables[0][i] = c;
    }
    for (std::size_t k = 1; k < tables.size(); ++k)
        for (std::size_t i = 0; i < 256; ++i) {
            const std::uint32_t c = tables[k - 1][i];
            tables[k][i] = tables[0][c & 0xFFU] ^ c >> 8;
        }
    return tables;
}
inline constexpr CrcTables crc_tables = make_crc_tables();
}  // namespace detail

/// The FCS of a frame; its bytes are sent from the low one up.
inline std::uint32_t ethernet_fcs(std::span<const std::uint8_t> bytes) {
    const auto& t = detail::crc_tables;
    std::uint32_t c = 0xFFFF'FFFF;
    std::size_t i = 0;
    for (; i + 8 <= bytes.size(); i += 8) {
        std::uint32_t next = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            next ^= t[7 - k][bytes[i + k] ^ (c >> (8 * k) & 0xFFU)];
            next ^= t[3 - k][bytes[i + 4 + k]];
        }
        c = next;
    }
    for (; i < bytes.size(); ++i) c = t[0][(c ^ bytes[i]) & 0xFFU] ^ c >> 8;
    return ~c;
}

}  // namespace nicsim::models
