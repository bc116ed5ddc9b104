// SPDX-License-Identifier: Apache-2.0
// What igb looks after every two seconds.
#include <gtest/gtest.h>

#include <algorithm>

#include "host_driver/drivers/igb.h"
#include "tests/host_driver/igb_bench.h"

namespace nicsim::host {
namespace {

using namespace igb;
using namespace testing;
using namespace sim::literals;

/// A driver that is up; it is 1 ms past 2 s.
struct WatchdogBench : IgbBench {
    explicit WatchdogBench(const IgbConfig& config = {}) : IgbBench(config) {
        EXPECT_EQ(start(), "");
    }
    void run_to(sim::Ps t) { run(t - sim::now()); }
    void send() {
        on_core([this](Core& c) { (void)driver.start_xmit(c, packet(1514), 0, false); });
    }
    /// The queue's interrupt, when the watchdog has run a second time.
    void clean_after_the_second_look() {
        run_to(4'001_ms);
        device.interrupt(1);
        run(1_ms);
    }
    [[nodiscard]] std::size_t looks() const { return device.written_to(EICS).size(); }
    [[nodiscard]] std::size_t resets() const {
        const auto written = device.written_to(CTRL);
        return static_cast<std::size_t>(std::count_if(written.begin(), written.end(),
                                                      [](auto v) { return (v & CTRL_RST) != 0; }));
    }
    [[nodiscard]] bool stopped() { return driver.device().queue(0).stopped_by_driver; }
};

TEST(IgbWatchdog, InterruptsAllQueuesWhenUpAndThenOnWholeSecondsTwoApart) {
    WatchdogBench b;
    EXPECT_EQ(b.looks(), 2U) << "when it came up, and at 2 s";
    b.run_to(3'999_ms);
    EXPECT_EQ(b.looks(), 2U);
    b.run_to(4'001_ms);
    EXPECT_EQ(b.looks(), 3U);
    EXPECT_EQ(b.device.written_to(EICS).back(), 0x1eU) << "vector 0 is not a queue's";
    EXPECT_EQ(b.device.written_to(RX_RING(3) + RQDPC).size(), 3U) << "read and cleared";
}

TEST(IgbWatchdog, RoundsToTheSecondBeforeOnlyInItsFirstQuarter) {
    EXPECT_EQ(LinkTask::rounded(2'249_ms), 2_s);
    EXPECT_EQ(LinkTask::rounded(2'250_ms), 3_s);
    EXPECT_EQ(LinkTask::rounded(3_s), 3_s);
}

TEST(IgbWatchdog, RestsWhileTheInterfaceIsDownAndGoesOnWhenItIsUpAgain) {
    WatchdogBench b;
    const std::size_t buffers = b.driver.rx_ring(0).buffers.size();
    const std::uint64_t descriptors = b.driver.tx_ring(0).descriptors;
    b.on_core([&](Core& c) { b.driver.close(c); });
    const std::size_t before = b.looks();
    b.run_to(6'500_ms);
    EXPECT_EQ(b.looks(), before);
    b.on_core([&](Core& c) { b.driver.open(c); });
    b.run_to(7'500_ms);
    EXPECT_EQ(b.looks(), before + 1);
    b.run_to(9'500_ms);
    EXPECT_EQ(b.looks(), before + 2) << "up at 6.6 s, two seconds later is 8.6, rounded 9";
    EXPECT_EQ(b.driver.rx_ring(0).buffers.size(), buffers);
    EXPECT_EQ(b.driver.tx_ring(0).descriptors, descriptors) << "the rings are kept";
    b.send();
    (void)b.device.complete_tx(0);
    b.device.interrupt(1);
    b.run(1_ms);
    EXPECT_EQ(b.driver.tx_ring(0).used(), 0U);
}

TEST(IgbWatchdog, CanBeTurnedOff) {
    IgbConfig config;
    config.watchdog = false;
    WatchdogBench b(config);
    b.run_to(5_s);
    EXPECT_EQ(b.looks(), 0U);
    EXPECT_TRUE(b.driver.device().carrier());
}

TEST(IgbWatchdog, StopsAQueueWhosePacketIsOverdueAndResetsTheDeviceFiveSecondsLater) {
    WatchdogBench b;
    b.send();
    const std::size_t before = b.resets();
    b.device.interrupt(1);
    b.run(1_ms);
    EXPECT_FALSE(b.stopped()) << "only looked for after the watchdog ran";
    b.clean_after_the_second_look();
    EXPECT_TRUE(b.stopped());
    b.run_to(7'999_ms);
    EXPECT_EQ(b.resets(), before) << "at 6 s the last packet is less than 5 s old";
    b.run_to(8'500_ms);
    EXPECT_EQ(b.resets(), before + 1);
    EXPECT_FALSE(b.stopped());
    EXPECT_TRUE(b.driver.device().carrier());
    EXPECT_EQ(b.driver.tx_ring(0).used(), 0U) << "what was posted is lost";
}

TEST(IgbWatchdog, APacketOfLessThanASecondIsNotOverdue) {
    WatchdogBench b;
    b.run_to(3'500_ms);
    b.send();
    b.clean_after_the_second_look();
    EXPECT_FALSE(b.stopped());
}

TEST(IgbWatchdog, AQueueThatThePartnerPausesDoesNotHang) {
    WatchdogBench b;
    b.device.paused = true;
    b.send();
    b.clean_after_the_second_look();
    EXPECT_FALSE(b.stopped());
}

TEST(IgbWatchdog, ALostLinkWithPacketsInTheRingMeansAResetAndTheLinkMayComeBack) {
    WatchdogBench b;
    b.send();
    const std::size_t before = b.resets();
    b.device.change_link(false);
    b.run_to(3_s);
    EXPECT_FALSE(b.driver.device().carrier());
    EXPECT_EQ(b.resets(), before + 1);
    EXPECT_EQ(b.driver.tx_ring(0).used(), 0U);
    b.device.change_link(true);
    b.run(1_ms);
    EXPECT_TRUE(b.driver.device().carrier());
    EXPECT_EQ(b.resets(), before + 1);
}

}  // namespace
}  // namespace nicsim::host
