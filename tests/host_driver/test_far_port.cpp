// SPDX-License-Identifier: Apache-2.0
// The far end's port: the buffer of a slower switch, its pause frames to the picosecond, and how it
// obeys those of the device.
#include "host_driver/far_end/far_port.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "host_driver/far_end/far_end.h"
#include "sim/kernel.h"

namespace nicsim::host {
namespace {

using namespace sim::literals;
using sim::Ps;

constexpr std::uint64_t line = 10'000'000'000;
constexpr Ps cable = 100'000;            // 100 ns
constexpr Ps byte = 800;                 // of the cable
constexpr Ps slow_byte = 2'000;          // of the other port, 4 Gbit/s
constexpr std::uint32_t length = 1514;   // and FCS: 1518 in the buffer, 1538 on a wire
constexpr Ps pause_on_wire = 84 * byte;  // 60 bytes, FCS, preamble, gap

struct Bench {
    explicit Bench(const FarPortConfig& config)
        : port("port", config, {2, 0, 0, 0, 0, 2}, {line, cable},
               sim::Callback<const sim::FramePtr&>::to<&Bench::emit>(this)) {}
    void emit(const sim::FramePtr& frame) {
        const bool pause = sim::mac_control(*frame) == sim::MacControl::pause;
        sent.emplace_back(sim::now(), pause ? static_cast<int>(sim::pause_quanta(*frame)) : -1);
    }
    /// Without what happens at `t` itself.
    static void run_until(Ps t) { sc_core::sc_start(sim::to_sc_time(t - sim::now())); }
    /// A frame that begins on the device's wire now; gives what the port makes of it.
    Ps take(std::uint32_t bytes = length) {
        const sim::FramePtr frame = sim::frame_pool().make();
        frame->resize(bytes);
        std::fill(frame->bytes().begin(), frame->bytes().end(), std::uint8_t{0});
        return port.take(*frame, sim::now() + (bytes + 12) * byte);
    }
    Ps take_pause(std::uint16_t quanta) {
        const Ps end = sim::now() + 72 * byte;
        EXPECT_EQ(port.take(*sim::make_pause_frame({2, 0, 0, 0, 0, 1}, quanta), end), sim::never);
        return end + cable;
    }
    /// Back to back from `t` on.
    void burst(Ps t, unsigned frames) {
        for (unsigned i = 0; i < frames; ++i) {
            run_until(t + i * (length + 24) * byte);
            (void)take();
        }
    }
    void data(Ps ready) {
        const sim::FramePtr frame = sim::frame_pool().make();
        frame->resize(60);
        std::fill(frame->bytes().begin(), frame->bytes().end(), std::uint8_t{0});
        port.send(frame, ready);
    }
    using Sent = std::vector<std::pair<Ps, int>>;  ///< out of the cable; quanta, or -1 for data
    Sent sent;
    FarPort port;
};

FarPortConfig with(FarFlowControl mode, std::uint64_t drain_rate = 0) {
    FarPortConfig c;
    c.flow_control = mode;
    c.drain_rate = drain_rate;
    return c;
}

// ---- the switch ----

TEST(FarPortSwitch, AFrameLeavesWhenItHasBeenSentOn) {
    Bench b(with(FarFlowControl::none, 4'000'000'000));
    const Ps first = (length + 12) * byte + cable + (length + 24) * slow_byte;
    EXPECT_EQ(b.take(), first);
    Bench::run_until((length + 24) * byte);
    EXPECT_EQ(b.take(), first + (length + 24) * slow_byte) << "behind the one before";
    Bench::run_until(1_ms);
    EXPECT_EQ(b.take(), 1_ms + first) << "alone again";
    EXPECT_EQ(b.port.dropped(), 0U);
}

TEST(FarPortSwitch, DropsTheFrameThatItsBufferHasNoRoomFor) {
    FarPortConfig c = with(FarFlowControl::none, 1'000'000);
    c.buffer = 3 * 1518;
    Bench b(c);
    b.burst(0, 3);
    EXPECT_EQ(b.port.dropped(), 0U);
    b.burst(5_us, 1);
    EXPECT_EQ(b.port.dropped(), 1U);
    // The first leaves after 12.3 ms, and its place is free from then on.
    const Ps leaves = (length + 12) * byte + cable + (length + 24) * 8 * 1_us;
    Bench::run_until(leaves - (length + 12) * byte - cable - 1);
    EXPECT_EQ(b.take(), sim::never);
    Bench::run_until(leaves - (length + 12) * byte - cable);
    EXPECT_NE(b.take(), sim::never) << "is whole at the very moment";
    EXPECT_TRUE(b.sent.empty());
}

TEST(FarPortSwitch, WakesNobodyWithoutPauseFrames) {
    Bench b(with(FarFlowControl::none, 1'000'000'000));
    const std::uint64_t before = sim::kernel_cost.wakeups;
    b.burst(0, 200);
    Bench::run_until(10_ms);
    EXPECT_EQ(sim::kernel_cost.wakeups, before);
    EXPECT_GT(b.port.dropped(), 0U);
}

// 33 frames are 50094 bytes, the first level above 48 KiB; 21 are 31878, the first below 32 KiB.
TEST(FarPortSwitch, AsksToStopWhenTheFrameIsInAndToGoOnWhenOneHasLeft) {
    Bench b(with(FarFlowControl::tx_pause, 1'000'000'000));
    constexpr Ps slower = (length + 24) * 8'000;
    // The k-th frame is in at in_1 + (k - 1) x 1230.4 ns, the j-th leaves at in_1 + j x 12304 ns:
    // with the 36th, 3 have left.
    constexpr Ps first_in = (length + 12) * byte + cable;
    constexpr Ps above = first_in + 35 * (length + 24) * byte;
    b.burst(0, 37);
    Bench::run_until(above + cable);
    EXPECT_TRUE(b.sent.empty());
    Bench::run_until(above + cable + 1);
    ASSERT_EQ(b.sent.size(), 1U);
    EXPECT_EQ(b.sent[0].second, 0xffff);
    // 37 came in; 21 are left when the 16th has gone.
    constexpr Ps below = first_in + 16 * slower;
    Bench::run_until(below + cable);
    EXPECT_EQ(b.sent.size(), 1U);
    Bench::run_until(below + cable + 1);
    ASSERT_EQ(b.sent.size(), 2U);
    EXPECT_EQ(b.sent[1].second, 0);
    EXPECT_EQ(b.port.counts().xoff_sent, 1U);
    EXPECT_EQ(b.port.counts().xon_sent, 1U);
    const std::uint64_t idle = sim::kernel_cost.wakeups;
    Bench::run_until(1_s);
    EXPECT_EQ(sim::kernel_cost.wakeups, idle);
}

TEST(FarPortSwitch, RepeatsItselfWhenHalfOfThePauseIsOver) {
    FarPortConfig c = with(FarFlowControl::tx_pause, 100'000'000);
    c.pause_time = 1000;
    Bench b(c);
    b.burst(0, 34);
    Bench::run_until(100_us);
    ASSERT_EQ(b.sent.size(), 3U);
    EXPECT_EQ(b.sent[1].first - b.sent[0].first, 500 * 51'200U);
    EXPECT_EQ(b.sent[2].first - b.sent[1].first, 500 * 51'200U);
}

TEST(FarPortSwitch, PauseFramesOvertakeItsDataButNotTheFrameOnTheWire) {
    Bench b(with(FarFlowControl::tx_pause, 1'000'000'000));
    constexpr Ps above = (length + 12) * byte + cable + 35 * (length + 24) * byte;
    for (int i = 0; i < 10; ++i) b.data(above - 10'000);
    b.burst(0, 36);
    Bench::run_until(above + 10_us);
    ASSERT_GE(b.sent.size(), 3U);
    EXPECT_EQ(b.sent[0], std::pair(above - 10'000 + cable, -1));
    EXPECT_EQ(b.sent[1], std::pair(above - 10'000 + pause_on_wire + cable, 0xffff));
    EXPECT_EQ(b.sent[2], std::pair(above - 10'000 + 2 * pause_on_wire + cable, -1));
}

// ---- obeying ----

TEST(FarPortPause, HoldsItsFramesUntilTheQuantaAreOverAndNotABitTimeLess) {
    Bench b(with(FarFlowControl::rx_pause));
    const Ps stop = b.take_pause(100);
    b.data(stop - 1);     // begins just in time
    b.data(stop + 1_us);  // waits
    Bench::run_until(stop + 100 * 51'200 + cable);
    ASSERT_EQ(b.sent.size(), 1U);
    EXPECT_EQ(b.sent[0].first, stop - 1 + cable);
    Bench::run_until(stop + 100 * 51'200 + cable + 1);
    EXPECT_EQ(b.sent.size(), 2U);
    EXPECT_EQ(b.port.counts().xoff_received, 1U);
}

TEST(FarPortPause, XonLetsItGoOnAtOnce) {
    Bench b(with(FarFlowControl::rx_pause));
    (void)b.take_pause(0xffff);
    b.data(1_us);
    Bench::run_until(50_us);
    EXPECT_TRUE(b.sent.empty());
    const Ps go = b.take_pause(0);
    Bench::run_until(go + cable + 1);
    EXPECT_EQ(b.sent, (Bench::Sent{{go + cable, -1}}));
}

TEST(FarPortPause, ALostXonOnlyCostsTheRestOfTheQuanta) {
    Bench b(with(FarFlowControl::rx_pause));
    const Ps stop = b.take_pause(0xffff);
    b.data(1_us);
    Bench::run_until(10_ms);
    EXPECT_EQ(b.sent, (Bench::Sent{{stop + 65'535ULL * 51'200 + cable, -1}}));
}

TEST(FarPortPause, PausedItselfItStillAsksTheDeviceToStop) {
    Bench b(with(FarFlowControl::full, 1'000'000'000));
    (void)b.take_pause(0xffff);
    b.data(1_us);
    b.burst(2_us, 40);
    Bench::run_until(100_us);
    ASSERT_EQ(b.sent.size(), 1U);
    EXPECT_EQ(b.sent[0].second, 0xffff);
}

TEST(FarPortPause, WithoutRxPauseTheFrameEndsInItsMacWithoutEffect) {
    Bench b(with(FarFlowControl::tx_pause, 1'000'000'000));
    (void)b.take_pause(0xffff);
    b.data(1_us);
    Bench::run_until(10_us);
    EXPECT_EQ(b.sent, (Bench::Sent{{1_us + cable, -1}}));
    EXPECT_EQ(b.port.counts().xoff_received, 0U);
}

// ---- settings ----

TEST(FarPortConfig, RefusesThresholdsThatItsBufferCannotHave) {
    FarPortConfig c = with(FarFlowControl::tx_pause, 1'000'000'000);
    EXPECT_EQ(c.check(), "");
    c.buffer = c.xoff_above;
    EXPECT_NE(c.check().find(
                  "xoff_above: 48KiB leave no room for a frame of 1518B in the buffer's 48KiB"),
              std::string::npos)
        << c.check();
    c = with(FarFlowControl::full, 1'000'000'000);
    c.xon_below = c.xoff_above + 1;
    EXPECT_NE(c.check().find("xon_below: "), std::string::npos) << c.check();
    EXPECT_NE(with(FarFlowControl::full).check().find("flow_control: "), std::string::npos);
    EXPECT_EQ(with(FarFlowControl::rx_pause).check(), "");
    EXPECT_THROW(FarEnd("far_end", {}, with(FarFlowControl::tx_pause)), std::invalid_argument);
}

}  // namespace
}  // namespace nicsim::host
