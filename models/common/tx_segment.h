// SPDX-License-Identifier: Apache-2.0
// From packet to frames: which host memory each frame reads, and what the hardware writes into its
// headers once the bytes are there - segmentation (I210 datasheet 7.2.4), checksums (7.2.5), VLAN
// tag. The header of a segmented packet is read from host memory once, with its first segment. Not
// modelled: SCTP checksums, segmentation with IPv6 extension headers or tunnels.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/dma_engine.h"
#include "models/common/tx_packet.h"
#include "sim/frame.h"

namespace nicsim::models {

/// Masks for the TCP flags of the first, the middle and the last segment (DTXTCPFLGL/H).
struct TcpFlagMasks {
    std::uint16_t first = 0xFF6;
    std::uint16_t middle = 0xF76;
    std::uint16_t last = 0xF7F;
};

/// One frame of a packet, to be read.
struct FramePlan {
    std::uint32_t length = 0;  ///< of the frame in the packet buffer
    std::uint32_t offset = 0;  ///< in the frame where the bytes read go
    std::uint32_t segment = 0;
    bool last = false;
    unsigned consume = 0;  ///< descriptors that are not needed any more with this read
};

/// Works out the number of frames once all descriptors are there; marks impossible packets bad.
/// `max_length`: the longest frame that may be stored.
void prepare(TxPacket& packet, std::uint32_t max_length);
/// The length of the packet's next frame without taking it.
std::uint32_t next_frame_length(const TxPacket& packet);
/// Takes the next frame: `pieces` is what to read for it.
FramePlan plan_next_frame(TxPacket& packet, std::vector<DmaSegment>& pieces);
/// Makes the stored frame what goes on the wire. Frames of a packet come here in order.
void finish_frame(TxPacket& packet, const FramePlan& plan, sim::Frame& frame,
                  const TcpFlagMasks& masks);

}  // namespace nicsim::models
