// SPDX-License-Identifier: Apache-2.0
#include "sim/mac_address.h"

#include <fmt/format.h>

#include <stdexcept>

namespace nicsim::sim {
namespace {

unsigned digit_of(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
    return 16;
}

}  // namespace

std::optional<MacAddress> read_mac_address(std::string_view text) {
    MacAddress bytes{};
    if (text.size() != 17) return std::nullopt;
    for (std::size_t i = 0; i < 6; ++i) {
        const unsigned high = digit_of(text[i * 3]);
        const unsigned low = digit_of(text[i * 3 + 1]);
        if (high > 15 || low > 15 || (i < 5 && text[i * 3 + 2] != ':')) return std::nullopt;
        bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
    }
    return bytes;
}

std::string mac_address_error(const std::string& text) {
    const std::optional<MacAddress> bytes = read_mac_address(text);
    if (!bytes) return "six pairs of hexadecimal digits are expected, as in 02:00:00:00:00:01";
    if (((*bytes)[0] & 1U) == 0) return {};
    return fmt::format(
        "'{}' is a group address; a station's own has an even first byte, as in 02:00:00:00:00:01",
        text);
}

MacAddress parse_mac_address(const std::string& text, const std::string& key) {
    if (const std::string error = mac_address_error(text); !error.empty())
        throw std::invalid_argument(key + ": " + error);
    return *read_mac_address(text);
}

std::uint64_t eui64_of(const MacAddress& mac) {
    std::uint64_t number = 0;
    for (unsigned i = 0; i < 8; ++i) {
        const std::uint8_t byte = i < 3 ? mac[i] : i == 3 ? 0xFF : i == 4 ? 0xFE : mac[i - 2];
        number = number << 8 | byte;
    }
    return number;
}

}  // namespace nicsim::sim
