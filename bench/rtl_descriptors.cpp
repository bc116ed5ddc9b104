// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "bench/rtl_blocks.h"
#include "models/common/clock_edges.h"
#include "models/common/descriptor_queue.h"
#include "models/rtl/descriptor_prefetcher.h"
#include "models/rtl/still.h"
#include "sim/alarm.h"
#include "tests/models/fake_bus.h"

namespace nicsim::bench {
namespace {

using models::clock_period;
constexpr unsigned rings = 4, cache = 24;
constexpr std::uint32_t ring_size = 64;
/// As the igb driver sets them for the I210.
constexpr unsigned pthresh = 8, hthresh = 1, wthresh = 16;
/// Software hands descriptors over by so many.
constexpr std::uint32_t batch = 16;

class DescriptorPlayer : public sc_core::sc_module {
public:
    DescriptorPlayer(const sc_core::sc_module_name& name, Twin twin, std::uint64_t gap_ns)
        : sc_module(name),
          gap_((gap_ns * sim::ps_per_ns + clock_period - 1) / clock_period * clock_period),
          writes_(dma_.add_channel({"write", sim::DmaPurpose::tx_writeback, 1, 0, false})),
          fetcher_(dma_, dma_.add_channel({"read", sim::DmaPurpose::tx_descriptor, 1, 2, true})) {
        dma_.socket.bind(bus_.socket);
        bus_.record = false;
        bus_.latency = 50 * clock_period;
        for (unsigned q = 0; q < rings; ++q) {
            models::DescriptorQueueConfig c;
            c.path = "ring" + std::to_string(q);
            c.index = q;
            c.cache = cache;
            queue_.push_back(std::make_unique<models::DescriptorQueue>(c, dma_, writes_, fetcher_));
            queue_[q]->on_arrived(sim::Callback<unsigned>::to<&DescriptorPlayer::on_arrived>(this));
            queue_[q]->on_written(
                sim::Callback<unsigned, std::uint32_t, bool>::to<&DescriptorPlayer::on_written>(
                    this));
        }
        if (twin != Twin::model) fetcher_.decide_by(models::rtl::make_descriptor_prefetcher, cache);
        sim::BusLimits limits;
        limits.bus_master = true;
        limits.max_read_request = 512;
        dma_.set_limits(limits);
    }
    void start() {
        for (unsigned q = 0; q < rings; ++q) {
            queue_[q]->set_thresholds(pthresh, hthresh, wthresh);
            queue_[q]->enable(models::FakeBus::memory_base + q * 0x10000, ring_size, 0);
            tail_[q] = ring_size - batch;
            queue_[q]->set_tail(tail_[q]);
        }
        work_.after(gap_);
    }
    [[nodiscard]] std::uint64_t finished() const { return finished_; }

private:
    void on_arrived(unsigned q) { queue_[q]->set_has_work(true); }
    void on_written(unsigned q, std::uint32_t count, bool) {
        free_[q] += count;
        if (free_[q] < batch) return;
        tail_[q] = (tail_[q] + free_[q]) % ring_size;
        free_[q] = 0;
        queue_[q]->set_tail(tail_[q]);
    }
    void on_work() {
        work_.after(gap_);
        turn_ = (turn_ + 1) % rings;
        models::DescriptorQueue& queue = *queue_[turn_];
        if (queue.cached() == 0) return;
        queue.consume(1);
        ++finished_;
        queue.finish({}, finished_ % batch == 0);
        queue.set_has_work(queue.cached() != 0);
        fetcher_.evaluate();
    }

    sim::Ps gap_;
    models::FakeBus bus_{"bus"};
    models::DmaEngine dma_{"dma", models::DmaEngineConfig{}};
    models::DmaEngine::Channel writes_;
    models::DescriptorFetcher fetcher_;
    std::vector<std::unique_ptr<models::DescriptorQueue>> queue_;
    std::array<std::uint32_t, rings> tail_{}, free_{};
    unsigned turn_ = 0;
    std::uint64_t finished_ = 0;
    sim::Alarm work_{"work", sim::Callback<>::to<&DescriptorPlayer::on_work>(this)};
};

}  // namespace

Cost measure_descriptors(Twin twin, std::uint64_t gap_ns, std::uint64_t descriptors) {
    return run_isolated([=] {
        models::rtl::leave_out_still_clocks = twin != Twin::rtl_every_clock;
        DescriptorPlayer player("player", twin, gap_ns);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        player.start();
        const double before = cpu_seconds_now();
        while (player.finished() < descriptors) {
            const std::uint64_t had = player.finished();
            sc_core::sc_start(sim::to_sc_time(sim::ps_per_ms));
            if (player.finished() == had) throw std::runtime_error("the rings stand still");
        }
        Cost cost;
        cost.packets = player.finished();
        cost.cpu_seconds = cpu_seconds_now() - before;
        return cost;
    });
}

}  // namespace nicsim::bench
