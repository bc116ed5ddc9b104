// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numeric>

#include "host_driver/net_device.h"
#include "host_driver/qdisc_etf.h"
#include "host_driver/qdisc_fifo.h"
#include "host_driver/qdisc_mq.h"
#include "host_driver/qdisc_taprio.h"
#include "sim/kernel.h"
#include "tests/host_driver/host_bench.h"

namespace nicsim::host {
namespace {

using namespace sim::literals;
using namespace testing;
using Cookies = std::vector<std::uint64_t>;

// ---------------------------------------------------------------- runs and plain disciplines

TEST(QdiscRun, PacketGoesStraightToTheDriverWhenNothingWaits) {
    DeviceBench b;
    b.on_core([&](Core& core) { EXPECT_TRUE(b.device.queue_xmit(core, packet(100, 1))); });
    EXPECT_EQ(b.cookies(), Cookies{1});
    EXPECT_EQ(b.device.backlog_packets(), 0U);
}

TEST(QdiscRun, RefusedPacketIsKeptAndGoesFirstAfterTheWakeUp) {
    DeviceBench b;
    b.driver.room = 1;
    b.on_core([&](Core& core) {
        for (std::uint64_t i = 1; i <= 4; ++i) (void)b.device.queue_xmit(core, packet(100, i));
    });
    EXPECT_EQ(b.cookies(), Cookies{1});
    EXPECT_EQ(b.device.backlog_packets(), 3U);
    EXPECT_EQ(b.device.queue(0).stops, 1U);
    b.on_core([&](Core& core) {
        b.driver.room = 10;
        b.device.wake_queue(core, 0);
    });
    EXPECT_EQ(b.cookies(), (Cookies{1, 2, 3, 4}));
    EXPECT_EQ(b.device.backlog_packets(), 0U);
}

TEST(QdiscRun, BulkIsBoundedByTheByteQueueLimitAndHintsAtMore) {
    DeviceBench b;
    b.device.use_bql(true);
    b.driver.use_bql = true;
    b.device.queue(0).bql.min_limit = 3'500;
    b.on_core([&](Core& core) {
        b.device.bql_sent(0, 1);  // sets the least limit at its completion
        b.device.bql_completed(core, 0, 1, 1);
        b.device.stop_queue(0);
        for (std::uint64_t i = 1; i <= 6; ++i) (void)b.device.queue_xmit(core, packet(1000, i));
        EXPECT_TRUE(b.driver.sent.empty());
        b.device.wake_queue(core, 0);
    });
    // The first met the stopped queue and goes alone. 3500 - 1000 leaves 2500 for a bulk of three,
    // the last of which exceeds the limit.
    ASSERT_EQ(b.cookies(), (Cookies{1, 2, 3, 4}));
    EXPECT_FALSE(b.driver.sent[0].more);
    EXPECT_TRUE(b.driver.sent[1].more);
    EXPECT_TRUE(b.driver.sent[2].more);
    EXPECT_FALSE(b.driver.sent[3].more);
    EXPECT_TRUE(b.device.queue(0).bql.stopped());
    b.on_core([&](Core& core) { b.device.bql_completed(core, 0, 4, 4000); });
    EXPECT_EQ(b.cookies().size(), 6U);
}

TEST(QdiscRun, QuotaLeavesTheRestToASoftirq) {
    DeviceBench b;
    std::uint64_t seen = 0;
    b.on_core([&](Core& core) {
        b.device.stop_queue(0);
        for (std::uint64_t i = 0; i < 200; ++i) (void)b.device.queue_xmit(core, packet(60, i));
        b.device.wake_queue(core, 0);
        seen = b.driver.sent.size();
    });
    EXPECT_EQ(seen, 0U) << "a wake-up only schedules";
    Cookies all(200);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(b.cookies(), all);
}

TEST(Pfifo, DropsWhatExceedsItsLimitAndCountsIt) {
    DeviceBench b;
    b.on_core([&](Core& core) {
        EXPECT_EQ(b.device.set_qdisc(core, std::make_unique<PfifoQdisc>(FifoConfig{3})), "");
        b.device.stop_queue(0);
        unsigned taken = 0;
        for (int i = 0; i < 5; ++i) taken += b.device.queue_xmit(core, packet(100)) ? 1U : 0U;
        // Nothing reaches a stopped queue, so the first is waiting as well.
        EXPECT_EQ(taken, 4U) << "one met the stopped queue directly, three fit";
    });
    EXPECT_EQ(b.device.qdisc().drops(), 1U);
}

TEST(PfifoFast, ServesInteractivePriorityBeforeBulk) {
    DeviceBench b;
    b.on_core([&](Core& core) {
        b.device.stop_queue(0);
        (void)b.device.queue_xmit(core, packet(100, 0, 0));  // meets the stopped queue
        (void)b.device.queue_xmit(core, packet(100, 1, 2));  // bulk: band 2
        (void)b.device.queue_xmit(core, packet(100, 2, 0));  // best effort: band 1
        (void)b.device.queue_xmit(core, packet(100, 3, 6));  // interactive: band 0
        b.device.wake_queue(core, 0);
    });
    EXPECT_EQ(b.cookies(), (Cookies{0, 3, 2, 1}));
}

TEST(Mq, StoppedQueueDoesNotHoldUpAnother) {
    DeviceBench b(2);
    b.on_core([&](Core& core) {
        b.device.stop_queue(0);
        SkbPtr first = packet(100, 1);
        first->hash = 0;
        SkbPtr second = packet(100, 2);
        second->hash = 0xffff'ffff;
        (void)b.device.queue_xmit(core, first);
        (void)b.device.queue_xmit(core, second);
    });
    ASSERT_EQ(b.cookies(), Cookies{2});
    EXPECT_EQ(b.driver.sent[0].queue, 1U);
}

MqprioConfig seed_classes() {
    MqprioConfig c;
    c.map = {3, 3, 1, 0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    c.queue_counts = {1, 1, 1, 1};
    c.queue_offsets = {0, 1, 2, 3};
    return c;
}

TEST(Mqprio, MapsPrioritiesToTheQueuesOfTheirClass) {
    DeviceBench b(4);
    b.on_core([&](Core& core) {
        EXPECT_EQ(b.device.set_qdisc(core, std::make_unique<MqprioQdisc>(seed_classes(), 4)), "");
        for (std::uint32_t prio = 0; prio < 6; ++prio)
            (void)b.device.queue_xmit(core, packet(100, prio, prio));
    });
    std::vector<unsigned> queues;
    for (const auto& s : b.driver.sent) queues.push_back(s.queue);
    EXPECT_EQ(queues, (std::vector<unsigned>{3, 3, 1, 0, 2, 2}));
}

TEST(Mqprio, RefusesMapsThatTheDeviceCannotServe) {
    DeviceBench b(2);
    b.on_core([&](Core& core) {
        const std::string error =
            b.device.set_qdisc(core, std::make_unique<MqprioQdisc>(seed_classes(), 2));
        EXPECT_NE(error.find("traffic class 2"), std::string::npos) << error;
        MqprioConfig overlap = seed_classes();
        overlap.queue_offsets = {0, 0, 1, 1};
        EXPECT_NE(
            b.device.set_qdisc(core, std::make_unique<MqprioQdisc>(overlap, 2)).find("overlap"),
            std::string::npos);
        MqprioConfig few;
        few.map.assign(16, 1);
        EXPECT_NE(
            b.device.set_qdisc(core, std::make_unique<MqprioQdisc>(few, 2)).find("priority 0"),
            std::string::npos);
    });
}

// ---------------------------------------------------------------- etf

struct EtfBench : DeviceBench {
    explicit EtfBench(EtfConfig config) {
        on_core([&](Core& c) {
            EXPECT_EQ(device.set_qdisc(c, std::make_unique<EtfQdisc>(config)), "");
        });
    }
};

TEST(Etf, ReleasesStrictlyAfterLaunchTimeMinusDelta) {
    EtfBench b({.delta = 1_ms});
    b.on_core([&](Core& core) { (void)b.device.queue_xmit(core, packet(1514, 1, 3, 5_ms)); });
    b.run_through(4_ms);
    EXPECT_TRUE(b.driver.sent.empty()) << "not allowed at exactly launch minus delta";
    b.run_through(4_ms + 1_ps);
    ASSERT_EQ(b.driver.sent.size(), 1U);
    EXPECT_EQ(b.driver.sent[0].time, 4_ms + 1_ps);
}

TEST(Etf, SortsByLaunchTime) {
    EtfBench b({.delta = 100_us});
    b.on_core([&](Core& core) {
        (void)b.device.queue_xmit(core, packet(100, 3, 0, 3_ms));
        (void)b.device.queue_xmit(core, packet(100, 1, 0, 1_ms));
        (void)b.device.queue_xmit(core, packet(100, 2, 0, 2_ms));
    });
    b.run(10_ms);
    EXPECT_EQ(b.cookies(), (Cookies{1, 2, 3}));
}

TEST(Etf, DropsWhatHasNoTimeOrIsLate) {
    EtfBench b({.delta = 100_us});
    b.run(1_ms);
    b.on_core([&](Core& core) {
        EXPECT_FALSE(b.device.queue_xmit(core, packet(100, 1, 0, 0)));
        EXPECT_FALSE(b.device.queue_xmit(core, packet(100, 2, 0, 900_us)));
    });
    b.run(1_ms);
    EXPECT_TRUE(b.driver.sent.empty());
    EXPECT_EQ(b.device.qdisc().drops(), 2U);
}

TEST(Etf, DropsWhatGrewLateBehindAStoppedQueue) {
    EtfBench b({.delta = 100_us});
    b.on_core([&](Core& core) {
        b.device.stop_queue(0);
        (void)b.device.queue_xmit(core, packet(100, 1, 0, 1_ms));
    });
    b.run(2_ms);
    b.on_core([&](Core& core) { b.device.wake_queue(core, 0); });
    EXPECT_TRUE(b.driver.sent.empty());
    EXPECT_EQ(dynamic_cast<EtfQdisc&>(b.device.qdisc()).late(), 1U);
}

TEST(Etf, IdleDoesNotWake) {
    EtfBench b({.delta = 1_ms});
    b.on_core([&](Core& core) { (void)b.device.queue_xmit(core, packet(1514, 1, 3, 5_ms)); });
    b.run(10_ms);
    const std::uint64_t before = sim::kernel_cost.wakeups;
    b.run(1_s);
    EXPECT_EQ(sim::kernel_cost.wakeups, before);
}

TEST(Etf, OffloadIsSetUpOnTheQueueItIsGraftedUnder) {
    DeviceBench b(4);
    b.on_core([&](Core& core) {
        (void)b.device.set_qdisc(core, std::make_unique<MqprioQdisc>(seed_classes(), 4));
        EXPECT_EQ(b.device.graft(core, 1, std::make_unique<EtfQdisc>(EtfConfig{.offload = true})),
                  "");
        EXPECT_NE(b.device.graft(core, 9, std::make_unique<EtfQdisc>(EtfConfig{})), "");
    });
    EXPECT_EQ(b.driver.etf_calls, (std::vector<std::pair<unsigned, bool>>{{1, true}}));
}

// ---------------------------------------------------------------- taprio

TaprioConfig gates(std::vector<std::uint64_t> masks, std::vector<std::uint64_t> intervals) {
    TaprioConfig c;
    static_cast<TrafficClassMap&>(c) = seed_classes();
    c.gate_masks = std::move(masks);
    c.intervals = std::move(intervals);
    return c;
}

struct TaprioBench : DeviceBench {
    explicit TaprioBench(const TaprioConfig& config) : DeviceBench(4) {
        on_core([&](Core& c) {
            EXPECT_EQ(device.set_qdisc(c, std::make_unique<TaprioQdisc>(config, 4)), "");
        });
    }
    void send_at(sim::Ps t, std::uint64_t cookie, std::uint32_t priority, std::uint32_t length) {
        run(t - sim::now());
        steps.run(core, [=, this](Core& c) {
            (void)device.queue_xmit(c, packet(length, cookie, priority));
        });
    }
};

TEST(Taprio, HoldsAClosedClassUntilItsGateOpens) {
    // Class 3 (priority 0) is open in the second half only.
    TaprioBench b(gates({0x7, 0x8}, {50_us, 50_us}));
    b.send_at(10_us, 1, 0, 1000);
    b.run_through(50_us - 1_ps);
    EXPECT_TRUE(b.driver.sent.empty()) << "not one tick before the gate opens";
    b.run_through(50_us);
    ASSERT_EQ(b.driver.sent.size(), 1U);
    EXPECT_EQ(b.driver.sent[0].time, 50_us);
}

TEST(Taprio, PacketMustEndBeforeTheGateCloses) {
    // 1000 bytes last 8 us: at 42 us it just fits, a picosecond later it does not.
    TaprioBench fits(gates({0x8, 0x7}, {50_us, 50_us}));
    fits.send_at(42_us - 1_ps, 1, 0, 1000);  // the step itself takes one picosecond
    fits.run(1_ns);
    EXPECT_EQ(fits.driver.sent.size(), 1U);
}

TEST(Taprio, PacketThatWouldOutlastTheGateWaitsForTheNextCycle) {
    TaprioBench b(gates({0x8, 0x7}, {50_us, 50_us}));
    b.send_at(42_us, 1, 0, 1000);
    b.run_through(100_us - 1_ps);
    EXPECT_TRUE(b.driver.sent.empty());
    b.run_through(100_us);
    ASSERT_EQ(b.driver.sent.size(), 1U);
    EXPECT_EQ(b.driver.sent[0].time, 100_us);
}

TEST(Taprio, EntryLetsNoMoreBytesThroughThanItLasts) {
    // 125 us at 1 Gbit/s are 15625 bytes: ten packets of 1514 and then none.
    TaprioBench b(gates({0xf}, {125_us}));
    b.on_core([&](Core& core) {
        for (std::uint64_t i = 0; i < 12; ++i) (void)b.device.queue_xmit(core, packet(1514, i, 0));
    });
    EXPECT_EQ(b.driver.sent.size(), 10U);
    b.run_through(125_us);
    ASSERT_EQ(b.driver.sent.size(), 12U);
    EXPECT_EQ(b.driver.sent[10].time, 125_us);
}

TEST(Taprio, OpenGatesCostNoWakeUpsWhenNothingWaits) {
    TaprioBench b(gates({0xf, 0xf}, {50_us, 75_us}));
    b.send_at(10_us, 1, 0, 1000);
    b.run(10_us);
    ASSERT_EQ(b.driver.sent.size(), 1U);
    const std::uint64_t before = sim::kernel_cost.wakeups;
    b.run(1_s);
    EXPECT_EQ(sim::kernel_cost.wakeups, before);
}

TEST(Taprio, TakesALaunchTimeOnlyStrictlyInsideAnOpenInterval) {
    TaprioBench b(gates({0xf}, {125_us}));
    const auto& taprio = dynamic_cast<TaprioQdisc&>(b.device.qdisc());
    // 1514 bytes last 12.112 us.
    EXPECT_FALSE(taprio.fits_its_interval(*packet(1514, 0, 3, 250_us))) << "on the boundary";
    EXPECT_TRUE(taprio.fits_its_interval(*packet(1514, 0, 3, 250_us + 1_ps)));
    EXPECT_FALSE(taprio.fits_its_interval(*packet(1514, 0, 3, 375_us - 12'112_ns)));
    EXPECT_TRUE(taprio.fits_its_interval(*packet(1514, 0, 3, 375_us - 12'112_ns - 1_ps)));
}

TEST(Taprio, EtfChildReleasesByItsTimeWhileBestEffortGoesOn) {
    DeviceBench b(4);
    b.on_core([&](Core& core) {
        (void)b.device.set_qdisc(core, std::make_unique<TaprioQdisc>(gates({0xf}, {125_us}), 4));
        EXPECT_EQ(b.device.graft(core, 0, std::make_unique<EtfQdisc>(EtfConfig{.delta = 20_us})),
                  "");
        (void)b.device.queue_xmit(core, packet(1514, 7, 3, 60_us));
        (void)b.device.queue_xmit(core, packet(1514, 8, 0));
    });
    EXPECT_EQ(b.cookies(), Cookies{8}) << "the packet with a launch time is not due";
    b.run_through(40_us);
    EXPECT_EQ(b.driver.sent.size(), 1U);
    b.run_through(40_us + 1_ps);
    ASSERT_EQ(b.cookies(), (Cookies{8, 7}));
    EXPECT_EQ(b.driver.sent[1].queue, 0U);
    EXPECT_EQ(b.device.backlog_packets(), 0U);
}

TEST(Taprio, RefusesAScheduleWithoutAnIntervalForEachMask) {
    DeviceBench b(4);
    b.on_core([&](Core& core) {
        EXPECT_NE(
            b.device.set_qdisc(core, std::make_unique<TaprioQdisc>(gates({0xf, 0x1}, {125_us}), 4)),
            "");
    });
}

}  // namespace
}  // namespace nicsim::host
