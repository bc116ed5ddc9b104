// SPDX-License-Identifier: Apache-2.0
// The ixgbe reference driver on the device model behind PCIe: receive, segmentation, changes of the
// link.
#include <gtest/gtest.h>

#include <array>

#include "host_driver/drivers/ixgbe.h"
#include "models/i82599/i82599.h"
#include "tests/host_driver/nic_machine.h"

namespace nicsim::host {
namespace {

using namespace testing;
using namespace sim::literals;

struct Machine
    : NicMachine<models::i82599::I82599, models::i82599::I82599Config, IxgbeDriver, IxgbeConfig> {
    /// The PCIe interface of the published machine.
    explicit Machine(const IxgbeConfig& config = {})
        : NicMachine(config, {}, [] {
              pcie::LinkConfig c;
              c.generation = 2;
              c.width = 8;
              c.max_payload = 256;
              return c;
          }()) {}
};

// ---------------------------------------------------------------- receive

TEST(IxgbeReceive, HandsUpTheBytesOfTheWireWithoutFcs) {
    Machine m;
    ASSERT_EQ(m.start(), "");
    const auto small = m.datagram(60, 1);
    const auto large = m.datagram(1514, 9);
    m.deliver(small);
    m.deliver(large);
    m.run(1_ms);
    ASSERT_EQ(m.received.frames.size(), 2U);
    EXPECT_EQ(m.received.frames[0], small);
    EXPECT_EQ(m.received.frames[1], large);
    EXPECT_EQ(m.driver.rx_ring(0).packets, 2U);
    EXPECT_EQ(m.driver.rx_ring(0).bytes, 1574U);
}

TEST(IxgbeReceive, GoesRoundTheRingAndGivesBuffersBackInBatches) {
    IxgbeConfig config;
    config.rx_ring = 64;
    Machine m(config);
    ASSERT_EQ(m.start(), "");
    const std::uint64_t doorbells = m.driver.rx_ring(0).doorbells;
    constexpr unsigned frames = 400;
    for (unsigned i = 0; i < frames; ++i) m.deliver(m.datagram(200, static_cast<std::uint8_t>(i)));
    m.run(2_ms);
    ASSERT_EQ(m.received.frames.size(), frames);
    for (unsigned i = 0; i < frames; ++i)
        ASSERT_EQ(m.received.frames[i][100], static_cast<std::uint8_t>(i + 100)) << "frame " << i;
    const std::uint64_t writes = m.driver.rx_ring(0).doorbells - doorbells;
    EXPECT_GE(writes, frames / 64U);
    EXPECT_LE(writes, frames) << "at most one a frame, when each comes alone";
    EXPECT_EQ(m.driver.rx_ring(0).unused(), 0U) << "every buffer is the device's again";
}

TEST(IxgbeReceive, FramesWithABadFcsStayInTheDevice) {
    Machine m;
    ASSERT_EQ(m.start(), "");
    m.deliver(m.datagram(100, 1), false);
    m.deliver(m.datagram(100, 2));
    m.run(1_ms);
    ASSERT_EQ(m.received.frames.size(), 1U);
    EXPECT_EQ(m.received.frames[0], m.datagram(100, 2));
}

TEST(IxgbeReceive, FramesForAnotherAddressStayInTheDevice) {
    Machine m;
    ASSERT_EQ(m.start(), "");
    auto frame = m.datagram(100, 1);
    frame[5] ^= 0xffU;
    m.deliver(frame);
    m.run(1_ms);
    EXPECT_TRUE(m.received.frames.empty());
}

TEST(IxgbeReceive, FlowsAreSpreadOverTheQueuesAndEachKeepsItsOwn) {
    IxgbeConfig config;
    config.queue_pairs = 4;
    Machine m(config);
    ASSERT_EQ(m.start(), "");
    for (unsigned flow = 0; flow < 32; ++flow) {
        auto frame = m.datagram(100, 0);
        // RSS hashes addresses of UDP packets, not their ports.
        FlowAddress address = test_flow(m.peer, m.driver.mac_address());
        address.source += flow;
        write_udp_headers(frame.data(), address, 58, 1, L4Checksum::full);
        m.deliver(frame);
    }
    m.run(1_ms);
    ASSERT_EQ(m.received.frames.size(), 32U);
    unsigned used = 0;
    std::uint64_t sum = 0;
    for (unsigned q = 0; q < 4; ++q) {
        sum += m.driver.rx_ring(q).packets;
        used += m.driver.rx_ring(q).packets != 0 ? 1U : 0U;
    }
    EXPECT_EQ(sum, 32U);
    EXPECT_GE(used, 3U);
    std::array<std::uint64_t, 4> before{};
    for (unsigned q = 0; q < 4; ++q) before[q] = m.driver.rx_ring(q).packets;
    for (int i = 0; i < 10; ++i) m.deliver(m.datagram(100, 0));
    m.run(1_ms);
    unsigned grown = 0;
    for (unsigned q = 0; q < 4; ++q) grown += m.driver.rx_ring(q).packets != before[q] ? 1U : 0U;
    EXPECT_EQ(grown, 1U) << "one flow stays in one queue";
}

// ---------------------------------------------------------------- segmentation

TEST(IxgbeSegmentation, TheDeviceCutsALargePacketIntoRightSegments) {
    Machine m;
    ASSERT_EQ(m.start(), "");
    m.sink.keep_all = true;
    const auto payload = test_payload(40'000);
    m.on_core(
        [&](Core& c) {
            ASSERT_TRUE(m.driver.start_xmit(c, m.tcp_packet(payload, 1448), 0, false));
        },
        2_ms);
    EXPECT_EQ(m.sink.frames, 28U);
    expect_segments(m.sink.all, payload, 1448);
    EXPECT_EQ(m.driver.tx_ring(0).context_descriptors, 1U);
    EXPECT_EQ(m.driver.tx_ring(0).descriptors_written, 1U + 1U + 3U)
        << "context, headers, and 40000 bytes cut at 16 KiB";
    EXPECT_EQ(m.driver.tx_ring(0).used(), 0U);
    const TxQueue& queue = m.driver.device().queue(0);
    EXPECT_EQ(queue.packets, 28U) << "segments count";
    EXPECT_EQ(queue.bytes, 40'000U + 28U * 66U);
}

TEST(IxgbeSegmentation, APacketThatFitsOnlyGetsItsChecksum) {
    Machine m;
    ASSERT_EQ(m.start(), "");
    m.sink.keep_all = true;
    const auto payload = test_payload(1000);
    m.on_core(
        [&](Core& c) {
            ASSERT_TRUE(m.driver.start_xmit(c, m.tcp_packet(payload, 1448), 0, false));
        },
        2_ms);
    EXPECT_EQ(m.sink.frames, 1U);
    expect_segments(m.sink.all, payload, 1448);
}

// ---------------------------------------------------------------- link

TEST(IxgbeLink, ALostLinkIsSeenByItsInterruptAndComesBack) {
    Machine m;
    ASSERT_EQ(m.start(), "");
    m.nic.ethernet_in->link_changed(false);
    m.run(5_ms);
    EXPECT_FALSE(m.driver.device().carrier());
    m.on_core(
        [&](Core& c) {
            EXPECT_FALSE(m.driver.device().queue_xmit(c, m.packet(60))) << "without a carrier";
        },
        1_ms);
    EXPECT_EQ(m.sink.frames, 0U);
    m.nic.ethernet_in->link_changed(true);
    m.run(5_ms);
    EXPECT_TRUE(m.driver.device().carrier());
    EXPECT_EQ(m.driver.link_bits_per_second(), 10'000'000'000U);
    m.on_core([&](Core& c) { EXPECT_TRUE(m.driver.device().queue_xmit(c, m.packet(60))); }, 1_ms);
    EXPECT_EQ(m.sink.frames, 1U);
    m.deliver(m.datagram(60, 3));
    m.run(1_ms);
    EXPECT_EQ(m.received.frames.size(), 1U);
}

TEST(IxgbeLink, ALinkThatFlickersLeavesTheCarrierOn) {
    Machine m;
    ASSERT_EQ(m.start(), "");
    for (int i = 0; i < 5; ++i) {
        m.nic.ethernet_in->link_changed(false);
        m.run(10_us);
        m.nic.ethernet_in->link_changed(true);
        m.run(10_us);
    }
    m.run(10_ms);
    EXPECT_TRUE(m.driver.device().carrier());
}

}  // namespace
}  // namespace nicsim::host
