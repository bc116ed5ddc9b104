// SPDX-License-Identifier: Apache-2.0
// Decides about a good frame: whether the MAC's filters want it, which queue it goes to, and what
// its return descriptor will say. One exact address, a multicast hash of 64 bits, broadcast,
// all-multicast and promiscuous modes, VLAN stripping, checksum verdicts.
// Queues: one, but of the MikroTik card in its four-queue mode, which spreads by a fixed hash over
// addresses and ports (assumed: Microsoft's Toeplitz hash with its well-known key; of frames
// without IP over the Ethernet addresses). The hash field of return descriptors is 0.
// Not modelled: RSS of the AR8151 (atl1c leaves it off), frames with LLC headers.
#pragma once

#include <cstdint>
#include <span>

#include "models/ar8151/config.h"
#include "models/common/address_filter.h"
#include "models/common/register_file.h"
#include "models/common/rx_verdict.h"
#include "sim/callback.h"

namespace nicsim::models::ar8151 {

class RxClassifier {
public:
    RxClassifier(RegisterFile& registers, const Ar8151Config& config);

    /// MAC_CTRL was written.
    void set_mac_control(std::uint32_t value) { mac_control_ = value; }
    [[nodiscard]] RxVerdict classify(std::span<const std::uint8_t> frame) const;
    /// Longest frame with FCS.
    [[nodiscard]] std::uint32_t max_frame() const { return mtu_->get(); }
    void on_max_frame(sim::Callback<> callback) { max_frame_changed_ = callback; }

private:
    void write_mtu(unsigned, std::uint32_t) {
        if (max_frame_changed_) max_frame_changed_();
    }
    [[nodiscard]] bool is_mine(std::span<const std::uint8_t> destination) const;
    [[nodiscard]] bool hash_wants(std::span<const std::uint8_t> destination) const;
    [[nodiscard]] unsigned queue_of(std::span<const std::uint8_t> frame,
                                    const ParsedPacket& packet) const;

    unsigned queues_;
    bool checks_always_;  ///< checksums are checked whatever MAC_CTRL says
    std::uint32_t mac_control_ = 0;
    sim::Callback<> max_frame_changed_;
    Register *address_ = nullptr, *hash_table_ = nullptr, *mtu_ = nullptr, *mode_ = nullptr;
};

}  // namespace nicsim::models::ar8151
