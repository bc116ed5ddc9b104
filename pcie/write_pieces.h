// SPDX-License-Identifier: Apache-2.0
// A DMA write with byte enables as memory write requests. A request can leave out bytes in its
// first and last double word; holes between written bytes are legal only within one double word, or
// within the two of an aligned quad word (PCI Express Base Specification 2.2.5). So runs of enabled
// bytes become requests of their own, and the enabled bytes of a quad word with holes become one.
#pragma once

#include <algorithm>
#include <cstdint>

#include "pcie/splitting.h"

namespace nicsim::pcie {

/// The byte enables of a TLM payload: a pattern that repeats; none is all enabled.
class EnabledBytes {
public:
    EnabledBytes(const unsigned char* pattern, std::uint32_t length)
        : pattern_(pattern), length_(length) {}
    [[nodiscard]] bool all() const { return pattern_ == nullptr || length_ == 0; }
    [[nodiscard]] bool operator[](std::uint32_t i) const {
        return all() || pattern_[i % length_] != 0;
    }

private:
    const unsigned char* pattern_;
    std::uint32_t length_;
};

/// What one request takes.
struct WritePiece {
    std::uint32_t offset = 0;  ///< of its first byte in the payload
    std::uint32_t length = 0;  ///< to its last byte; 0 if nothing is left to write
    DwRange range;
};

namespace detail {

constexpr std::uint32_t quad_word = 8;

/// The enabled bytes from `first` to the last one of its quad word; empty length if they have no
/// hole between them.
inline WritePiece piece_with_holes(std::uint64_t address, std::uint32_t length, std::uint32_t first,
                                   const EnabledBytes& enabled) {
    const auto in_quad = static_cast<std::uint32_t>((address + first) % quad_word);
    const std::uint32_t end = std::min(length, first + quad_word - in_quad);
    std::uint32_t last = first;
    std::uint32_t count = 0;
    for (std::uint32_t i = first; i < end; ++i) {
        if (!enabled[i]) continue;
        last = i;
        ++count;
    }
    WritePiece piece{first, 0, {}};
    if (count == last - first + 1) return piece;
    piece.length = last - first + 1;
    piece.range = dw_range(address + first, piece.length);
    unsigned enables = piece.range.first_be | unsigned{piece.range.last_be} << 4U;
    for (std::uint32_t i = 0; i < piece.length; ++i)
        if (!enabled[first + i]) enables &= ~(1U << (((address + first) & 3U) + i));
    piece.range.first_be = static_cast<std::uint8_t>(enables & 0xfU);
    piece.range.last_be = static_cast<std::uint8_t>(enables >> 4U);
    return piece;
}

}  // namespace detail

/// The next request of a write of `length` bytes to `address`, from `offset` on; `limit` is MPS.
inline WritePiece next_write_piece(std::uint64_t address, std::uint32_t length,
                                   std::uint32_t offset, std::uint32_t limit,
                                   const EnabledBytes& enabled) {
    std::uint32_t end = length;
    if (!enabled.all()) {
        while (offset < length && !enabled[offset]) ++offset;
        if (offset == length) return {offset, 0, {}};
        const WritePiece holes = detail::piece_with_holes(address, length, offset, enabled);
        if (holes.length != 0) return holes;
        for (end = offset; end < length && enabled[end];) ++end;
    }
    const std::uint32_t n = next_request(address + offset, end - offset, limit);
    return {offset, n, dw_range(address + offset, n)};
}

}  // namespace nicsim::pcie
