// SPDX-License-Identifier: Apache-2.0
// One descriptor ring in host memory with its cache on the device: fetch of descriptors between
// head and tail under PTHRESH and HTHRESH, and write-back of finished ones under WTHRESH, as in
// Intel's gigabit controllers (I210 datasheet 7.2.2.5, 7.2.2.6).
//
// Modelled: cache size, one read at a time for all queues of a fetcher, immediate reads for an
// empty queue, line alignment, ring wrap, threshold and timer write-back in contiguous bursts.
// Head write-back (82599 datasheet 7.2.3.5.2): instead of descriptors the ring index behind the
// last finished one is written to a place of its own. Rings whose software reads that index from a
// register (Atheros) have no write-back, shorter descriptors and a limit of descriptors per read.
// The decisions can be taken by somebody else (DescriptorDecisionsIf).
// If `waiting_hold_places` (Intel's 10 Gbit/s controllers), finished descriptors that wait for
// write-back stay in the cache, and as many places are kept for those being worked on as can come
// to wait. So cached, read and waiting descriptors are never more than the cache holds, and
// PTHRESH + WTHRESH <= cache makes sure that a prefetch always finds room.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/common/descriptor_decisions.h"
#include "models/common/dma_engine.h"
#include "sim/callback.h"
#include "sim/decision.h"
#include "sim/probe.h"
#include "sim/ring_queue.h"
#include "sim/stat.h"

namespace nicsim::models {

constexpr unsigned descriptor_bytes = 16;
using Descriptor = std::array<std::uint8_t, descriptor_bytes>;

class DescriptorFetcher;

struct DescriptorQueueConfig {
    std::string path;     ///< of its probes: `nic.tx.queue0.ring`
    unsigned index = 0;   ///< given back in callbacks
    unsigned cache = 24;  ///< descriptors; also the most that one read carries
    unsigned line_bytes = 64;
    unsigned stride = descriptor_bytes;  ///< bytes of a descriptor in memory; the rest reads 0
    bool write_back = true;              ///< false: finishing moves head() and no more
    bool waiting_hold_places = false;    ///< not with DescriptorDecisionsIf
};

class DescriptorQueue {
public:
    /// `writeback`: the channel of write-backs.
    DescriptorQueue(const DescriptorQueueConfig& config, DmaEngine& dma,
                    DmaEngine::Channel writeback, DescriptorFetcher& fetcher);

    /// Descriptors have arrived in the cache (index of the queue).
    void on_arrived(sim::Callback<unsigned> callback) { arrived_ = callback; }
    /// The bus took a write-back: (index, descriptors finished in it, one of them asked for
    /// report). Meanwhile written_first() is the ring index of the first one written.
    void on_written(sim::Callback<unsigned, std::uint32_t, bool> callback) { written_ = callback; }

    /// `head`: the ring index to begin with; the tail is set to it.
    void enable(std::uint64_t base, std::uint32_t ring_size, std::uint32_t head);
    /// Forgets the cache and what is being read; writes finished descriptors back.
    void disable();
    /// As after power-up. Only together with DmaEngine::reset.
    void reset();
    [[nodiscard]] bool enabled() const { return enabled_; }

    void set_thresholds(unsigned prefetch, unsigned host, unsigned writeback);
    /// One read carries so many descriptors at most; 0: as many as there is room for.
    void set_burst(unsigned descriptors) { burst_limit_ = descriptors; }
    void set_tail(std::uint32_t tail);
    /// Write-backs go to `address` as a head index (32 bits); 0: into the descriptors.
    void set_head_writeback(std::uint64_t address) { head_address_ = address; }
    /// Whether the owner can work on something already; if not, the queue counts as empty.
    void set_has_work(bool has_work);

    /// Descriptors in the cache that are not consumed, oldest first.
    [[nodiscard]] unsigned cached() const { return static_cast<unsigned>(cache_.size()); }
    [[nodiscard]] const Descriptor& cached(unsigned i) const { return cache_[i]; }
    [[nodiscard]] bool cache_full() const { return cached() + kept_places() >= config_.cache; }
    void consume(unsigned count);

    /// The next descriptor (in ring order) is finished and shall read `image`. `report`: it asked
    /// for a report (RS); without write-back threshold only those are written.
    void finish(const Descriptor& image, bool report);
    /// Writes back what is finished (moderation timer, SWFLSH). Returns whether anything was.
    bool flush();

    /// Ring index behind the last finished descriptor (TDH, RDH).
    [[nodiscard]] std::uint32_t head() const { return head_; }
    [[nodiscard]] std::uint32_t tail() const { return tail_; }
    [[nodiscard]] std::uint32_t written_first() const { return written_first_; }
    /// Descriptors that software has handed over and that are not on the device.
    [[nodiscard]] std::uint32_t in_host_memory() const;
    /// Places of the cache that descriptors hold, or may come to hold, which wait for write-back.
    [[nodiscard]] unsigned kept_places() const;
    /// Descriptors that wait for write-back.
    [[nodiscard]] std::size_t unwritten() const { return finished_.size() + undecided_.size(); }

