// SPDX-License-Identifier: Apache-2.0
// Decides about a good frame: whether a filter wants it, which queue it goes to, and what the
// descriptor will say of it (datasheet 7.1.1, 7.1.2, 7.1.4, 7.1.11). Address filters, VLAN filter,
// RSS over IPv4 and IPv6 with TCP and UDP, checksum verdicts.
// Not modelled: queue choice by EtherType, 5-tuple, flex or SYN filters, VMDq, the unicast table.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "models/common/address_filter.h"
#include "models/common/register_file.h"
#include "models/common/rx_verdict.h"
#include "models/i210/registers.h"
#include "sim/callback.h"

namespace nicsim::models::i210 {

class RxClassifier {
public:
    /// CTRL (for VME) must be in `registers` already.
    explicit RxClassifier(RegisterFile& registers);

    [[nodiscard]] RxVerdict classify(std::span<const std::uint8_t> frame) const;

    [[nodiscard]] bool enabled() const { return (rctl_->get() & rctl::EN) != 0; }
    [[nodiscard]] bool strips_fcs() const { return (rctl_->get() & rctl::SECRC) != 0; }
    [[nodiscard]] bool packet_checksum_disabled() const {
        return (rxcsum_->get() & rxcsum::PCSD) != 0;
    }
    /// Buffer size when SRRCTL gives none.
    [[nodiscard]] std::uint32_t legacy_buffer_bytes() const {
        return 2048U >> (rctl_->get() >> rctl::bsize_shift & 3U);
    }
    /// Longest frame with FCS: RLPML if RCTL.LPE, else 1522.
    [[nodiscard]] std::uint32_t max_frame() const;
    /// RCTL, RLPML or RXCSUM was written.
    void on_control(sim::Callback<> callback) { control_ = callback; }
    /// RAL0 and RAH0 from the NVM. Call after RegisterFile::reset.
    void load_address(const MacAddress& address);
    void reset();

private:
    void write_control(unsigned, std::uint32_t value);
    void write_address(unsigned index, std::uint32_t value);
    void write_hash(unsigned index, std::uint32_t value);
    void choose_queue(std::span<const std::uint8_t> frame, RxVerdict& verdict) const;
    [[nodiscard]] bool vlan_wanted(const ParsedPacket& packet) const;

    AddressFilter filter_;
    sim::Callback<> control_;
    Register* ctrl_ = nullptr;
    Register* rctl_ = nullptr;
    Register* rlpml_ = nullptr;
    Register* rxcsum_ = nullptr;
    Register* vet_ = nullptr;
    Register* mrqc_ = nullptr;
    Register* reta_ = nullptr;
    Register* rssrk_ = nullptr;
    Register* ral_ = nullptr;
    Register* rah_ = nullptr;
    Register* vfta_ = nullptr;
};

}  // namespace nicsim::models::i210
