// SPDX-License-Identifier: Apache-2.0
// Receive rings: free descriptors (RFD, a buffer's address each) that software gives by a producer
// index, and return descriptors (RRD) that the device writes into a ring of their own, one for a
// frame, with the "updated" bit. RRDs are gathered under RXD_DMA_CTRL: written when their bytes
// reach its threshold, or when its timer has run since the first of them.
// Assumed: the timer counts in 2 us like all others of the device; threshold 0 gathers nothing.
// Not modelled: a ring of RRDs that is shorter than the one of RFDs (the older RRDs are lost),
// RFD_FREE_THRESH.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/ar8151/config.h"
#include "models/ar8151/registers.h"
#include "models/common/descriptor_queue.h"
#include "models/common/dma_engine.h"
#include "models/common/rx_rings.h"
#include "sim/alarm.h"
#include "sim/callback.h"
#include "sim/life_cycle.h"
#include "sim/probe.h"
#include "sim/ring_queue.h"
#include "sim/stat.h"

namespace nicsim::models::ar8151 {

/// Where software has put the rings of a queue.
struct RxRingPlace {
    std::uint64_t rfd_base = 0;
    std::uint32_t rfd_size = 0;
    std::uint64_t rrd_base = 0;
    std::uint32_t rrd_size = 0;
};

class RxRings : public RxRingsIf {
public:
    RxRings(const std::string& path, const Ar8151Config& config, DmaEngine& dma,
            DescriptorFetcher& fetcher, DmaEngine::Channel writeback);

    /// Free descriptors of a queue came; return descriptors of a queue were taken by the bus.
    void on_progress(sim::Callback<unsigned> arrived, sim::Callback<unsigned> returned);

    void set_life_cycle(sim::LifeCycle* life_cycle) { life_cycle_ = life_cycle; }
    void load(unsigned q, const RxRingPlace& place);
    void set_producer(unsigned q, std::uint32_t index) { queues_[q]->rfds.set_tail(index); }
    [[nodiscard]] std::uint32_t consumer(unsigned q) const {
        return queues_[q]->rfds.enabled() ? queues_[q]->rfds.head() : 0;
    }
    void set_buffer_bytes(std::uint32_t bytes);
    void set_rfd_burst(unsigned descriptors);
    void set_gathering(std::uint32_t bytes, sim::Ps timer);

    // ---- RxRingsIf ----
    [[nodiscard]] const RxQueueSettings& settings(unsigned) const override { return settings_; }
    [[nodiscard]] bool enabled(unsigned q) const override;
    [[nodiscard]] unsigned cached(unsigned q) const override { return queues_[q]->rfds.cached(); }
    [[nodiscard]] std::uint32_t free_descriptors(unsigned q) const override;
    void take(unsigned q, unsigned count) override;
    [[nodiscard]] std::uint64_t taken(unsigned i) const override { return taken_[i]; }
    void fetch() override { fetcher_.evaluate(); }
    /// Of the RRD.
    [[nodiscard]] std::uint32_t return_place(unsigned q, unsigned count) const override;
    void complete(unsigned q, unsigned count, const RxCompletion& completion) override;

    /// Together with DmaEngine::reset.
    void reset();
    void register_stats(sim::StatGroup& group);

private:
    struct Queue {
        Queue(RxRings& owner, const DescriptorQueueConfig& config, DmaEngine::Channel writeback,
              unsigned number);
        RxRings& owner;
        unsigned index;
        DescriptorQueue rfds;
        RxRingPlace place;
        std::uint32_t rrd_next = 0;          ///< ring index of the first gathered RRD
        std::vector<std::uint8_t> gathered;  ///< RRDs to be written
        /// RRDs that are being written.
        struct Write {
            std::uint32_t first = 0;  ///< ring index
            std::uint32_t count = 0;
            std::uint32_t ring = 0;  ///< size
        };
        sim::RingQueue<Write> in_flight;
        sim::Alarm timer;
        std::uint64_t returned = 0, writes = 0, timer_writes = 0;
        sim::Probe rrd_probe;
        void on_timer();
        void write_back();
    };
    void arrived(unsigned q);
    void on_written(std::uint64_t cookie, bool ok);
    [[nodiscard]] Descriptor return_descriptor(const RxCompletion& completion, unsigned rfds,
                                               std::uint32_t first_rfd) const;

    bool mikrotik_;
    unsigned cache_;
    DmaEngine& dma_;
    DescriptorFetcher& fetcher_;
    DmaEngine::Channel writeback_;
    RxQueueSettings settings_;  ///< the same for all queues
    std::uint32_t gather_bytes_ = 0;
    sim::Ps gather_time_ = 0;
    std::vector<std::unique_ptr<Queue>> queues_;
    std::array<std::uint64_t, 64> taken_{};
    std::uint64_t generation_ = 0;
    sim::Callback<unsigned> arrived_;
    sim::Callback<unsigned> returned_;
    sim::LifeCycle* life_cycle_ = nullptr;
};

}  // namespace nicsim::models::ar8151
