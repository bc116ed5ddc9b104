// SPDX-License-Identifier: Apache-2.0
#include "models/ar8151/tpd_decoder.h"

#include <cstring>

#include "models/ar8151/registers.h"

namespace nicsim::models::ar8151 {

namespace {

constexpr std::uint16_t ethernet_header = 14, vlan_header = 4;

struct Tpd {
    std::uint16_t length = 0;
    std::uint16_t vlan = 0;
    std::uint32_t word1 = 0;
    std::uint64_t address = 0;

    [[nodiscard]] bool has(std::uint32_t bit) const { return (word1 & bit) != 0; }
};
static_assert(sizeof(Tpd) == tpd_bytes);

std::uint16_t swapped(std::uint16_t value) {
    return static_cast<std::uint16_t>(value << 8 | value >> 8);
}

/// Lengths of the headers, from the place of the layer 4 header.
void set_headers(const Tpd& d, TxContext& context) {
    const auto l4_at = static_cast<std::uint16_t>(d.word1 & tpd::header_offset_mask);
    context.mac_length = ethernet_header;
    if (d.has(tpd::CON_VTAG)) context.mac_length += vlan_header;
    context.ip_length = l4_at > context.mac_length ? l4_at - context.mac_length : 0;
}

void set_offloads(const Tpd& d, TxPacket& packet) {
    TxDescriptor& first = packet.first;
    TxContext& context = packet.context;
    first.kind = TxDescriptorKind::data;
    first.buffer = {d.address, d.length};
    if (d.has(tpd::INS_VTAG)) {
        first.vlan_insert = true;
        context.vlan = swapped(d.vlan);  // it stands in memory as on the wire
    }
    if (d.has(tpd::LSO_EN)) {
        set_headers(d, context);
        first.tso = true;
        first.l4_checksum = true;
        context.is_ipv4 = !d.has(tpd::LSO_VER) || d.has(tpd::IPV4_PACKET);
        first.ip_checksum = context.is_ipv4;
        context.l4_type = l4::tcp;
        context.mss = static_cast<std::uint16_t>(d.word1 >> tpd::mss_shift & tpd::mss_mask);
        const unsigned l4_at = context.mac_length + context.ip_length;
        context.l4_length = static_cast<std::uint16_t>(d.length > l4_at ? d.length - l4_at : 0);
    } else if (d.has(tpd::CCSUM_EN)) {
        first.legacy_checksum = true;
        first.checksum_start = static_cast<std::uint16_t>((d.word1 & tpd::header_offset_mask) * 2);
        first.checksum_offset =
            static_cast<std::uint16_t>((d.word1 >> tpd::ccsum_offset_shift & 0xFFU) * 2);
    } else if (d.has(tpd::IP_CSUM | tpd::TCP_CSUM | tpd::UDP_CSUM)) {
        set_headers(d, context);
        context.is_ipv4 = d.has(tpd::IP_CSUM);
        first.ip_checksum = d.has(tpd::IP_CSUM);
        first.l4_checksum = d.has(tpd::TCP_CSUM | tpd::UDP_CSUM);
        context.l4_type = d.has(tpd::TCP_CSUM) ? l4::tcp : l4::udp;
    }
}

}  // namespace

bool TpdDecoder::add(const Descriptor& raw, TxPacket& packet) {
    Tpd d;
    std::memcpy(&d, raw.data(), sizeof d);
    const bool extended = packet.reports.empty() && d.has(tpd::LSO_EN) && d.has(tpd::LSO_VER);
    packet.reports.push_back(0);
    if (extended) return false;  // it holds the packet's length, which the buffers tell as well
    if (packet.buffers.empty()) set_offloads(d, packet);
    packet.buffers.push_back({{d.address, d.length}, static_cast<unsigned>(packet.reports.size())});
    packet.length += d.length;
    if (!d.has(tpd::EOP)) return false;
    packet.reports.back() = 1;
    if (packet.first.tso) packet.first.payload_length = packet.length - packet.first.buffer.length;
    return true;
}

}  // namespace nicsim::models::ar8151
