// SPDX-License-Identifier: Apache-2.0
// The frames in the packet buffer: from the grant of their fetch, through the arrival of their
// bytes, until they have left the wire. Frames of a queue stay in order; a frame may leave when all
// its bytes are stored (store and forward, datasheet table 1-11).
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/packet_buffer.h"
#include "models/common/tx_packet.h"
#include "models/common/tx_segment.h"
#include "sim/callback.h"
#include "sim/frame.h"
#include "sim/ring_queue.h"

namespace nicsim::models {

struct StoredFrame {
    sim::FramePtr frame;
    TxPacketPtr packet;
    FramePlan plan;
    std::uint32_t room = 0;          ///< bytes taken in the packet buffer
    std::uint64_t fetch_number = 0;  ///< order of fetch among all queues
    bool arrived = false;            ///< all bytes are stored, in whatever order
    bool spoiled = false;            ///< the bus reported an error: it is not sent
};

class TxStore {
public:
    /// `partitions`: of the packet buffer, each with its own order. A device without partitions of
    /// its own for each queue puts frames of several queues into one.
    TxStore(PacketBufferIf& buffer, const TcpFlagMasks& tcp_flags, unsigned partitions)
        : buffer_(buffer),
          tcp_flags_(tcp_flags),
          frames_(partitions),
          first_number_(partitions),
          ready_(partitions) {}

    /// Takes room for a frame whose fetch begins. Returns its number in the queue.
    std::uint64_t reserve(unsigned queue, StoredFrame frame);
    /// The bytes of a frame are there. Frames that are complete up to here, in order, get their
    /// final headers and are told to `on_complete`.
    void arrive(unsigned queue, std::uint64_t number, bool ok);
    void on_complete(sim::Callback<unsigned, StoredFrame&> callback) { complete_ = callback; }

    /// Frames of the queue that may leave.
    [[nodiscard]] unsigned ready(unsigned queue) const { return ready_[queue]; }
    /// The oldest frame of the queue, stored or not; null if there is none.
    [[nodiscard]] StoredFrame* oldest(unsigned queue);
    /// Takes the oldest frame, which is ready, out. Its room stays taken until release().
    StoredFrame take(unsigned queue);
    void release(unsigned queue, std::uint32_t room) { buffer_.release(queue, room); }
    void clear();

private:
    PacketBufferIf& buffer_;
    const TcpFlagMasks& tcp_flags_;
    std::vector<sim::RingQueue<StoredFrame>> frames_;
    std::vector<std::uint64_t> first_number_;
    std::vector<unsigned> ready_;
    std::uint64_t fetches_ = 0;
    sim::Callback<unsigned, StoredFrame&> complete_;
};

}  // namespace nicsim::models
