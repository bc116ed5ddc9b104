// SPDX-License-Identifier: Apache-2.0
// The receive rings of a device: descriptors on the die, and their write-back when frames have
// filled their buffers. One-buffer advanced and legacy descriptors; a frame that is longer than its
// queue's buffers takes several. Registers are the device's; it sets what they say.
// Not modelled: header split and header buffers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/common/descriptor_queue.h"
#include "models/common/rx_writeback.h"
#include "sim/life_cycle.h"

namespace nicsim::models {

/// What the receive side asks of the interrupt unit.
class RxInterruptIf {
public:
    virtual ~RxInterruptIf() = default;
    /// Descriptors of `queue` were written back.
    virtual void rx_written(unsigned queue) = 0;
    /// The ring has fallen to its low threshold.
    virtual void rx_low(unsigned queue) = 0;
    /// The moderation counter of the queue's vector runs; its expiry will flush the ring.
    [[nodiscard]] virtual bool rx_moderation_running(unsigned queue) const = 0;
};

/// What software has set for a queue.
struct RxQueueSettings {
    std::uint32_t buffer_bytes = 0;   ///< of each descriptor
    std::uint32_t low_threshold = 0;  ///< free descriptors; 0 for none
    bool drop = false;                ///< frames without descriptors are dropped, not kept
    bool timestamp = false;
    bool legacy = false;  ///< descriptor format
};

/// What the way from the packet buffer to host memory needs of a device's receive rings.
class RxRingsIf {
public:
    virtual ~RxRingsIf() = default;
    [[nodiscard]] virtual const RxQueueSettings& settings(unsigned q) const = 0;
    [[nodiscard]] virtual bool enabled(unsigned q) const = 0;
    /// Descriptors on the die that no frame has taken.
    [[nodiscard]] virtual unsigned cached(unsigned q) const = 0;
    /// Descriptors that software has given and that no frame has taken.
    [[nodiscard]] virtual std::uint32_t free_descriptors(unsigned q) const = 0;
    /// Takes the descriptors of a frame from the die; one frame is worked on at a time.
    virtual void take(unsigned q, unsigned count) = 0;
    /// Host address of the i-th buffer taken.
    [[nodiscard]] virtual std::uint64_t taken(unsigned i) const = 0;
    /// Looks whether descriptors are to be read.
    virtual void fetch() = 0;
    /// The place of the descriptor by which software will know the next frame that is complete, if
    /// it has taken `count`: what observers call the frame.
    [[nodiscard]] virtual std::uint32_t return_place(unsigned q, unsigned count) const = 0;
    /// Their buffers are filled: tell software now or when moderation says so.
    virtual void complete(unsigned q, unsigned count, const RxCompletion& completion) = 0;
};

class RxRings : public RxRingsIf {
public:
    RxRings(const std::string& path, unsigned count, unsigned cache, DmaEngine& dma,
            DescriptorFetcher& fetcher, DmaEngine::Channel writeback, RxInterruptIf& interrupts);

    /// Called after descriptors came or the tail moved; after a write-back was taken.
    void on_progress(sim::Callback<unsigned> arrived, sim::Callback<unsigned> tail,
                     sim::Callback<unsigned, std::uint32_t, bool> written);

    [[nodiscard]] unsigned count() const { return static_cast<unsigned>(rings_.size()); }
    [[nodiscard]] RxQueueSettings& settings(unsigned q) { return settings_[q]; }
    [[nodiscard]] DescriptorQueue& ring(unsigned q) { return *rings_[q]; }
    void set_life_cycle(sim::LifeCycle* life_cycle) { life_cycle_ = life_cycle; }

    void enable(unsigned q, std::uint64_t base, std::uint32_t size, std::uint32_t head,
                std::uint32_t tail);
    void disable(unsigned q);
    void set_tail(unsigned q, std::uint32_t tail);

    // ---- RxRingsIf ----
    [[nodiscard]] const RxQueueSettings& settings(unsigned q) const override {
        return settings_[q];
    }
    [[nodiscard]] bool enabled(unsigned q) const override { return rings_[q]->enabled(); }
    [[nodiscard]] unsigned cached(unsigned q) const override { return rings_[q]->cached(); }
    [[nodiscard]] std::uint32_t free_descriptors(unsigned q) const override;
    void take(unsigned q, unsigned count) override;
    void fetch() override { fetcher_.evaluate(); }
    [[nodiscard]] std::uint64_t taken(unsigned i) const override { return taken_[i]; }
    [[nodiscard]] std::uint32_t return_place(unsigned q, unsigned count) const override {
        return sizes_[q] == 0 ? 0 : (rings_[q]->head() + count - 1) % sizes_[q];
    }
    void complete(unsigned q, unsigned count, const RxCompletion& completion) override;

    void flush(unsigned q) { rings_[q]->flush(); }
    void reset();
    void register_stats(sim::StatGroup& group);

private:
    void arrived(unsigned q);
    void on_written(unsigned q, std::uint32_t count, bool report);
    void tell_tail(unsigned q) {
        if (tail_) tail_(q);
    }

    std::vector<std::unique_ptr<DescriptorQueue>> rings_;
    std::vector<RxQueueSettings> settings_;
    std::vector<std::uint32_t> sizes_;
    /// Buffer addresses of the descriptors taken; the legacy format keeps them in the write-back.
    std::array<std::uint64_t, 64> taken_{};
    DescriptorFetcher& fetcher_;
    RxInterruptIf& interrupts_;
    sim::Callback<unsigned> arrived_;
    sim::Callback<unsigned> tail_;
    sim::Callback<unsigned, std::uint32_t, bool> written_;
    sim::LifeCycle* life_cycle_ = nullptr;
};

}  // namespace nicsim::models
