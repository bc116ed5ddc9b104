// SPDX-License-Identifier: Apache-2.0
// Ethernet addresses as users write them, and the serial number that PCIe devices make of them.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace nicsim::models {

/// Empty, or why `text` is no address that a device can have.
std::string mac_address_error(const std::string& text);

/// Six bytes of `02:00:00:00:00:01`. Throws std::invalid_argument if `text` is no unicast address.
std::array<std::uint8_t, 6> parse_mac_address(const std::string& text);

/// EUI-64: the address with FFFE in its middle.
std::uint64_t eui64_of(const std::array<std::uint8_t, 6>& mac);

}  // namespace nicsim::models
