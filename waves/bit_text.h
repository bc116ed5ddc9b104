// SPDX-License-Identifier: Apache-2.0
// Bits as text: lower case, of full width.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace nicsim::waves {

/// What a character of a bit vector becomes; 0 if it is none.
constexpr std::array<char, 256> bit_characters = [] {
    std::array<char, 256> table{};
    for (const char c : {'0', '1', 'x', 'z', 'u', 'w', 'h', 'l', '-'})
        table[static_cast<unsigned char>(c)] = c;
    for (const char c : {'x', 'z', 'u', 'w', 'h', 'l'})
        table[static_cast<unsigned char>(c - 'a' + 'A')] = c;
    return table;
}();

/// Writes `text` with `width` characters to `out`: what is missing on the left is 0 before 0 and 1
/// and a repetition before anything else (IEEE 1364-2005, 18.2.1). Surplus zeros on the left are
/// dropped. False if a character is no bit or bits are too many.
inline bool expand_bits(std::string_view text, unsigned width, char* out) {
    if (text.empty()) return false;
    while (text.size() > width) {
        if (text.front() != '0') return false;
        text.remove_prefix(1);
    }
    const char first = bit_characters[static_cast<unsigned char>(text.front())];
    const char fill = first == '1' ? '0' : first;
    const std::size_t missing = width - text.size();
    for (std::size_t i = 0; i < missing; ++i) out[i] = fill;
    out += missing;
    char bad = 1;
    for (const char c : text) {
        const char bit = bit_characters[static_cast<unsigned char>(c)];
        if (bit == 0) bad = 0;
        *out++ = bit;
    }
    return bad != 0;
}

inline bool all_known(std::string_view bits) {
    for (const char c : bits)
        if (c != '0' && c != '1') return false;
    return true;
}

}  // namespace nicsim::waves
