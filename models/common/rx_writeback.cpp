// SPDX-License-Identifier: Apache-2.0
#include "models/common/rx_writeback.h"

#include <cstring>

namespace nicsim::models {

namespace {

constexpr std::uint32_t status_dd = 1U << 0, status_eop = 1U << 1, status_tsip = 1U << 15;
constexpr std::uint32_t status_vp = 1U << 3, status_udpcs = 1U << 4, status_l4cs = 1U << 5;
constexpr std::uint32_t status_ipcs = 1U << 6, status_pif = 1U << 7, status_udpv = 1U << 10;
constexpr std::uint32_t legacy_ixsm = 1U << 2;
constexpr std::uint8_t legacy_l4_error = 1U << 5, legacy_ip_error = 1U << 6;
// Packet type bits, from bit 4 of dword 0.
constexpr std::uint32_t type_ipv4 = 1U << 4, type_ipv4_options = 1U << 5, type_ipv6 = 1U << 6;
constexpr std::uint32_t type_tcp = 1U << 8, type_udp = 1U << 9;

template <class T>
void put(Descriptor& d, std::size_t offset, T value) {
    std::memcpy(d.data() + offset, &value, sizeof value);
}

}  // namespace

void describe_packet(RxVerdict& v, bool ip, bool l4, RxErrorBits errors) {
    const ParsedPacket& p = v.packet;
    if (p.ipv4) v.info |= type_ipv4;
    if (p.ipv4_options) v.info |= type_ipv4_options;
    if (p.ipv6) v.info |= type_ipv6;
    if (p.tcp) v.info |= type_tcp;
    if (p.udp) v.info |= type_udp;
    if (v.strip_vlan) v.status |= status_vp;
    if (v.inexact) v.status |= status_pif;
    if (ip && p.ip_checksum != Checksum::absent) {
        v.status |= status_ipcs;
        v.ip_error = p.ip_checksum == Checksum::bad;
        if (v.ip_error) v.status |= errors.ip;
    }
    if (l4 && p.l4_checksum != Checksum::absent) {
        v.status |= status_l4cs;
        if (p.udp) v.status |= status_udpcs | status_udpv;
        v.l4_error = p.l4_checksum == Checksum::bad;
        if (v.l4_error) v.status |= errors.l4;
    }
}

/// Dword 0: types; 1: RSS hash or (IP identification, checksum); 2: status and errors; 3: length
/// and VLAN tag.
Descriptor advanced_rx_image(const RxCompletion& c, std::uint32_t length, bool last) {
    Descriptor d{};
    const RxVerdict& v = *c.verdict;
    std::uint32_t status = status_dd;
    if (last) {
        status |= status_eop | v.status;
        if (c.timestamp) status |= status_tsip;
    }
    put(d, 0, v.info);
    put(d, 4,
        c.packet_checksum_disabled ? v.rss_hash
                                   : static_cast<std::uint32_t>(v.packet.ip_identification));
    put(d, 8, status);
    put(d, 12, static_cast<std::uint16_t>(length));
    put(d, 14, v.strip_vlan && last ? v.packet.vlan_tag : std::uint16_t{0});
    return d;
}

/// Buffer address; length, packet checksum, status byte, error byte, VLAN tag.
Descriptor legacy_rx_image(std::uint64_t address, const RxCompletion& c, std::uint32_t length,
                           bool last) {
    Descriptor d{};
    const RxVerdict& v = *c.verdict;
    std::uint32_t status = status_dd;
    std::uint8_t errors = 0;
    if (last) {
        status |= status_eop | (v.status & 0xF8U);
        if (v.packet.ip_checksum == Checksum::absent) status |= legacy_ixsm;
        if (v.l4_error) errors |= legacy_l4_error;
        if (v.ip_error) errors |= legacy_ip_error;
    }
    put(d, 0, address);
    put(d, 8, static_cast<std::uint16_t>(length));
    put(d, 12, static_cast<std::uint8_t>(status));
    put(d, 13, errors);
    put(d, 14, v.strip_vlan && last ? v.packet.vlan_tag : std::uint16_t{0});
    return d;
}

}  // namespace nicsim::models
