// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "i210_bench.h"

namespace nicsim::models::i210 {
namespace {

using Raised = std::vector<DeviceBus::Raised>;

TEST(I210Interrupts, AutoClearAndAutoMaskWhenTheMessageIsIssued) {
    Bench b;
    b.enable_msix();
    b.run(1_us);
    b.wr(reg::EICS, 1U << 1);
    b.clocks();
    EXPECT_EQ(b.bus.raised, (Raised{{1_us, 1}})) << "at the edge of the clock";
    EXPECT_EQ(b.rd(reg::EIMS), 0x1DU) << "its own bit was masked";
    b.wr(reg::EICS, 1U << 1);
    b.clocks();
    EXPECT_EQ(b.bus.raised.size(), 1U) << "masked";
    b.wr(reg::EIMS, 1U << 1);
    b.clocks();
    EXPECT_EQ(b.bus.raised.size(), 2U) << "the cause was remembered";
    EXPECT_EQ(b.rd(reg::EICR), 0U) << "auto-cleared";
}

TEST(I210Interrupts, AreIssuedAtTheNextEdgeOfTheClock) {
    Bench b;
    b.enable_msix();
    b.run(1_us + 1);
    b.wr(reg::EICS, 1U << 1);
    b.run(8_ns - 1);
    EXPECT_TRUE(b.bus.raised.empty()) << "not a picosecond before it";
    b.run(1);
    EXPECT_EQ(b.bus.raised, (Raised{{1_us + 8_ns, 1}}));
}

TEST(I210Interrupts, KeepTheCauseWhileTheThrottleHoldsItBack) {
    Bench b;
    b.enable_msix(eitr::CNT_IGNR | 100U << eitr::interval_shift);
    b.run(1_us);
    b.wr(reg::EICS, 1U << 2);
    b.clocks();
    b.wr(reg::EIMS, 1U << 2);
    b.run(10_us - Bench::two_clocks);
    b.wr(reg::EICS, 1U << 2);
    b.run(80_us);
    EXPECT_EQ(b.bus.raised.size(), 1U);
    EXPECT_EQ(b.nic.register_file().peek(reg::EIMS) & 4U, 4U) << "masked only when issued";
    b.run(10_us);
    EXPECT_EQ(b.bus.raised.size(), 1U);
    b.run(1);
    EXPECT_EQ(b.bus.raised, (Raised{{1_us, 2}, {101_us, 2}}))
        << "the interval is in microseconds at bit 2";
}

TEST(I210Interrupts, ThrottleEachVectorByItself) {
    Bench b;
    b.enable_msix();
    b.wr(reg::EITR + 4, eitr::CNT_IGNR | 50U << eitr::interval_shift);
    b.run(1_us);
    for (int i = 0; i < 2; ++i) {
        b.wr(reg::EICS, 0x02);
        b.wr(reg::EICS, 0x04);
        b.clocks();
        b.wr(reg::EIMS, 0x06);
    }
    b.run(60_us);
    ASSERT_EQ(b.bus.raised.size(), 4U);
    EXPECT_EQ(b.raised_by(1), (std::vector<sim::Ps>{1_us, 51_us}));
    EXPECT_EQ(b.raised_by(2), (std::vector<sim::Ps>{1_us, 1_us + Bench::two_clocks}));
}

TEST(I210Interrupts, ForceAWaitingInterruptByWritingTheCounterZero) {
    Bench b;
    b.enable_msix(eitr::CNT_IGNR | 100U << eitr::interval_shift);
    b.run(1_us);
    b.wr(reg::EICS, 2);
    b.clocks();
    b.wr(reg::EIMS, 2);
    b.wr(reg::EICS, 2);
    b.run(30_us - Bench::two_clocks);
    b.wr(reg::EITR + 4, eitr::CNT_IGNR | 200U << eitr::interval_shift);
    EXPECT_EQ(b.bus.raised.size(), 1U) << "CNT_IGNR leaves the counter alone";
    b.wr(reg::EITR + 4, 200U << eitr::interval_shift);
    b.clocks();
    EXPECT_EQ(b.bus.raised, (Raised{{1_us, 1}, {31_us, 1}}));
}

TEST(I210Interrupts, ShowTheCounterInEitr) {
    Bench b;
    b.enable_msix(eitr::CNT_IGNR | 800U << eitr::interval_shift);
    b.wr(reg::EICS, 2);
    b.run(400_us);
    const std::uint32_t value = b.rd(reg::EITR + 4);
    EXPECT_EQ(value & eitr::interval_mask, 800U << 2);
    EXPECT_EQ((value & eitr::counter_mask) >> eitr::counter_shift, 400U / 8);
}

TEST(I210Interrupts, DropAWaitingRequestThatSoftwareMasks) {
    Bench b;
    b.enable_msix(eitr::CNT_IGNR | 50U << eitr::interval_shift);
    b.wr(reg::EICS, 2);
    b.clocks();
    b.wr(reg::EIMS, 2);
    b.wr(reg::EICS, 2);
    b.wr(reg::EIMC, 2);
    b.run(100_us);
    EXPECT_EQ(b.bus.raised.size(), 1U);
    EXPECT_EQ(b.rd(reg::EICR), 0x2U) << "the cause is still there";
}

TEST(I210Interrupts, WithoutAutoMaskKeepTheMask) {
    Bench b;
    b.enable_msix();
    b.wr(reg::EIAM, 0);
    b.run(1_us);
    for (int i = 0; i < 2; ++i) {
        b.wr(reg::EICS, 2);
        b.clocks();
    }
    EXPECT_EQ(b.bus.raised.size(), 2U);
    EXPECT_EQ(b.rd(reg::EIMS), 0x1FU);
}

TEST(I210Interrupts, RouteNothingWithoutAValidIvar) {
    Bench b;
    b.enable_msix();
    b.wr(reg::IVAR_MISC, 0);
    b.wr(reg::IMS, icr::LSC);
    b.wr(reg::ICS, icr::LSC);
    b.run(1_us);
    EXPECT_TRUE(b.bus.raised.empty());
    EXPECT_EQ(b.rd(reg::ICR_LEGACY) & icr::LSC, icr::LSC);
}

TEST(I210Interrupts, OfTheSingleKindReportIcrUnderImsAndClearItByTheRead) {
    Bench b;
    b.wr(reg::GPIE, gpie::NSICR);
    b.wr(reg::ICS, icr::LSC);
    EXPECT_TRUE(b.bus.raised.empty());
    b.run(1_us);
    b.wr(reg::IMS, icr::LSC | icr::RXT0);
    b.clocks();
    EXPECT_EQ(b.bus.raised, (Raised{{1_us, 0}}));
    EXPECT_EQ(b.rd(reg::ICR), icr::LSC | icr::INT_ASSERTED);
    EXPECT_EQ(b.rd(reg::ICR), 0U);
    b.wr(reg::IMC, icr::LSC);
    b.wr(reg::ICS, icr::LSC);
    b.clocks();
    EXPECT_EQ(b.bus.raised.size(), 1U);
    EXPECT_EQ(b.rd(reg::IMS), icr::RXT0);
}

TEST(I210Interrupts, OfTheSingleKindMaskThemselvesByTheReadIfAsked) {
    Bench b;
    b.wr(reg::CTRL_EXT, ctrl_ext::IAME);
    b.wr(reg::IAM, 0xFFFF'FFFF);
    b.wr(reg::IMS, icr::LSC);
    b.wr(reg::ICS, icr::LSC);
    EXPECT_EQ(b.rd(reg::IMS), icr::LSC);
    (void)b.rd(reg::ICR);
    EXPECT_EQ(b.rd(reg::IMS), 0U);
}

TEST(I210Interrupts, OfTheSingleKindAreThrottledByEitrZero) {
    Bench b;
    b.wr(reg::GPIE, gpie::NSICR);
    b.wr(reg::EITR, eitr::CNT_IGNR | 20U << eitr::interval_shift);
    b.run(1_us);
    b.wr(reg::IMS, icr::LSC);
    b.wr(reg::ICS, icr::LSC);
    b.clocks();
    (void)b.rd(reg::ICR);
    b.wr(reg::ICS, icr::LSC);
    b.run(50_us);
    EXPECT_EQ(b.bus.raised, (Raised{{1_us, 0}, {21_us, 0}}));
}

}  // namespace
}  // namespace nicsim::models::i210
