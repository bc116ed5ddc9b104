// SPDX-License-Identifier: Apache-2.0
// EITR, auto-clear and auto-mask of the 82599, in the sequences that ixgbe uses.
#include <gtest/gtest.h>

#include "sim/kernel.h"
#include "tests/models/i82599_bench.h"

namespace nicsim::models::i82599 {
namespace {

using Raised = DeviceBus::Raised;

constexpr sim::Ps gap = 61 * 2'048_ns;  // field 61

TEST(I82599Interrupts, TheFirstCauseInterruptsAtOnce) {
    Bench b;
    b.enable_msix();
    b.run(10_us);
    b.cause(0);
    ASSERT_EQ(b.bus.raised.size(), 1U);
    EXPECT_EQ(b.bus.raised[0], (Raised{10_us, 0}));
}

TEST(I82599Interrupts, TheSecondComesOneIntervalAfterTheFirstAndNotBefore) {
    Bench b;
    b.enable_msix();
    b.cause(0);
    b.unmask(0);
    b.run(1_us);
    b.cause(0);
    b.run_until(gap);
    EXPECT_EQ(b.bus.raised.size(), 1U);
    b.run(1_ps);
    ASSERT_EQ(b.bus.raised.size(), 2U);
    EXPECT_EQ(b.bus.raised[1].time, gap);
}

TEST(I82599Interrupts, IntervalIsBits11To3InUnitsOf2048Nanoseconds) {
    Bench b;
    b.enable_msix(0xC8);  // ixgbe's 200: field 25
    EXPECT_EQ(b.rd(reg::EITR_LOW), 0xC8U);
    b.cause(0);
    b.unmask(0);
    b.cause(0);
    b.run(51'200_ns);
    EXPECT_EQ(b.bus.raised.size(), 1U);
    b.run(1_ps);
    EXPECT_EQ(b.bus.raised.size(), 2U);
}

TEST(I82599Interrupts, NoCauseNoInterruptAndNoWakeUp) {
    Bench b;
    b.enable_msix();
    b.cause(0);
    b.unmask(0);
    const std::uint64_t before = sim::kernel_cost.wakeups;
    b.run(1_ms);
    EXPECT_EQ(b.bus.raised.size(), 1U);
    EXPECT_EQ(sim::kernel_cost.wakeups, before);
    b.cause(0);  // long after the counter stopped at zero
    EXPECT_EQ(b.bus.raised.size(), 2U);
}

TEST(I82599Interrupts, AMaskedCauseIsReportedWhenItIsUnmaskedAfterTheGap) {
    Bench b;
    b.enable_msix();
    b.cause(0);  // EIAM masks vector 0
    b.cause(0);
    b.run(gap + 50_us);
    EXPECT_EQ(b.bus.raised.size(), 1U);
    b.unmask(0);
    ASSERT_EQ(b.bus.raised.size(), 2U);
    EXPECT_EQ(b.bus.raised[1].time, gap + 50_us);
}

TEST(I82599Interrupts, ThePollThatCleansInTimeLeavesTheGapToTheNextCause) {
    Bench b;
    b.enable_msix();
    b.cause(0);
    b.run(20_us);
    b.unmask(0);  // nothing new: nothing happens
    b.run_until(gap + 7_us);
    EXPECT_EQ(b.bus.raised.size(), 1U);
    b.cause(0);
    b.unmask(0);
    b.cause(0);
    b.run_until(2 * gap + 7_us);  // the second gap counts from the second interrupt
    EXPECT_EQ(b.bus.raised.size(), 2U);
    b.run(1_ps);
    EXPECT_EQ(b.bus.raised.size(), 3U);
}

TEST(I82599Interrupts, ADelayedCauseStaysInEicrUntilItsMessageIsIssued) {
    Bench b;
    b.enable_msix();
    b.cause(0);
    EXPECT_EQ(b.rd(reg::EICS) & 1U, 0U);  // auto-cleared with the message
    b.unmask(0);
    b.cause(0);
    b.run(gap);
    EXPECT_EQ(b.rd(reg::EICS) & 1U, 1U);
    EXPECT_EQ(b.rd(reg::EIMS_EX) & 1U, 1U);
    b.run(1_ps);
    EXPECT_EQ(b.rd(reg::EICS) & 1U, 0U);
    EXPECT_EQ(b.rd(reg::EIMS_EX) & 1U, 0U);
}

TEST(I82599Interrupts, WithCntWdisAWriteChangesTheNextIntervalOnly) {
    Bench b;
    b.enable_msix();
    b.cause(0);
    b.unmask(0);
    b.cause(0);
    b.run(10_us);
    b.wr(reg::EITR_LOW, 8 | eitr::CNT_WDIS);
    b.run_until(gap);
    EXPECT_EQ(b.bus.raised.size(), 1U);
    b.run(1_ps);
    ASSERT_EQ(b.bus.raised.size(), 2U);
    b.unmask(0);
    b.cause(0);
    b.run(2'048_ns);
    ASSERT_EQ(b.bus.raised.size(), 3U);
    EXPECT_EQ(b.bus.raised[2].time, gap + 2'048_ns);
}

TEST(I82599Interrupts, WithoutCntWdisTheCounterIsWrittenToo) {
    Bench b;
    b.enable_msix();
    b.cause(0);
    b.unmask(0);
    b.cause(0);
    b.run(10_us);
    b.wr(reg::EITR_LOW, Bench::eitr_124us);  // counter 0: the waiting cause goes out
    ASSERT_EQ(b.bus.raised.size(), 2U);
    EXPECT_EQ(b.bus.raised[1].time, 10_us);
}

TEST(I82599Interrupts, AnIntervalOfZeroDoesNotThrottle) {
    Bench b;
    b.enable_msix(0);
    for (unsigned i = 0; i < 5; ++i) {
        b.cause(0);
        b.unmask(0);
    }
    EXPECT_EQ(b.bus.raised.size(), 5U);
}

TEST(I82599Interrupts, VectorsAbove24HaveTheirEitrElsewhere) {
    Bench b;
    b.enable_msix();
    b.wr(reg::EIMS_EX + 4, 0xFFFF'FFFF);
    b.wr(reg::EITR_HIGH + 4 * (40 - 24), 16 | eitr::CNT_WDIS);
    b.cause(40);
    b.unmask(40);
    b.cause(40);
    b.run(2 * 2'048_ns);
    EXPECT_EQ(b.bus.raised, (std::vector<Raised>{{0, 40}}));
    b.run(1_ps);
    EXPECT_EQ(b.bus.raised, (std::vector<Raised>{{0, 40}, {2 * 2'048_ns, 40}}));
}

TEST(I82599Interrupts, LinkChangesGoToTheOtherVectorAndStayUntilWrittenBack) {
    Bench b;
    b.enable_msix();
    b.nic.ethernet_in->link_changed(false);
    ASSERT_EQ(b.bus.raised, (std::vector<Raised>{{0, 1}}));
    EXPECT_EQ(b.rd(reg::LINKS) & links::UP, 0U);
    EXPECT_EQ(b.rd(reg::EICS), eicr::LSC);  // ixgbe reads EICS and writes EICR
    b.wr(reg::EICR, eicr::LSC);
    EXPECT_EQ(b.rd(reg::EICS), 0U);
    b.run(1_ms);
    b.nic.ethernet_in->link_changed(true);
    EXPECT_EQ(b.bus.raised.size(), 2U);
}

TEST(I82599Interrupts, OcdKeepsQueueCausesOverAReadOfEicr) {
    Bench b;
    b.enable_msix();
    b.cause(0);
    b.cause(0);  // masked now
    b.nic.ethernet_in->link_changed(false);
    EXPECT_EQ(b.rd(reg::EICR), eicr::LSC | 1U);
    EXPECT_EQ(b.rd(reg::EICR), 1U);
}

TEST(I82599Interrupts, WithoutMsixOneInterruptReportsAll) {
    Bench b;
    b.wr(reg::GPIE, gpie::EIAME);
    b.wr(reg::EIAM, eicr::queues);
    b.wr(reg::IVAR, 0x0000'8180);
    b.wr(reg::EITR_LOW, Bench::eitr_124us | eitr::CNT_WDIS);
    b.wr(reg::EIMS, eicr::queues | eicr::LSC);
    b.wr(reg::EICS, 2);
    ASSERT_EQ(b.bus.raised, (std::vector<Raised>{{0, 0}}));
    EXPECT_EQ(b.rd(reg::EIMS), (eicr::queues & ~2U) | eicr::LSC);
    EXPECT_EQ(b.rd(reg::EICR), 2U);
    EXPECT_EQ(b.rd(reg::EICR), 0U);
    b.wr(reg::EIMS, eicr::queues);
    b.wr(reg::EICS, 1);
    b.run(gap);
    EXPECT_EQ(b.bus.raised.size(), 1U);
    b.run(1_ps);
    EXPECT_EQ(b.bus.raised.size(), 2U);
}

}  // namespace
}  // namespace nicsim::models::i82599
