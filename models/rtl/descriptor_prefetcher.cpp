// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/descriptor_prefetcher.h"

#include <array>
#include <cassert>
#include <memory>
#include <stdexcept>

#include "models/common/clock_edges.h"
#include "models/rtl/still.h"
#include "models/rtl/verilated_model.h"
#include "sim/ring_queue.h"
// Generated; wants verilated_model.h before it.
#include "Vdescriptor_prefetcher.h"
#include "Vdescriptor_prefetcher___024root.h"

namespace nicsim::models::rtl {
namespace {

constexpr unsigned rings = 4;
constexpr unsigned longest_cache = 63;
constexpr unsigned descriptor_size = 16;
constexpr unsigned slots_per_line = 4;

/// A port of the block with one field for each ring.
template <unsigned Bits, class Port>
void put(Port& port, unsigned ring, std::uint64_t value) {
    const Port mask = static_cast<Port>(((std::uint64_t{1} << Bits) - 1) << (Bits * ring));
    port = static_cast<Port>((port & ~mask) | (static_cast<Port>(value << (Bits * ring)) & mask));
}

class DescriptorPrefetcherRtl final : public DescriptorDecisionsIf {
public:
    DescriptorPrefetcherRtl(DescriptorActionsIf& actions, unsigned cache)
        : actions_(actions), edges_(sim::Callback<>::to<&DescriptorPrefetcherRtl::on_edge>(this)) {
        model_->cache = static_cast<CData>(cache);
        model_->rst = 1;
        clock_cycle(*model_);
        model_->rst = 0;
    }
    ~DescriptorPrefetcherRtl() override { model_->final(); }

    void enabled(unsigned queue, std::uint64_t base, std::uint32_t size,
                 std::uint32_t head) override {
        sync();
        const unsigned q = checked(queue);
        put<16>(model_->size, q, size);
        put<16>(model_->head, q, head);
        put<16>(model_->tail, q, head);
        put<2>(model_->base_slot, q, base / descriptor_size % slots_per_line);
        put<1>(model_->enable, q, 1);
        put<1>(model_->disable_q, q, 0);
        forget(q);
    }
    void disabled(unsigned queue) override {
        sync();
        put<1>(model_->disable_q, checked(queue), 1);
        put<1>(model_->enable, queue, 0);
        forget(queue);
    }
    void thresholds(unsigned queue, unsigned prefetch, unsigned host, unsigned writeback) override {
        sync();
        put<5>(model_->pthresh, checked(queue), prefetch);
        put<5>(model_->hthresh, queue, host);
        put<5>(model_->wthresh, queue, writeback);
        touch();
    }
    void tail(unsigned queue, std::uint32_t tail) override {
        sync();
        put<16>(model_->tail, queue, tail);
        touch();
    }
    void work(unsigned queue, bool has_work) override {
        sync();
        put<1>(model_->has_work, queue, has_work ? 1 : 0);
        touch();
    }
    void consumed(unsigned queue, unsigned count) override {
        sync();
        consumed_[queue] += count;
        put<6>(model_->consumed, queue, consumed_[queue]);
        touch();
    }
    void arrived(unsigned queue) override {
        sync();
        put<1>(model_->arrived, queue, 1);
        touch();
    }
    void finished(unsigned queue, bool report) override {
        told_[queue].push(report ? Told::finished_report : Told::finished);
        touch();
    }
    void flush(unsigned queue) override {
        told_[queue].push(Told::flush);
        touch();
    }
    void evaluate() override { touch(); }

private:
    enum class Told : std::uint8_t { finished, finished_report, flush };

    static unsigned checked(unsigned queue) {
        if (queue >= rings)
            throw std::invalid_argument("the RTL of the descriptor prefetcher has four rings");
        return queue;
    }
    void forget(unsigned queue) {
        told_[queue].clear();
        consumed_[queue] = 0;
        put<6>(model_->consumed, queue, 0);
        put<1>(model_->arrived, queue, 0);
        put<1>(model_->has_work, queue, 0);
        touch();
    }
    void touch() { edges_.ask(sim::now()); }
    void tick() {
        edges_.advance();
        clock_cycle(*model_);
    }

    /// Before an input is changed: the edges that are over. Nothing was told since the one before
    /// them, so nothing can be decided there.
    void sync() { catch_up(Edges::before(sim::now())); }
    void catch_up(std::uint64_t last) {
        if (last <= edges_.done()) return;
        edges_.advance(still_.run(last - edges_.done(), [this] {
            tick();
            assert(model_->fetch == 0 && model_->write_back == 0);
        }));
    }

    void on_edge() {
        catch_up(edges_.next(sim::now()) - 1);
        set_inputs();
        tick();
        clear_events();
        hand_on();
        sample_bus();
        for (unsigned q = 0; q < rings; ++q)
            if (!told_[q].empty()) touch();
    }
    void sample_bus() {
        model_->bus_ready = actions_.bus_ready();
        model_->bus_above = actions_.bus_above();
    }
    void set_inputs() {
        sample_bus();
        for (unsigned q = 0; q < rings; ++q) {
            if (told_[q].empty()) continue;
            switch (told_[q].pop()) {
                case Told::finished_report:
                    put<1>(model_->report, q, 1);
                    [[fallthrough]];
                case Told::finished:
                    put<1>(model_->finished, q, 1);
                    actions_.take_finished(q);
                    break;
                case Told::flush:
                    put<1>(model_->flush, q, 1);
            }
        }
    }
    void clear_events() {
        model_->enable = model_->disable_q = model_->arrived = 0;
        model_->consumed = 0;
        consumed_ = {};
        model_->finished = model_->report = model_->flush = 0;
    }
    void hand_on() {
        const unsigned write = model_->write_back;
        const QData counts = model_->write_count;
        const bool fetch = model_->fetch != 0;
        const unsigned queue = model_->fetch_queue, count = model_->fetch_count;
        const bool urgent = model_->fetch_urgent != 0;
        for (unsigned q = 0; q < rings; ++q)
            if ((write >> q & 1U) != 0)
                actions_.write_back(q, static_cast<std::uint32_t>(counts >> (16 * q) & 0xffffU));
        if (fetch) actions_.fetch(queue, count, urgent);
    }

    DescriptorActionsIf& actions_;
    VerilatedContext verilated_;
    std::unique_ptr<Vdescriptor_prefetcher> model_ =
        std::make_unique<Vdescriptor_prefetcher>(&verilated_);
    Still<Vdescriptor_prefetcher___024root> still_{*model_->rootp};
    Edges edges_;
    std::array<unsigned, rings> consumed_{};
    std::array<sim::RingQueue<Told>, rings> told_;
};

}  // namespace

std::unique_ptr<DescriptorDecisionsIf> make_descriptor_prefetcher(DescriptorActionsIf& actions,
                                                                  unsigned cache) {
    if (cache > longest_cache)
        throw std::invalid_argument(
            "the RTL of the descriptor prefetcher has caches of at most 63 descriptors");
    return std::make_unique<DescriptorPrefetcherRtl>(actions, cache);
}

}  // namespace nicsim::models::rtl
