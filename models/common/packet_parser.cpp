// SPDX-License-Identifier: Apache-2.0
#include "models/common/packet_parser.h"

#include "models/common/internet_checksum.h"

namespace nicsim::models {

namespace {

constexpr unsigned protocol_tcp = 6;
constexpr unsigned protocol_udp = 17;

void parse_l4(std::span<const std::uint8_t> l4, unsigned protocol, std::uint32_t pseudo_sum,
              ParsedPacket& p) {
    if (p.fragment) return;
    if (protocol == protocol_tcp && l4.size() >= 20) {
        p.tcp = true;
    } else if (protocol == protocol_udp && l4.size() >= 8) {
        p.udp = true;
        if (get_be16(l4, 6) == 0) return;  // sent without checksum
    } else {
        return;
    }
    const auto pseudo = static_cast<std::uint32_t>(pseudo_sum + protocol + l4.size());
    p.l4_checksum = ones_complement_sum(l4, pseudo) == 0xFFFF ? Checksum::good : Checksum::bad;
}

void parse_ipv4(std::span<const std::uint8_t> frame, ParsedPacket& p) {
    const auto ip = frame.subspan(p.l3);
    if (ip.size() < 20 || ip[0] >> 4 != 4) return;
    const std::size_t header = (ip[0] & 0xFU) * std::size_t{4};
    const std::size_t total = get_be16(ip, 2);
    if (header < 20 || total < header || total > ip.size()) return;
    p.ipv4 = true;
    p.ipv4_options = header > 20;
    p.ip_identification = get_be16(ip, 4);
    p.fragment = (get_be16(ip, 6) & 0x3FFFU) != 0;
    p.ip_checksum =
        ones_complement_sum(ip.first(header)) == 0xFFFF ? Checksum::good : Checksum::bad;
    p.l4 = p.l3 + static_cast<std::uint32_t>(header);
    parse_l4(ip.subspan(header, total - header), ip[9], ones_complement_sum(ip.subspan(12, 8)), p);
}

void parse_ipv6(std::span<const std::uint8_t> frame, ParsedPacket& p) {
    const auto ip = frame.subspan(p.l3);
    if (ip.size() < 40 || ip[0] >> 4 != 6) return;
    const std::size_t payload = get_be16(ip, 4);
    if (payload > ip.size() - 40) return;
    p.ipv6 = true;
    p.l4 = p.l3 + 40;
    parse_l4(ip.subspan(40, payload), ip[6], ones_complement_sum(ip.subspan(8, 32)), p);
}

}  // namespace

ParsedPacket parse_packet(std::span<const std::uint8_t> frame, std::uint16_t vlan_type) {
    ParsedPacket p;
    if (frame.size() < 14) return p;
    p.ether_type = get_be16(frame, 12);
    p.l3 = 14;
    if (p.ether_type == vlan_type && frame.size() >= 18) {
        p.vlan = true;
        p.vlan_tag = get_be16(frame, 14);
        p.ether_type = get_be16(frame, 16);
        p.l3 = 18;
    }
    if (p.ether_type == 0x0800)
        parse_ipv4(frame, p);
    else if (p.ether_type == 0x86DD)
        parse_ipv6(frame, p);
    return p;
}

}  // namespace nicsim::models
