// SPDX-License-Identifier: Apache-2.0
// Pause frames as bytes, the gate that obeys them and the sender that repeats them.
#include "sim/pause.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "sim/kernel.h"

namespace nicsim::sim {
namespace {

using namespace literals;

TEST(PauseFrame, IsWhatTheStandardSays) {
    const FramePtr frame = make_pause_frame({0x02, 0, 0, 0, 0, 7}, 0x1234);
    const auto bytes = std::as_const(*frame).bytes();
    ASSERT_EQ(bytes.size(), 60U);
    const std::vector<std::uint8_t> head{0x01, 0x80, 0xC2, 0,    0,    0x01, 0x02, 0,    0,
                                         0,    0,    7,    0x88, 0x08, 0,    1,    0x12, 0x34};
    EXPECT_EQ(std::vector(bytes.begin(), bytes.begin() + 18), head);
    for (std::size_t i = 18; i < 60; ++i) EXPECT_EQ(bytes[i], 0U);
    EXPECT_EQ(mac_control(*frame), MacControl::pause);
    EXPECT_EQ(pause_quanta(*frame), 0x1234U);
}

TEST(PauseFrame, OthersAreToldApart) {
    const FramePtr frame = make_pause_frame({0x02, 0, 0, 0, 0, 7}, 1);
    frame->bytes()[15] = 0x01 ^ 0x02;  // opcode 3
    EXPECT_EQ(mac_control(*frame), MacControl::other);
    frame->bytes()[15] = 1;
    frame->bytes()[0] = 0x03;  // another address
    EXPECT_EQ(mac_control(*frame), MacControl::other);
    frame->bytes()[12] = 0x08;  // IPv4
    EXPECT_EQ(mac_control(*frame), MacControl::none);
    frame->resize(17);
    EXPECT_EQ(mac_control(*frame), MacControl::none) << "too short to say";
}

TEST(PauseFrame, AQuantumIs512BitTimes) {
    EXPECT_EQ(pause_duration(1, 10'000'000'000), 51'200U);
    EXPECT_EQ(pause_duration(0xFFFF, 1'000'000'000), 65'535ULL * 512'000);
    EXPECT_EQ(pause_duration(100, 0), 0U);
}

TEST(PauseGate, IsShutFromTheFrameOnUntilItsTimeIsOver) {
    PauseGate gate;
    EXPECT_EQ(gate.earliest(5), 5U);
    gate.receive(100, 50);
    EXPECT_EQ(gate.next_change(), 100U);
    EXPECT_EQ(gate.earliest(99), 99U);
    EXPECT_EQ(gate.earliest(100), 150U);
    EXPECT_TRUE(gate.paused(149));
    EXPECT_FALSE(gate.paused(150));
    EXPECT_EQ(gate.earliest(150), 150U);
    EXPECT_EQ(gate.total(1000), 50U);
}

TEST(PauseGate, AFrameThatIsOnItsWayChangesThePresentPause) {
    PauseGate gate;
    gate.receive(100, 500);
    gate.receive(200, 0);
    EXPECT_EQ(gate.earliest(150), 200U) << "XON";
    EXPECT_EQ(gate.total(150), 50U);
    gate.receive(300, 40);
    gate.receive(340, 20);
    EXPECT_EQ(gate.earliest(310), 360U) << "one runs into the other";
    EXPECT_EQ(gate.total(400), 160U);
}

TEST(PauseGate, APauseThatIsRenewedIsCountedOnce) {
    PauseGate gate;
    for (Ps t = 0; t <= 400; t += 100) gate.receive(t, 150);
    EXPECT_EQ(gate.earliest(450), 550U);
    EXPECT_EQ(gate.total(600), 550U);
}

struct Sender {
    PauseSender sender{"sender", Callback<std::uint16_t>::to<&Sender::send>(this)};
    void send(std::uint16_t quanta) { sent.emplace_back(now(), quanta); }
    static void run(Ps t) { sc_core::sc_start(to_sc_time(t)); }
    std::vector<std::pair<Ps, unsigned>> sent;
};

TEST(PauseSender, AsksAgainBeforeThePauseIsOverAndThenLetsGo) {
    Sender s;
    s.sender.set_link(10'000'000'000);
    s.sender.set_times(100, 40);
    Sender::run(1_us);
    s.sender.stop();
    s.sender.stop();
    Sender::run(7_us);  // 60 quanta are 3.072 us
    s.sender.go(true);
    s.sender.go(true);
    const std::uint64_t idle = kernel_cost.wakeups;
    Sender::run(1_ms);
    EXPECT_EQ(kernel_cost.wakeups, idle);
    const std::vector<std::pair<Ps, unsigned>> expected{
        {1_us, 100}, {4'072_ns, 100}, {7'144_ns, 100}, {8_us, 0}};
    EXPECT_EQ(s.sent, expected);
}

TEST(PauseSender, WithoutLinkItNeitherAsksNorRepeats) {
    Sender s;
    s.sender.set_times(100, 40);
    s.sender.stop();
    EXPECT_FALSE(s.sender.stopped());
    s.sender.set_link(10'000'000'000);
    s.sender.stop();
    s.sender.set_link(0);
    s.sender.forget();
    Sender::run(1_ms);
    EXPECT_EQ(s.sent.size(), 1U);
}

}  // namespace
}  // namespace nicsim::sim
