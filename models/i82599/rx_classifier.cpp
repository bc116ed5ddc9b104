// SPDX-License-Identifier: Apache-2.0
#include "models/i82599/rx_classifier.h"

#include <cstring>

#include "models/common/rss.h"
#include "models/common/rx_writeback.h"

namespace nicsim::models::i82599 {

namespace {

constexpr std::uint32_t address_valid = 1U << 31;  // RAH.AV
constexpr RxErrorBits error_bits = {.l4 = 1U << 30, .ip = 1U << 31};
constexpr std::uint32_t maxfrs_reset = 0x05EE'0000;  // 1518
/// CRC is added and stripped, short frames are padded, MDC runs at its speed.
constexpr std::uint32_t hlreg0_reset = 0x0001'040B;
constexpr std::uint32_t fctrl_reset = 0;
constexpr std::uint32_t secrxstat_ready = 1U << 0;
constexpr std::uint32_t vlan_tag_bytes = 4;

}  // namespace

RxClassifier::RxClassifier(RegisterFile& file, unsigned queues) : queues_(queues) {
    map_control(file);
    map_filters(file);
}

void RxClassifier::map_control(RegisterFile& file) {
    const auto control = WriteHook::to<&RxClassifier::write_control>(this);
    rxctrl_ = &file.add({.name = "RXCTRL", .offset = reg::RXCTRL, .write = control});
    secrxctrl_ = &file.add({.name = "SECRXCTRL", .offset = reg::SECRXCTRL, .write = control});
    file.add({.name = "SECRXSTAT",
              .offset = reg::SECRXSTAT,
              .reset = secrxstat_ready,
              .access = Access::read_only});
    rdrxctl_ = &file.add({.name = "RDRXCTL",
                          .offset = reg::RDRXCTL,
                          .reset = rdrxctl::DMAIDONE,
                          .write_mask = ~rdrxctl::DMAIDONE,
                          .write = control});
    hlreg0_ = &file.add(
        {.name = "HLREG0", .offset = reg::HLREG0, .reset = hlreg0_reset, .write = control});
    maxfrs_ = &file.add(
        {.name = "MAXFRS", .offset = reg::MAXFRS, .reset = maxfrs_reset, .write = control});
    fctrl_ =
        &file.add({.name = "FCTRL", .offset = reg::FCTRL, .reset = fctrl_reset, .write = control});
    vlnctrl_ = &file.add({.name = "VLNCTRL", .offset = reg::VLNCTRL, .reset = 0x8100});
    mcstctrl_ = &file.add({.name = "MCSTCTRL", .offset = reg::MCSTCTRL, .write = control});
    rxcsum_ = &file.add({.name = "RXCSUM", .offset = reg::RXCSUM, .write = control});
    file.add({.name = "RFCTL", .offset = reg::RFCTL});
}

void RxClassifier::map_filters(RegisterFile& file) {
    mrqc_ = &file.add({.name = "MRQC", .offset = reg::MRQC});
    file.alias(reg::MRQC_LEGACY, reg::MRQC);
    reta_ = &file.add({.name = "RETA", .offset = reg::RETA, .count = 32});
    file.alias(reg::RETA_LEGACY, reg::RETA, 32);
    rssrk_ = &file.add({.name = "RSSRK", .offset = reg::RSSRK, .count = rss_key_words});
    file.alias(reg::RSSRK_LEGACY, reg::RSSRK, rss_key_words);
    const auto address = WriteHook::to<&RxClassifier::write_address>(this);
    ral_ = &file.add(
        {.name = "RAL", .offset = reg::RAL, .count = addresses, .stride = 8, .write = address});
    rah_ = &file.add(
        {.name = "RAH", .offset = reg::RAH, .count = addresses, .stride = 8, .write = address});
    file.alias(reg::RAL_LEGACY, reg::RAL, 32);
    file.add({.name = "MPSAR", .offset = reg::MPSAR, .count = 256});
    file.add({.name = "MTA",
              .offset = reg::MTA,
              .count = 128,
              .write = WriteHook::to<&RxClassifier::write_hash>(this)});
    vfta_ = &file.add({.name = "VFTA", .offset = reg::VFTA, .count = 128});
    file.add({.name = "PFUTA", .offset = 0x0F400, .count = 128});
}

bool RxClassifier::enabled() const {
    return (rxctrl_->get() & rxctrl::RXEN) != 0 && (secrxctrl_->get() & secrxctrl::RX_DIS) == 0;
}

std::uint32_t RxClassifier::max_frame() const {
    const std::uint32_t longest =
        (hlreg0_->get() & hlreg0::JUMBOEN) != 0 ? maxfrs_->get() >> 16 : maxfrs_reset >> 16;
    return longest + vlan_tag_bytes;
}

void RxClassifier::write_control(unsigned, std::uint32_t) {
    const std::uint32_t value = fctrl_->get();
    filter_.set_modes((value & fctrl::UPE) != 0, (value & fctrl::MPE) != 0,
                      (value & fctrl::BAM) != 0);
    filter_.set_hash_offset(mcstctrl_->get());
    const bool hashed = (mcstctrl_->get() & mcstctrl::MFE) != 0;
    for (unsigned i = 0; i < hash_words_.size(); ++i)
        filter_.set_hash_word(i, hashed ? hash_words_[i] : 0);
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
    hash_words_[index] = value;
    if ((mcstctrl_->get() & mcstctrl::MFE) != 0) filter_.set_hash_word(index, value);
}

void RxClassifier::load_address(const MacAddress& address) {
    std::uint32_t low = 0;
    std::memcpy(&low, address.data(), 4);
    ral_->set(low);
    rah_->set(address_valid | static_cast<std::uint32_t>(address[5]) << 8 | address[4]);
    write_address(0, 0);
}

void RxClassifier::reset() {
    filter_ = AddressFilter{addresses};
    hash_words_ = {};
    strip_vlan_ = {};
    write_control(0, 0);
}

bool RxClassifier::vlan_wanted(const ParsedPacket& packet) const {
    if ((vlnctrl_->get() & vlnctrl::VFE) == 0 || !packet.vlan) return true;
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
    v.packet = parse_packet(frame, static_cast<std::uint16_t>(vlnctrl_->get() & vlnctrl::vet_mask));
    if (!vlan_wanted(v.packet)) return v;
    v.accepted = true;
    v.inexact = match == AddressFilter::Match::inexact;
    choose_queue(frame, v);
    v.strip_vlan = v.packet.vlan && strip_vlan_[v.queue];
    describe_packet(v, true, true, error_bits);
    return v;
}

/// The low 7 bits of the hash select an entry of RETA, 4 bits wide. What is not hashed goes to
/// queue 0.
void RxClassifier::choose_queue(std::span<const std::uint8_t> frame, RxVerdict& v) const {
    const std::uint32_t mode = mrqc_->get() & mrqc::mode_mask;
    if (mode != mrqc::rss_only && mode != mrqc::dcb8_rss && mode != mrqc::dcb4_rss) return;
    const RssType type = rss_type(v.packet, mrqc_->get());
    if (type == RssType::none) return;
    v.rss_hash = rss_hash(frame, v.packet, type, *rssrk_);
    v.info = static_cast<std::uint32_t>(type);
    const unsigned entry = v.rss_hash & 0x7FU;
    const unsigned queue = reta_->get(entry / 4) >> (entry % 4 * 8) & 0xFU;
    if (queue < queues_) v.queue = queue;
}

}  // namespace nicsim::models::i82599
