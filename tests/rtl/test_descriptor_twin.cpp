// SPDX-License-Identifier: Apache-2.0
// The RTL descriptor prefetcher against the rules in DescriptorQueue and DescriptorFetcher: four
// rings each on a bus of their own, thousands of random tails, finished descriptors, flushes, new
// thresholds and rings that come and go. Bound: the same reads and write-backs in the same order,
// at most 2 cycles apart; where several things happen to one ring at once (a burst of finished
// descriptors) the block takes one per clock, so the bound counts from the last of them.
#include <gtest/gtest.h>

#include <deque>

#include "models/common/descriptor_queue.h"
#include "models/rtl/descriptor_prefetcher.h"
#include "models/rtl/still.h"
#include "sim/random.h"
#include "tests/models/fake_bus.h"
#include "tests/rtl/decision_log.h"

namespace nicsim::models::rtl {
namespace {

using namespace sim::literals;

constexpr std::uint64_t bound = 2;  ///< cycles
constexpr unsigned rings = 4;

enum class Kind : std::uint8_t { rules, rtl, rtl_every_clock };

class Side : public sc_core::sc_module, private sim::DecisionSink {
public:
    Side(const sc_core::sc_module_name& name, Kind kind, unsigned cache)
        : sc_module(name),
          writes_(dma.add_channel({"write", sim::DmaPurpose::tx_writeback, 1, 0, false})),
          fetcher(dma, dma.add_channel({"read", sim::DmaPurpose::tx_descriptor, 1, 2, true})) {
        dma.socket.bind(bus.socket);
        bus.record = false;
        bus.latency = 20 * clock_period;
        for (unsigned q = 0; q < rings; ++q) {
            DescriptorQueueConfig c;
            c.path = std::string(this->name()) + ".ring" + std::to_string(q);
            c.index = q;
            c.cache = cache;
            queue.push_back(std::make_unique<DescriptorQueue>(c, dma, writes_, fetcher));
            queue[q]->on_arrived(sim::Callback<unsigned>::to<&Side::on_arrived>(this));
            queue[q]->on_written(
                sim::Callback<unsigned, std::uint32_t, bool>::to<&Side::on_written>(this));
        }
        if (kind == Kind::rtl) fetcher.decide_by(make_descriptor_prefetcher, cache);
        if (kind == Kind::rtl_every_clock)
            fetcher.decide_by(
                [](DescriptorActionsIf& actions, unsigned places) {
                    return with_every_clock(
                        [&] { return make_descriptor_prefetcher(actions, places); });
                },
                cache);
        for (sim::Decision* d : sim::Decision::all())
            if (d->path().starts_with(this->name())) d->attach(this);
        sim::BusLimits limits;
        limits.bus_master = true;
        limits.max_read_request = 512;
        dma.set_limits(limits);
    }

