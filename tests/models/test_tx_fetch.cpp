// SPDX-License-Identifier: Apache-2.0
// Data fetch: the free-space rule, its consequences for the rate, and the arbitration.
#include <gtest/gtest.h>

#include "models/i210/tx_block_model.h"
#include "tests/models/tx_bench.h"

namespace nicsim::models::i210 {
namespace {

using namespace sim::literals;

constexpr unsigned igb_max_packet = 63;  // units of 64 bytes
constexpr sim::Ps wire_1514 = 12'304_ns;

TEST(PacketBuffer, AllowsAFetchOnlyWhileFreeSpaceIsAboveTheThreshold) {
    PacketBuffer buffer("buffer", 2, 64);
    const std::array<std::uint32_t, 2> sizes = {4096, 1024};
    buffer.configure(sizes, false);
    buffer.set_fetch_threshold(4096);
    EXPECT_FALSE(buffer.fetch_allowed(0));
    buffer.set_fetch_threshold(4032);
    EXPECT_TRUE(buffer.fetch_allowed(0));
    buffer.reserve(0, 1);  // a whole granule
    EXPECT_EQ(buffer.used_bytes(0), 64U);
    EXPECT_FALSE(buffer.fetch_allowed(0));
    buffer.release(0, 1);
    EXPECT_TRUE(buffer.fetch_allowed(0));
}

TEST(PacketBuffer, IsOneForAllQueuesWhenShared) {
    PacketBuffer buffer("buffer", 2, 64);
    const std::array<std::uint32_t, 2> sizes = {4096, 1024};
    buffer.configure(sizes, true);
    buffer.reserve(0, 1514);
    buffer.reserve(1, 1514);
    EXPECT_EQ(buffer.free_bytes(0), 4096U - 2 * 1536U);
    EXPECT_EQ(buffer.free_bytes(1), 4096U - 2 * 1536U);
}

/// Two frames of 1514 bytes on queue 3 with `kib` of packet buffer: starts of their first reads.
std::vector<sim::Ps> frame_read_starts(TxBench& bench, unsigned kib, unsigned max_packet) {
    bench.start();
    bench.use_pcie_like_bus(700_ns);
    bench.qav({8, 8, 4, kib}, max_packet);
    bench.enable_queue(3);
    for (unsigned i = 0; i < 2; ++i) bench.post(3, make_frame(1514, i));
    bench.kick(3);
    bench.run_for(100_us);
    std::vector<sim::Ps> starts;
    for (const auto& r : bench.bus.seen_for(sim::DmaPurpose::tx_data))
        if (r.address % 2048 == 0) starts.push_back(r.time);
    return starts;
}

TEST(TxFetch, IsRefusedWhenFreeSpaceEqualsTheLargestPacket) {
    TxBench bench("bench");
    const auto starts = frame_read_starts(bench, 6, 72);  // 6144 - 1536 = 72 x 64
    ASSERT_EQ(starts.size(), 2U);
    EXPECT_EQ(starts[1], bench.wire.sent.at(0).start + wire_1514);
}

TEST(TxFetch, IsAllowedOneUnitAboveTheLargestPacket) {
    TxBench bench("bench");
    const auto starts = frame_read_starts(bench, 6, 71);
    ASSERT_EQ(starts.size(), 2U);
    EXPECT_EQ(starts[1], starts[0] + 8_ns) << "one grant in each clock";
}

TEST(TxFetch, NeverHappensIfTheLargestPacketIsTheWholeBuffer) {
    TxBench bench("bench");
    EXPECT_TRUE(frame_read_starts(bench, 4, 64).empty());
    EXPECT_TRUE(bench.wire.sent.empty());
}

TEST(TxFetch, HappensOneUnitBelowTheWholeBuffer) {
    TxBench bench("bench");
    EXPECT_EQ(frame_read_starts(bench, 4, 63).size(), 2U);
    EXPECT_EQ(bench.wire.sent.size(), 2U);
}

/// Starts on the wire of 20 frames of 1514 bytes that stand in the ring from the beginning.
std::vector<sim::Ps> wire_starts(TxBench& bench, unsigned kib) {
    bench.start();
    bench.use_pcie_like_bus(700_ns);
    bench.qav({6, 6, 6, kib}, igb_max_packet);
    bench.enable_queue(3, 256, 0);  // all 20 descriptors in one read, no prefetch
    for (unsigned i = 0; i < 20; ++i) bench.post(3, make_frame(1514, i));
    bench.kick(3);
    bench.run_for(1_ms);
    std::vector<sim::Ps> starts;
    for (const auto& s : bench.wire.sent) starts.push_back(s.start);
    return starts;
}

// Period = wire time + latency + bus time of the frame, to the next edge of the 8 ns byte clock.
TEST(TxFetch, With4KiBAlternatesWithTheWire) {
    TxBench bench("bench");
    const auto starts = wire_starts(bench, 4);
    ASSERT_EQ(starts.size(), 20U);
    const sim::Ps bus_time = bench.bus.answer_time(512) * 2 + bench.bus.answer_time(490);
    ASSERT_EQ(bus_time, (1514 + 12 * 20) * 4_ns);
    const sim::Ps period = (wire_1514 + 700_ns + bus_time + 7_ns) / 8_ns * 8_ns;
    EXPECT_EQ(period, 20'024_ns);
    for (unsigned i = 1; i < 20; ++i) EXPECT_EQ(starts[i] - starts[i - 1], period);
}

TEST(TxFetch, With6KiBHidesBehindTheWire) {
    TxBench bench("bench");
    const auto starts = wire_starts(bench, 6);
    ASSERT_EQ(starts.size(), 20U);
    for (unsigned i = 1; i < 20; ++i) EXPECT_EQ(starts[i] - starts[i - 1], wire_1514);
}

TEST(TxFetch, With6KiBHoldsAtMostTwoFullFrames) {
    TxBench bench("bench");
    bench.start();
    bench.bus.latency = 100_ns;
    bench.qav({6, 6, 6, 6}, igb_max_packet);
    bench.enable_queue(3);
    for (unsigned i = 0; i < 8; ++i) bench.post(3, make_frame(1514, i));
    bench.kick(3);
    bench.run_for(10_us);  // the first frame is still on the wire
    std::uint64_t octets = 0;
    for (const auto& r : bench.bus.seen_for(sim::DmaPurpose::tx_data)) octets += r.length;
    EXPECT_EQ(octets, 2U * 1514);
}

/// Posts `frames` on each queue while transmission is off, turns it on when all descriptors are on
/// the device, and gives the queues in the order in which their data were fetched.
std::vector<unsigned> fetch_order(TxBench& bench, unsigned frames, std::uint32_t length) {
    bench.write(reg::TCTL, 0);
    bench.bus.latency = 1_us;
    for (unsigned i = 0; i < frames; ++i)  // the bench gives each frame the next 2 KiB
        for (unsigned q = 0; q < queues; ++q) bench.post(q, make_frame(length, 10 * q + i));
    for (unsigned q = 0; q < queues; ++q) bench.kick(q);
    bench.run_for(20_us);
    EXPECT_TRUE(bench.bus.seen_for(sim::DmaPurpose::tx_data).empty());
    bench.write(reg::TCTL, tctl::EN);
    bench.run_for(10_us);
    std::vector<unsigned> order;
    for (const auto& r : bench.bus.seen_for(sim::DmaPurpose::tx_data))
        if (r.address % 2048 == 0)
            order.push_back(static_cast<unsigned>((r.address >> 11) % queues));
    return order;
}

TEST(TxFetch, RoundRobinServesQueuesInTurn) {
    TxBench bench("bench");
    bench.start();
    bench.qav({6, 6, 6, 6}, igb_max_packet);
    for (unsigned q = 0; q < queues; ++q) bench.enable_queue(q);
    auto order = fetch_order(bench, 2, 1500);
    ASSERT_GE(order.size(), 8U);
    order.resize(8);
    EXPECT_EQ(order, (std::vector<unsigned>{0, 1, 2, 3, 0, 1, 2, 3}));
}

TEST(TxFetch, MostEmptyServesTheQueueWithTheMostFreeSpace) {
    TxBench bench("bench");
    bench.start();
    bench.qav({5, 6, 7, 5}, 16, tqavctrl::TRANSMIT_MODE | tqavctrl::DATA_FETCH_ARB);
    for (unsigned q = 0; q < queues; ++q) bench.enable_queue(q);
    auto order = fetch_order(bench, 4, 1000);
    ASSERT_GE(order.size(), 4U);
    order.resize(4);
    // Free KiB: 5 6 7 5, then 5 6 6 5 (the lower number wins), 5 5 6 5, 5 5 5 5.
    EXPECT_EQ(order, (std::vector<unsigned>{2, 1, 2, 0}));
}

TEST(TxFetch, HighPriorityQueuesGoFirst) {
    TxBench bench("bench");
    bench.start();
    bench.qav({6, 6, 6, 6}, igb_max_packet);
    for (unsigned q = 0; q < queues; ++q) bench.enable_queue(q, 256, 8, 1, 0, q == 2);
    auto order = fetch_order(bench, 2, 1500);
    ASSERT_GE(order.size(), 4U);
    order.resize(4);
    EXPECT_EQ(order, (std::vector<unsigned>{2, 2, 0, 1}));
}

/// A packet buffer that lets one frame in at a time, whatever its size is set to.
class OneFrame : public PacketBuffer {
public:
    OneFrame() : PacketBuffer("one_frame", queues, 64) {}
    [[nodiscard]] bool fetch_allowed(unsigned queue) const override {
        return used_bytes(queue) == 0;
    }
};

TEST(TxFetch, ObeysAnotherPacketBufferThatTakesThePlaceOfTheModel) {
    Blocks blocks;
    blocks.tx_block = [](const TxBlockContext& context) {
        return std::make_unique<TxBlockModel>(context, std::make_unique<OneFrame>());
    };
    TxBench bench("bench", blocks);
    const auto starts = wire_starts(bench, 24);
    ASSERT_EQ(starts.size(), 20U);
    for (unsigned i = 1; i < 20; ++i) EXPECT_EQ(starts[i] - starts[i - 1], 20'024_ns);
}

TEST(TxFetch, KeepsSixReadsInFlightAtMost) {
    TxBench bench("bench");
    bench.start();
    bench.bus.latency = 5_us;
    bench.enable_queue(0);
    for (unsigned i = 0; i < 10; ++i) bench.post(0, make_frame(1514, i));
    bench.kick(0);
    bench.run_for(500_us);
    EXPECT_EQ(bench.wire.frames, 10U);
    EXPECT_EQ(bench.bus.most_reads_in_flight, 6U);
}

}  // namespace
}  // namespace nicsim::models::i210
