// SPDX-License-Identifier: Apache-2.0
#include "models/common/address_filter.h"

#include <algorithm>

namespace nicsim::models {

unsigned AddressFilter::hash(std::span<const std::uint8_t, 6> destination) const {
    static constexpr std::array<unsigned, 4> first_bit = {4, 3, 2, 0};
    const unsigned last_two = destination[4] | static_cast<unsigned>(destination[5]) << 8;
    return last_two >> first_bit[offset_] & 0xFFFU;
}

AddressFilter::Match AddressFilter::match(std::span<const std::uint8_t, 6> destination) const {
    for (unsigned i = 0; i < used_; ++i) {
        const Exact& e = exact_[i];
        if (e.valid && std::equal(destination.begin(), destination.end(), e.address.begin()))
            return Match::exact;
    }
    if (!is_multicast(destination)) return all_unicast_ ? Match::inexact : Match::none;
    if (broadcast_ && is_broadcast(destination)) return Match::exact;
    if (all_multicast_) return Match::inexact;
    const unsigned bit = hash(destination);
    return (hash_[bit >> 5] >> (bit & 31U) & 1U) != 0 ? Match::inexact : Match::none;
}

}  // namespace nicsim::models
