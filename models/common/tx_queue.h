// SPDX-License-Identifier: Apache-2.0
// One transmit queue up to the packet buffer: descriptors become packets, packets wait for their
// data fetch, and finished descriptors go back. A packet's descriptors are finished (DD) when its
// data are in the packet buffer (I210 datasheet 7.2.2.3.5), not when it has left.
// Assumed where the datasheet is silent: a packet with more descriptors than the cache holds gives
// up their places as they arrive.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/common/descriptor_queue.h"
#include "models/common/tx_interrupt.h"
#include "models/common/tx_packet.h"
#include "models/common/tx_segment.h"
#include "sim/callback.h"
#include "sim/life_cycle.h"
#include "sim/pool.h"
#include "sim/ring_queue.h"
#include "sim/stat.h"

namespace nicsim::models {

class TxQueue {
public:
    /// `decoder`: of the device's descriptors; none is Intel's.
    TxQueue(unsigned index, const DescriptorQueueConfig& config, DmaEngine& dma,
            DmaEngine::Channel writeback, DescriptorFetcher& fetcher, TxInterruptIf& interrupts,
            std::unique_ptr<TxDecoder> decoder = nullptr);

    DescriptorQueue& ring() { return ring_; }
    /// Packets have become complete, or their descriptors were given up.
    void on_change(sim::Callback<> callback) { changed_ = callback; }
    /// Longest frame that may be stored (bytes); a longer one is bad.
    void set_max_packet(std::uint32_t bytes) { max_packet_ = bytes; }
    void set_life_cycle(sim::LifeCycle* life_cycle) { life_cycle_ = life_cycle; }

    void enable(std::uint64_t base, std::uint32_t ring_size, std::uint32_t head);
    /// Stops taking packets; those whose fetch has begun still leave.
    void disable();
    void reset();

    /// The packet whose next frame may be fetched; null if there is no complete one.
    [[nodiscard]] TxPacket* next_packet();
    /// Takes the next frame of next_packet().
    FramePlan take_frame(std::vector<DmaSegment>& pieces, TxPacketPtr& packet);
    /// A frame of `packet` is in the packet buffer, in order.
    void frame_stored(TxPacket& packet, bool last);
    void flush_writebacks();

    void register_stats(sim::StatGroup& group);

private:
    void on_arrived(unsigned);
    void on_written(unsigned, std::uint32_t count, bool report);
    void parse(const Descriptor& raw);
    void end_packet();
    void make_room();
    void drop_bad_packets();
    void finish_packets();
    void finish_descriptors(const TxPacket& packet);
    void stamp(std::uint64_t number, sim::TxStage stage);

    unsigned index_;
    DescriptorQueue ring_;
    std::uint32_t max_packet_ = 0;
    TxInterruptIf& interrupts_;
    sim::Callback<> changed_;
    sim::LifeCycle* life_cycle_ = nullptr;

    std::unique_ptr<TxDecoder> decoder_;
    sim::Pool<TxPacket> pool_;
    TxPacketPtr open_;                     ///< its last descriptor has not come yet
    unsigned parsed_ = 0;                  ///< cached descriptors that were looked at
    sim::RingQueue<TxPacketPtr> waiting_;  ///< complete, not wholly requested
    sim::RingQueue<TxPacketPtr> started_;  ///< wholly requested or bad, not finished

    bool finishing_ = false;

    struct Unwritten {
        std::uint64_t number = 0;
        std::uint32_t descriptors = 0;
    };
    sim::RingQueue<Unwritten> unwritten_;  ///< packets whose write-back has not been seen
    std::uint32_t written_ = 0;            ///< descriptors of the first of them
    std::uint64_t next_number_ = 0;

    std::uint64_t packets_ = 0, tso_packets_ = 0, bad_packets_ = 0;
};

}  // namespace nicsim::models
