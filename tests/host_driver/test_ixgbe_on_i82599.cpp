// SPDX-License-Identifier: Apache-2.0
// The ixgbe reference driver: its moderation as arithmetic, and on the device model behind PCIe its
// probe, its ring's ends, its descriptors and its doorbells.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "host_driver/drivers/ixgbe.h"
#include "models/i82599/i82599.h"
#include "tests/host_driver/nic_machine.h"

namespace nicsim::host {
namespace {

using namespace testing;
using namespace sim::literals;
using ixgbe::LatencyClass;

// ---------------------------------------------------------------- moderation

/// Where the interval comes to rest, and after how many steps.
std::pair<std::uint32_t, int> rest(std::uint32_t from, std::uint32_t target) {
    int steps = 0;
    for (std::uint32_t itr = from;; ++steps) {
        const std::uint32_t next = ixgbe::smoothed_itr(itr, target);
        if (next == itr) return {itr, steps};
        itr = next;
    }
}

TEST(IxgbeItr, SmoothingFromBelowRestsShortOfItsTarget) {
    EXPECT_EQ(rest(200, 500), std::pair(490U, 47));
    EXPECT_EQ(rest(40, 200).first, 190U);
    EXPECT_EQ(rest(200, 336).first, 326U);
}

TEST(IxgbeItr, SmoothingFromAboveReachesItsTarget) {
    EXPECT_EQ(rest(200, 40).first, 40U);
    EXPECT_EQ(rest(1000, 500).first, 500U);
}

TEST(IxgbeItr, TheRegisterCountsIn2048NanosecondsAndSparesTheCounter) {
    EXPECT_EQ(ixgbe::eitr_register(490), 0x800001e8U);
    EXPECT_EQ(ixgbe::eitr_register(490) >> 3 & 0x1ffU, 61U);
    EXPECT_EQ(ixgbe::eitr_register(200), 0x800000c8U);
    EXPECT_EQ(ixgbe::eitr_register(0x1007), 0x80000000U);
}

TEST(IxgbeItr, ClassesFollowBytesPerMicrosecond) {
    const auto next = [](LatencyClass from, std::uint32_t bytes_per_us) {
        intel::Work work{bytes_per_us * 50, 1};
        const LatencyClass to = ixgbe::update_class(from, work, 200);
        EXPECT_EQ(work.packets, 0U) << "counting starts anew";
        return to;
    };
    EXPECT_EQ(next(LatencyClass::lowest, 10), LatencyClass::lowest);
    EXPECT_EQ(next(LatencyClass::lowest, 11), LatencyClass::low);
    EXPECT_EQ(next(LatencyClass::lowest, 300), LatencyClass::low) << "one class at a time";
    EXPECT_EQ(next(LatencyClass::low, 10), LatencyClass::lowest);
    EXPECT_EQ(next(LatencyClass::low, 20), LatencyClass::low);
    EXPECT_EQ(next(LatencyClass::low, 21), LatencyClass::bulk);
    EXPECT_EQ(next(LatencyClass::bulk, 21), LatencyClass::bulk);
    EXPECT_EQ(next(LatencyClass::bulk, 20), LatencyClass::low);
}

TEST(IxgbeItr, NothingChangesWithoutPacketsOrWithoutAnInterval) {
    intel::Work none{5000, 0};
    EXPECT_EQ(ixgbe::update_class(LatencyClass::low, none, 200), LatencyClass::low);
    intel::Work some{5000, 50};
    EXPECT_EQ(ixgbe::update_class(LatencyClass::low, some, 3), LatencyClass::low);
    EXPECT_EQ(some.packets, 50U) << "counting goes on";
}

/// The interval in microseconds after one look at `work` under `us`, with its mark.
std::uint32_t adapted(intel::Work work, std::uint32_t us, bool slow = false) {
    ixgbe::AdaptiveSide side{us, 7};
    ixgbe::adapt(side, work, us << 2, slow, 7);
    EXPECT_EQ(work.packets, 0U) << "counting starts anew";
    EXPECT_EQ(side.good_until, 8U);
    return side.interval;
}

TEST(IxgbeItr, SinceLinux415TheIntervalFollowsItsPackets) {
    using Side = ixgbe::AdaptiveSide;
    EXPECT_EQ(adapted({60 * 47, 47}, 20), 22U) << "too few";
    EXPECT_EQ(adapted({60 * 47, 47}, 125), 126U) << "at most";
    EXPECT_EQ(adapted({60 * 48, 48}, 20), 20U);
    EXPECT_EQ(adapted({60 * 95, 95}, 20), 20U);
    EXPECT_EQ(adapted({60 * 96, 96}, 30), 15U) << "too many";
    EXPECT_EQ(adapted({60 * 255, 255}, 12), 10U) << "at least";
    EXPECT_EQ(adapted({60 * 256, 256}, 126), 20U) << "by size: 5120 / 256";
    EXPECT_EQ(adapted({1514 * 256, 256}, 126), 118U) << "(5 x 1514 + 22420) / 512 steps of 2 us";
    EXPECT_EQ(adapted({2000 * 256, 256}, 50), 126U);
    EXPECT_EQ(adapted({180, 3}, 126), 10U | Side::latency) << "half of that for single packets";
    EXPECT_EQ(adapted({9000, 3}, 20), 22U) << "unless they are large";
    EXPECT_EQ(adapted({}, 20), 22U);
    EXPECT_EQ(adapted({1514 * 256, 256}, 126, true), 126U) << "8064 / 128 steps at 1 Gbit/s";
}

TEST(IxgbeItr, SinceLinux415APauseStartsAnewAndTheShorterIntervalCounts) {
    using Side = ixgbe::AdaptiveSide;
    Side side{60, 7};
    intel::Work work{60 * 50, 50};
    ixgbe::adapt(side, work, 240, false, 8);
    EXPECT_EQ(side.interval, Side::min_us | Side::latency) << "a tick later than good_until";
    const Side busy{30, 0};
    const Side single{10 | Side::latency, 0};
    EXPECT_EQ(ixgbe::shorter_itr(busy, single), 120U) << "a direction with few packets waives";
    EXPECT_EQ(ixgbe::shorter_itr(single, single), 40U);
    EXPECT_EQ(ixgbe::ticks(7'999'999'999), 1U);
    EXPECT_EQ(ixgbe::ticks(8_ms), 2U);
}

TEST(IxgbeConfig, WriteBacksAreNotGatheredWhenInterruptsComeFast) {
    IxgbeConfig config;
    EXPECT_EQ(config.wthresh_for(40), 8U);
    EXPECT_EQ(config.wthresh_for(39), 1U);
    config.bql = false;
    EXPECT_EQ(config.wthresh_for(8), 8U);
    EXPECT_EQ(config.wthresh_for(7), 1U);
    config.tx_wthresh = 0;
    EXPECT_EQ(config.wthresh_for(7), 0U) << "still by RS only";
    EXPECT_EQ(config.wthresh_for(8), 0U);
}

TEST(IxgbeConfig, RefusesWhatDoesNotFitTogether) {
    IxgbeConfig config;
    config.tx_ring = 100;
    EXPECT_NE(config.check().find("multiple of 8"), std::string::npos);
    config.tx_ring = 64;
    EXPECT_EQ(config.check(), "");
    config.itr_algorithm = IxgbeItrAlgorithm::packets;
    EXPECT_EQ(config.check(), "");
    config.itr_bulk = 336;
    EXPECT_NE(config.check().find("itr_bulk"), std::string::npos);
}

// ---------------------------------------------------------------- on the device

using Machine =
    NicMachine<models::i82599::I82599, models::i82599::I82599Config, IxgbeDriver, IxgbeConfig>;

TEST(IxgbeOnI82599, ProbesTheModelWithoutTouchingAnythingItDoesNotHave) {
    Machine m;
    ASSERT_EQ(m.start(), "");
    EXPECT_TRUE(m.driver.device().carrier());
    EXPECT_EQ(m.driver.link_bits_per_second(), 10'000'000'000U);
    EXPECT_EQ(m.driver.mac_address()[0], 0x02);
    EXPECT_EQ(m.driver.mac_address()[5], 0x01);
    std::string unknown;
    for (const auto& u : m.nic.unmodelled()) unknown.append(" ").append(std::to_string(u.offset));
    EXPECT_EQ(unknown, "");
}

TEST(IxgbeOnI82599, TheServiceTaskReachesEveryQueueAndReadsOnlyWhatIsThere) {
    IxgbeConfig config;
    config.queue_pairs = 4;
    Machine m(config);
    ASSERT_EQ(m.start(), "");
    std::array<std::uint64_t, 4> before{};
    for (unsigned q = 0; q < 4; ++q) before[q] = m.driver.vector(q).interrupts;
    EXPECT_GE(before[0], 1U) << "when it came up";
    m.run(4_s);
    for (unsigned q = 0; q < 4; ++q) EXPECT_EQ(m.driver.vector(q).interrupts, before[q] + 2);
    EXPECT_TRUE(m.nic.unmodelled().empty());
    m.on_core([&](Core& c) { m.driver.close(c); }, 100_ms);
    const std::uint64_t reads = m.host.core().count_of(Op::mmio_read);
    m.run(5_s);
    EXPECT_EQ(m.host.core().count_of(Op::mmio_read), reads)
        << "nobody looks after it when it is down";
}

TEST(IxgbeOnI82599, SendsThePacketFreesItAndComesUpAgainAfterDown) {
    Machine m;
    ASSERT_EQ(m.start(), "");
    for (int round = 1; round <= 2; ++round) {
        m.on_core(
            [&](Core& c) {
                const SkbPtr skb = m.packet(100);
                m.host.memory().store(skb->linear.address, std::uint32_t{0x04030201});
                ASSERT_TRUE(m.driver.start_xmit(c, skb, 0, false));
            },
            1_ms);
        EXPECT_EQ(m.sink.frames, static_cast<std::uint64_t>(round));
        ASSERT_GE(m.sink.last.size(), 100U);
        EXPECT_EQ(m.sink.last[3], 4U);
        EXPECT_EQ(m.driver.tx_ring(0).used(), 0U) << "a lone packet is reported";
        if (round == 1)
            m.on_core(
                [&](Core& c) {
                    m.driver.close(c);
                    m.driver.open(c);
                },
                1_s);
    }
}

TEST(IxgbeOnI82599, TheRingCarries21LessThanItsLengthAndWakesAtTheInterrupt) {
    IxgbeConfig config;
    config.tx_ring = 64;
    config.bql = false;
    config.itr_mode = IxgbeItrMode::fixed;
    config.itr_interval = 1'000_us;
    Machine m(config);
    ASSERT_EQ(m.start(), "");
    TxQueue& queue = m.driver.device().queue(0);
    const auto fill = [&](Core& c) {
        unsigned sent = 0;
        for (; !queue.stopped_by_driver; ++sent)
            if (!m.driver.start_xmit(c, m.packet(60), 0, false)) break;
        return sent;
    };
    // The first packet's interrupt comes at once and starts the gap.
    m.on_core([&](Core& c) { ASSERT_TRUE(m.driver.start_xmit(c, m.packet(60), 0, false)); }, 50_us);
    EXPECT_EQ(m.driver.tx_ring(0).used(), 0U);
    unsigned sent = 0;
    m.on_core([&](Core& c) { sent = fill(c); }, 300_us);
    EXPECT_EQ(sent, 43U) << "of 63 places, 20 are left";
    EXPECT_TRUE(queue.stopped_by_driver) << "everything is sent, but no interrupt has said so";
    EXPECT_EQ(m.sink.frames, 44U);
    m.run(1_ms);
    EXPECT_FALSE(queue.stopped_by_driver);
    EXPECT_EQ(m.driver.tx_ring(0).used(), 0U) << "with the expiry the last three are flushed";
    EXPECT_EQ(queue.stops, 1U);
    EXPECT_EQ(queue.wakes, 1U);
}

TEST(IxgbeOnI82599, DescriptorsAndThresholdsAreThoseOfTheRealDriver) {
    Machine m;
    ASSERT_EQ(m.start(), "");
    std::uint32_t txdctl = 0;
    m.on_core(
        [&](Core& c) {
            ASSERT_TRUE(m.driver.start_xmit(c, m.packet(60), 0, false));
            const std::uint64_t at = m.driver.tx_ring(0).descriptors;
            EXPECT_EQ(m.host.memory().load<std::uint32_t>(at + 8), 0x2b300000U | 60U);
            const std::uint64_t bar = m.driver.tx_ring(0).tail_register - 0x6018;
            txdctl = c.mmio_read32(bar + 0x6028);
        },
        1_ms);
    EXPECT_EQ(txdctl, 0x02080120U);
}

/// WTHRESH 0: of a packet's three descriptors (context, header, payload) the device writes only the
/// last one back, which has RS, at once even while interrupts are held back; the driver looks
/// there.
TEST(IxgbeOnI82599, WithoutWriteBackThresholdOnlyWhatAsksForItIsWrittenAndAllIsFreed) {
    IxgbeConfig config;
    config.tx_wthresh = 0;
    config.itr_mode = IxgbeItrMode::fixed;
    config.itr_interval = 1'000_us;
    Machine m(config);
    ASSERT_EQ(m.start(), "");
    const std::vector<std::uint8_t> payload(1000, 7);
    m.on_core([&](Core& c) { ASSERT_TRUE(m.driver.start_xmit(c, m.packet(60), 0, false)); }, 50_us);
    m.on_core(
        [&](Core& c) {
            ASSERT_TRUE(m.driver.start_xmit(c, m.tcp_packet(payload, 1448), 0, false));
        },
        100_us);
    const auto done = [&](unsigned i) {
        const std::uint64_t at = m.driver.tx_ring(0).descriptors + i * 16U + 12;
        return (m.host.memory().load<std::uint32_t>(at) & 1U) != 0;
    };
    EXPECT_TRUE(done(0));
    EXPECT_FALSE(done(1));
    EXPECT_FALSE(done(2));
    EXPECT_TRUE(done(3));
    EXPECT_EQ(m.driver.tx_ring(0).used(), 3U) << "the interrupt is still held back";
    m.run(1_ms);
    EXPECT_EQ(m.driver.tx_ring(0).used(), 0U);
    EXPECT_EQ(m.sink.frames, 2U);
}

TEST(IxgbeOnI82599, DoorbellPolicyDecidesWhetherTheHintIsHeeded) {
    IxgbeConfig config;
    config.doorbell = IxgbeDoorbell::more_hint;
    config.bql = false;  // a limit that is reached rings the doorbell, too
    Machine m(config);
    ASSERT_EQ(m.start(), "");
    m.on_core(
        [&](Core& c) {
            for (int i = 0; i < 8; ++i)
                ASSERT_TRUE(m.driver.start_xmit(c, m.packet(60), 0, i != 7));
        },
        1_ms);
    EXPECT_EQ(m.driver.tx_ring(0).doorbells, 1U);
    EXPECT_EQ(m.sink.frames, 8U);
}

TEST(IxgbeOnI82599, IgnoresTheHintByDefault) {
    Machine m;
    ASSERT_EQ(m.start(), "");
    m.on_core(
        [&](Core& c) {
            for (int i = 0; i < 8; ++i)
                ASSERT_TRUE(m.driver.start_xmit(c, m.packet(60), 0, i != 7));
        },
        1_ms);
    EXPECT_EQ(m.driver.tx_ring(0).doorbells, 8U);
}

}  // namespace
}  // namespace nicsim::host
