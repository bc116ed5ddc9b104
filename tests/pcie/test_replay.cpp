// SPDX-License-Identifier: Apache-2.0
// What happens to TLPs that do not arrive: NAK, replay timer, REPLAY_NUM, retraining, bit errors,
// and what each costs in time. Default link: generation 1 x1, MPS 256; a byte takes 4 ns.
#include <cmath>

#include "bench.h"
#include "ends.h"
#include "sim/kernel.h"

namespace nicsim::pcie::test {
namespace {

Fault on_wire(FaultKind kind, std::uint64_t nth, std::uint64_t count = 1) {
    Fault f;
    f.kind = kind;
    f.nth = nth;
    f.count = count;
    return f;
}

LinkConfig bare() {
    LinkConfig c;
    c.dllp = DllpCharge::none;
    return c;
}

constexpr sim::Ps tlp_time = 84 * 4_ns;  ///< a write of 64 bytes
constexpr sim::Ps way = 5_ns;

TEST(Replay, TimersFollowTheFormulasOfTheSpecification) {
    LinkConfig c;
    EXPECT_EQ(c.replay_timer(), 3 * 416 * 4_ns) << "three times the ACK limit";
    c.generation = 3;
    c.width = 8;
    // floor(284 * 2.5 / 8 + 115) = 203 symbol times of 65/64 ns.
    EXPECT_EQ(c.replay_timer(), static_cast<sim::Ps>(std::llround(3 * 203 * 1015.625)));
    c.generation = 4;
    EXPECT_EQ(c.replay_timer(), static_cast<sim::Ps>(24'000 * 507.8125)) << "simplified";
    c.generation = 5;
    EXPECT_EQ(c.replay_timer(), static_cast<sim::Ps>(24'000 * 253.90625));
    // InitFC1 and InitFC2 of three classes, 8 bytes each, there and back.
    EXPECT_EQ(LinkConfig{}.flow_control_init_time(), 2 * (3 * 8 * 4_ns + 5_ns));
}

TEST(Replay, ABadLcrcIsRepeatedAfterTheNakAndNothingElse) {
    Pair p(bare(), {}, {on_wire(FaultKind::corrupt, 1)});
    p.device_sends->send(write(64, 7));
    // It arrives at 341 ns, the NAK of 8 bytes takes 32 ns and the way, the repetition as long as
    // the first time.
    const sim::Ps expected = tlp_time + way + 32_ns + way + tlp_time + way;
    Pair::run(expected);
    EXPECT_TRUE(p.top.arrivals.empty());
    Pair::run(1);
    ASSERT_EQ(p.top.arrivals.size(), 1U);
    EXPECT_EQ(p.top.arrivals[0].time, expected);
    EXPECT_EQ(p.top.count(LinkError::bad_tlp), 1U);
    Pair::run(100_us);
    const LinkCounters& up = p.link->up().counters();
    EXPECT_EQ(up.replays, 1U);
    EXPECT_EQ(up.resent_tlps, 1U);
    EXPECT_EQ(up.resent_bytes, 84U);
    EXPECT_EQ(up.all_tlps, 1U) << "a repetition is not a TLP more";
    EXPECT_EQ(p.link->down().counters().naks, 1U);
    EXPECT_EQ(p.device.errors.size(), 0U);
    EXPECT_EQ(p.device_sends->unacknowledged(), 0U);
    EXPECT_EQ(p.device_sends->in_flight(), 0U);
}

TEST(Replay, WhatFollowsABadTlpIsRepeatedInOrderBehindIt) {
    Pair p(bare(), {}, {on_wire(FaultKind::corrupt, 2)});
    for (std::uint16_t i = 1; i <= 5; ++i) p.device_sends->send(write(64, i));
    Pair::run(1_ms);
    EXPECT_EQ(p.top.tags(), (std::vector<unsigned>{1, 2, 3, 4, 5}));
    const LinkCounters& up = p.link->up().counters();
    // The 2nd arrives wrong at 677 ns. Its NAK comes at 714 ns, when the 3rd is on the wire; the
    // 4th has not begun, so that two are repeated.
    EXPECT_EQ(up.resent_tlps, 2U);
    EXPECT_EQ(p.top.arrivals[4].time, (5 + 2) * tlp_time + way) << "two transmissions more";
    EXPECT_EQ(p.top.count(LinkError::bad_tlp), 1U) << "those behind it are dropped silently";
}

TEST(Replay, ATlpThatVanishesIsRepeatedWhenTheReplayTimerEnds) {
    Pair p(bare(), {}, {on_wire(FaultKind::drop, 1)});
    p.device_sends->send(write(64, 1));
    // The timer starts when the last symbol has left.
    const sim::Ps expected = tlp_time + bare().replay_timer() + tlp_time + way;
    Pair::run(expected);
    EXPECT_TRUE(p.top.arrivals.empty());
    Pair::run(1);
    ASSERT_EQ(p.top.arrivals.size(), 1U);
    EXPECT_EQ(p.device.count(LinkError::replay_timeout), 1U);
    EXPECT_EQ(p.device.errors[0].time, tlp_time + bare().replay_timer());
    EXPECT_EQ(p.top.count(LinkError::receiver_error), 1U);
    Pair::run(1_ms);
    EXPECT_EQ(p.link->up().counters().replays, 1U);
}

TEST(Replay, AGapInTheSequenceNumbersIsNakedAtOnce) {
    Pair p(bare(), {}, {on_wire(FaultKind::drop, 1)});
    p.device_sends->send(write(64, 1));
    p.device_sends->send(write(64, 2));
    Pair::run(1_ms);
    EXPECT_EQ(p.top.tags(), (std::vector<unsigned>{1, 2}));
    EXPECT_EQ(p.device.count(LinkError::replay_timeout), 0U);
    EXPECT_EQ(p.top.count(LinkError::bad_tlp), 1U);
    EXPECT_EQ(p.top.arrivals[0].time, 2 * tlp_time + way + 32_ns + way + tlp_time + way);
}

TEST(Replay, TheFourthReplayWithoutProgressRetrainsTheLink) {
    LinkConfig c = bare();
    c.retrain_time = 20'000'000;
    Pair p(c, {}, {on_wire(FaultKind::corrupt, 1, 4)});
    p.device_sends->send(write(64, 1));
    Pair::run(1_ms);
    ASSERT_EQ(p.top.arrivals.size(), 1U);
    EXPECT_EQ(p.device.count(LinkError::replay_rollover), 1U);
    EXPECT_EQ(p.link->up().counters().retrains, 1U);
    // A NAK the first time; those after it only by the timer, since one NAK is outstanding.
    EXPECT_EQ(p.link->up().counters().replays, 4U);
    EXPECT_EQ(p.device.count(LinkError::replay_timeout), 3U);
    const sim::Ps first = tlp_time + way + 32_ns + way;
    const sim::Ps each = tlp_time + c.replay_timer();
    EXPECT_EQ(p.top.arrivals[0].time, first + 3 * each + 20_us + tlp_time + way);
}

TEST(Replay, ThreeReplaysDoNot) {
    Pair p(bare(), {}, {on_wire(FaultKind::corrupt, 1, 3)});
    p.device_sends->send(write(64, 1));
    Pair::run(1_ms);
    EXPECT_EQ(p.top.arrivals.size(), 1U);
    EXPECT_EQ(p.link->up().counters().replays, 3U);
    EXPECT_EQ(p.link->up().counters().retrains, 0U);
}

TEST(Replay, ProgressStartsTheCountOfReplaysAnew) {
    Pair p(bare(), {}, {on_wire(FaultKind::corrupt, 1, 3), on_wire(FaultKind::corrupt, 2, 3)});
    p.device_sends->send(write(64, 1));
    Pair::run(100_us);
    p.device_sends->send(write(64, 2));
    Pair::run(100_us);
    EXPECT_EQ(p.top.tags(), (std::vector<unsigned>{1, 2}));
    EXPECT_EQ(p.link->up().counters().replays, 6U);
    EXPECT_EQ(p.link->up().counters().retrains, 0U);
}

TEST(Replay, AFullReplayBufferHoldsTheNextTlpUntilTheAcknowledgement) {
    LinkConfig c = bare();
    c.replay_buffer = 300;  // three TLPs of 84 bytes
    Pair p(c);
    for (std::uint16_t i = 1; i <= 4; ++i) p.device_sends->send(write(64, i));
    Pair::run(1_ms);
    ASSERT_EQ(p.top.arrivals.size(), 4U);
    EXPECT_EQ(p.top.arrivals[2].time, 3 * tlp_time + way);
    // The ACK for all three leaves one limit after the first has arrived.
    const sim::Ps ack = tlp_time + way + c.dllp_limit() + 32_ns + way;
    EXPECT_EQ(p.top.arrivals[3].time, ack + tlp_time + way);
}

TEST(Replay, WithoutErrorsAProtectedLinkHasTheTimesOfAnyOther) {
    Fault never = on_wire(FaultKind::drop, 1'000'000);
    End top_a, device_a, top_b, device_b;
    Beside beside_plain({nobody_asked}), beside_watched({nobody_asked});
    Link plain("plain", bare(), top_a, device_a);
    Link watched("watched", bare(), top_b, device_b, 1, {never});
    beside_plain.watch(plain);
    beside_watched.watch(watched);
    for (std::uint16_t i = 0; i < 200; ++i) {
        for (End* e : {&device_a, &device_b}) e->out->send(write(4U + 4U * (i % 60), i));
        for (End* e : {&top_a, &top_b}) e->out->send(completion(64, i));
        if (i % 7 == 0) Pair::run(3_us);
    }
    Pair::run(1_ms);
    ASSERT_EQ(top_a.arrivals.size(), 200U);
    ASSERT_EQ(top_b.arrivals.size(), 200U);
    for (std::size_t i = 0; i < 200; ++i)
        ASSERT_EQ(top_a.arrivals[i].time, top_b.arrivals[i].time) << i;
    EXPECT_EQ(watched.up().counters().replays, 0U);
    EXPECT_EQ(watched.down().counters().replays, 0U);
}

TEST(Replay, CreditsAreUsedOnceHoweverOftenATlpIsSent) {
    ReceiverTraits t;
    t.credits.header[P] = 2;
    t.update_at_once = true;
    Pair p({}, t, {on_wire(FaultKind::corrupt, 1, 3), on_wire(FaultKind::drop, 3)});
    for (std::uint16_t i = 1; i <= 6; ++i) p.device_sends->send(write(64, i));
    Pair::run(1_ms);
    EXPECT_EQ(p.top.tags(), (std::vector<unsigned>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(p.device_sends->header_credits(FlowClass::posted), 2U);
}

// ---- bit errors ----

class BitErrors : public testing::TestWithParam<double> {};

TEST_P(BitErrors, EveryTlpArrivesOnceAndInOrderAtAnyRate) {
    LinkConfig c;
    c.bit_error_rate = GetParam();
    ReceiverTraits t;
    t.credits.header[P] = 8;
    Pair p(c, t);
    constexpr std::uint16_t n = 3000;
    for (std::uint16_t i = 0; i < n; ++i) {
        p.device_sends->send(write(64, i));
        p.top.out->send(completion(64, i));
    }
    Pair::run(200_ms);
    ASSERT_EQ(p.top.arrivals.size(), n);
    ASSERT_EQ(p.device.arrivals.size(), n);
    for (std::uint16_t i = 0; i < n; ++i) {
        ASSERT_EQ(p.top.arrivals[i].tlp->tag, i);
        ASSERT_EQ(p.device.arrivals[i].tlp->tag, i);
    }
    const LinkCounters& up = p.link->up().counters();
    EXPECT_GT(up.damaged_tlps, 0U);
    EXPECT_GE(up.resent_tlps, up.damaged_tlps);
    EXPECT_EQ(p.device_sends->header_credits(FlowClass::posted), 8U) << "lost updates come again";
    EXPECT_EQ(p.device_sends->unacknowledged(), 0U);
    // Transmissions hit, as 1 - (1 - rate)^bits of those made.
    const double sent = static_cast<double>(up.all_tlps + up.resent_tlps);
    const double share = 1.0 - std::pow(1.0 - GetParam(), 84 * 8);
    const double hit = static_cast<double>(up.damaged_tlps);
    EXPECT_NEAR(hit, sent * share, 5.0 * std::sqrt(sent * share));
}
INSTANTIATE_TEST_SUITE_P(Rates, BitErrors, testing::Values(1e-6, 1e-5, 1e-4));

TEST(Replay, TheSameSeedGivesTheSameErrorsAndAnotherSeedOthers) {
    LinkConfig c;
    c.bit_error_rate = 1e-5;
    End top_a, device_a, top_b, device_b, top_c, device_c;
    Beside beside[3];
    Link a("a", c, top_a, device_a, 5);
    Link b("b", c, top_b, device_b, 5);
    Link other("other", c, top_c, device_c, 6);
    beside[0].watch(a);
    beside[1].watch(b);
    beside[2].watch(other);
    for (std::uint16_t i = 0; i < 1000; ++i)
        for (End* e : {&device_a, &device_b, &device_c}) e->out->send(write(64, i));
    Pair::run(10_ms);
    EXPECT_EQ(top_a.arrivals.back().time, top_b.arrivals.back().time);
    EXPECT_NE(top_a.arrivals.back().time, top_c.arrivals.back().time);
}

TEST(Replay, ALinkWithoutErrorsHasNoEventsForIt) {
    Pair p;
    const std::uint64_t before = sim::kernel_cost.wakeups;
    p.device_sends->send(write(64));
    Pair::run(1_ms);
    EXPECT_EQ(sim::kernel_cost.wakeups - before, 1U);
}

TEST(Link, FiniteClassesAreUpdatedEvery30MicrosecondsOnABusyWire) {
    ReceiverTraits none;
    none.credits.header[N] = 4;  // finite, and never used
    End top, device;
    device.traits = none;
    Beside beside;
    Link link("link", LinkConfig{}, top, device);
    beside.watch(link);
    // Updates for the device's receiver travel up, behind writes that keep that wire busy.
    for (std::uint16_t i = 0; i < 1000; ++i) device.out->send(write(256, i));
    Pair::run(900_us);
    const LinkCounters& up = link.up().counters();
    EXPECT_NEAR(static_cast<double>(up.flow_control_refreshes), 30.0, 1.0);
    EXPECT_EQ(link.down().counters().flow_control_refreshes, 0U) << "the top's are infinite";
}

TEST(Link, RefusesErrorRatesAndReplayBuffersThatCannotWork) {
    LinkConfig c;
    c.bit_error_rate = 0.5;
    EXPECT_EQ(c.validate(), "bit_error_rate is 0.5; allowed are 0 to 0.0001");
    c.bit_error_rate = std::nan("");
    EXPECT_NE(c.validate(), "");
    c.bit_error_rate = 0.0;
    c.replay_buffer = 100;
    EXPECT_EQ(c.validate(),
              "replay_buffer is 100; one TLP of 256 B payload needs 284 (0 is enough for any)");
}

}  // namespace
}  // namespace nicsim::pcie::test
