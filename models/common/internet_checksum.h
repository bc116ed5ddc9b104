// SPDX-License-Identifier: Apache-2.0
// The ones' complement sum of IPv4, TCP and UDP (RFC 1071), and big-endian access to headers.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

namespace nicsim::models {

inline std::uint16_t get_be16(std::span<const std::uint8_t> bytes, std::size_t at) {
    return static_cast<std::uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}
inline std::uint32_t get_be32(std::span<const std::uint8_t> bytes, std::size_t at) {
    return std::uint32_t{get_be16(bytes, at)} << 16 | get_be16(bytes, at + 2);
}
inline void put_be16(std::span<std::uint8_t> bytes, std::size_t at, std::uint16_t value) {
    bytes[at] = static_cast<std::uint8_t>(value >> 8);
    bytes[at + 1] = static_cast<std::uint8_t>(value);
}
inline void put_be32(std::span<std::uint8_t> bytes, std::size_t at, std::uint32_t value) {
    put_be16(bytes, at, static_cast<std::uint16_t>(value >> 16));
    put_be16(bytes, at + 2, static_cast<std::uint16_t>(value));
}

/// The sum, not complemented, folded to 16 bits. An odd last byte counts as its upper half.
inline std::uint16_t ones_complement_sum(std::span<const std::uint8_t> bytes,
                                         std::uint32_t start = 0) {
    const auto fold = [](std::uint64_t sum) {
        while ((sum >> 16) != 0) sum = (sum & 0xffff) + (sum >> 16);
        return static_cast<std::uint32_t>(sum);
    };
    // The sum does not depend on byte order (RFC 1071, 2(B)): words as the machine loads them,
    // brought to network order at the end.
    std::uint64_t sum = 0;
    std::size_t i = 0;
    for (; i + 4 <= bytes.size(); i += 4) {
        std::uint32_t word = 0;
        std::memcpy(&word, bytes.data() + i, 4);
        sum += word;
    }
    if (i < bytes.size()) {
        std::uint32_t word = 0;
        std::memcpy(&word, bytes.data() + i, bytes.size() - i);
        sum += word;
    }
    std::uint32_t folded = fold(sum);
    if constexpr (std::endian::native == std::endian::little)
        folded = (folded >> 8 | folded << 8) & 0xffff;
    return static_cast<std::uint16_t>(fold(std::uint64_t{folded} + start));
}

}  // namespace nicsim::models
