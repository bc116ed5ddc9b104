// SPDX-License-Identifier: Apache-2.0
// Interrupts of the AR8151 and of the MikroTik card: ISR, IMR, the disable bit, what turns the
// moderation timers on and off, the retrigger timer. When an interval begins and ends is tested in
// ar8151_moderation.cpp.
#include <gtest/gtest.h>

#include "sim/kernel.h"
#include "tests/models/ar8151_bench.h"

namespace nicsim::models::ar8151 {
namespace {

using sim::Ps;

constexpr Ps rx_interval = 400_us;  ///< rx_imt 200

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

TEST(Ar8151Interrupts, TheRetriggerTimerRunsFromTheLastMessageAlsoIfItWasShortened) {
    RxBench b;
    b.up();
    b.wr(reg::INT_RETRIG_TIMER, 500);
    b.frame();
    b.run(10_us);
    b.handle();
    b.unmask(isr::RX_PKT_0);
    b.run(600_us);
    b.frame();
    b.run(10_us);
    ASSERT_EQ(b.interrupts(), 2U);
    const Ps second = b.bus.raised[1].time;
    b.run_until(second + 1_ms);
    EXPECT_EQ(b.interrupts(), 2U);
    b.run(1);
    ASSERT_EQ(b.interrupts(), 3U);
    b.handle();
    b.unmask(isr::RX_PKT_0);
    b.wr(reg::INT_RETRIG_TIMER, 50);
    b.run(600_us);
    b.frame();
    b.run(10_us);
    ASSERT_EQ(b.interrupts(), 4U);
    const Ps fourth = b.bus.raised[3].time;
    b.run_until(fourth + 100_us);
    EXPECT_EQ(b.interrupts(), 4U);
    b.run(1);
    EXPECT_EQ(b.interrupts(), 5U);
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

TEST(MikrotikInterrupts, TheCardModeratesByItselfWhateverTheHostSets) {
    MikrotikConfig config;
    config.own_rx_interval = 30_us;
    RxBench b(config);
    b.up(1000, 200);
    b.wr(reg::MASTER_CTRL, 0);
    b.frame();
    b.run(10_us);
    const sim::Ps acknowledged = sim::now();
    b.handle();
    b.unmask(isr::RX_PKT_0);
    b.frame();
    b.run_until(acknowledged + 30_us);
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
