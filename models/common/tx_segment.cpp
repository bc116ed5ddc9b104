// SPDX-License-Identifier: Apache-2.0
#include "models/common/tx_segment.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "models/common/internet_checksum.h"

namespace nicsim::models {
namespace {

using Bytes = std::span<std::uint8_t>;

constexpr std::uint32_t vlan_tag_bytes = 4;
constexpr std::uint16_t vlan_ethertype = 0x8100;
constexpr std::uint32_t ipv6_header_bytes = 40;

std::uint32_t payload_of(const TxPacket& packet, std::uint32_t segment) {
    const std::uint32_t begin = segment * packet.context.mss;
    return std::min<std::uint32_t>(packet.context.mss, packet.first.payload_length - begin);
}

/// IPv4 header checksum over the header at `at`.
void insert_ip_checksum(Bytes frame, std::uint32_t at, std::uint32_t length) {
    put_be16(frame, at + 10, 0);
    const std::uint16_t sum = ones_complement_sum(frame.subspan(at, length));
    put_be16(frame, at + 10, static_cast<std::uint16_t>(~sum));
}

/// Software left the sum of the pseudo header in the checksum field; `extra` is what it left out.
void insert_l4_checksum(Bytes frame, std::uint32_t at, std::uint8_t type, std::uint32_t extra) {
    const std::uint32_t field = at + (type == l4::tcp ? 16 : 6);
    auto sum = static_cast<std::uint16_t>(~ones_complement_sum(frame.subspan(at), extra));
    if (type == l4::udp && sum == 0) sum = 0xffff;
    put_be16(frame, field, sum);
}

void insert_legacy_checksum(Bytes frame, const TxDescriptor& d) {
    if (d.checksum_start >= frame.size() || d.checksum_offset + 2U > frame.size()) return;
    const std::uint16_t sum = ones_complement_sum(frame.subspan(d.checksum_start));
    put_be16(frame, d.checksum_offset, static_cast<std::uint16_t>(~sum));
}

void insert_vlan_tag(sim::Frame& frame, std::uint16_t tag) {
    const std::uint32_t length = frame.length();
    frame.resize(length + vlan_tag_bytes);
    const Bytes bytes = frame.bytes();
    std::memmove(bytes.data() + 16, bytes.data() + 12, length - 12);
    put_be16(bytes, 12, vlan_ethertype);
    put_be16(bytes, 14, tag);
}

/// Header of segment `plan.segment` from the header that software wrote.
void fix_segment_headers(const TxPacket& packet, const FramePlan& plan, Bytes frame,
                         const TcpFlagMasks& masks) {
    const TxContext& c = packet.context;
    const std::uint32_t payload = static_cast<std::uint32_t>(frame.size()) - packet.header_length;
    const std::uint32_t ip = c.mac_length;
    const std::uint32_t l4_at = ip + c.ip_length;
    const auto l4_bytes = static_cast<std::uint16_t>(c.l4_length + payload);
    if (c.is_ipv4) {
        put_be16(frame, ip + 2, static_cast<std::uint16_t>(c.ip_length + l4_bytes));
        put_be16(frame, ip + 4, static_cast<std::uint16_t>(get_be16(frame, ip + 4) + plan.segment));
    } else {
        put_be16(frame, ip + 4,
                 static_cast<std::uint16_t>(c.ip_length - ipv6_header_bytes + l4_bytes));
    }
    if (c.l4_type == l4::tcp) {
        put_be32(frame, l4_at + 4, get_be32(frame, l4_at + 4) + plan.segment * c.mss);
        std::uint16_t mask = masks.middle;
        if (packet.frames == 1)
            mask = 0xfff;  // first and last at once: nothing to spread
        else if (plan.segment == 0)
            mask = masks.first;
        else if (plan.last)
            mask = masks.last;
        const std::uint16_t flags = get_be16(frame, l4_at + 12);
        put_be16(frame, l4_at + 12,
                 static_cast<std::uint16_t>((flags & 0xf000) | (flags & 0x0fff & mask)));
    } else {
        put_be16(frame, l4_at + 4, l4_bytes);
    }
}

bool tso_possible(const TxPacket& p) {
    const TxContext& c = p.context;
    const std::uint32_t l4_minimum = c.l4_type == l4::tcp ? 20 : 8;
    return c.mss != 0 && c.mac_length >= 14 && c.ip_length >= 20 && c.l4_length >= l4_minimum &&
           c.l4_type <= l4::tcp && p.first.payload_length != 0 &&
           p.header_length + p.first.payload_length <= p.length;
}

/// The offloads that are asked for lie inside of the frame.
bool offloads_possible(const TxPacket& p) {
    const TxContext& c = p.context;
    if (p.first.ip_checksum && c.is_ipv4 &&
        (c.ip_length < 20 || std::uint32_t{c.mac_length} + c.ip_length > p.length))
        return false;
    if (p.first.l4_checksum && c.l4_type <= l4::tcp)
        return c.mac_length + c.ip_length + (c.l4_type == l4::tcp ? 18U : 8U) <= p.length;
    return true;
}

}  // namespace

void prepare(TxPacket& packet, std::uint32_t max_length) {
    if (packet.first.tso) {
        const TxContext& c = packet.context;
        packet.header_length = std::uint32_t{c.mac_length} + c.ip_length + c.l4_length;
        if (!tso_possible(packet)) {
            packet.bad = true;
            return;
        }
        packet.frames = (packet.first.payload_length + c.mss - 1) / c.mss;
    } else if (packet.length < 14 || !offloads_possible(packet)) {
        packet.bad = true;
        return;
    }
    const std::uint32_t tag = packet.first.vlan_insert ? vlan_tag_bytes : 0;
    packet.bad = next_frame_length(packet) + tag > max_length;
}

std::uint32_t next_frame_length(const TxPacket& packet) {
    if (!packet.first.tso) return packet.length;
    return packet.header_length + payload_of(packet, packet.frames_requested);
}

FramePlan plan_next_frame(TxPacket& packet, std::vector<DmaSegment>& pieces) {
    FramePlan plan;
    plan.segment = packet.frames_requested++;
    plan.last = packet.frames_requested == packet.frames;
    std::uint32_t to_read = packet.length;
    plan.length = packet.length;
    if (packet.first.tso) {
        const std::uint32_t payload = payload_of(packet, plan.segment);
        plan.length = packet.header_length + payload;
        plan.offset = plan.segment == 0 ? 0 : packet.header_length;
        to_read = plan.length - plan.offset;
    }
    pieces.clear();
    unsigned used = packet.consumed;
    while (to_read != 0) {
        const TxBuffer& buffer = packet.buffers[packet.next_buffer];
        const std::uint32_t length = std::min(to_read, buffer.memory.length - packet.next_offset);
        if (length != 0) pieces.push_back({buffer.memory.address + packet.next_offset, length});
        to_read -= length;
        packet.next_offset += length;
        if (packet.next_offset == buffer.memory.length) {
            used = std::max(used, buffer.descriptors);
            ++packet.next_buffer;
            packet.next_offset = 0;
        }
    }
    if (plan.last) used = static_cast<unsigned>(packet.reports.size());
    plan.consume = used - packet.consumed;
    packet.consumed = used;
    return plan;
}

void finish_frame(TxPacket& packet, const FramePlan& plan, sim::Frame& frame,
                  const TcpFlagMasks& masks) {
    const Bytes bytes = frame.bytes();
    const TxContext& c = packet.context;
    const TxDescriptor& d = packet.first;
    std::uint32_t missing = 0;
    if (d.tso) {
        if (plan.segment == 0)
            packet.header.assign(bytes.begin(), bytes.begin() + packet.header_length);
        else
            std::copy(packet.header.begin(), packet.header.end(), bytes.begin());
        fix_segment_headers(packet, plan, bytes, masks);
        // With TSO software cannot know the length, so its pseudo header has none.
        missing = static_cast<std::uint32_t>(bytes.size()) - c.mac_length - c.ip_length;
    }
    if (d.ip_checksum && c.is_ipv4) insert_ip_checksum(bytes, c.mac_length, c.ip_length);
    if (d.l4_checksum && c.l4_type <= l4::tcp)
        insert_l4_checksum(bytes, std::uint32_t{c.mac_length} + c.ip_length, c.l4_type, missing);
    if (d.legacy_checksum) insert_legacy_checksum(bytes, d);
    if (d.vlan_insert) insert_vlan_tag(frame, d.kind == TxDescriptorKind::legacy ? d.vlan : c.vlan);
}

}  // namespace nicsim::models
