// SPDX-License-Identifier: Apache-2.0
#include "models/common/mac_address.h"

#include <fmt/format.h>

#include <stdexcept>

namespace nicsim::models {

std::array<std::uint8_t, 6> parse_mac_address(const std::string& text) {
    std::array<std::uint8_t, 6> bytes{};
    const auto fail = [&text] {
        throw std::invalid_argument(
            fmt::format("mac_address `{}`: six bytes are expected, as in 02:00:00:00:00:01", text));
    };
    if (text.size() != 17) fail();
    for (std::size_t i = 0; i < 6; ++i) {
        unsigned value = 0;
        for (std::size_t k = 0; k < 2; ++k) {
            const char c = text[i * 3 + k];
            const unsigned digit = c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
                                   : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a') + 10
                                   : c >= 'A' && c <= 'F' ? static_cast<unsigned>(c - 'A') + 10
                                                          : 16;
            if (digit > 15) fail();
            value = value * 16 + digit;
        }
        if (i < 5 && text[i * 3 + 2] != ':') fail();
        bytes[i] = static_cast<std::uint8_t>(value);
    }
    if ((bytes[0] & 1U) != 0) fail();
    return bytes;
}

std::uint64_t eui64_of(const std::array<std::uint8_t, 6>& mac) {
    std::uint64_t number = 0;
    for (unsigned i = 0; i < 8; ++i) {
        const std::uint8_t byte = i < 3 ? mac[i] : i == 3 ? 0xFF : i == 4 ? 0xFE : mac[i - 2];
        number = number << 8 | byte;
    }
    return number;
}

}  // namespace nicsim::models
