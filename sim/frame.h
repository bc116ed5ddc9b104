// SPDX-License-Identifier: Apache-2.0
// An Ethernet frame as it travels: its bytes without preamble and FCS, pooled and shared.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/pool.h"
#include "sim/time.h"

namespace nicsim::sim {

/// Bytes of the wire that are not in `Frame::bytes()`.
constexpr std::uint32_t ethernet_fcs_bytes = 4;
constexpr std::uint32_t ethernet_preamble_bytes = 8;  ///< preamble 7 and start delimiter 1
constexpr std::uint32_t ethernet_ipg_bytes = 12;
constexpr std::uint32_t ethernet_min_frame_bytes = 60;  ///< without FCS; shorter ones are padded

class Frame : public Pooled<Frame> {
public:
    Frame() : storage_(2048) {}

    [[nodiscard]] std::span<std::uint8_t> bytes() { return {storage_.data(), length_}; }
    [[nodiscard]] std::span<const std::uint8_t> bytes() const { return {storage_.data(), length_}; }
    [[nodiscard]] std::uint32_t length() const { return length_; }
    /// Sets the length; the contents of new bytes are whatever the buffer held.
    void resize(std::uint32_t length) {
        if (length > storage_.size()) storage_.resize(length);
        length_ = length;
    }
    void recycle() {
        length_ = 0;
        queue = 0;
        sequence = 0;
        fcs_good = true;
    }

    // For observers (latency by stage, captures); no model decides anything by these.
    std::uint32_t queue = 0;     ///< transmit queue of the sender
    std::uint64_t sequence = 0;  ///< n-th packet of that queue
    bool fcs_good = true;

private:
    std::vector<std::uint8_t> storage_;
    std::uint32_t length_ = 0;
};

using FramePtr = PoolPtr<Frame>;

/// The pool that every frame of the run comes from. Never destroyed, so that frames may be held by
/// anything until the program ends.
Pool<Frame>& frame_pool();

/// Preamble, frame with padding, FCS and inter-packet gap: what a frame costs on the wire.
constexpr std::uint32_t wire_bytes(std::uint32_t frame_bytes) {
    const std::uint32_t padded =
        frame_bytes < ethernet_min_frame_bytes ? ethernet_min_frame_bytes : frame_bytes;
    return ethernet_preamble_bytes + padded + ethernet_fcs_bytes + ethernet_ipg_bytes;
}

}  // namespace nicsim::sim
