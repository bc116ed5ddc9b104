// SPDX-License-Identifier: Apache-2.0
// Descriptor prefetch and write-back as the I210's transmit queues do them.
#include <gtest/gtest.h>

#include "tests/models/tx_bench.h"

namespace nicsim::models::i210 {
namespace {

using namespace sim::literals;

/// Length in descriptors of each descriptor read so far.
std::vector<unsigned> reads(const TxBench& bench) {
    std::vector<unsigned> result;
    for (const auto& r : bench.bus.seen_for(sim::DmaPurpose::tx_descriptor))
        result.push_back(r.length / descriptor_bytes);
    return result;
}
std::vector<unsigned> writes(const TxBench& bench) {
    std::vector<unsigned> result;
    for (const auto& r : bench.bus.seen_for(sim::DmaPurpose::tx_writeback))
        result.push_back(r.length / descriptor_bytes);
    return result;
}
/// First reads of frames.
std::size_t frames_fetched(const TxBench& bench) {
    std::size_t count = 0;
    for (const auto& r : bench.bus.seen_for(sim::DmaPurpose::tx_data))
        if (r.address % 2048 == 0) ++count;
    return count;
}
void post(TxBench& bench, unsigned count, unsigned queue = 0) {
    for (unsigned i = 0; i < count; ++i) bench.post(queue, make_frame(100, i));
    bench.kick(queue);
}

TEST(DescriptorFetch, OfAnEmptyQueueTakesAllAtOnceUpToTheCache) {
    TxBench bench("bench");
    bench.start();
    bench.write(reg::TCTL, 0);
    bench.enable_queue(0);
    post(bench, 40);
    bench.run_for(1_us);
    EXPECT_EQ(reads(bench), (std::vector<unsigned>{24}));
}

TEST(DescriptorFetch, NeverPassesTheTailAndWrapsWithTheRing) {
    TxBench bench("bench");
    bench.start();
    bench.enable_queue(0, 16, 0);
    post(bench, 10);
    bench.run_for(20_us);
    EXPECT_EQ(bench.clean(0), 10U);
    post(bench, 9);  // six to the end of the ring, three from its beginning
    bench.run_for(20_us);
    EXPECT_EQ(bench.clean(0), 9U);
    EXPECT_EQ(reads(bench), (std::vector<unsigned>{10, 6, 3}));
    EXPECT_EQ(bench.file.read(reg::TDH), 3U);
}

/// With transmission off: 24 descriptors on the device, `more` in host memory; then frames leave
/// and the number of frames fetched before the second descriptor read is returned.
std::size_t frames_before_prefetch(TxBench& bench, unsigned pthresh, unsigned hthresh,
                                   unsigned more) {
    bench.start();
    bench.bus.latency = 1_us;
    bench.qav({4, 4, 4, 4}, 60, tqavctrl::TRANSMIT_MODE);  // one frame of 100 bytes and one more
    bench.write(reg::TCTL, 0);
    bench.enable_queue(0, 256, pthresh, hthresh);
    post(bench, 24 + more);
    bench.run_for(5_us);
    bench.write(reg::TCTL, tctl::EN);
    while (reads(bench).size() < 2 && frames_fetched(bench) < 24) bench.run_for(50_ns);
    return frames_fetched(bench);
}

TEST(DescriptorFetch, PrefetchesWhenFewerThanPthreshAreLeft) {
    TxBench bench("bench");
    // 24 - 16 = 8 is not below 8; the grant of the 17th frame leaves 7.
    EXPECT_EQ(frames_before_prefetch(bench, 8, 1, 8), 17U);
}

TEST(DescriptorFetch, WaitsForHthreshDescriptorsInHostMemory) {
    TxBench bench("bench");
    // Only 7 of 8 wait: no prefetch until the queue is empty, when all 24 were granted.
    EXPECT_EQ(frames_before_prefetch(bench, 8, 8, 7), 24U);
}

TEST(DescriptorFetch, PrefetchesWithHthreshDescriptorsInHostMemory) {
    TxBench bench("bench");
    EXPECT_EQ(frames_before_prefetch(bench, 8, 8, 8), 17U);
}

TEST(DescriptorFetch, EndsPrefetchAtALine) {
    TxBench bench("bench");
    frames_before_prefetch(bench, 8, 1, 11);  // 24 .. 34: the line ends behind 31
    EXPECT_EQ(reads(bench), (std::vector<unsigned>{24, 8}));
}

TEST(DescriptorFetch, IsOneAtATimeForAllQueues) {
    TxBench bench("bench");
    bench.start();
    bench.bus.latency = 2_us;
    bench.write(reg::TCTL, 0);
    for (unsigned q = 0; q < queues; ++q) bench.enable_queue(q);
    for (unsigned q = 0; q < queues; ++q) post(bench, 2, q);
    bench.run_for(20_us);
    EXPECT_EQ(reads(bench), (std::vector<unsigned>{2, 2, 2, 2}));
    EXPECT_EQ(bench.bus.most_reads_in_flight, 1U);
}

TEST(DescriptorFetch, CarriesRelaxedOrderingAndWriteBackDoesNot) {
    TxBench bench("bench");
    bench.start();
    bench.enable_queue(0);
    post(bench, 1);
    bench.run_for(10_us);
    EXPECT_TRUE(bench.bus.seen_for(sim::DmaPurpose::tx_descriptor).at(0).relaxed);
    EXPECT_TRUE(bench.bus.seen_for(sim::DmaPurpose::tx_data).at(0).relaxed);
    EXPECT_FALSE(bench.bus.seen_for(sim::DmaPurpose::tx_writeback).at(0).relaxed);
}

TEST(WriteBack, WithoutThresholdWritesEachReportedDescriptorAtOnce) {
    TxBench bench("bench");
    bench.start();
    bench.enable_queue(0);
    PacketSpec two;
    two.pieces = {40, 60};
    bench.post(0, make_frame(100, 1), two);
    bench.post(0, make_frame(100, 2));
    bench.kick(0);
    bench.run_for(10_us);
    EXPECT_EQ(writes(bench), (std::vector<unsigned>{1, 1}));
    EXPECT_EQ(bench.interrupts.causes[0], 2U);
    EXPECT_EQ(bench.bus.seen_for(sim::DmaPurpose::tx_writeback).at(0).address,
              FakeBus::memory_base + descriptor_bytes);
}

TEST(WriteBack, ComesWhenTheDataAreBufferedNotWhenTheFrameHasLeft) {
    TxBench bench("bench");
    bench.start();
    bench.bus.latency = 1_us;
    bench.enable_queue(0);
    bench.post(0, make_frame(1514, 1));
    bench.kick(0);
    bench.run_for(100_us);
    EXPECT_EQ(bench.bus.seen_for(sim::DmaPurpose::tx_writeback).at(0).time, 2_us);
}

TEST(WriteBack, WaitsForWthreshDescriptors) {
    TxBench bench("bench");
    bench.start();
    bench.enable_queue(0, 256, 8, 1, 16);
    post(bench, 15);
    bench.run_for(100_us);
    EXPECT_TRUE(writes(bench).empty());
    post(bench, 1);
    bench.run_for(100_us);
    EXPECT_EQ(writes(bench), (std::vector<unsigned>{8, 8}));  // 256 bytes in two of 128
    EXPECT_EQ(bench.interrupts.causes[0], 1U);
    EXPECT_EQ(bench.clean(0), 16U);
}

TEST(WriteBack, BelowWthreshComesWithTheModerationTimer) {
    TxBench bench("bench");
    bench.start();
    bench.enable_queue(0, 256, 8, 1, 16);
    post(bench, 5);
    bench.run_for(100_us);
    EXPECT_TRUE(writes(bench).empty());
    bench.tx.flush_writebacks(0);
    EXPECT_EQ(writes(bench), (std::vector<unsigned>{5}));
    EXPECT_EQ(bench.interrupts.causes[0], 1U);
    bench.tx.flush_writebacks(0);  // nothing is left
    EXPECT_EQ(bench.interrupts.causes[0], 1U);
}

TEST(WriteBack, IsNotHeldBackWhileModerationIsAtRest) {
    TxBench bench("bench");
    bench.start();
    bench.interrupts.running = false;
    bench.enable_queue(0, 256, 8, 1, 16);
    post(bench, 1);
    bench.run_for(10_us);
    EXPECT_EQ(writes(bench), (std::vector<unsigned>{1}));
}

TEST(WriteBack, ComesWithSwflsh) {
    TxBench bench("bench");
    bench.start();
    bench.enable_queue(0, 256, 8, 1, 16);
    post(bench, 3);
    bench.run_for(100_us);
    bench.write(reg::TXDCTL, bench.file.read(reg::TXDCTL) | dctl::SWFLSH);
    EXPECT_EQ(writes(bench), (std::vector<unsigned>{3}));
    EXPECT_EQ(bench.file.read(reg::TXDCTL) & dctl::SWFLSH, 0U);
}

TEST(WriteBack, CountsFromTheFirstReportedDescriptor) {
    TxBench bench("bench");
    bench.start();
    bench.enable_queue(0, 256, 8, 1, 4);
    PacketSpec silent;
    silent.report = false;
    for (unsigned i = 0; i < 6; ++i) bench.post(0, make_frame(100, i), silent);
    bench.kick(0);
    bench.run_for(100_us);
    EXPECT_TRUE(writes(bench).empty());
    post(bench, 4);
    bench.run_for(100_us);
    EXPECT_EQ(writes(bench), (std::vector<unsigned>{8, 2}));  // with the six before them
}

TEST(WriteBack, SplitsABurstAtTheEndOfTheRing) {
    TxBench bench("bench");
    bench.start();
    bench.enable_queue(0, 32, 8, 1, 8);
    for (unsigned i = 0; i < 5; ++i) {
        post(bench, 20);
        bench.run_for(100_us);
        bench.tx.flush_writebacks(0);
        EXPECT_EQ(bench.clean(0), 20U);
    }
    EXPECT_EQ(bench.wire.frames, 100U);
}

TEST(Registers, OfAQueueAnswerAtTheirAliases) {
    TxBench bench("bench");
    bench.start();
    bench.write(0x3800 + 3 * 0x100, 0x1234'5680);
    EXPECT_EQ(bench.file.read(reg::TDBAL + 3 * 0x40), 0x1234'5680U);
    bench.write(0x3828 + 0x100, 0x0210'0108);
    EXPECT_EQ(bench.file.read(reg::TXDCTL + 0x40), 0x0210'0108U);
}

TEST(Queue, StopsWhenDisabledAndStartsAgainClean) {
    TxBench bench("bench");
    bench.start();
    bench.bus.latency = 1_us;
    bench.enable_queue(0);
    post(bench, 50);
    bench.run_for(4_us);
    bench.write(reg::TXDCTL, 0);
    bench.run_for(200_us);
    const auto left = bench.wire.frames;
    EXPECT_LT(left, 50U);
    bench.run_for(200_us);
    EXPECT_EQ(bench.wire.frames, left);
    bench.enable_queue(0);
    post(bench, 50);
    bench.run_for(500_us);
    EXPECT_EQ(bench.wire.frames, left + 50);
    EXPECT_EQ(bench.clean(0), 50U);
}

}  // namespace
}  // namespace nicsim::models::i210
