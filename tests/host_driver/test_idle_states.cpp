// SPDX-License-Identifier: Apache-2.0
#include "host_driver/idle_states.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/host_driver/host_bench.h"

namespace nicsim::host {
namespace {

using namespace sim::literals;
using sim::Ps;
using testing::At;
using testing::free_core;

/// The table of a Haswell core.
IdleConfig haswell(const std::string& deepest) {
    IdleConfig c;
    c.deepest = deepest;
    c.states = {
        {"C1", 2_us, 2_us}, {"C1E", 10_us, 20_us}, {"C3", 33_us, 100_us}, {"C6", 133_us, 400_us}};
    return c;
}

CoreConfig idling(const std::string& deepest) {
    CoreConfig c = free_core();
    c.idle_states = haswell(deepest).allowed();
    return c;
}

/// A core whose interrupt notes when its handler runs.
struct Bench {
    explicit Bench(const CoreConfig& config) : core("core", config) {}
    explicit Bench(const std::string& deepest) : Bench(idling(deepest)) {}
    void handler(Core& c) { answered.push_back(c.local_time()); }
    void interrupt_at(Ps t) {
        sources.push_back(std::make_unique<At>(sc_core::sc_gen_unique_name("at"), t,
                                               [this] { core.hard_interrupt(job); }));
    }
    void run(Ps t) { sc_core::sc_start(sim::to_sc_time(t)); }
    Core core;
    Job job{Job::Action::to<&Bench::handler>(this)};
    std::vector<Ps> answered;
    std::vector<std::unique_ptr<At>> sources;
};

TEST(IdleStates, AnInterruptMeetsAnIdleCoreAndIsAnsweredLateByTheExitLatencyExactly) {
    Bench b("C3");
    b.interrupt_at(500_us);
    b.run(500_us + 33_us);  // up to that instant, without it
    EXPECT_TRUE(b.answered.empty());
    b.run(1);
    ASSERT_EQ(b.answered.size(), 1U);
    EXPECT_EQ(b.answered[0], 533_us);
}

TEST(IdleStates, WithoutIdleStatesItIsAnsweredAtOnce) {
    Bench b("none");
    b.interrupt_at(500_us);
    b.run(501_us);
    ASSERT_EQ(b.answered.size(), 1U);
    EXPECT_EQ(b.answered[0], 500_us);
}

TEST(IdleStates, ASecondInterruptDuringTheExitWaitsForItAndForNoMore) {
    Bench b("C6");
    b.interrupt_at(1_ms);
    b.run(1_ms + 100_us);
    Job other{Job::Action::to<&Bench::handler>(&b)};
    b.core.hard_interrupt(other);
    b.run(100_us);
    ASSERT_EQ(b.answered.size(), 2U);
    EXPECT_EQ(b.answered[0], 1_ms + 133_us);
    EXPECT_EQ(b.answered[1], 1_ms + 133_us);
}

TEST(IdleStates, AWorkingCoreIsNotLate) {
    Bench b("C6");
    testing::Steps steps;
    steps.run(b.core, [](Core& core) { core.delay(2_ms); });
    b.interrupt_at(1_ms);
    b.run(5_ms);
    ASSERT_EQ(b.answered.size(), 1U);
    EXPECT_EQ(b.answered[0], 1_ms);
}

TEST(IdleStates, ATimerThatIsNearKeepsTheCoreOutOfDeepStates) {
    // 99 us are known to be left: C1E. From 100 us on it would be C3.
    for (const auto& [distance, latency] : {std::pair{99_us, 10_us}, std::pair{100_us, 33_us}}) {
        IdleGovernor governor(haswell("C6").allowed());
        governor.enter(sim::now() + distance);
        EXPECT_EQ(governor.leave(), latency);
    }
}

TEST(IdleStates, TheMeanOfTheLastEightStaysDecidesOnceThereAreEight) {
    Bench b("C6");
    // Interrupts 150 us apart, counted from the answer: the first stays know nothing of it.
    Ps t = 1_ms;
    for (int i = 0; i < 20; ++i, t += 300_us) b.interrupt_at(t);
    b.run(10_ms);
    ASSERT_EQ(b.answered.size(), 20U);
    EXPECT_EQ(b.answered[0], 1_ms + 133_us);
    // After eight stays of 300 - 133 us the mean is below 400 us: C3 from there on.
    EXPECT_EQ(b.answered[19], 1_ms + 19 * 300_us + 33_us);
    const auto& governor = b.core.idle();
    EXPECT_GT(governor.entries(2), 8U);
    EXPECT_GE(governor.entries(3), 8U);
}

TEST(IdleStates, StaysAndExitsAddUpToTheTimeThatPassed) {
    Bench b("C6");
    for (Ps t = 1_ms; t < 9_ms; t += 777_us) b.interrupt_at(t);
    b.run(8_ms + 133_us);
    const auto& g = b.core.idle();
    Ps sum = 0;
    std::uint64_t entries = 0;
    for (std::size_t s = 0; s < 5; ++s) {
        sum += g.residency(s);
        entries += g.entries(s);
    }
    // Handlers cost nothing here: between the answers there is nothing but stays and exits.
    sum += (entries - 1) * 133_us;
    EXPECT_EQ(sum, b.answered.back());
}

TEST(IdleStates, ATaskThatStandsStillForOneThatSpinsKeepsTheCoreAwake) {
    Bench b("C6");
    b.core.hold_awake();
    b.interrupt_at(1_ms);
    b.run(3_ms);
    ASSERT_EQ(b.answered.size(), 1U);
    EXPECT_EQ(b.answered[0], 1_ms);
}

TEST(IdleStates, AnIdleCoreWithIdleStatesDoesNotWakeUp) {
    Bench b("C6");
    b.run(1_ms);
    const std::uint64_t before = b.core.thread_wakeups();
    b.run(100_ms);
    EXPECT_EQ(b.core.thread_wakeups(), before);
}

/// A core that enters its states `entry` after its last work.
struct EntryBench : Bench {
    explicit EntryBench(Ps entry) : Bench(with(entry)) {}
    static CoreConfig with(Ps entry) {
        CoreConfig c = idling("C3");
        c.idle_entry_time = entry;
        return c;
    }
};

/// The core is idle from 0 on.
Ps answer_of_one_at(Ps t) {
    EntryBench b(2_us);
    b.interrupt_at(t);
    b.run(100_us);
    return b.answered.at(0);
}

TEST(IdleStates, WhatComesBeforeTheStateIsEnteredMeetsACoreThatIsAwake) {
    EXPECT_EQ(answer_of_one_at(2_us - 1), 2_us - 1);
}

TEST(IdleStates, WhatComesWhenItIsEnteredWaitsForTheExit) {
    EXPECT_EQ(answer_of_one_at(2_us + 1), 2_us + 1 + 33_us);
}

TEST(IdleStates, AMessageOnItsWayToTheHandlerKeepsTheCoreFromTheState) {
    EntryBench b(2_us);
    At message("message", 1_us, [&b] { b.core.hard_interrupt(b.job, 5_us); });
    b.run(100_us);
    ASSERT_EQ(b.answered.size(), 1U);
    EXPECT_EQ(b.answered[0], 6_us);
    EXPECT_EQ(b.core.idle().entries(2), 1U) << "the state after the handler, none before";
}

TEST(IdleStates, EachWorkBeginsTheEntryAgain) {
    EntryBench b(2_us);
    for (const Ps t : {1_us, 2_us, 3_us}) b.interrupt_at(t);
    b.run(100_us);
    EXPECT_EQ(b.answered, (std::vector<Ps>{1_us, 2_us, 3_us}));
}

TEST(IdleConfig, NamesWhatIsWrongAndWhatIsAllowed) {
    EXPECT_EQ(haswell("C3").check(), "");
    EXPECT_EQ(haswell("none").check(), "");
    EXPECT_EQ(haswell("C9").check(), "deepest: 'C9' is not one of none, C1, C1E, C3, C6");
    IdleConfig wrong = haswell("C6");
    std::swap(wrong.states[1], wrong.states[2]);
    EXPECT_EQ(wrong.check(),
              "states: 'C1E' leaves faster or pays earlier than 'C3' before it; the shallowest "
              "state stands first");
    EXPECT_EQ(haswell("C1E").allowed().size(), 2U);
    EXPECT_TRUE(haswell("none").allowed().empty());
}

}  // namespace
}  // namespace nicsim::host
