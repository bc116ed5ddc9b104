// SPDX-License-Identifier: Apache-2.0
// The size classes in which MACs count frames (RMON, RFC 2819).
#pragma once

#include <array>
#include <cstdint>

namespace nicsim::models {

/// By size with FCS: 64, 65-127, 128-255, 256-511, 512-1023, 1024 and more.
constexpr unsigned frame_size_classes = 6;

constexpr unsigned frame_size_class(std::uint32_t octets) {
    constexpr std::array<std::uint32_t, frame_size_classes - 1> tops = {64, 127, 255, 511, 1023};
    unsigned i = 0;
    while (i < tops.size() && octets > tops[i]) ++i;
    return i;
}

}  // namespace nicsim::models
