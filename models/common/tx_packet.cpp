// SPDX-License-Identifier: Apache-2.0
#include "models/common/tx_packet.h"

namespace nicsim::models {
namespace {

std::uint32_t dword(const Descriptor& raw, unsigned i) {
    return std::uint32_t{raw[4 * i]} | std::uint32_t{raw[4 * i + 1]} << 8 |
           std::uint32_t{raw[4 * i + 2]} << 16 | std::uint32_t{raw[4 * i + 3]} << 24;
}

constexpr std::uint32_t bit(unsigned n) {
    return 1U << n;
}
constexpr std::uint32_t dtyp_context = 2;
constexpr std::uint32_t dext = bit(29);

std::uint32_t bits(std::uint32_t word, unsigned low, unsigned width) {
    return word >> low & ((1U << width) - 1);
}

}  // namespace

TxDescriptorKind kind_of(const Descriptor& raw) {
    const std::uint32_t command = dword(raw, 2);
    if ((command & dext) == 0) return TxDescriptorKind::legacy;
    return bits(command, 20, 4) == dtyp_context ? TxDescriptorKind::context
                                                : TxDescriptorKind::data;
}

unsigned context_index(const Descriptor& raw) {
    return bits(dword(raw, 3), 4, 3);
}

TxContext decode_context(const Descriptor& raw) {
    const std::uint32_t lengths = dword(raw, 0);
    const std::uint32_t type = dword(raw, 2);
    const std::uint32_t sizes = dword(raw, 3);
    TxContext c;
    c.ip_length = static_cast<std::uint16_t>(bits(lengths, 0, 9));
    c.mac_length = static_cast<std::uint16_t>(bits(lengths, 9, 7));
    c.vlan = static_cast<std::uint16_t>(bits(lengths, 16, 16));
    c.launch = bits(dword(raw, 1), 0, 25);
    c.is_ipv4 = (type & bit(10)) != 0;
    c.l4_type = static_cast<std::uint8_t>(bits(type, 11, 2));
    c.l4_length = static_cast<std::uint16_t>(bits(sizes, 8, 8));
    c.mss = static_cast<std::uint16_t>(bits(sizes, 16, 16));
    return c;
}

TxDescriptor decode_data(const Descriptor& raw) {
    const std::uint32_t command = dword(raw, 2);
    const std::uint32_t status = dword(raw, 3);
    TxDescriptor d;
    d.kind = kind_of(raw);
    d.buffer.address = dword(raw, 0) | std::uint64_t{dword(raw, 1)} << 32;
    d.buffer.length = bits(command, 0, 16);
    d.end_of_packet = (command & bit(24)) != 0;
    d.report = (command & bit(27)) != 0;
    d.vlan_insert = (command & bit(30)) != 0;
    if (d.kind == TxDescriptorKind::legacy) {
        d.legacy_checksum = (command & bit(26)) != 0;
        d.checksum_offset = static_cast<std::uint16_t>(bits(command, 16, 8));
        d.checksum_start = static_cast<std::uint16_t>(bits(status, 8, 8));
        d.vlan = static_cast<std::uint16_t>(bits(status, 16, 16));
        return d;
    }
    d.tso = (command & bit(31)) != 0;
    d.time_stamp = (command & bit(19)) != 0;
    d.ip_checksum = (status & bit(8)) != 0;
    d.l4_checksum = (status & bit(9)) != 0;
    d.context_index = context_index(raw);
    d.payload_length = bits(status, 14, 18);
    return d;
}

bool IntelTxDecoder::add(const Descriptor& raw, TxPacket& packet) {
    if (kind_of(raw) == TxDescriptorKind::context) {
        contexts_[context_index(raw) & 1U] = decode_context(raw);
        packet.reports.push_back(0);
        return false;
    }
    const TxDescriptor d = decode_data(raw);
    packet.reports.push_back(d.report ? 1 : 0);
    if (packet.buffers.empty()) {
        packet.first = d;
        if (d.kind == TxDescriptorKind::data) packet.context = contexts_[d.context_index & 1U];
    }
    packet.buffers.push_back({d.buffer, static_cast<unsigned>(packet.reports.size())});
    packet.length += d.buffer.length;
    return d.end_of_packet;
}

void TxPacket::recycle() {
    first = {};
    context = {};
    number = 0;
    buffers.clear();
    reports.clear();
    length = 0;
    consumed = 0;
    header_length = 0;
    header.clear();
    frames = 1;
    frames_requested = 0;
    frames_arrived = 0;
    next_buffer = 0;
    next_offset = 0;
    bad = false;
}

}  // namespace nicsim::models
