// SPDX-License-Identifier: Apache-2.0
// The RTL transmit packet buffer against the one in C++: thousands of random packets in hundreds of
// random settings (split, gate, legacy or Qav, launch time, guard, shapers, priorities, link rate),
// under full load and when little happens. Bound: the same fetches and transmissions in the same
// order at the same edges.
#include <gtest/gtest.h>

#include "models/rtl/still.h"
#include "sim/random.h"
#include "tests/rtl/decision_log.h"
#include "tests/rtl/tx_twin_bench.h"

namespace nicsim::models::rtl {
namespace {

using namespace sim::literals;
using i210::queues;
using i210::sr_queues;

constexpr std::uint64_t bound = 0;  ///< cycles: at the same edges

std::unique_ptr<i210::TxBlockIf> make_with_every_clock(const i210::TxBlockContext& context) {
    return with_every_clock([&] { return make_tx_packet_buffer(context); });
}

class Twins {
public:
    /// `every_clock`: the other one is no model but the RTL with no clock left out.
    explicit Twins(std::uint64_t seed, bool every_clock = false)
        : random_(seed, "tx"),
          model_("model", clock_, every_clock ? make_with_every_clock : TxTwinBench::make_model) {
        driver_.at(clock_period);
    }
    /// What happens from now on, but for the wire, happens so long after the edges.
    void between_edges(sim::Ps after) {
        driver_.cancel();
        driver_.at(sim::now() + clock_period + after);
    }

    struct Load {
        std::uint64_t longest_gap = 0;  ///< cycles between packets
        unsigned packets = 0;           ///< of one round
        unsigned spoiled = 0;           ///< of 100
        bool shapers = true;
    };
    void play(const Load& load, unsigned rounds) {
        for (unsigned i = 0; i < rounds && !::testing::Test::HasFailure(); ++i) {
            round(load);
            sc_core::sc_start(sim::to_sc_time(load.packets * load.longest_gap * clock_period));
            for (unsigned n = 0; n < 200 && waiting() != 0; ++n)
                sc_core::sc_start(sim::to_sc_time(100_us));
            ASSERT_EQ(packets_left_, 0U);
            check(i);
        }
        ASSERT_GT(decided_, std::uint64_t{rounds} * load.packets / 2);
        ASSERT_GT(must_end_, rounds / 5);
        ::testing::Test::RecordProperty("decisions", std::to_string(decided_));
    }

private:
    std::size_t waiting() { return model_.waiting() + rtl_.waiting() + packets_left_; }
    void check(unsigned round_number) {
        // What waits for ever (a launch time half a second away) waits on both sides.
        EXPECT_EQ(model_.waiting(), rtl_.waiting()) << "round " << round_number;
        const auto& set = model_.settings;
        if (!set.qav || (!set.launch_time && !set.shaper)) {
            EXPECT_EQ(waiting(), 0U) << "nothing holds a packet in round " << round_number;
            ++must_end_;
        }
        for (unsigned q = 0; q < queues; ++q)
            EXPECT_EQ(model_.used(q), rtl_.used(q)) << "round " << round_number << " queue " << q;
        compare(model_.decisions, rtl_.decisions, bound);
        decided_ += model_.decisions.size();
        if (::testing::Test::HasFailure()) {
            const auto& s = model_.settings;
            ADD_FAILURE() << "in round " << round_number << ": qav " << s.qav << " most empty "
                          << s.fetch_most_empty << " shaper " << s.shaper << " launch "
                          << s.launch_time << " sp_wait_sr " << s.sp_wait_sr << " delta "
                          << s.fetch_delta_ns << " max " << s.max_packet << " sr " << s.sr[0]
                          << s.sr[1] << ", RTL waits with " << rtl_.text();
        }
    }

