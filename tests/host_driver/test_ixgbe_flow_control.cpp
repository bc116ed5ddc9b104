// SPDX-License-Identifier: Apache-2.0
// ixgbe's flow control: its water marks as arithmetic, the registers that each mode leaves in the
// device, and what these registers then do on a wire.
#include <gtest/gtest.h>

#include <utility>

#include "host_driver/drivers/ixgbe.h"
#include "host_driver/drivers/ixgbe_fc.h"
#include "models/i82599/i82599.h"
#include "sim/pause.h"
#include "tests/host_driver/nic_machine.h"

namespace nicsim::host {
namespace {

using namespace testing;
using namespace sim::literals;

constexpr std::uint32_t FCTTV = 0x3200, FCRTL = 0x3220, FCRTH = 0x3260, FCRTV = 0x32a0;
constexpr std::uint32_t FCCFG = 0x3d00, MFLCN = 0x4294, SRRCTL = 0x2100;
constexpr std::uint32_t TFCE = 1U << 3, RFCE = 1U << 3, DPF = 1U << 1, DROP_EN = 1U << 28;
constexpr std::uint32_t enable = 1U << 31;

// 8 x 1538 + 672 + 2 x 5556 + 2 x 18944 + 6144 = 68120 bit times; 36/25 of it is 98092; with one
// more and two frames of 1538 bytes, 122701 bit times or 15 KB.
TEST(IxgbeWaterMarks, TheHighOneLeavesRoomForWhatIsOnItsWay) {
    EXPECT_EQ(ixgbe::stop_delay(1538, 1538), 122'701U);
    EXPECT_EQ(ixgbe::high_water(512, 1518), 512U - 15);
    EXPECT_EQ(ixgbe::high_water(512, 9018), 512U - 41);
    EXPECT_EQ(ixgbe::high_water(14, 1518), 1539U)
        << "no room: as the driver does after its warning";
}

// 2 x (2 x 8 x 1518 + 14400 + 1) = 77378 bit times are 10 KB.
TEST(IxgbeWaterMarks, TheLowOneCoversTheBus) {
    EXPECT_EQ(ixgbe::low_water(1518), 10U);
    EXPECT_EQ(ixgbe::low_water(9018), 39U);
}

struct Machine
    : NicMachine<models::i82599::I82599, models::i82599::I82599Config, IxgbeDriver, IxgbeConfig> {
    explicit Machine(const IxgbeConfig& config) : NicMachine(config) {}
    [[nodiscard]] std::uint32_t reg(std::uint32_t offset) const {
        return nic.register_file().peek(offset);
    }
    void expect_registers(bool obeys, bool sends) const {
        EXPECT_EQ(reg(MFLCN), DPF | (obeys ? RFCE : 0));
        EXPECT_EQ(reg(FCCFG), sends ? TFCE : 0);
        EXPECT_EQ(reg(FCRTL), sends ? 10U << 10 | enable : 0);
        EXPECT_EQ(reg(FCRTH), sends ? 497U << 10 | enable : (512U << 10) - 32);
        for (unsigned n = 1; n < 8; ++n) {
            EXPECT_EQ(reg(FCRTL + 4 * n), 0U);
            EXPECT_EQ(reg(FCRTH + 4 * n), reg(0x3c00 + 4 * n) - 32) << n;
        }
        for (unsigned n = 0; n < 4; ++n) EXPECT_EQ(reg(FCTTV + 4 * n), 0xffff'ffffU);
        EXPECT_EQ(reg(FCRTV), 0x7fffU);
    }
};

IxgbeConfig with(IxgbeFlowControl mode, std::uint64_t pairs = 1) {
    IxgbeConfig config;
    config.flow_control = mode;
    config.queue_pairs = pairs;
    return config;
}

TEST(IxgbeFlowControlOnI82599, ByDefaultBothDirectionsAreOnAsInLinux) {
    Machine m{IxgbeConfig{}};
    ASSERT_EQ(m.start(), "");
    EXPECT_EQ(m.reg(MFLCN), DPF | RFCE);
    EXPECT_EQ(m.reg(FCCFG), TFCE);
    EXPECT_EQ(m.reg(FCRTH), 497U << 10 | enable);
    EXPECT_EQ(m.reg(FCRTL), 10U << 10 | enable);
    EXPECT_EQ(m.reg(FCRTV), 0x7fffU);
}

class Modes : public ::testing::TestWithParam<IxgbeFlowControl> {};

TEST_P(Modes, LeaveTheirRegistersAlsoAfterDownAndUp) {
    const IxgbeConfig config = with(GetParam());
    Machine m(config);
    ASSERT_EQ(m.start(), "");
    for (int round = 0; round < 2; ++round) {
        // RXPBSIZE of the unused buffers was still its reset value, 0, as it is now.
        m.expect_registers(config.obeys_pause(), config.sends_pause());
        EXPECT_EQ(m.reg(SRRCTL) & DROP_EN, 0U) << "one queue holds up nobody";
        if (round == 0)
            m.on_core(
                [&](Core& c) {
                    m.driver.close(c);
                    m.driver.open(c);
                },
                1_s);
    }
}

INSTANTIATE_TEST_SUITE_P(All, Modes,
                         ::testing::Values(IxgbeFlowControl::none, IxgbeFlowControl::rx_pause,
                                           IxgbeFlowControl::tx_pause, IxgbeFlowControl::full));

TEST(IxgbeFlowControlOnI82599, SeveralQueuesDropUnlessPauseFramesAreSent) {
    Machine m(with(IxgbeFlowControl::rx_pause, 4));
    ASSERT_EQ(m.start(), "");
    for (unsigned q = 0; q < 4; ++q) EXPECT_NE(m.reg(SRRCTL + 4 * q) & DROP_EN, 0U) << q;
}

TEST(IxgbeFlowControlOnI82599, SeveralQueuesWaitIfPauseFramesAreSent) {
    Machine m(with(IxgbeFlowControl::tx_pause, 4));
    ASSERT_EQ(m.start(), "");
    for (unsigned q = 0; q < 4; ++q) EXPECT_EQ(m.reg(SRRCTL + 4 * q) & DROP_EN, 0U) << q;
}

/// Obeys, or goes on, when a pause frame comes while a packet is handed over.
class Obeying : public ::testing::TestWithParam<IxgbeFlowControl> {};

TEST_P(Obeying, StopsForThePauseOnlyIfTheModeSaysSo) {
    const IxgbeConfig config = with(GetParam());
    Machine m(config);
    ASSERT_EQ(m.start(), "");
    const sim::FramePtr pause = sim::make_pause_frame({2, 0, 0, 0, 0, 9}, 2000);  // 102.4 us
    m.deliver(std::as_const(*pause).bytes());
    m.on_core([&](Core& c) { ASSERT_TRUE(m.driver.start_xmit(c, m.packet(60), 0, false)); }, 90_us);
    EXPECT_EQ(m.sink.frames, config.obeys_pause() ? 0U : 1U);
    m.run(20_us);
    EXPECT_EQ(m.sink.frames, 1U);
    EXPECT_TRUE(m.received.frames.empty()) << "a pause frame ends in the MAC";
}

INSTANTIATE_TEST_SUITE_P(All, Obeying,
                         ::testing::Values(IxgbeFlowControl::none, IxgbeFlowControl::rx_pause,
                                           IxgbeFlowControl::tx_pause, IxgbeFlowControl::full));

}  // namespace
}  // namespace nicsim::host
