// SPDX-License-Identifier: Apache-2.0
#include "models/i210/rx_classifier.h"

#include <cstring>

#include "models/common/rss.h"
#include "models/common/rx_writeback.h"

namespace nicsim::models::i210 {

namespace {

constexpr std::uint32_t address_valid = 1U << 31;  // RAH.AV
constexpr std::uint32_t mrqc_rss = 2;              // field 2:0: RSS over all queues
constexpr RxErrorBits error_bits = {.l4 = 1U << 29, .ip = 1U << 30};

}  // namespace

RxClassifier::RxClassifier(RegisterFile& file) {
    ctrl_ = file.find(reg::CTRL);
    const auto control = WriteHook::to<&RxClassifier::write_control>(this);
    rctl_ = &file.add({.name = "RCTL", .offset = reg::RCTL, .write = control});
    rlpml_ = &file.add({.name = "RLPML", .offset = reg::RLPML, .reset = 0x2600, .write = control});
    rxcsum_ = &file.add({.name = "RXCSUM",
                         .offset = reg::RXCSUM,
                         .reset = rxcsum::IPOFLD | rxcsum::TUOFLD,
                         .write = control});
    file.add({.name = "RFCTL", .offset = reg::RFCTL});
    vet_ = &file.add({.name = "VET", .offset = reg::VET, .reset = 0x8100});
    mrqc_ = &file.add({.name = "MRQC", .offset = reg::MRQC});
    reta_ = &file.add({.name = "RETA", .offset = reg::RETA, .count = 32});
    rssrk_ = &file.add({.name = "RSSRK", .offset = reg::RSSRK, .count = rss_key_words});
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
    describe_packet(v, (rxcsum_->get() & rxcsum::IPOFLD) != 0,
                    (rxcsum_->get() & rxcsum::TUOFLD) != 0, error_bits);
    return v;
}

/// The low 7 bits of the hash select an entry of RETA. What is not hashed goes to queue 0.
void RxClassifier::choose_queue(std::span<const std::uint8_t> frame, RxVerdict& v) const {
    if ((mrqc_->get() & 7U) != mrqc_rss) return;
    const RssType type = rss_type(v.packet, mrqc_->get());
    if (type == RssType::none) return;
    v.rss_hash = rss_hash(frame, v.packet, type, *rssrk_);
    const unsigned entry = v.rss_hash & 0x7FU;
    v.queue = (reta_->get(entry / 4) >> (entry % 4 * 8)) & (queues - 1);
    v.info = static_cast<std::uint32_t>(type);
}

}  // namespace nicsim::models::i210
