// SPDX-License-Identifier: Apache-2.0
// Decides about a good frame: whether a filter wants it, which queue it goes to, and what the
// descriptor will say of it (datasheet 7.1.1, 7.1.2, 7.1.6). 128 exact addresses, multicast table,
// promiscuous modes, VLAN filter, RSS over 16 queues, checksum verdicts.
// Not modelled: flow director, 5-tuple, SYN and EtherType filters, virtualisation pools, queues of
// traffic classes other than 0, the unicast table.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "models/common/address_filter.h"
#include "models/common/register_file.h"
#include "models/common/rx_verdict.h"
#include "models/i82599/registers.h"
#include "sim/callback.h"

namespace nicsim::models::i82599 {

class RxClassifier {
public:
    /// `queues`: that have a data path; frames for others go to queue 0.
    RxClassifier(RegisterFile& registers, unsigned queues);

    /// RXDCTL.VME is asked for at each frame with a tag.
    void set_vlan_strip(unsigned queue, bool strip) { strip_vlan_[queue] = strip; }
    [[nodiscard]] RxVerdict classify(std::span<const std::uint8_t> frame) const;

    /// RXCTRL.RXEN, and the path through the security block not closed (SECRXCTRL).
    [[nodiscard]] bool enabled() const;
    [[nodiscard]] bool strips_fcs() const { return (rdrxctl_->get() & rdrxctl::CRCSTRIP) != 0; }
    [[nodiscard]] bool packet_checksum_disabled() const {
        return (rxcsum_->get() & rxcsum::PCSD) != 0;
    }
    /// Longest frame with FCS: MAXFRS with HLREG0.JUMBOEN, else 1518, with a tag 1522.
    [[nodiscard]] std::uint32_t max_frame() const;
    /// One of the registers behind the functions above was written.
    void on_control(sim::Callback<> callback) { control_ = callback; }
    /// RAL0 and RAH0 from the EEPROM. Call after RegisterFile::reset.
    void load_address(const MacAddress& address);
    void reset();

private:
    void map_filters(RegisterFile& file);
    void map_control(RegisterFile& file);
    void write_control(unsigned, std::uint32_t value);
    void write_address(unsigned index, std::uint32_t value);
    void write_hash(unsigned index, std::uint32_t value);
    void choose_queue(std::span<const std::uint8_t> frame, RxVerdict& verdict) const;
    [[nodiscard]] bool vlan_wanted(const ParsedPacket& packet) const;

    static constexpr unsigned addresses = 128;

    unsigned queues_;
    AddressFilter filter_{addresses};
    std::array<bool, max_queues> strip_vlan_{};
    std::array<std::uint32_t, 128> hash_words_{};  ///< MTA, in force while MCSTCTRL.MFE
    sim::Callback<> control_;
    Register *rxctrl_ = nullptr, *secrxctrl_ = nullptr, *rdrxctl_ = nullptr, *hlreg0_ = nullptr;
    Register *maxfrs_ = nullptr, *fctrl_ = nullptr, *vlnctrl_ = nullptr, *mcstctrl_ = nullptr;
    Register *rxcsum_ = nullptr, *mrqc_ = nullptr, *reta_ = nullptr, *rssrk_ = nullptr;
    Register *ral_ = nullptr, *rah_ = nullptr, *vfta_ = nullptr;
};

}  // namespace nicsim::models::i82599
