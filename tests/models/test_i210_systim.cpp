// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "models/i210/registers.h"
#include "models/i210/systim.h"

namespace nicsim::models::i210 {
namespace {

using namespace sim::literals;

struct Bench {
    explicit Bench(std::uint64_t start = 0) : time(start) {
        time.map(file);
        time.on_changed(sim::Callback<>::to<&Bench::on_change>(this));
    }
    void on_change() { ++told; }
    void run(sim::Ps t) { sc_core::sc_start(sim::to_sc_time(t)); }
    RegisterFile file{register_bar_bytes};
    SystemTime time;
    unsigned told = 0;
};

TEST(SystemTime, StartsWithSimulatedTimeAndMovesInStepsOfEightNanoseconds) {
    Bench b;
    EXPECT_EQ(b.time.nanoseconds_at(0), 0U);
    EXPECT_EQ(b.time.nanoseconds_at(8_ns - 1), 0U);
    EXPECT_EQ(b.time.nanoseconds_at(8_ns), 8U);
    EXPECT_EQ(b.time.nanoseconds_at(3_s + 1_us), 3'000'001'000U);
    EXPECT_EQ(b.time.systiml_at(3_s + 1_us), 1000U);
}

TEST(SystemTime, ConvertsBackToTheFirstMomentThatShowsAValue) {
    Bench b(5'000'000'000);
    EXPECT_EQ(b.time.time_of(5'000'001'000), 1_us);
    EXPECT_EQ(b.time.time_of(5'000'001'001), 1_us + 8_ns);
    EXPECT_LE(b.time.time_of(4'000'000'000), 0U);
}

TEST(SystemTime, KnowsWhenALaunchTimeIsReached) {
    Bench b;
    const std::uint32_t launch = 128'000;
    EXPECT_FALSE(b.time.reached(launch, 128_us - 1));
    EXPECT_TRUE(b.time.reached(launch, 128_us));
    EXPECT_EQ(b.time.launch_time(launch, 100_us), 128_us);
    EXPECT_EQ(b.time.launch_time(launch, 130_us), 128_us);
}

TEST(SystemTime, TakesALaunchTimeUpToHalfASecondBackAsReached) {
    Bench b(0);
    const std::uint32_t launch = 32'000;
    EXPECT_TRUE(b.time.reached(launch, 32_us + 500_ms - 8_ns));
    EXPECT_FALSE(b.time.reached(launch, 32_us + 500_ms)) << "then it means the next second";
    EXPECT_EQ(b.time.launch_time(launch, 32_us + 500_ms), 1_s + 32_us);
}

TEST(SystemTime, WrapsLaunchTimesAtTheSecond) {
    Bench b;
    const std::uint32_t launch = 999'999'968;
    EXPECT_TRUE(b.time.reached(launch, 1_s)) << "32 ns ago, in the second before";
    EXPECT_EQ(b.time.launch_time(64, 999_ms), 1_s + 64_ns);
}

TEST(SystemTime, ComparesLaunchTimesInUnitsOf32Nanoseconds) {
    Bench b;
    EXPECT_TRUE(b.time.reached(100, 96_ns)) << "bits 4:0 do not count";
    EXPECT_FALSE(b.time.reached(100, 96_ns - 1));
}

TEST(SystemTime, RunsFasterAndSlowerByTiminca) {
    Bench b;
    b.file.write(reg::TIMINCA, 1U << 29);  // 8.125 ns per 8 ns
    b.run(8_us);
    EXPECT_EQ(b.time.nanoseconds_at(sim::now()), 8125U);
    b.file.write(reg::TIMINCA, 1U << 31 | 1U << 29);
    b.run(8_us);
    EXPECT_EQ(b.time.nanoseconds_at(sim::now()), 8125U + 7875U);
    EXPECT_EQ(b.time.time_of(16'000), 16_us);
    EXPECT_EQ(b.told, 2U);
}

TEST(SystemTime, StepsByTimadj) {
    Bench b;
    b.run(1_us);
    b.file.write(reg::TIMADJ, 500);
    EXPECT_EQ(b.time.nanoseconds_at(sim::now()), 1500U);
    b.file.write(reg::TIMADJ, 1U << 31 | 1000);
    EXPECT_EQ(b.time.nanoseconds_at(sim::now()), 500U);
}

TEST(SystemTime, IsSetByTheWriteOfSecondsOnly) {
    Bench b;
    b.run(1_us);
    b.file.write(reg::SYSTIML, 777);
    EXPECT_EQ(b.told, 0U);
    b.file.write(reg::SYSTIMH, 3);
    EXPECT_EQ(b.time.nanoseconds_at(sim::now()), 3'000'000'777U);
    EXPECT_EQ(b.told, 1U);
}

TEST(SystemTime, LatchesBothHalvesByTheReadOfSystimr) {
    Bench b(1'999'999'992);
    (void)b.file.read(reg::SYSTIMR);
    b.run(8_ns);
    EXPECT_EQ(b.file.read(reg::SYSTIML), 999'999'992U);
    EXPECT_EQ(b.file.read(reg::SYSTIMH), 1U);
    EXPECT_EQ(b.file.read(reg::SYSTIML), 0U) << "later reads are live";
    EXPECT_EQ(b.file.read(reg::SYSTIMH), 2U);
}

TEST(SystemTime, StandsStillWhileDisabled) {
    Bench b;
    b.run(1_us);
    b.file.write(reg::TSAUXC, tsauxc::disable_systime);
    b.run(1_us);
    EXPECT_EQ(b.time.nanoseconds_at(sim::now()), 1000U);
    EXPECT_EQ(b.time.time_of(2000), sim::never);
    b.file.write(reg::TSAUXC, 0);
    b.run(1_us);
    EXPECT_EQ(b.time.nanoseconds_at(sim::now()), 2000U);
}

}  // namespace
}  // namespace nicsim::models::i210
