// SPDX-License-Identifier: Apache-2.0
#include "models/ar8151/rx_classifier.h"

#include <array>

#include "models/ar8151/registers.h"
#include "models/common/hashes.h"
#include "models/common/internet_checksum.h"

namespace nicsim::models::ar8151 {

namespace {

constexpr std::uint32_t mtu_reset = 1518;  ///< assumed
constexpr std::uint32_t mtu_mask = 0xFFFF;

/// Microsoft's example key of RSS.
constexpr std::array<std::uint8_t, 40> hash_key = {
    0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
    0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
    0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};

}  // namespace

RxClassifier::RxClassifier(RegisterFile& file, const Ar8151Config& config)
    : queues_(config.rx_queues()), checks_always_(config.mikrotik()) {
    const std::array<std::uint8_t, 6> mac = config.mac_bytes();
    address_ = &file.add(
        {.name = "MAC_STA_ADDR", .offset = reg::MAC_STA_ADDR, .count = 2, .sticky = true});
    address_->set(0, get_be32(mac, 2));
    address_->set(1, get_be16(mac, 0));
    hash_table_ = &file.add({.name = "RX_HASH_TABLE", .offset = reg::RX_HASH_TABLE, .count = 2});
    mtu_ = &file.add({.name = "MTU",
                      .offset = reg::MTU,
                      .reset = mtu_reset,
                      .write_mask = mtu_mask,
                      .write = WriteHook::to<&RxClassifier::write_mtu>(this)});
    if (!config.mikrotik()) return;
    const std::uint32_t mode = queues_ == max_queues ? mt_mode_four_queues : 0;
    mode_ =
        &file.add({.name = "MT_MODE", .offset = reg::MT_MODE, .reset = mode, .write_mask = mode});
}

bool RxClassifier::is_mine(std::span<const std::uint8_t> destination) const {
    return get_be32(destination, 2) == address_->get(0) &&
           get_be16(destination, 0) == (address_->get(1) & 0xFFFFU);
}

/// atl1c, atl1c_hash_mc_addr and atl1c_hash_set: bit 0 of the CRC chooses the word, bits 1 to 5,
/// the first of them on top, the bit.
bool RxClassifier::hash_wants(std::span<const std::uint8_t> destination) const {
    const std::uint32_t crc = ~ethernet_fcs(destination);
    unsigned bit = 0;
    for (unsigned i = 1; i <= 5; ++i) bit = bit << 1 | (crc >> i & 1U);
    return (hash_table_->get(crc & 1U) >> bit & 1U) != 0;
}

unsigned RxClassifier::queue_of(std::span<const std::uint8_t> frame,
                                const ParsedPacket& packet) const {
    if (mode_ == nullptr || (mode_->get() & mt_mode_four_queues) == 0) return 0;
    std::size_t first = 0, length = 12;  // Ethernet addresses
    if (packet.ipv4 || packet.ipv6) {
        first = packet.l3 + (packet.ipv4 ? 12U : 8U);
        length = packet.ipv4 ? 8 : 32;
    }
    std::uint32_t hash = toeplitz(hash_key, frame.subspan(first, length));
    // Ports follow the addresses in the hashed tuple; a hash of their own mixes in as well.
    if (packet.tcp || packet.udp) hash ^= toeplitz(hash_key, frame.subspan(packet.l4, 4));
    return hash % queues_;
}

RxVerdict RxClassifier::classify(std::span<const std::uint8_t> frame) const {
    RxVerdict v;
    const auto destination = frame.first<6>();
    v.broadcast = AddressFilter::is_broadcast(destination);
    v.multicast = !v.broadcast && AddressFilter::is_multicast(destination);
    if ((mac_control_ & mac::PROMIS_EN) != 0)
        v.accepted = true;
    else if (v.broadcast)
        v.accepted = (mac_control_ & mac::BC_EN) != 0;
    else if (v.multicast)
        v.accepted = (mac_control_ & mac::MC_ALL_EN) != 0 || hash_wants(destination);
    else
        v.accepted = is_mine(destination);
    if (!v.accepted) return v;
    v.packet = parse_packet(frame);
    v.strip_vlan = v.packet.vlan && (mac_control_ & mac::RMV_VLAN) != 0;
    if (checks_always_ || (mac_control_ & mac::RX_CHKSUM_EN) != 0) {
        v.ip_error = v.packet.ip_checksum == Checksum::bad;
        v.l4_error = v.packet.l4_checksum == Checksum::bad;
    }
    v.queue = queue_of(frame, v.packet);
    return v;
}

}  // namespace nicsim::models::ar8151
