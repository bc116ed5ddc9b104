// SPDX-License-Identifier: Apache-2.0
// Interrupts of the AR8151 and of the MikroTik card: ISR, IMR, the disable bit, the moderation
// timers with their timing gates, the retrigger timer. The faults named in the tests are ones that
// models of moderation have had.
#include <gtest/gtest.h>

#include "sim/kernel.h"
#include "tests/models/ar8151_bench.h"

namespace nicsim::models::ar8151 {
namespace {

using sim::Ps;

/// Interrupts by what comes in: one good frame, returned to the host `returned` after its end.
struct RxBench : Bench {
    explicit RxBench(const Ar8151Config& config = {}) : Bench(config) {}
    Ps frame() { return send(ip_frame(60)); }
    [[nodiscard]] std::size_t interrupts() const { return bus.raised.size(); }
};

constexpr Ps rx_interval = 400_us;  ///< rx_imt 200
constexpr Ps tx_interval = 2_ms;    ///< tx_imt 1000

TEST(Ar8151Interrupts, TheFirstFrameInterruptsAtOnce) {
    RxBench b;
    b.up();
    b.run(10_us);
    const Ps end = b.frame();
    b.run(500_us);
    ASSERT_EQ(b.interrupts(), 1U);
    EXPECT_LT(b.bus.raised[0].time, end + 1_us) << "not after a whole interval";
    EXPECT_EQ(b.bus.raised[0].vector, 0U);
    EXPECT_EQ(b.rd(reg::ISR), isr::RX_PKT_0);
}

TEST(Ar8151Interrupts, TheNextOneComesOneIntervalAfterTheDriverHasUnmasked) {
    RxBench b;
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

TEST(Ar8151Interrupts, NeitherTheHandlerNorTheFirstCauseStartsTheTimer) {
    RxBench b;
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

TEST(Ar8151Interrupts, ATimerThatRanOutWithoutACauseInterruptsNobodyAndHoldsNobodyBack) {
    RxBench b;
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

TEST(Ar8151Interrupts, ADelayedInterruptIsFollowedByAnotherInterval) {
    RxBench b;
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

TEST(Ar8151Interrupts, AnInterruptOfTheOtherDirectionDoesNotProlongAnInterval) {
    RxBench b;
    b.up();
    b.post(0, Bench::ip_frame(60));
    b.kick(0);
    b.run(50_us);
    EXPECT_EQ(b.handle(), isr::TX_PKT);
    const Ps unmasked = sim::now();
    b.unmask(isr::TX_PKT);
    b.post(0, Bench::ip_frame(60));
    b.kick(0);
    for (unsigned i = 0; i < 4; ++i) {  // disable, acknowledge, enable for reception
        b.frame();
        b.run(rx_interval + 20_us);
        b.handle();
        b.unmask(isr::RX_PKT_0);
    }
    b.run_until(unmasked + tx_interval);
    EXPECT_EQ(b.rd(reg::ISR) & isr::TX_PKT, 0U);
    b.run(1);
    EXPECT_EQ(b.rd(reg::ISR) & isr::TX_PKT, isr::TX_PKT);
}

TEST(Ar8151Interrupts, FieldsOfTheTimerRegisterAreTakenInTheirPlacesInUnitsOfTwoMicroseconds) {
    RxBench b;
    b.up(1000, 200);
    EXPECT_EQ(b.rd(reg::IRQ_MODRT_TIMER_INIT), 0x00C8'03E8U);
    sim::StatGroup stats("nic");
    b.nic.register_stats(stats);
    const auto interval = [&stats](const char* path) {
        return std::get<sim::FormulaStat>(stats.find(path)->value).value();
    };
    EXPECT_EQ(interval("interrupts.tx0.interval"), static_cast<double>(2_ms));
    EXPECT_EQ(interval("interrupts.rx0.interval"), static_cast<double>(400_us));
}

TEST(Ar8151Interrupts, WithoutTheEnableBitsNothingIsHeldBack) {
    RxBench b;
    b.up();
    b.wr(reg::MASTER_CTRL, Bench::atl1c_master & ~master::RX_ITIMER_EN);
    for (unsigned i = 0; i < 3; ++i) {
        b.frame();
        b.run(5_us);
        EXPECT_EQ(b.interrupts(), i + 1);
        EXPECT_EQ(b.handle(), isr::RX_PKT_0);
        b.unmask(isr::RX_PKT_0);
    }
}

TEST(Ar8151Interrupts, TurningModerationOffLetsAWaitingCauseGo) {
    RxBench b;
    b.up();
    b.frame();
    b.run(5_us);
    b.handle();
    b.unmask(isr::RX_PKT_0);
    b.frame();
    b.run(20_us);
    EXPECT_EQ(b.interrupts(), 1U);
    b.wr(reg::MASTER_CTRL, Bench::atl1c_master & ~master::RX_ITIMER_EN);
    EXPECT_EQ(b.interrupts(), 2U);
}

TEST(Ar8151Interrupts, AMaskedCauseStaysAndFiresWhenItIsEnabled) {
    RxBench b;
    b.up();
    b.mask(isr::RX_PKT_0);
    b.frame();
    b.run(100_us);
    EXPECT_EQ(b.interrupts(), 0U);
    EXPECT_EQ(b.rd(reg::ISR), isr::RX_PKT_0);
    EXPECT_EQ(b.rd(reg::ISR), isr::RX_PKT_0) << "a read clears nothing";
    b.unmask(isr::RX_PKT_0);
    EXPECT_EQ(b.interrupts(), 1U);
}

TEST(Ar8151Interrupts, TheDisableBitHoldsEverythingBackUntilItIsWrittenZero) {
    RxBench b;
    b.up();
    b.wr(reg::ISR, isr::DIS_INT);
    b.frame();
    b.run(100_us);
    EXPECT_EQ(b.interrupts(), 0U);
    EXPECT_EQ(b.rd(reg::ISR), isr::RX_PKT_0 | isr::DIS_INT);
    b.wr(reg::ISR, 0);
    EXPECT_EQ(b.interrupts(), 1U) << "writing 0 clears no cause";
    EXPECT_EQ(b.rd(reg::ISR), isr::RX_PKT_0);
}

TEST(Ar8151Interrupts, CausesThatComeWhileTheLineIsUpMakeNoSecondMessage) {
    RxBench b;
    b.up();
    b.frame();
    b.post(0, Bench::ip_frame(60));
    b.kick(0);
    b.run(50_us);
    EXPECT_EQ(b.interrupts(), 1U);
    EXPECT_EQ(b.rd(reg::ISR), isr::RX_PKT_0 | isr::TX_PKT);
    b.wr(reg::ISR, isr::RX_PKT_0);
    EXPECT_EQ(b.interrupts(), 1U) << "the line stayed up";
    EXPECT_EQ(b.rd(reg::ISR), isr::TX_PKT) << "ones clear their bits only";
}

TEST(Ar8151Interrupts, AnUnheardMessageIsSentAgainWhenTheRetriggerTimerHasRun) {
    RxBench b;
    b.up();
    b.wr(reg::INT_RETRIG_TIMER, 500);
    b.frame();
    b.run(10_us);
    ASSERT_EQ(b.interrupts(), 1U);
    const Ps first = b.bus.raised[0].time;
    b.run_until(first + 1_ms);
    EXPECT_EQ(b.interrupts(), 1U);
    b.run(1);
    EXPECT_EQ(b.interrupts(), 2U);
    b.handle();
    b.unmask(isr::RX_PKT_0);
    b.run(5_ms);
    EXPECT_EQ(b.interrupts(), 2U) << "a message that was heard is not sent again";
}

TEST(Ar8151Interrupts, ReadsClearWithTheBitOfMasterControl) {
    RxBench b;
    b.up();
    b.wr(reg::MASTER_CTRL, Bench::atl1c_master | master::INT_RDCLR);
    b.frame();
    b.run(10_us);
    EXPECT_EQ(b.rd(reg::ISR), isr::RX_PKT_0);
    EXPECT_EQ(b.rd(reg::ISR), 0U);
}

TEST(Ar8151Interrupts, ASoftResetForgetsCausesAndTimers) {
    RxBench b;
    b.up();
    b.frame();
    b.run(10_us);
    b.handle();
    b.frame();
    b.run(10_us);
    b.wr(reg::MASTER_CTRL, Bench::atl1c_master | master::SOFT_RST);
    b.up();
    b.run(2 * rx_interval);
    EXPECT_EQ(b.interrupts(), 1U);
    const Ps end = b.frame();
    b.run(10_us);
    ASSERT_EQ(b.interrupts(), 2U);
    EXPECT_LT(b.bus.raised[1].time, end + 1_us);
}

TEST(Ar8151Interrupts, TransmitInterruptsComeAtTwoMillisecondsUnderLoad) {
    // tx_imt 1000, a driver that cleans and refills at once: 500 interrupts a second, each of which
    // frees the whole ring of 1023 usable descriptors.
    Bench b;
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

TEST(Ar8151Interrupts, AnIdleDeviceDoesNotWakeTheKernel) {
    RxBench b;
    b.up();
    b.frame();
    b.run(50_us);
    b.handle();
    b.unmask(isr::RX_PKT_0);
    b.run(1_us);
    const std::uint64_t before = sim::kernel_cost.wakeups;
    b.run(100_ms);
    EXPECT_EQ(sim::kernel_cost.wakeups, before);
}

TEST(Ar8151Interrupts, TheIntervalMayBeginWithTheAcknowledgement) {
    Ar8151Config config;
    config.moderation_start = ModerationStart::acknowledge;
    RxBench b(config);
    b.up();
    b.frame();
    b.run(50_us);
    b.handle();
    const Ps acknowledged = sim::now();
    b.run(100_us);
    b.frame();
    b.unmask(isr::RX_PKT_0);
    b.run_until(acknowledged + rx_interval);
    EXPECT_EQ(b.interrupts(), 1U);
    b.run(1);
    ASSERT_EQ(b.interrupts(), 2U);
    EXPECT_EQ(b.bus.raised[1].time, acknowledged + rx_interval);
    b.handle();
    b.frame();
    b.run(2 * rx_interval);  // a long poll
    EXPECT_EQ(b.rd(reg::ISR), isr::RX_PKT_0) << "it shows, masked";
    b.unmask(isr::RX_PKT_0);
    EXPECT_EQ(b.interrupts(), 3U) << "and interrupts as soon as it is unmasked";
}

TEST(MikrotikInterrupts, TheCardModeratesByItselfWhateverTheHostSets) {
    MikrotikConfig config;
    config.own_rx_interval = 30_us;
    RxBench b(config);
    b.up(1000, 200);
    b.wr(reg::MASTER_CTRL, 0);
    b.frame();
    b.run(10_us);
    b.handle();
    const Ps unmasked = sim::now();
    b.unmask(isr::RX_PKT_0);
    b.frame();
    b.run_until(unmasked + 30_us);
    EXPECT_EQ(b.interrupts(), 1U);
    b.run(1);
    EXPECT_EQ(b.interrupts(), 2U);
}

TEST(MikrotikInterrupts, EachQueueHasItsOwnCause) {
    MikrotikConfig config;
    config.queues = 4;
    Bench b(config);
    b.up();
    for (unsigned q = 0; q < 4; ++q) {
        b.post(q, Bench::ip_frame(60));
        b.kick(q);
        b.run(20_us);
        EXPECT_EQ(b.handle(), isr::tx[q]) << q;
    }
}

}  // namespace
}  // namespace nicsim::models::ar8151
