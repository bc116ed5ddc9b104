// SPDX-License-Identifier: Apache-2.0
#include "models/common/rss.h"

#include <cstring>

#include "models/common/hashes.h"

namespace nicsim::models {

namespace {
constexpr std::uint32_t hash_tcp4 = 1U << 16, hash_ip4 = 1U << 17, hash_ip6 = 1U << 20;
constexpr std::uint32_t hash_tcp6 = 1U << 21, hash_udp4 = 1U << 22, hash_udp6 = 1U << 23;
}  // namespace

RssType rss_type(const ParsedPacket& packet, std::uint32_t mrqc) {
    if (packet.ipv4) {
        if (packet.tcp && (mrqc & hash_tcp4) != 0) return RssType::tcp4;
        if (packet.udp && (mrqc & hash_udp4) != 0) return RssType::udp4;
        return (mrqc & hash_ip4) != 0 ? RssType::ip4 : RssType::none;
    }
    if (packet.ipv6) {
        if (packet.tcp && (mrqc & hash_tcp6) != 0) return RssType::tcp6;
        if (packet.udp && (mrqc & hash_udp6) != 0) return RssType::udp6;
        return (mrqc & hash_ip6) != 0 ? RssType::ip6 : RssType::none;
    }
    return RssType::none;
}

std::uint32_t rss_hash(std::span<const std::uint8_t> frame, const ParsedPacket& packet,
                       RssType type, const Register& key) {
    std::array<std::uint8_t, std::size_t{rss_key_words} * 4> bytes{};
    for (unsigned i = 0; i < rss_key_words; ++i) {
        const std::uint32_t word = key.get(i);
        std::memcpy(bytes.data() + std::size_t{i} * 4, &word, 4);
    }
    std::array<std::uint8_t, 36> input{};
    const std::size_t addresses = packet.ipv4 ? 8 : 32;
    std::memcpy(input.data(), frame.data() + packet.l3 + (packet.ipv4 ? 12 : 8), addresses);
    const bool ports = type != RssType::ip4 && type != RssType::ip6;
    if (ports) std::memcpy(input.data() + addresses, frame.data() + packet.l4, 4);
    return toeplitz(bytes, std::span(input).first(addresses + (ports ? 4 : 0)));
}

}  // namespace nicsim::models
