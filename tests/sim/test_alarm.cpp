// SPDX-License-Identifier: Apache-2.0
#include "sim/alarm.h"

#include <gtest/gtest.h>

#include <vector>

#include "sim/timed_fifo.h"

namespace nicsim::sim {
namespace {

using namespace literals;

struct Bench : sc_core::sc_module {
    explicit Bench(const sc_core::sc_module_name& name) : sc_module(name) {}
    void on_alarm() { fired.push_back(now()); }
    void on_item(int item) { items.emplace_back(now(), item); }

    Alarm alarm{"alarm", Alarm::Action::to<&Bench::on_alarm>(this)};
    TimedFifo<int> line{"line", TimedFifo<int>::Action::to<&Bench::on_item>(this)};
    std::vector<Ps> fired;
    std::vector<std::pair<Ps, int>> items;
};

TEST(Alarm, FiresOnceAtItsTime) {
    Bench bench("bench");
    bench.alarm.at(10_ns);
    sc_core::sc_start(to_sc_time(100_ns));
    EXPECT_EQ(bench.fired, std::vector<Ps>{10_ns});
    EXPECT_FALSE(bench.alarm.armed());
}

TEST(Alarm, CanBeMovedLaterAndEarlier) {
    Bench bench("bench");
    bench.alarm.at(10_ns);
    bench.alarm.at(30_ns);
    bench.alarm.at_latest(40_ns);
    sc_core::sc_start(to_sc_time(50_ns));
    EXPECT_EQ(bench.fired, std::vector<Ps>{30_ns});
    bench.alarm.at(90_ns);
    bench.alarm.at_latest(60_ns);
    sc_core::sc_start(to_sc_time(50_ns));
    EXPECT_EQ(bench.fired, (std::vector<Ps>{30_ns, 60_ns}));
}

TEST(Alarm, DoesNotFireAfterCancel) {
    Bench bench("bench");
    bench.alarm.at(10_ns);
    bench.alarm.cancel();
    sc_core::sc_start(to_sc_time(50_ns));
    EXPECT_TRUE(bench.fired.empty());
}

TEST(TimedFifo, DeliversInOrderAtTheGivenTimesWithOneWakeUpPerInstant) {
    Bench bench("bench");
    const std::uint64_t before = kernel_cost.wakeups;
    bench.line.push(5_ns, 1);
    bench.line.push(5_ns, 2);
    bench.line.push(9_ns, 3);
    sc_core::sc_start(to_sc_time(50_ns));
    const std::vector<std::pair<Ps, int>> expected{{5_ns, 1}, {5_ns, 2}, {9_ns, 3}};
    EXPECT_EQ(bench.items, expected);
    EXPECT_EQ(kernel_cost.wakeups - before, 2U);
}

TEST(Clock, RoundsUpToItsOwnEdges) {
    const Clock clock(8_ns);
    EXPECT_EQ(clock.edge_at_or_after(0), 0U);
    EXPECT_EQ(clock.edge_at_or_after(1), 8_ns);
    EXPECT_EQ(clock.edge_at_or_after(8_ns), 8_ns);
    EXPECT_EQ(clock.edge_at_or_after(8_ns + 1), 16_ns);
}

TEST(SerialisationTime, IsExactForGigabitAndRoundsUp) {
    EXPECT_EQ(serialisation_time(1538, 1'000'000'000), 12'304_ns);
    EXPECT_EQ(serialisation_time(1, 3), (8 * ps_per_s + 2) / 3);
}

}  // namespace
}  // namespace nicsim::sim
