// SPDX-License-Identifier: Apache-2.0
// The 82599's link flow control: obeying pause frames, sending them, and what happens to both when
// the link goes, the device is reset, or the two sides pause each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sim/kernel.h"
#include "sim/pause.h"
#include "sim/probe.h"
#include "tests/models/i82599_bench.h"

namespace nicsim::models::i82599 {
namespace {

constexpr sim::Ps quantum = 51'200;
constexpr std::uint32_t LXONTXC = 0x03F60, LXOFFTXC = 0x03F68;
constexpr std::uint32_t LXONRXCNT = 0x041A4, LXOFFRXCNT = 0x041A8;

Bytes pause_frame(std::uint16_t quanta) {
    const sim::FramePtr frame = sim::make_pause_frame({0x02, 0, 0, 0, 0, 9}, quanta);
    return {frame->bytes().begin(), frame->bytes().end()};
}

/// The edge of the wire's byte clock from which on a frame may start at `t`.
sim::Ps edge(sim::Ps t) {
    return (t + 799) / 800 * 800;
}

std::uint64_t signal(const std::string& path) {
    for (const sim::Probe* p : sim::Probe::all())
        if (p->path() == path) return p->value();
    ADD_FAILURE() << "no signal " << path;
    return 0;
}

/// The quanta of every pause frame that the device sent.
std::vector<unsigned> pauses(const Bench& b) {
    std::vector<unsigned> out;
    for (const auto& s : b.bus.sent)
        if (sim::mac_control(*s.frame) == sim::MacControl::pause)
            out.push_back(sim::pause_quanta(*s.frame));
    return out;
}

/// Obeys pause frames.
struct Obeying : Bench {
    Obeying() {
        enable_receive();
        wr(reg::MFLCN, mflcn::RFCE | mflcn::DPF);
        enable_tx(0);
    }
};

/// Sends XOFF above 8 KiB and XON below 4 KiB of a packet buffer of 16 KiB.
struct Asking : Bench {
    explicit Asking(std::uint32_t quanta = 1000, std::uint32_t margin = 500) {
        wr(reg::RXPBSIZE, 16 * 1024);
        wr(reg::FCRTH, 8192 | fcrt::enable);
        wr(reg::FCRTL, 4096 | fcrt::enable);
        wr(reg::FCTTV, quanta);
        wr(reg::FCRTV, margin);
        wr(reg::FCCFG, 1U << fccfg::tfce_shift);
        ring = enable_rx(0);
        enable_receive();
    }
    /// Frames that take 1 KiB each.
    void fill(unsigned frames) {
        for (unsigned i = 0; i < frames; ++i) send(ip_frame(1000));
        run(10_us);
    }
    RxRing ring;
};

// ---- obeying ----

TEST(I82599FlowControl, ReceivedPauseHoldsTheWireForItsQuantaAndNotABitTimeLess) {
    Obeying b;
    const sim::Ps end = b.send(pause_frame(100));
    b.run_until(end + 1_ps);
    EXPECT_EQ(signal("nic.flow_control.paused"), 1U);
    b.post(0, Bench::ip_frame(60));
    b.kick(0);
    b.run_until(end + 100 * quantum - 1_ps);
    EXPECT_TRUE(b.bus.sent.empty());
    b.run(2_ns);
    ASSERT_EQ(b.bus.sent.size(), 1U);
    EXPECT_EQ(b.bus.sent[0].start, edge(end + 100 * quantum));
    EXPECT_EQ(b.rd(LXOFFRXCNT), 1U);
    EXPECT_EQ(b.nic.rx().counts().control, 1U);
}

TEST(I82599FlowControl, APauseOfZeroLetsTheWireGoOn) {
    Obeying b;
    b.send(pause_frame(0xFFFF));
    b.post(0, Bench::ip_frame(60));
    b.kick(0);
    b.run(50_us);
    EXPECT_TRUE(b.bus.sent.empty());
    const sim::Ps end = b.send(pause_frame(0));
    b.run(1_us);
    ASSERT_EQ(b.bus.sent.size(), 1U);
    EXPECT_EQ(b.bus.sent[0].start, edge(end));
    EXPECT_EQ(b.rd(LXONRXCNT), 1U);
}

TEST(I82599FlowControl, ALaterPauseFrameTakesThePlaceOfTheOneBefore) {
    Obeying b;
    b.send(pause_frame(1000));
    b.post(0, Bench::ip_frame(60));
    b.kick(0);
    b.run(5_us);
    const sim::Ps end = b.send(pause_frame(10));
    b.run(5_us);
    ASSERT_EQ(b.bus.sent.size(), 1U);
    EXPECT_EQ(b.bus.sent[0].start, edge(end + 10 * quantum));
}

TEST(I82599FlowControl, AFrameOnTheWireIsFinishedAndTheNextOneWaits) {
    Obeying b;
    for (unsigned i = 0; i < 2; ++i) b.post(0, Bench::ip_frame(1514));
    b.kick(0);
    while (b.bus.sent.empty()) b.run(100_ns);
    const sim::Ps end = b.send(pause_frame(100));
    ASSERT_LT(end, b.bus.sent[0].end);
    b.run(20_us);
    ASSERT_EQ(b.bus.sent.size(), 2U);
    EXPECT_EQ(b.bus.sent[1].start, edge(end + 100 * quantum));
}

TEST(I82599FlowControl, WithoutMflcnPauseFramesAreIgnored) {
    Bench b;
    b.enable_receive();
    b.enable_tx(0);
    b.send(pause_frame(0xFFFF));
    b.run(1_us);
    b.post(0, Bench::ip_frame(60));
    b.kick(0);
    b.run(5_us);
    EXPECT_EQ(b.bus.sent.size(), 1U);
}

TEST(I82599FlowControl, APauseFallsBetweenTheFramesOfOneLargePacket) {
    Obeying b;
    constexpr std::uint32_t header = 54, mss = 1460, segments = 8;
    b.post(0, Bench::ip_frame(header + mss * segments, 1000, true),
           TxOffload{.tso = true, .mss = mss});
    b.kick(0);
    while (b.bus.sent.size() < 3) b.run(100_ns);
    const sim::Ps end = b.send(pause_frame(200));
    b.run(1_ms);
    ASSERT_EQ(b.bus.sent.size(), segments);
    const auto late = std::find_if(b.bus.sent.begin(), b.bus.sent.end(),
                                   [end](const auto& s) { return s.start >= end; });
    ASSERT_NE(late, b.bus.sent.end());
    EXPECT_EQ(late->start, edge(end + 200 * quantum));
    EXPECT_EQ(b.count_done(0), 2U) << "context and data";
}

TEST(I82599FlowControl, APauseStopsEveryQueue) {
    Obeying b;
    for (unsigned queue = 1; queue < 4; ++queue) b.enable_tx(queue);
    const sim::Ps end = b.send(pause_frame(500));
    b.run_until(end + 1_ps);
    for (unsigned queue = 0; queue < 4; ++queue) {
        b.post(queue, Bench::ip_frame(60));
        b.kick(queue);
    }
    b.run_until(end + 500 * quantum - 1_ps);
    EXPECT_TRUE(b.bus.sent.empty());
    b.run(5_us);
    EXPECT_EQ(b.bus.sent.size(), 4U);
}

// ---- asking ----

TEST(I82599FlowControl, AFullPacketBufferSendsXoffAgainAndXonWhenItHasDrained) {
    Asking b;
    b.fill(8);
    EXPECT_TRUE(b.bus.sent.empty()) << "8192 is not above";
    b.fill(1);
    ASSERT_EQ(pauses(b), (std::vector{1000U}));
    EXPECT_EQ(signal("nic.flow_control.xoff"), 1U);
    const sim::Ps first = b.bus.sent[0].start;
    b.run_until(first + 500 * quantum - 1_ps);
    EXPECT_EQ(b.bus.sent.size(), 1U);
    b.run(1_us);
    ASSERT_EQ(b.bus.sent.size(), 2U);
    EXPECT_EQ(b.bus.sent[1].start, first + 500 * quantum) << "FCTTV - FCRTV after the first";
    b.give(0, b.ring, 0, 32);
    b.run(10_us);
    EXPECT_EQ(pauses(b), (std::vector{1000U, 1000U, 0U}));
    EXPECT_EQ(signal("nic.flow_control.xoff"), 0U);
    const std::uint64_t idle = sim::kernel_cost.wakeups;
    b.run(1_ms);
    EXPECT_EQ(sim::kernel_cost.wakeups, idle);
    EXPECT_EQ(b.rd(LXOFFTXC), 2U);
    EXPECT_EQ(b.rd(LXONTXC), 1U);
    EXPECT_EQ(b.rd(0x04080), 0U) << "not in GPTC";
}

TEST(I82599FlowControl, WithoutXoneThePartnerWaitsUntilItsQuantaAreOver) {
    Asking b;
    b.wr(reg::FCRTL, 4096);
    b.fill(9);
    b.give(0, b.ring, 0, 32);
    b.run(1_ms);
    EXPECT_EQ(pauses(b), (std::vector{1000U})) << "neither XON nor a repetition";
}

TEST(I82599FlowControl, APausedDeviceStillSendsXoff) {
    Asking b;
    b.wr(reg::MFLCN, mflcn::RFCE | mflcn::DPF);
    b.enable_tx(0);
    b.send(pause_frame(0xFFFF));
    b.run(1_us);
    b.post(0, Bench::ip_frame(60));
    b.kick(0);
    b.fill(9);
    EXPECT_EQ(b.bus.sent.size(), 1U);
    EXPECT_EQ(pauses(b), (std::vector{1000U})) << "and no frame of data";
}

TEST(I82599FlowControl, AnXonThatOvertakesItsXoffInTheMacIsTheOnlyOneSent) {
    Asking b;
    b.enable_tx(0);
    b.post(0, Bench::ip_frame(9000));
    b.kick(0);
    while (b.bus.sent.empty()) b.run(100_ns);
    b.fill(9);  // while 7 us of the frame are left
    b.give(0, b.ring, 0, 32);
    b.run(20_us);
    EXPECT_EQ(b.rd(LXOFFTXC) + b.rd(LXONTXC), pauses(b).size()) << "counted as sent";
}

TEST(I82599FlowControl, TurnedOffByItsDriverItLetsThePartnerGoOn) {
    Asking b;
    b.fill(9);
    b.wr(reg::FCCFG, 0);
    b.run(1_us);
    EXPECT_EQ(pauses(b), (std::vector{1000U, 0U}));
    b.run(1_ms);
    EXPECT_EQ(b.bus.sent.size(), 2U);
}

// ---- link and reset ----

TEST(I82599FlowControl, TheLossOfTheLinkEndsAReceivedPause) {
    Obeying b;
    b.send(pause_frame(0xFFFF));
    b.run(1_us);
    b.post(0, Bench::ip_frame(60));
    b.kick(0);
    b.run(10_us);
    b.nic.ethernet_in->link_changed(false);
    b.run(10_us);
    EXPECT_TRUE(b.bus.sent.empty()) << "no link";
    EXPECT_EQ(signal("nic.flow_control.paused"), 0U);
    const sim::Ps up = sim::now();
    b.nic.ethernet_in->link_changed(true);
    b.run(1_us);
    ASSERT_EQ(b.bus.sent.size(), 1U);
    EXPECT_EQ(b.bus.sent[0].start, edge(up));
}

TEST(I82599FlowControl, WithoutLinkNothingIsAskedForAndWithItTheBufferAsksAgain) {
    Asking b;
    b.fill(9);
    ASSERT_EQ(pauses(b), (std::vector{1000U}));
    b.nic.ethernet_in->link_changed(false);
    b.run(1_us);
    const std::uint64_t idle = sim::kernel_cost.wakeups;
    b.run(1_ms);
    EXPECT_EQ(sim::kernel_cost.wakeups, idle);
    b.nic.ethernet_in->link_changed(true);
    b.run(1_us);
    EXPECT_EQ(pauses(b), (std::vector{1000U, 1000U})) << "the partner has forgotten the first";
    b.give(0, b.ring, 0, 32);
    b.run(10_us);
    EXPECT_EQ(pauses(b), (std::vector{1000U, 1000U, 0U}));
}

TEST(I82599FlowControl, AResetEndsAReceivedPause) {
    Obeying b;
    b.send(pause_frame(0xFFFF));
    b.run(1_us);
    b.wr(reg::CTRL, ctrl::RST);
    b.run(1_us);
    EXPECT_EQ(signal("nic.flow_control.paused"), 0U);
    b.enable_tx(0);
    b.post(0, Bench::ip_frame(60));
    b.kick(0);
    b.run(5_us);
    EXPECT_EQ(b.bus.sent.size(), 1U);
}

TEST(I82599FlowControl, AResetForgetsThePartnerThatItStopped) {
    Asking b;
    b.fill(9);
    b.wr(reg::CTRL, ctrl::RST);
    b.run(1_ms);
    EXPECT_EQ(pauses(b), (std::vector{1000U})) << "neither repeated nor taken back";
    EXPECT_EQ(signal("nic.flow_control.xoff"), 0U);
}

}  // namespace
}  // namespace nicsim::models::i82599
