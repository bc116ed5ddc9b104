// SPDX-License-Identifier: Apache-2.0
// The size classes in which this device counts frames (MIB registers of atl1c, struct
// atl1c_hw_stats).
#pragma once

#include <array>
#include <cstdint>

namespace nicsim::models::ar8151 {

/// By size with FCS: 64, 65-127, 128-255, 256-511, 512-1023, 1024-1518, 1519 and more.
constexpr unsigned size_classes = 7;

constexpr unsigned size_class(std::uint32_t octets) {
    constexpr std::array<std::uint32_t, size_classes - 1> tops = {64, 127, 255, 511, 1023, 1518};
    unsigned i = 0;
    while (i < tops.size() && octets > tops[i]) ++i;
    return i;
}

/// Good frames of one direction. Bytes are without FCS.
struct FrameCounts {
    std::uint64_t packets = 0;
    std::uint64_t octets = 0;
    std::uint64_t broadcast = 0, broadcast_octets = 0;
    std::uint64_t multicast = 0, multicast_octets = 0;
    std::array<std::uint64_t, size_classes> by_size{};
};

}  // namespace nicsim::models::ar8151