    FakeBus bus{"bus"};
    DmaEngine dma{"dma", DmaEngineConfig{}};

private:
    DmaEngine::Channel writes_;

public:
    DescriptorFetcher fetcher;
    std::vector<std::unique_ptr<DescriptorQueue>> queue;
    Decisions decisions;
    std::array<std::uint64_t, rings> written{};
    std::array<std::deque<bool>, rings> consumed;  ///< not finished; whether they want a report
    sim::Ps busy_at = sim::never;                  ///< something of its own happened then

private:
    void on_arrived(unsigned q) {
        busy_at = sim::now();
        queue[q]->set_has_work(true);
    }
    void on_written(unsigned q, std::uint32_t count, bool) { written[q] += count; }
    // "side.ringN.fetch", "side.ringN.write_back"
    void decided(const std::string& path, sim::Ps time, std::uint64_t value) override {
        const std::size_t at = path.find(".ring") + 5;
        const auto ring = static_cast<std::uint64_t>(path[at] - '0');
        decisions.push_back({path.ends_with("fetch") ? 'f' : 'w', ring * 100'000 + value, time});
    }
};

class Twins {
public:
    Twins(std::uint64_t seed, unsigned cache, Kind other = Kind::rules,
          std::uint64_t most_apart = bound)
        : random_(seed, "descriptors"),
          model_("model", other, cache),
          rtl_("rtl", Kind::rtl, cache),
          bound_(most_apart) {
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        for (unsigned q = 0; q < rings; ++q) enable(q);
    }

    /// `calls` things that happen, up to `longest_gap` cycles apart.
    void play(unsigned calls, std::uint64_t longest_gap) {
        for (unsigned i = 0; i < calls && !::testing::Test::HasFailure(); ++i) {
            sc_core::sc_start(sim::to_sc_time((1 + random_.below(longest_gap)) * clock_period));
            // Not while an answer comes in: who is first would be a matter of luck.
            while (settle()) sc_core::sc_start(sim::to_sc_time(clock_period));
            act();
            if (i % 200 == 199) check(i);
        }
        sc_core::sc_start(sim::to_sc_time(1_ms));
        check(calls);
        ASSERT_GT(decided_, calls / 20);
        ::testing::Test::RecordProperty("decisions", std::to_string(decided_));
        ::testing::Test::RecordProperty("largest_cycles", std::to_string(largest_));
    }

private:
    /// Runs what belongs to this instant; whether an answer of the bus was in it.
    bool settle() {
        for (unsigned i = 0; i < 8; ++i) sc_core::sc_start(sc_core::SC_ZERO_TIME);
        return model_.busy_at == sim::now() || rtl_.busy_at == sim::now();
    }
    void check(unsigned call) {
        sc_core::sc_start(sim::to_sc_time(20_us));
        largest_ = std::max(largest_, compare(model_.decisions, rtl_.decisions, bound_));
        decided_ += model_.decisions.size();
        model_.decisions.clear();
        rtl_.decisions.clear();
        for (unsigned q = 0; q < rings; ++q) {
            EXPECT_EQ(model_.queue[q]->cached(), rtl_.queue[q]->cached());
            EXPECT_EQ(model_.queue[q]->unwritten(), rtl_.queue[q]->unwritten());
            EXPECT_EQ(model_.queue[q]->head(), rtl_.queue[q]->head());
            EXPECT_EQ(model_.written[q], rtl_.written[q]);
        }
        if (::testing::Test::HasFailure()) ADD_FAILURE() << "up to call " << call;
    }
    template <class F>
    void both(F f) {
        f(model_);
        f(rtl_);
    }
    void enable(unsigned q) {
        const auto size = static_cast<std::uint32_t>(8 * (1 + random_.below(16)));
        const std::uint64_t base = FakeBus::memory_base + q * 0x10000 + 16 * random_.below(8);
        const auto head = static_cast<std::uint32_t>(random_.below(size));
        sizes_[q] = size;
        tail_[q] = done_[q] = head;
        const unsigned p = static_cast<unsigned>(random_.below(24));
        const unsigned h = static_cast<unsigned>(1 + random_.below(8));
        const unsigned w = static_cast<unsigned>(random_.below(std::min(size, 24U)));
        both([&](Side& s) {
            s.consumed[q].clear();
            s.queue[q]->set_thresholds(p, h, w);
            s.queue[q]->enable(base, size, head);
            s.queue[q]->set_has_work(false);
        });
    }

    void act() {
        const auto q = static_cast<unsigned>(random_.below(rings));
        const std::uint64_t what = random_.below(1'000);
        if (what < 400) {
            // Descriptors that software may hand over: one place stays free.
            const std::uint32_t used = (tail_[q] + sizes_[q] - done_[q]) % sizes_[q];
            const std::uint64_t free = sizes_[q] - 1 - used;
            if (free == 0) return;
            tail_[q] = static_cast<std::uint32_t>((tail_[q] + 1 + random_.below(free)) % sizes_[q]);
            both([&](Side& s) { s.queue[q]->set_tail(tail_[q]); });
        } else if (what < 650) {
            const unsigned cached = model_.queue[q]->cached();
            if (cached != rtl_.queue[q]->cached() || cached == 0) return;
            const auto n = static_cast<unsigned>(1 + random_.below(cached));
            const bool more = random_.below(3) == 0;
            std::vector<bool> reports;
            for (unsigned i = 0; i < n; ++i) reports.push_back(random_.below(3) == 0);
            both([&](Side& s) {
                s.queue[q]->consume(n);
                s.consumed[q].insert(s.consumed[q].end(), reports.begin(), reports.end());
                s.queue[q]->set_has_work(more && s.queue[q]->cached() != 0);
                s.fetcher.evaluate();
            });
        } else if (what < 930) {
            if (model_.consumed[q].empty()) return;
            done_[q] = (done_[q] + 1) % sizes_[q];
            both([&](Side& s) {
                const bool report = s.consumed[q].front();
                s.consumed[q].pop_front();
                s.queue[q]->finish({}, report);
            });
        } else if (what < 970) {
            both([&](Side& s) { s.queue[q]->flush(); });
        } else if (what < 995) {
            const unsigned p = static_cast<unsigned>(random_.below(24));
            const unsigned h = static_cast<unsigned>(1 + random_.below(8));
            const unsigned w = static_cast<unsigned>(random_.below(std::min(sizes_[q], 24U)));
            both([&](Side& s) { s.queue[q]->set_thresholds(p, h, w); });
        } else {
            both([&](Side& s) { s.queue[q]->disable(); });
            enable(q);
        }
    }

    sim::RandomStream random_;
    Side model_, rtl_;
    std::uint64_t bound_;
    std::array<std::uint32_t, rings> sizes_{}, tail_{}, done_{};
    std::uint64_t decided_ = 0;
    std::uint64_t largest_ = 0;
};

TEST(DescriptorTwin, DecidesAsTheRulesUnderFullLoad) {
    Twins twins(1, 24);
    twins.play(40'000, 12);
}

TEST(DescriptorTwin, DecidesAsTheRulesWhenIdle) {
    Twins twins(2, 24);
    twins.play(8'000, 2'000);
}

TEST(DescriptorTwin, DecidesAsTheRulesWithACacheOf16) {
    Twins twins(3, 16);
    twins.play(20'000, 100);
}

TEST(DescriptorTwin, DecidesTheSameAtTheSameTimesWithClocksLeftOut) {
    Twins twins(4, 24, Kind::rtl_every_clock, 0);
    twins.play(4'000, 500);
}

}  // namespace
}  // namespace nicsim::models::rtl
