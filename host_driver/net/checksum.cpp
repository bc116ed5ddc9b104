// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstring>

#include "host_driver/net/headers.h"

namespace nicsim::host {

// The sum does not depend on the byte order it is taken in, but for a swap of the folded result
// (RFC 1071, 2 B): words are added as the machine reads them, 32 bits at a time into 64.
std::uint64_t checksum_sum(const std::uint8_t* bytes, std::size_t length) {
    std::uint64_t sum = 0;
    std::size_t i = 0;
    // Independent lanes let the compiler use vector adds.
    std::uint64_t lane[8] = {};
    for (; i + 32 <= length; i += 32) {
        std::uint32_t words[8];
        std::memcpy(words, bytes + i, sizeof words);
        for (unsigned k = 0; k < 8; ++k) lane[k] += words[k];
    }
    for (const std::uint64_t l : lane) sum += (l & 0xffff'ffffU) + (l >> 32);
    for (; i + 4 <= length; i += 4) {
        std::uint32_t word = 0;
        std::memcpy(&word, bytes + i, sizeof word);
        sum += word;
    }
    if (i < length) {  // up to three bytes, padded with zeros
        std::uint32_t word = 0;
        std::memcpy(&word, bytes + i, length - i);
        sum += word;
    }
    const std::uint16_t folded = checksum_fold(sum);
    if constexpr (std::endian::native == std::endian::little) {
        return static_cast<std::uint16_t>((folded << 8) | (folded >> 8));
    } else {
        return folded;
    }
}

}  // namespace nicsim::host