    /// New settings for both, and what will come.
    void round(const Load& load) {
        load_ = load;
        packets_left_ = load.packets;
        next_packet_ = sim::now() + clock_period;
        i210::TxSettings s;
        s.enabled = true;
        s.qav = random_.below(5) != 0;
        s.fetch_most_empty = random_.below(2) != 0;
        s.shaper = load.shapers && random_.below(2) != 0;
        s.launch_time = random_.below(2) != 0;
        s.sp_wait_sr = random_.below(2) != 0;
        s.fetch_delta_ns =
            static_cast<std::uint32_t>(random_.below(3) == 0 ? 0xffff : random_.below(600)) * 32;
        s.max_packet = static_cast<std::uint32_t>(1 + random_.below(152)) * 64;
        for (unsigned q = 0; q < sr_queues; ++q) s.sr[q] = s.qav && random_.below(3) != 0;
        for (unsigned q = 0; q < queues; ++q) s.high_priority[q] = random_.below(2) != 0;
        std::array<std::uint32_t, queues> room{};
        for (auto& bytes : room)
            bytes =
                std::max<std::uint32_t>(static_cast<std::uint32_t>(2 + random_.below(12)) * 1024,
                                        (s.max_packet / 1024 + 1) * 1024);
        longest_ = std::min<std::uint32_t>(s.max_packet, 1600);
        const std::uint64_t rate = random_.below(6) == 0 ? 100'000'000 : 1'000'000'000;
        const std::uint64_t gap = 1 + random_.below(random_.below(2) == 0 ? 4 : 200);
        std::array<i210::TxShaperSettings, sr_queues> shapers;
        for (auto& shaper : shapers)
            shaper = {rate / 100 / 16'384 * 16'384 * (1 + random_.below(90)), random_.below(20'000),
                      random_.below(3) == 0};
        for (TxTwinBench* side : {&model_, &rtl_}) {
            side->decisions.clear();
            side->reset();
            side->settings = s;
            side->bus_gap = gap;
            side->block().buffer().configure(room, !s.qav);
            side->block().buffer().set_fetch_threshold(s.max_packet);
            side->set_link(rate);
            for (unsigned q = 0; q < sr_queues; ++q) side->block().shaper_changed(q, shapers[q]);
        }
    }

    void on_cycle() {
        driver_.after(clock_period);
        while (packets_left_ != 0 && sim::now() >= next_packet_) {
            --packets_left_;
            next_packet_ = sim::now() + random_.below(load_.longest_gap + 1) * clock_period;
            Scripted p;
            p.length = 1 + static_cast<std::uint32_t>(random_.below(longest_));
            p.read_cycles = 3 + static_cast<std::uint32_t>(random_.below(300));
            p.ok = random_.below(100) >= load_.spoiled;
            // Mostly soon, sometimes over, at times so that the second wraps.
            const std::uint64_t ns = clock_.systiml_at(sim::now()) + random_.below(60'000);
            p.launch = static_cast<std::uint32_t>(ns / 32 % 31'250'000);
            const auto queue = static_cast<unsigned>(random_.below(queues));
            model_.offer(queue, p);
            rtl_.offer(queue, p);
        }
        model_.step();
        rtl_.step();
    }

    sim::RandomStream random_;
    i210::SystemTime clock_{999'990'000};
    TxTwinBench model_;
    TxTwinBench rtl_{"rtl", true, clock_};
    sim::Alarm driver_{"driver", sim::Callback<>::to<&Twins::on_cycle>(this)};
    Load load_{};
    unsigned packets_left_ = 0;
    sim::Ps next_packet_ = 0;
    std::uint32_t longest_ = 0;
    std::uint64_t decided_ = 0;
    std::uint64_t must_end_ = 0;  ///< rounds
};

TEST(TxTwin, DecidesAsTheModelUnderFullLoad) {
    Twins twins(1);
    twins.play({20, 60}, 200);
}

TEST(TxTwin, DecidesAsTheModelWhenIdle) {
    Twins twins(2);
    twins.play({5'000, 15}, 150);
}

TEST(TxTwin, DecidesAsTheModelWhenEverythingComesAtOnce) {
    Twins twins(3);
    twins.play({0, 40}, 200);
}

TEST(TxTwin, ThrowsAwayWhatTheBusSpoiltAsTheModelDoes) {
    Twins twins(4);
    twins.play({100, 40, 2}, 100);
}

TEST(TxTwin, DecidesAsTheModelOnWhatHappensBetweenEdges) {
    Twins twins(6);
    for (const sim::Ps after : {sim::Ps{1}, 3_ns, 8_ns - 1}) {
        twins.between_edges(after);
        twins.play({20, 60}, 60);
        twins.play({5'000, 15}, 30);
    }
}

TEST(TxTwin, DecidesTheSameAtTheSameTimesWithClocksLeftOut) {
    Twins twins(5, true);
    twins.play({100, 30}, 30);
    twins.play({5'000, 15}, 30);
}

}  // namespace
}  // namespace nicsim::models::rtl
