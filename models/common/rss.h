// SPDX-License-Identifier: Apache-2.0
// Receive-side scaling of Intel's controllers: which fields MRQC wants hashed, and the hash (I210
// datasheet 7.1.2.10, 82599 datasheet 7.1.2.8). The layouts of MRQC 31:16 and RSSRK are shared.
// Not modelled: IPv6 extension headers, the older IPv6-only types.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "models/common/packet_parser.h"
#include "models/common/register_file.h"

namespace nicsim::models {

/// As write-backs report it (RSS type, bits 3:0 of dword 0).
enum class RssType : std::uint8_t {
    none = 0,
    tcp4 = 1,
    ip4 = 2,
    tcp6 = 3,
    ip6 = 5,
    udp4 = 7,
    udp6 = 8,
};

constexpr unsigned rss_key_words = 10;

/// What is hashed of the packet if MRQC's fields are `mrqc`.
RssType rss_type(const ParsedPacket& packet, std::uint32_t mrqc);

/// The hash over source and destination address and, with layer 4, the two ports. `key`: RSSRK.
std::uint32_t rss_hash(std::span<const std::uint8_t> frame, const ParsedPacket& packet,
                       RssType type, const Register& key);

}  // namespace nicsim::models
