// SPDX-License-Identifier: Apache-2.0
#include "models/i210/rx_classifier.h"

#include <cstring>

#include "models/common/hashes.h"

namespace nicsim::models::i210 {

namespace {

constexpr std::uint32_t address_valid = 1U << 31;  // RAH.AV
constexpr std::uint32_t mrqc_rss = 2;              // field 2:0: RSS over all queues
// MRQC 31:16: what is hashed.
constexpr std::uint32_t hash_tcp4 = 1U << 16, hash_ip4 = 1U << 17, hash_ip6 = 1U << 20;
constexpr std::uint32_t hash_tcp6 = 1U << 21, hash_udp4 = 1U << 22, hash_udp6 = 1U << 23;
// RSS types of the write-back.
enum RssType : unsigned { none = 0, tcp4 = 1, ip4 = 2, tcp6 = 3, ip6 = 5, udp4 = 7, udp6 = 8 };
// Packet type bits, from bit 4 of dword 0.
constexpr std::uint32_t type_ipv4 = 1U << 4, type_ipv4_options = 1U << 5, type_ipv6 = 1U << 6;
constexpr std::uint32_t type_tcp = 1U << 8, type_udp = 1U << 9;
// Extended status and errors, dword 2.
constexpr std::uint32_t status_vp = 1U << 3, status_udpcs = 1U << 4, status_l4cs = 1U << 5;
constexpr std::uint32_t status_ipcs = 1U << 6, status_pif = 1U << 7, status_udpv = 1U << 10;
constexpr std::uint32_t error_l4 = 1U << 29, error_ip = 1U << 30;

}  // namespace

RxClassifier::RxClassifier(RegisterFile& file) {
    ctrl_ = file.find(reg::CTRL);
    const auto control = WriteHook::to<&RxClassifier::write_control>(this);
    rctl_ = &file.add({.name = "RCTL", .offset = reg::RCTL, .write = control});
    rlpml_ = &file.add({.name = "RLPML", .offset = reg::RLPML, .reset = 0x2600, .write = control});
    rxcsum_ = &file.add(
        {.name = "RXCSUM", .offset = reg::RXCSUM, .reset = rxcsum::IPOFLD | rxcsum::TUOFLD});
    file.add({.name = "RFCTL", .offset = reg::RFCTL});
    vet_ = &file.add({.name = "VET", .offset = reg::VET, .reset = 0x8100});
    mrqc_ = &file.add({.name = "MRQC", .offset = reg::MRQC});
    reta_ = &file.add({.name = "RETA", .offset = reg::RETA, .count = 32});
    rssrk_ = &file.add({.name = "RSSRK", .offset = reg::RSSRK, .count = 10});
    const auto address = WriteHook::to<&RxClassifier::write_address>(this);
    constexpr unsigned addresses = AddressFilter::exact_addresses;
    ral_ = &file.add(
        {.name = "RAL", .offset = reg::RAL, .count = addresses, .stride = 8, .write = address});
    rah_ = &file.add(
        {.name = "RAH", .offset = reg::RAH, .count = addresses, .stride = 8, .write = address});
    file.alias(0x0040, reg::RAL, 2 * addresses);
    file.add({.name = "MTA",
              .offset = reg::MTA,
              .count = 128,
              .write = WriteHook::to<&RxClassifier::write_hash>(this)});
    vfta_ = &file.add({.name = "VFTA", .offset = reg::VFTA, .count = 128});
    file.add({.name = "UTA", .offset = reg::UTA, .count = 128});
}

void RxClassifier::write_control(unsigned, std::uint32_t) {
    const std::uint32_t value = rctl_->get();
    filter_.set_modes((value & rctl::UPE) != 0, (value & rctl::MPE) != 0, (value & rctl::BAM) != 0);
    filter_.set_hash_offset(value >> rctl::mo_shift);
    if (control_) control_();
}

void RxClassifier::write_address(unsigned index, std::uint32_t) {
    const std::uint32_t low = ral_->get(index);
    const std::uint32_t high = rah_->get(index);
    MacAddress address{};
    std::memcpy(address.data(), &low, 4);
    address[4] = static_cast<std::uint8_t>(high);
    address[5] = static_cast<std::uint8_t>(high >> 8);
    filter_.set_exact(index, address, (high & address_valid) != 0);
}

void RxClassifier::write_hash(unsigned index, std::uint32_t value) {
    filter_.set_hash_word(index, value);
}

void RxClassifier::load_address(const MacAddress& address) {
    std::uint32_t low = 0;
    std::memcpy(&low, address.data(), 4);
    ral_->set(low);
    rah_->set(address_valid | static_cast<std::uint32_t>(address[5]) << 8 | address[4]);
    write_address(0, 0);
}

void RxClassifier::reset() {
    filter_ = AddressFilter{};
    write_control(0, 0);
}

std::uint32_t RxClassifier::max_frame() const {
    return (rctl_->get() & rctl::LPE) != 0 ? rlpml_->get() & 0x3FFF : 1522;
}

bool RxClassifier::vlan_wanted(const ParsedPacket& packet) const {
    if ((rctl_->get() & rctl::VFE) == 0 || !packet.vlan) return true;
    const unsigned id = packet.vlan_tag & 0xFFFU;
    return (vfta_->get(id >> 5) >> (id & 31U) & 1U) != 0;
}

RxVerdict RxClassifier::classify(std::span<const std::uint8_t> frame) const {
    RxVerdict v;
    const auto destination = frame.first<6>();
    v.broadcast = AddressFilter::is_broadcast(destination);
    v.multicast = AddressFilter::is_multicast(destination) && !v.broadcast;
    const AddressFilter::Match match = filter_.match(destination);
    if (match == AddressFilter::Match::none) return v;
    v.packet = parse_packet(frame, static_cast<std::uint16_t>(vet_->get()));
    if (!vlan_wanted(v.packet)) return v;
    v.accepted = true;
    v.inexact = match == AddressFilter::Match::inexact;
    v.strip_vlan = v.packet.vlan && (ctrl_->get() & ctrl::VME) != 0;
    choose_queue(frame, v);
    describe(v);
    return v;
}

unsigned RxClassifier::rss_type(const ParsedPacket& packet) const {
    const std::uint32_t fields = mrqc_->get();
    if ((fields & 7U) != mrqc_rss) return none;
    if (packet.ipv4) {
        if (packet.tcp && (fields & hash_tcp4) != 0) return tcp4;
        if (packet.udp && (fields & hash_udp4) != 0) return udp4;
        return (fields & hash_ip4) != 0 ? ip4 : none;
    }
    if (packet.ipv6) {
        if (packet.tcp && (fields & hash_tcp6) != 0) return tcp6;
        if (packet.udp && (fields & hash_udp6) != 0) return udp6;
        return (fields & hash_ip6) != 0 ? ip6 : none;
    }
    return none;
}

/// The hash goes over source and destination address and, with layer 4, the two ports. Its low 7
/// bits select an entry of RETA. What is not hashed goes to queue 0.
void RxClassifier::choose_queue(std::span<const std::uint8_t> frame, RxVerdict& v) const {
    const unsigned type = rss_type(v.packet);
    if (type == none) return;
    std::array<std::uint8_t, 40> key{};
    for (unsigned i = 0; i < 10; ++i) {
        const std::uint32_t word = rssrk_->get(i);
        std::memcpy(key.data() + std::size_t{i} * 4, &word, 4);
    }
    std::array<std::uint8_t, 36> input{};
    const std::size_t addresses = v.packet.ipv4 ? 8 : 32;
    std::memcpy(input.data(), frame.data() + v.packet.l3 + (v.packet.ipv4 ? 12 : 8), addresses);
    const bool ports = type != ip4 && type != ip6;
    if (ports) std::memcpy(input.data() + addresses, frame.data() + v.packet.l4, 4);
    v.rss_hash = toeplitz(key, std::span(input).first(addresses + (ports ? 4 : 0)));
    const unsigned entry = v.rss_hash & 0x7FU;
    v.queue = (reta_->get(entry / 4) >> (entry % 4 * 8)) & (queues - 1);
    v.info = type;
}

void RxClassifier::describe(RxVerdict& v) const {
    const ParsedPacket& p = v.packet;
    if (p.ipv4) v.info |= type_ipv4;
    if (p.ipv4_options) v.info |= type_ipv4_options;
    if (p.ipv6) v.info |= type_ipv6;
    if (p.tcp) v.info |= type_tcp;
    if (p.udp) v.info |= type_udp;
    if (v.strip_vlan) v.status |= status_vp;
    if (v.inexact) v.status |= status_pif;
    if ((rxcsum_->get() & rxcsum::IPOFLD) != 0 && p.ip_checksum != Checksum::absent) {
        v.status |= status_ipcs;
        if (p.ip_checksum == Checksum::bad) v.status |= error_ip;
    }
    if ((rxcsum_->get() & rxcsum::TUOFLD) != 0 && p.l4_checksum != Checksum::absent) {
        v.status |= status_l4cs;
        if (p.udp) v.status |= status_udpcs | status_udpv;
        if (p.l4_checksum == Checksum::bad) v.status |= error_l4;
    }
}

}  // namespace nicsim::models::i210
