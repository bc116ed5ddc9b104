// SPDX-License-Identifier: Apache-2.0
// What receive offloads need to know of a frame: where its headers are, what RSS hashes, whether
// its checksums hold. Knows Ethernet II with one VLAN tag, IPv4 (options, fragments), IPv6 without
// extension headers, TCP and UDP. Anything else is "no layer 3" or "no layer 4".
#pragma once

#include <cstdint>
#include <span>

namespace nicsim::models {

enum class Checksum : std::uint8_t { absent, good, bad };

struct ParsedPacket {
    bool vlan = false;
    std::uint16_t vlan_tag = 0;
    std::uint16_t ether_type = 0;  ///< behind the VLAN tag
    bool ipv4 = false;
    bool ipv4_options = false;
    bool ipv6 = false;
    bool fragment = false;
    bool tcp = false;
    bool udp = false;
    std::uint16_t ip_identification = 0;
    Checksum ip_checksum = Checksum::absent;
    Checksum l4_checksum = Checksum::absent;
    std::uint32_t l3 = 0;  ///< offset in the frame
    std::uint32_t l4 = 0;
};

/// `frame`: without FCS. `vlan_type`: the EtherType that marks a tag.
ParsedPacket parse_packet(std::span<const std::uint8_t> frame, std::uint16_t vlan_type = 0x8100);

}  // namespace nicsim::models
