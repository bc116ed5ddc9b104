// SPDX-License-Identifier: Apache-2.0
// When a moderation interval of the AR8151 begins and ends: timing gates of the three readings of
// `moderation_start`, and what all of them have in common. The faults named in the tests are ones
// that models of moderation have had.
#include <gtest/gtest.h>

#include "sim/kernel.h"
#include "tests/models/ar8151_bench.h"

namespace nicsim::models::ar8151 {
namespace {

using sim::Ps;

constexpr Ps rx_interval = 400_us;  ///< rx_imt 200
constexpr Ps tx_interval = 2_ms;    ///< tx_imt 1000

Ar8151Config starting(ModerationStart start) {
    Ar8151Config config;
    config.moderation_start = start;
    return config;
}

/// No interrupt up to `t`, the one that follows `before` others at `t`.
void expect_next_at(RxBench& b, std::size_t before, Ps t) {
    b.run_until(t);
    EXPECT_EQ(b.interrupts(), before) << "nothing before the timer has run out";
    EXPECT_EQ(b.rd(reg::ISR), 0U) << "nor does ISR show it";
    b.run(1);
    ASSERT_EQ(b.interrupts(), before + 1);
    EXPECT_EQ(b.bus.raised[before].time, t);
}

// ---------------------------------------------------------------- every reading

class Ar8151EveryModeration : public testing::TestWithParam<ModerationStart> {};

std::string name_of(const testing::TestParamInfo<ModerationStart>& start) {
    if (start.param == ModerationStart::interrupt) return "FromTheMessage";
    return start.param == ModerationStart::unmask ? "FromUnmasking" : "FromTheAcknowledgement";
}

INSTANTIATE_TEST_SUITE_P(Start, Ar8151EveryModeration,
                         testing::Values(ModerationStart::interrupt, ModerationStart::acknowledge,
                                         ModerationStart::unmask),
                         name_of);

TEST_P(Ar8151EveryModeration, TheFirstFrameInterruptsAtOnce) {
    RxBench b(starting(GetParam()));
    b.up();
    b.run(10_us);
    const Ps end = b.frame();
    b.run(500_us);
    ASSERT_EQ(b.interrupts(), 1U);
    EXPECT_LT(b.bus.raised[0].time, end + 1_us) << "not after a whole interval";
    EXPECT_EQ(b.bus.raised[0].vector, 0U);
    EXPECT_EQ(b.rd(reg::ISR), isr::RX_PKT_0);
}

TEST_P(Ar8151EveryModeration, ATimerThatRanOutWithoutACauseInterruptsNobodyAndHoldsNobodyBack) {
    RxBench b(starting(GetParam()));
    b.up();
    b.frame();
    b.run(50_us);
    b.handle();
    b.unmask(isr::RX_PKT_0);
    b.run(10 * rx_interval);
    EXPECT_EQ(b.interrupts(), 1U) << "no interrupt without a cause";
    const Ps end = b.frame();
    b.run(5_us);
    ASSERT_EQ(b.interrupts(), 2U);
    EXPECT_LT(b.bus.raised[1].time, end + 1_us);
}

TEST_P(Ar8151EveryModeration, ADelayedInterruptIsFollowedByAnotherInterval) {
    RxBench b(starting(GetParam()));
    b.up();
    for (unsigned i = 0; i < 4; ++i) {
        b.frame();
        b.run(i == 0 ? 10_us : rx_interval + 10_us);
        EXPECT_EQ(b.interrupts(), i + 1) << "expiry arms again";
        b.handle();
        b.unmask(isr::RX_PKT_0);
    }
    for (unsigned i = 2; i < 4; ++i)
        EXPECT_GE(b.bus.raised[i].time - b.bus.raised[i - 1].time, rx_interval);
}

TEST_P(Ar8151EveryModeration, AnInterruptOfTheOtherDirectionDoesNotProlongAnInterval) {
    RxBench b(starting(GetParam()));
    b.up();
    b.post(0, Bench::ip_frame(60));
    b.kick(0);
    b.run(50_us);
    EXPECT_EQ(b.handle(), isr::TX_PKT);
    const bool from_message = GetParam() == ModerationStart::interrupt;
    const Ps start = from_message ? b.bus.raised.at(0).time : sim::now();
    b.unmask(isr::TX_PKT);
    b.post(0, Bench::ip_frame(60));
    b.kick(0);
    for (unsigned i = 0; i < 4; ++i) {  // disable, acknowledge, enable for reception
        b.frame();
        b.run(rx_interval + 20_us);
        b.handle();
        b.unmask(isr::RX_PKT_0);
    }
    b.run_until(start + tx_interval);
    EXPECT_EQ(b.rd(reg::ISR) & isr::TX_PKT, 0U);
    b.run(1);
    EXPECT_EQ(b.rd(reg::ISR) & isr::TX_PKT, isr::TX_PKT);
}

TEST_P(Ar8151EveryModeration, TransmitInterruptsComeAtTwoMillisecondsUnderLoad) {
    // tx_imt 1000, a driver that cleans and refills at once: 500 interrupts a second, each of which
    // frees the whole ring of 1023 usable descriptors.
    Bench b(starting(GetParam()));
    b.up();
    const std::uint64_t address = b.copy(Bench::ip_frame(60));
    b.post_same(0, address, 60, Bench::tpds - 1);
    b.kick(0);
    std::vector<Ps> times;
    for (unsigned handled = 0; times.size() < 20; b.run(1_us)) {
        if (b.bus.raised.size() == handled) continue;
        ++handled;
        times.push_back(b.bus.raised.back().time);
        ASSERT_EQ(b.handle(), isr::TX_PKT);
        const unsigned consumer = b.rd16(reg::TPD_PRI0_CIDX);
        const unsigned used = (b.tx[0].next + Bench::tpds - consumer) % Bench::tpds;
        b.post_same(0, address, 60, Bench::tpds - 1 - used);
        b.kick(0);
        b.unmask(isr::TX_PKT);
    }
    for (std::size_t i = 2; i < times.size(); ++i)
        EXPECT_NEAR(static_cast<double>(times[i] - times[i - 1]), static_cast<double>(tx_interval),
                    static_cast<double>(2_us));
    b.run_until(times.back() + tx_interval - 10_us);
    const double per_interval = static_cast<double>(b.counter("tx.mac.frames")) / 20;
    EXPECT_NEAR(per_interval, 1023, 60) << "the first interrupt comes at once, for one packet";
}

TEST(Ar8151Moderation, BeginsWithTheAcknowledgementUnlessToldOtherwise) {
    EXPECT_EQ(Ar8151Config{}.moderation_start, ModerationStart::acknowledge);
    EXPECT_EQ(MikrotikConfig{}.moderation_start, ModerationStart::acknowledge);
}

// ---------------------------------------------------------------- from the message

TEST(Ar8151ModerationFromTheMessage, NeitherALateHandlerNorThePollMovesTheNextOne) {
    RxBench b(starting(ModerationStart::interrupt));
    b.up();
    b.frame();
    b.run(10_us);
    ASSERT_EQ(b.interrupts(), 1U);
    const Ps message = b.bus.raised[0].time;
    b.run(130_us);  // a core that sleeps deeply
    EXPECT_EQ(b.handle(), isr::RX_PKT_0);
    b.frame();
    b.run(70_us);
    b.unmask(isr::RX_PKT_0);
    expect_next_at(b, 1, message + rx_interval);
}

TEST(Ar8151ModerationFromTheMessage, APollLongerThanTheIntervalIsFollowedByOneAtOnceAndAnInterval) {
    RxBench b(starting(ModerationStart::interrupt));
    b.up();
    b.frame();
    b.run(10_us);
    b.handle();
    b.frame();
    b.run(2 * rx_interval);
    EXPECT_EQ(b.rd(reg::ISR), isr::RX_PKT_0) << "it shows, masked";
    EXPECT_EQ(b.interrupts(), 1U);
    b.unmask(isr::RX_PKT_0);
    const Ps second = sim::now();
    ASSERT_EQ(b.interrupts(), 2U);
    b.handle();
    b.frame();
    b.run(100_us);
    b.unmask(isr::RX_PKT_0);
    expect_next_at(b, 2, second + rx_interval);
}

TEST(Ar8151ModerationFromTheMessage, ACauseThatHadNoMessageOfItsOwnBeginsWithItsAcknowledgement) {
    RxBench b(starting(ModerationStart::interrupt));
    b.up();
    b.post(0, Bench::ip_frame(60));
    b.kick(0);
    b.run(50_us);
    ASSERT_EQ(b.interrupts(), 1U);
    b.frame();  // the line is up
    b.run(10_us);
    EXPECT_EQ(b.interrupts(), 1U);
    b.run(30_us);
    EXPECT_EQ(b.handle(), isr::TX_PKT | isr::RX_PKT_0);
    const Ps acknowledged = sim::now();
    b.frame();
    b.run(50_us);
    b.unmask(isr::RX_PKT_0);
    expect_next_at(b, 1, acknowledged + rx_interval);
}

TEST(Ar8151ModerationFromTheMessage, ACauseThatComesAgainBeforeTheHandlerDoesNotBlockLaterOnes) {
    RxBench b(starting(ModerationStart::interrupt));
    b.up();
    b.frame();
    b.run(10_us);
    b.frame();
    b.run(2 * rx_interval);  // shows once more before anybody has acknowledged the first
    EXPECT_EQ(b.interrupts(), 1U);
    EXPECT_EQ(b.handle(), isr::RX_PKT_0);
    const Ps acknowledged = sim::now();
    b.unmask(isr::RX_PKT_0);
    b.frame();
    expect_next_at(b, 1, acknowledged + rx_interval);
}

// ---------------------------------------------------------------- from the acknowledgement

TEST(Ar8151ModerationFromTheAcknowledgement, ThePollDoesNotMoveTheNextOne) {
    RxBench b(starting(ModerationStart::acknowledge));
    b.up();
    b.frame();
    b.run(50_us);
    b.handle();
    const Ps acknowledged = sim::now();
    b.frame();
    b.run(100_us);
    b.unmask(isr::RX_PKT_0);
    expect_next_at(b, 1, acknowledged + rx_interval);
}

TEST(Ar8151ModerationFromTheAcknowledgement, ThatOneCountsWhoseDisableBitIsClear) {
    RxBench b(starting(ModerationStart::acknowledge));
    b.up();
    b.frame();
    b.run(50_us);
    b.wr(reg::ISR, isr::RX_PKT_0 | isr::DIS_INT);
    b.frame();
    b.run(70_us);
    b.wr(reg::ISR, 0);
    expect_next_at(b, 1, sim::now() + rx_interval);
}

TEST(Ar8151ModerationFromTheAcknowledgement, APollLongerThanTheIntervalIsFollowedByOneAtOnce) {
    RxBench b(starting(ModerationStart::acknowledge));
    b.up();
    b.frame();
    b.run(50_us);
    b.handle();
    b.frame();
    b.run(2 * rx_interval);
    EXPECT_EQ(b.rd(reg::ISR), isr::RX_PKT_0) << "it shows, masked";
    b.unmask(isr::RX_PKT_0);
    EXPECT_EQ(b.interrupts(), 2U) << "and interrupts as soon as it is unmasked";
}

// ---------------------------------------------------------------- from the unmasking

TEST(Ar8151ModerationFromUnmasking, TheNextOneComesOneIntervalAfterIt) {
    RxBench b(starting(ModerationStart::unmask));
    b.up();
    b.frame();
    b.run(50_us);
    EXPECT_EQ(b.handle(), isr::RX_PKT_0);
    b.run(70_us);  // a poll; what comes meanwhile waits
    b.frame();
    b.run(30_us);
    const Ps unmasked = sim::now();
    b.unmask(isr::RX_PKT_0);
    b.run_until(unmasked + rx_interval);
    EXPECT_EQ(b.interrupts(), 1U) << "nothing before the timer has run out";
    EXPECT_EQ(b.rd(reg::ISR), 0U) << "nor does ISR show it";
    b.run(1);
    ASSERT_EQ(b.interrupts(), 2U);
    EXPECT_EQ(b.bus.raised[1].time, unmasked + rx_interval);
}

TEST(Ar8151ModerationFromUnmasking, NeitherTheHandlerNorTheFirstCauseStartsTheTimer) {
    RxBench b(starting(ModerationStart::unmask));
    b.up();
    b.frame();
    b.run(50_us);
    b.handle();
    b.run(2 * rx_interval);  // a long poll
    const Ps unmasked = sim::now();
    b.unmask(isr::RX_PKT_0);
    b.run(100_us);
    b.frame();
    b.run_until(unmasked + rx_interval + 1);
    ASSERT_EQ(b.interrupts(), 2U);
    EXPECT_EQ(b.bus.raised[1].time, unmasked + rx_interval);
}

}  // namespace
}  // namespace nicsim::models::ar8151
