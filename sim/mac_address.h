// SPDX-License-Identifier: Apache-2.0
// Ethernet addresses as users write them, and the serial number that PCIe devices make of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nicsim::sim {

using MacAddress = std::array<std::uint8_t, 6>;

/// Six pairs of hexadecimal digits with colons between them, or nothing.
std::optional<MacAddress> read_mac_address(std::string_view text);

/// Empty, or why `text` is no address that a station can have; for declarations of parameters.
std::string mac_address_error(const std::string& text);

/// The bytes of a text without error. Throws std::invalid_argument, which names `key`, if it has
/// one.
MacAddress parse_mac_address(const std::string& text, const std::string& key = "mac_address");

/// EUI-64: the address with FFFE in its middle.
std::uint64_t eui64_of(const MacAddress& mac);

}  // namespace nicsim::sim
