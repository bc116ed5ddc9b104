// SPDX-License-Identifier: Apache-2.0
// From the receive packet buffer to host memory: a frame that was stored whole is written into the
// buffers of its queue, then its descriptors are written back. Frames leave the packet buffer in
// the order they came, so a queue without descriptors holds up the others unless its frames may be
// dropped. What is stored, and who counts it, is the device's.
// Not modelled: header split, memory bandwidth of the packet buffer.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/common/dma_engine.h"
#include "models/common/rx_rings.h"
#include "sim/activity.h"
#include "sim/callback.h"
#include "sim/frame.h"
#include "sim/life_cycle.h"
#include "sim/probe.h"
#include "sim/ring_queue.h"
#include "sim/stat.h"

namespace nicsim::models {

/// A frame in the packet buffer.
struct RxStored {
    sim::FramePtr frame;
    RxVerdict verdict;
    sim::Ps sfd = 0;
    std::uint32_t space = 0;  ///< in the packet buffer
    sim::Ps stored = 0;       ///< since when
    [[nodiscard]] std::uint32_t octets() const { return frame->length() + sim::ethernet_fcs_bytes; }
};

/// The device, told of what becomes of frames.
class RxPathOwner {
public:
    virtual ~RxPathOwner() = default;
    /// All of it is in host memory (its write-back follows).
    virtual void rx_delivered(const RxStored& stored) = 0;
    virtual void rx_dropped_queue_disabled(const RxStored& stored) = 0;
    virtual void rx_dropped_no_descriptor(const RxStored& stored) = 0;
    /// What a time stamp of the moment `sfd` says.
    [[nodiscard]] virtual std::uint64_t rx_timestamp_ns(sim::Ps sfd) const = 0;
};

class RxPath {
public:
    struct Options {
        bool strip_fcs = true;
        bool timestamp = false;  ///< in queues that want it
        bool packet_checksum_disabled = true;
    };

    RxPath(const std::string& path, DmaEngine& dma, DmaEngine::Channel data, RxRingsIf& rings,
           RxPathOwner& owner);

    [[nodiscard]] Options& options() { return options_; }
    /// Room in the packet buffer that a frame of `octets` bytes (with FCS) takes.
    [[nodiscard]] static std::uint32_t space_of(std::uint32_t octets);
    [[nodiscard]] std::uint32_t fill() const { return fill_; }
    [[nodiscard]] std::size_t frames_inside() const { return fifo_.size(); }
    void set_life_cycle(sim::LifeCycle* life_cycle) { life_cycle_ = life_cycle; }
    /// The fill has changed (its argument).
    void on_fill(sim::Callback<std::uint32_t> callback) { on_fill_ = callback; }

    /// Takes a frame in; there must be room.
    void store(RxStored stored);
    /// Works on the oldest frames. Called by whatever may have changed the answer.
    void pump();
    /// Forgets all frames; gives their number. Together with DmaEngine::reset.
    std::size_t reset();

    void register_stats(sim::StatGroup& group);

private:
    enum State : std::size_t { starved, writing, no_descriptors };
    bool start_oldest();
    void release_oldest();
    void set_fill(std::uint32_t fill);
    [[nodiscard]] bool stamps(const RxStored& stored) const {
        return options_.timestamp && rings_.settings(stored.verdict.queue).timestamp;
    }
    [[nodiscard]] std::uint32_t image_length(const RxStored& stored) const;
    [[nodiscard]] std::span<const std::uint8_t> image(const RxStored& stored);
    void note_life(const RxStored& stored, unsigned descriptors);
    void on_data_written(std::uint64_t generation, bool ok);

    DmaEngine& dma_;
    DmaEngine::Channel data_;
    RxRingsIf& rings_;
    RxPathOwner& owner_;
    Options options_;
    sim::Callback<std::uint32_t> on_fill_;
    sim::RingQueue<RxStored> fifo_;
    std::uint32_t fill_ = 0;
    bool busy_ = false;         ///< the oldest frame is being written
    std::uint32_t length_ = 0;  ///< bytes of it that are written
    sim::Ps started_ = 0;       ///< when
    sim::LifeCycle* life_cycle_ = nullptr;
    bool pumping_ = false;
    std::uint64_t generation_ = 0;
    std::vector<std::uint8_t> scratch_;
    std::uint64_t data_errors_ = 0;
    sim::Activity activity_;
    sim::Probe fill_probe_;
};

}  // namespace nicsim::models
