// SPDX-License-Identifier: Apache-2.0
// ixgbe's water marks of link flow control, as arithmetic: how much room must be left when the
// partner is told to stop, so that what is still on its way finds a place, and how little must be
// left in the buffer before it is told to go on (delays as in annex O of IEEE 802.1Qbb).
#pragma once

#include <cstdint>

namespace nicsim::host::ixgbe {

constexpr std::uint32_t framing_bytes = 20;  ///< preamble and gap (IXGBE_ETH_FRAMING)

/// Bit times to the KB that hold them.
constexpr std::uint32_t kilobytes_of(std::uint32_t bit_times) {
    constexpr std::uint32_t kilobyte = 8 * 1024;
    return (bit_times + kilobyte - 1) / kilobyte;
}

/// Bit times from the decision to stop until nothing comes any more (IXGBE_DV of the 82599), with
/// the longest frame of the link and that of the class.
constexpr std::uint32_t stop_delay(std::uint32_t link_frame, std::uint32_t class_frame) {
    constexpr std::uint32_t decode = 672, cable = 5556, higher_layers = 6144;
    constexpr std::uint32_t mac = 4096, xaui = 2 * 1024, phy = 12'800;
    const std::uint32_t sum =
        8 * link_frame + decode + 2 * cable + 2 * (mac + xaui + phy) + higher_layers;
    return 36 * sum / 25 + 1 + 2 * 8 * class_frame;
}

/// KB above which XOFF is sent (ixgbe_hpbthresh). A buffer that is too small for the delay gives
/// the length of a frame, as the driver does after a warning.
constexpr std::uint32_t high_water(std::uint32_t buffer_kb, std::uint32_t max_frame) {
    const std::uint32_t frame = max_frame + framing_bytes;
    const std::uint32_t room = kilobytes_of(stop_delay(frame, frame));
    return room > buffer_kb ? frame + 1 : buffer_kb - room;
}

/// KB below which XON is sent (ixgbe_lpbthresh): twice two frames and the delay of the bus.
constexpr std::uint32_t low_water(std::uint32_t max_frame) {
    constexpr std::uint32_t bus_delay = 10'000;
    return kilobytes_of(2 * (2 * 8 * max_frame + 36 * bus_delay / 25 + 1));
}

}  // namespace nicsim::host::ixgbe
