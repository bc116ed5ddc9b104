// SPDX-License-Identifier: Apache-2.0
// The offloads of etf and cbs: registers as an unmodified igb of Linux 6.1 was seen to write them.
#include <gtest/gtest.h>

#include "host_driver/drivers/igb.h"
#include "tests/host_driver/igb_bench.h"

namespace nicsim::host {
namespace {

using namespace igb;
using namespace testing;
using namespace sim::literals;
using Values = std::vector<std::uint32_t>;

TEST(Igb, QavModeResetsTheDeviceAndProgramsTheSplit) {
    IgbBench b;
    ASSERT_EQ(b.start(), "");
    b.device.writes.clear();
    b.on_core([&](Core& c) { EXPECT_EQ(b.driver.setup_etf(c, 0, true), ""); }, 1_s);
    EXPECT_TRUE(b.driver.qav());
    EXPECT_EQ(b.device.written_to(TQAVCTRL), (Values{0x401, 0x501, 0xffff0701, 0xffff0601}));
    EXPECT_EQ(b.device.written_to(TXPBSIZE).back(), 0x04186186U);
    EXPECT_EQ(b.device.reg(RXPBSIZE), 0x9eU);
    EXPECT_EQ(b.device.reg(DTXMXPKTSZ), 0x3fU);
    EXPECT_EQ(b.device.reg(TQAVCC(0)), 0x8000ee6aU);
    EXPECT_EQ(b.device.reg(TQAVHC(0)), 0x82c0ff72U);
    EXPECT_EQ(b.device.reg(TQAVCC(1)), 0U);
    EXPECT_EQ(b.device.reg(TQAVHC(1)), 0U);
    EXPECT_EQ(b.device.written_to(I210_TXDCTL(0)), Values{TXDCTL_PRIORITY});
    EXPECT_TRUE(b.driver.device().carrier()) << "up again";
}

TEST(Igb, AResetInterruptsAllQueuesAsComingUpDoes) {
    IgbBench b;
    ASSERT_EQ(b.start(), "");
    const std::size_t before = b.device.written_to(EICS).size();
    b.on_core([&](Core& c) { EXPECT_EQ(b.driver.setup_etf(c, 0, true), ""); }, 200_ms);
    EXPECT_EQ(b.device.written_to(EICS).size(), before + 1);
}

TEST(Igb, QavSplitBeforeThePatchIsASetting) {
    IgbConfig config;
    config.tx_packet_buffer = {8192, 8192, 4096, 4096};
    IgbBench b(config);
    ASSERT_EQ(b.start(), "");
    b.on_core([&](Core& c) { (void)b.driver.setup_etf(c, 0, true); }, 1_s);
    EXPECT_EQ(b.device.reg(TXPBSIZE), 0x04104208U);
}

TEST(Igb, ShaperOfQueue1IsProgrammedWithoutAResetInQavMode) {
    IgbBench b;
    ASSERT_EQ(b.start(), "");
    b.on_core([&](Core& c) { (void)b.driver.setup_etf(c, 0, true); }, 1_s);
    b.device.writes.clear();
    const CbsSettings settings{98688, -901312, 153, -1389};
    b.on_core([&](Core& c) { EXPECT_EQ(b.driver.setup_cbs(c, 1, &settings), ""); }, 1_ms);
    EXPECT_EQ(b.device.reg(TQAVCC(1)), 0x80001788U);
    EXPECT_EQ(b.device.reg(TQAVHC(1)), 0x80473eadU);
    EXPECT_EQ(b.device.reg(TQAVCTRL), 0xffff0701U);
    EXPECT_TRUE(b.device.written_to(CTRL).empty()) << "no reset";
}

TEST(Igb, LeavesQavModeWithTheLastOffload) {
    IgbBench b;
    ASSERT_EQ(b.start(), "");
    b.on_core([&](Core& c) { (void)b.driver.setup_etf(c, 0, true); }, 1_s);
    b.on_core([&](Core& c) { (void)b.driver.setup_etf(c, 0, false); }, 1_s);
    EXPECT_FALSE(b.driver.qav());
    EXPECT_EQ(b.device.reg(TQAVCTRL) & 1U, 0U);
    EXPECT_EQ(b.device.reg(TXPBSIZE), 0x04000014U);
    EXPECT_EQ(b.device.reg(DTXMXPKTSZ), 0x98U);
}

TEST(Igb, RefusesOffloadsThatTheDeviceDoesNotHave) {
    IgbBench b;
    ASSERT_EQ(b.start(), "");
    b.on_core([&](Core& c) {
        EXPECT_NE(b.driver.setup_etf(c, 2, true).find("queues 0 and 1"), std::string::npos);
        const CbsSettings settings{1000, -1, 10, -10};
        EXPECT_NE(b.driver.setup_cbs(c, 3, &settings).find("queues 0 and 1"), std::string::npos);
        EXPECT_NE(b.driver.setup_cbs(c, 1, &settings).find("queue 0"), std::string::npos);
        const CbsSettings fast{2'000'000, -1, 10, -10};
        EXPECT_NE(b.driver.setup_cbs(c, 0, &fast).find("idleslope"), std::string::npos);
    });
}

}  // namespace
}  // namespace nicsim::host
