// SPDX-License-Identifier: Apache-2.0
// Which destination addresses a MAC wants: exact addresses, a multicast hash table of 4096 bits and
// the promiscuous modes, as in Intel's gigabit controllers.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace nicsim::models {

using MacAddress = std::array<std::uint8_t, 6>;

class AddressFilter {
public:
    /// As many as Intel's gigabit controllers have.
    static constexpr unsigned exact_addresses = 16;
    explicit AddressFilter(unsigned exact = exact_addresses) : exact_(exact) {}
    enum class Match : std::uint8_t { none, exact, inexact };

    void set_exact(unsigned index, const MacAddress& address, bool valid) {
        exact_.at(index) = {address, valid};
        used_ = 0;
        for (unsigned i = 0; i < exact_.size(); ++i)
            if (exact_[i].valid) used_ = i + 1;
    }
    void set_hash_word(unsigned index, std::uint32_t bits) { hash_.at(index) = bits; }
    /// Which 12 of the address' 48 bits index the table (0..3: from bit 36, 35, 34, 32).
    void set_hash_offset(unsigned offset) { offset_ = offset & 3U; }
    void set_modes(bool all_unicast, bool all_multicast, bool broadcast) {
        all_unicast_ = all_unicast;
        all_multicast_ = all_multicast;
        broadcast_ = broadcast;
    }

    [[nodiscard]] Match match(std::span<const std::uint8_t, 6> destination) const;
    [[nodiscard]] unsigned hash(std::span<const std::uint8_t, 6> destination) const;

    [[nodiscard]] static bool is_multicast(std::span<const std::uint8_t, 6> address) {
        return (address[0] & 1U) != 0;
    }
    [[nodiscard]] static bool is_broadcast(std::span<const std::uint8_t, 6> address) {
        for (const std::uint8_t byte : address)
            if (byte != 0xFF) return false;
        return true;
    }

private:
    struct Exact {
        MacAddress address{};
        bool valid = false;
    };
    std::vector<Exact> exact_;
    unsigned used_ = 0;  ///< entries up to the last valid one
    std::array<std::uint32_t, 128> hash_{};
    unsigned offset_ = 0;
    bool all_unicast_ = false, all_multicast_ = false, broadcast_ = false;
};

}  // namespace nicsim::models