    void register_stats(sim::StatGroup& group);

private:
    friend class DescriptorFetcher;
    void forget();
    [[nodiscard]] bool is_empty() const;
    [[nodiscard]] bool wants_prefetch() const;
    [[nodiscard]] unsigned fetch_size(bool urgent) const;
    void start_fetch(DmaEngine::Channel channel, unsigned count, bool urgent);
    void on_fetched(std::uint64_t generation, bool ok);
    [[nodiscard]] DescriptorDecisionsIf* decisions() const;
    struct Finished;
    /// Whether it is to be written back some time.
    bool take_finished(const Finished& finished);
    void write_back_if_due();
    void write_back(std::size_t count);
    void on_write_taken(std::uint64_t cookie, bool ok);
    void update_probes();

    struct Finished {
        Descriptor image{};
        bool report = false;
    };
    struct WriteRecord {
        std::uint32_t count = 0;
        bool report = false;
        std::uint32_t first = 0;  ///< ring index
    };

    DescriptorQueueConfig config_;
    DmaEngine& dma_;
    DmaEngine::Channel writeback_;
    DescriptorFetcher& fetcher_;
    sim::Callback<unsigned> arrived_;
    sim::Callback<unsigned, std::uint32_t, bool> written_;

    bool enabled_ = false;
    std::uint64_t base_ = 0;
    std::uint32_t size_ = 0;
    std::uint32_t next_fetch_ = 0;  ///< ring index of the next descriptor to read
    std::uint32_t tail_ = 0;
    std::uint32_t head_ = 0;
    unsigned pthresh_ = 0, hthresh_ = 0, wthresh_ = 0;
    unsigned burst_limit_ = 0;
    bool has_work_ = false;
    std::uint64_t head_address_ = 0;
    sim::RingQueue<Descriptor> cache_;
    std::vector<std::uint8_t> landing_;
    unsigned in_flight_ = 0;
    std::uint64_t generation_ = 0;

    sim::RingQueue<Finished> undecided_;  ///< told to decisions(), which have not seen them yet
    sim::RingQueue<Finished> finished_;
    std::uint32_t finished_index_ = 0;  ///< ring index of the first of them
    unsigned counted_ = 0;              ///< of them, since the first with report
    unsigned under_way_ = 0;            ///< consumed and not finished
    std::uint32_t skipped_ = 0;         ///< finished, not to be written, not yet told
    std::vector<std::uint8_t> burst_;
    sim::RingQueue<WriteRecord> writes_;
    std::uint32_t written_first_ = 0;

    std::uint64_t fetches_ = 0, urgent_fetches_ = 0, fetched_ = 0, fetch_errors_ = 0;
    std::uint64_t writebacks_ = 0, written_descriptors_ = 0, timer_writebacks_ = 0;
    sim::Decision fetch_decision_, write_decision_;  ///< descriptors
    sim::Probe head_probe_, tail_probe_, fill_probe_, cache_probe_;
};

/// Shares one channel of the DMA engine among descriptor queues. Empty queues go first, at once;
/// prefetch waits until nothing of higher priority (write-back, data) waits for the bus, and the
/// queue that is furthest below its PTHRESH wins.
class DescriptorFetcher : private DescriptorActionsIf {
public:
    DescriptorFetcher(DmaEngine& dma, DmaEngine::Channel channel);
    /// `cache`: as in the DescriptorQueueConfig of the queues, whose indices must be 0, 1, ... From
    /// now on decisions are taken by what `factory` makes. Before any queue is enabled; an empty
    /// factory changes nothing.
    void decide_by(const DescriptorDecisionsFactory& factory, unsigned cache);
    /// Looks for a queue to read for. Called by whatever may have changed the answer.
    void evaluate();

private:
    friend class DescriptorQueue;
    void on_channel_ready() { evaluate(); }
    [[nodiscard]] bool bus_ready() const override { return dma_.ready(channel_); }
    [[nodiscard]] bool bus_above() const override { return dma_.pending_above(channel_); }
    void fetch(unsigned queue, unsigned count, bool urgent) override;
    void take_finished(unsigned queue) override;
    void write_back(unsigned queue, std::uint32_t count) override;
    /// A queue was enabled or disabled.
    void update_active();
    DmaEngine& dma_;
    DmaEngine::Channel channel_;
    std::vector<DescriptorQueue*> queues_;
    std::vector<DescriptorQueue*> active_;  ///< the enabled ones, in the same order
    std::unique_ptr<DescriptorDecisionsIf> decisions_;
};

}  // namespace nicsim::models
