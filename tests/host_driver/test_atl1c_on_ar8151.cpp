// SPDX-License-Identifier: Apache-2.0
// The atl1c reference driver on the device model behind PCIe: probe, traffic both ways, moderation,
// segmentation, changes of the link, four queues of MikroTik's card.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "host_driver/drivers/atl1c.h"
#include "models/ar8151/ar8151.h"
#include "tests/host_driver/nic_machine.h"

namespace nicsim::host {
namespace {

using namespace testing;
using namespace sim::literals;

using Machine =
    NicMachine<models::ar8151::Ar8151, models::ar8151::Ar8151Config, Atl1cDriver, Atl1cConfig>;

std::string unknown_registers(const Machine& m) {
    std::string unknown;
    for (const auto& u : m.nic.unmodelled()) unknown.append(" ").append(std::to_string(u.offset));
    return unknown;
}

/// Keeps the ring full for `t` and returns how many packets went out on the wire.
std::uint64_t flood(Machine& m, sim::Ps t) {
    struct Flood : Task {
        explicit Flood(Machine& machine) : m(machine), skb(machine.packet(60)) {}
        bool step(Core& core) override {
            core.charge(Op::syscall);
            if (m.driver.device().queue(0).stopped_by_driver) {
                core.charge(Op::copy_byte, 10'000);  // looks again in 0.8 us
                return true;
            }
            SkbPtr copy = skb_pool().make();
            copy->linear = skb->linear;
            copy->length = 60;
            core.disable_bottom_halves();
            (void)m.driver.start_xmit(core, copy, 0, false);
            core.enable_bottom_halves();
            return true;
        }
        Machine& m;
        SkbPtr skb;
    };
    static std::unique_ptr<Flood> task;
    task = std::make_unique<Flood>(m);
    m.host.core().wake(*task);
    m.run(4_ms);
    const std::uint64_t before = m.sink.frames;
    m.run(t);
    return m.sink.frames - before;
}

TEST(Atl1cOnAr8151, ProbesTheModelWithoutTouchingAnythingItDoesNotHave) {
    Machine m;
    ASSERT_EQ(m.start(), "");
    EXPECT_TRUE(m.driver.device().carrier());
    EXPECT_EQ(m.driver.link_bits_per_second(), 1'000'000'000U);
    EXPECT_EQ(m.driver.mac_address()[0], 0x02);
    EXPECT_EQ(m.driver.mac_address()[5], 0x01);
    EXPECT_EQ(unknown_registers(m), "");
}

TEST(Atl1cOnAr8151, SendsThePacketFreesItAndComesUpAgainAfterDown) {
    Machine m;
    ASSERT_EQ(m.start(), "");
    for (int round = 1; round <= 2; ++round) {
        m.on_core(
            [&](Core& c) {
                const SkbPtr skb = m.packet(100);
                m.host.memory().store(skb->linear.address, std::uint32_t{0x04030201});
                ASSERT_TRUE(m.driver.start_xmit(c, skb, 0, false));
            },
            5_ms);
        EXPECT_EQ(m.sink.frames, static_cast<std::uint64_t>(round));
        ASSERT_GE(m.sink.last.size(), 100U);
        EXPECT_EQ(m.sink.last[3], 4U);
        EXPECT_EQ(m.driver.tx_ring(0).used(), 0U);
        if (round == 1)
            m.on_core(
                [&](Core& c) {
                    m.driver.close(c);
                    m.driver.open(c);
                },
                1_s);
    }
    EXPECT_EQ(unknown_registers(m), "");
}

struct Counters {
    explicit Counters(Machine& m) { m.driver.register_stats(group); }
    std::uint64_t operator()(const std::string& path) const {
        return std::get<sim::CounterStat>(group.find(path)->value).whole_run();
    }
    sim::StatGroup group{"driver"};
};

TEST(Atl1cOnAr8151, AQueueThatStandsStillForFiveSecondsHasTheDeviceReset) {
    Machine m;
    ASSERT_EQ(m.start(), "");
    const Counters count(m);
    const auto send = [&](Core& c) {
        ASSERT_TRUE(m.driver.start_xmit(c, m.packet(100), 0, false));
    };
    m.on_core(send, 5_ms);
    // Looks in between find that too little time has passed.
    m.on_core([&](Core&) { m.driver.device().stop_queue(0); }, 6_s);
    EXPECT_EQ(count("tx_timeouts"), 0U);
    EXPECT_TRUE(m.driver.device().queue(0).stopped_by_driver);
    m.run(5_s);
    EXPECT_EQ(count("tx_timeouts"), 1U);
    EXPECT_FALSE(m.driver.device().queue(0).stopped_by_driver);
    EXPECT_TRUE(m.driver.device().carrier());
    m.on_core(send, 5_ms);
    EXPECT_EQ(m.sink.frames, 2U);
    m.run(20_s);
    EXPECT_EQ(count("tx_timeouts"), 1U) << "a queue that runs is left alone";
}

TEST(Atl1cOnAr8151, ReadsTheCountersOfTheDeviceAsOftenAsSomebodyAsks) {
    Atl1cConfig config;
    config.statistics_interval = 1_ms;
    Machine m(config);
    ASSERT_EQ(m.start(), "");
    const Counters count(m);
    const std::uint64_t reads = count("hardware.reads");
    m.deliver(m.datagram(60, 1));
    m.deliver(m.datagram(1514, 9));
    m.deliver(m.datagram(100, 1), false);
    m.on_core([&](Core& c) { ASSERT_TRUE(m.driver.start_xmit(c, m.packet(100), 0, false)); },
              10_ms);
    EXPECT_NEAR(static_cast<double>(count("hardware.reads") - reads), 10, 1);
    EXPECT_EQ(count("hardware.rx_ok"), 2U) << "added up over reads that clear";
    EXPECT_EQ(count("hardware.rx_bytes"), 60U + 1514U);
    EXPECT_EQ(count("hardware.rx_fcs_errors"), 1U);
    EXPECT_EQ(count("hardware.tx_ok"), 1U);
    EXPECT_EQ(count("hardware.tx_bytes"), 100U);
    EXPECT_EQ(unknown_registers(m), "");
}

TEST(Atl1cOnAr8151, NobodyReadsTheCountersUnlessAsked) {
    Machine m;
    ASSERT_EQ(m.start(), "");
    EXPECT_EQ(Counters(m).group.find("hardware.reads"), nullptr);
}

TEST(Atl1cOnAr8151, AFullRingGoesOutOncePerModerationInterval) {
    Atl1cConfig config;
    config.bql = false;
    Machine m(config);
    ASSERT_EQ(m.start(), "");
    // 1023 per 2 ms and the time that freeing them takes.
    const auto sent = static_cast<double>(flood(m, 40_ms));
    EXPECT_GE(sent, 18 * 1023);
    EXPECT_LE(sent, 20 * 1023);
    EXPECT_EQ(static_cast<std::uint64_t>(sent) % 1023, 0U) << "nothing in between";
}

TEST(Atl1cOnAr8151, HandsUpTheBytesOfTheWireWithoutFcs) {
    Machine m;
    ASSERT_EQ(m.start(), "");
    const auto small = m.datagram(60, 1);
    const auto large = m.datagram(1514, 9);
    m.deliver(small);
    m.deliver(large);
    m.deliver(m.datagram(100, 1), false);
    m.run(2_ms);
    ASSERT_EQ(m.received.frames.size(), 2U) << "the one with a bad FCS stays in the device";
    EXPECT_EQ(m.received.frames[0], small);
    EXPECT_EQ(m.received.frames[1], large);
}

class Atl1cMtu : public ::testing::TestWithParam<std::uint32_t> {};

INSTANTIATE_TEST_SUITE_P(Of, Atl1cMtu, ::testing::Values(1500U, 3001U, 6122U),
                         ::testing::PrintToStringParamName());

TEST_P(Atl1cMtu, FramesAreAsLongAsItSaysAndNotLonger) {
    const std::uint32_t mtu = GetParam();
    Machine m;
    m.driver.device().set_mtu(mtu);
    ASSERT_EQ(m.start(), "");
    const std::uint32_t longest = mtu + 14 + 4;  // a tag may come on top
    const auto fits = m.datagram(longest, 7);
    m.deliver(fits);
    m.deliver(m.datagram(longest + 1, 8));
    m.deliver(fits);
    m.run(2_ms);
    ASSERT_EQ(m.received.frames.size(), 2U) << "MTU " << mtu;
    EXPECT_EQ(m.received.frames[0], fits);
    EXPECT_EQ(m.received.frames[1], fits);
    m.on_core([&](Core& c) { ASSERT_TRUE(m.driver.start_xmit(c, m.packet(mtu + 14), 0, false)); },
              5_ms);
    EXPECT_EQ(m.sink.last.size(), mtu + 14);
    EXPECT_EQ(unknown_registers(m), "");
}

TEST(Atl1cOnAr8151, RefusesAnMtuThatTheDeviceCannotTake) {
    Machine m;
    m.driver.device().set_mtu(6123);
    EXPECT_EQ(m.start(), "atl1c: an MTU of 6123 is more than the 6122 that this device takes");
}

TEST(Atl1cOnAr8151, GroupsAreReceivedOnceJoinedAndAfterAResetAsWell) {
    Machine m;
    ASSERT_EQ(m.start(), "");
    const auto to = [&m](const std::array<std::uint8_t, 6>& address) {
        auto frame = m.datagram(60, 1);
        std::copy(address.begin(), address.end(), frame.begin());
        return frame;
    };
    const auto arrives = [&m](const std::vector<std::uint8_t>& frame) {
        const std::size_t before = m.received.frames.size();
        m.deliver(frame);
        m.run(2_ms);
        return m.received.frames.size() != before;
    };
    const auto set = [&m](const Atl1cRxMode& mode) {
        m.on_core([&](Core& c) { m.driver.set_rx_mode(c, mode); }, 1_ms);
    };
    const std::array<std::uint8_t, 6> all_hosts = {0x01, 0x00, 0x5e, 0, 0, 1};
    const std::array<std::uint8_t, 6> clocks = {0x01, 0x1b, 0x19, 0, 0, 0};
    const std::array<std::uint8_t, 6> other = {0x01, 0x00, 0x5e, 0, 0, 2};
    const std::array<std::uint8_t, 6> somebody = {0x02, 0, 0, 0, 0, 0x77};
    EXPECT_FALSE(arrives(to(all_hosts)));
    set({.multicast = {all_hosts, clocks}});
    EXPECT_TRUE(arrives(to(all_hosts)));
    EXPECT_TRUE(arrives(to(clocks)));
    EXPECT_FALSE(arrives(to(other)));
    m.on_core(
        [&](Core& c) {
            m.driver.close(c);
            m.driver.open(c);
        },
        1_s);
    EXPECT_TRUE(arrives(to(all_hosts)));
    EXPECT_FALSE(arrives(to(other)));
    set({.all_multicast = true});
    EXPECT_TRUE(arrives(to(other)));
    EXPECT_FALSE(arrives(to(somebody)));
    set({.promiscuous = true});
    EXPECT_TRUE(arrives(to(somebody)));
    set({});
    EXPECT_FALSE(arrives(to(all_hosts)));
    EXPECT_TRUE(arrives(m.datagram(60, 1)));
}

TEST(Atl1cOnAr8151, ASettingLetsAllGroupsThrough) {
    Atl1cConfig config;
    config.all_multicast = true;
    Machine m(config);
    ASSERT_EQ(m.start(), "");
    auto frame = m.datagram(60, 1);
    frame[0] = 0x01;
    m.deliver(frame);
    m.run(2_ms);
    EXPECT_EQ(m.received.frames.size(), 1U);
}

TEST(Atl1cOnAr8151, ReceivesManyTimesTheRing) {
    Atl1cConfig config;
    config.rx_ring = 32;
    config.rx_imt = 5;
    Machine m(config);
    ASSERT_EQ(m.start(), "");
    for (unsigned i = 0; i < 300; ++i) {
        m.deliver(m.datagram(200, static_cast<std::uint8_t>(i)));
        m.run(2_us);
    }
    m.run(2_ms);
    ASSERT_EQ(m.received.frames.size(), 300U);
    for (unsigned i = 0; i < 300; ++i)
        ASSERT_EQ(m.received.frames[i][100], static_cast<std::uint8_t>(i + 100)) << "frame " << i;
}

TEST(Atl1cOnAr8151, TheDeviceCutsALargePacketIntoRightSegments) {
    Machine m;
    ASSERT_EQ(m.start(), "");
    m.sink.keep_all = true;
    const auto payload = test_payload(40'000);
    m.on_core(
        [&](Core& c) {
            ASSERT_TRUE(m.driver.start_xmit(c, m.tcp_packet(payload, 1448), 0, false));
        },
        5_ms);
    EXPECT_EQ(m.sink.frames, 28U);
    expect_segments(m.sink.all, payload, 1448);
    EXPECT_EQ(m.driver.tx_ring(0).used(), 0U);
}

TEST(Atl1cOnAr8151, APacketThatFitsOnlyGetsItsChecksum) {
    Machine m;
    ASSERT_EQ(m.start(), "");
    m.sink.keep_all = true;
    const auto payload = test_payload(1000);
    m.on_core(
        [&](Core& c) {
            ASSERT_TRUE(m.driver.start_xmit(c, m.tcp_packet(payload, 1448), 0, false));
        },
        5_ms);
    EXPECT_EQ(m.sink.frames, 1U);
    expect_segments(m.sink.all, payload, 1448);
}

TEST(Atl1cOnAr8151, ALostLinkIsSeenByItsInterruptAndComesBack) {
    Machine m;
    ASSERT_EQ(m.start(), "");
    m.nic.ethernet_in->link_changed(false);
    m.run(100_ms);
    EXPECT_FALSE(m.driver.device().carrier());
    m.nic.ethernet_in->link_changed(true);
    m.run(100_ms);
    EXPECT_TRUE(m.driver.device().carrier());
    m.on_core([&](Core& c) { EXPECT_TRUE(m.driver.device().queue_xmit(c, m.packet(60))); }, 5_ms);
    EXPECT_EQ(m.sink.frames, 1U);
    m.deliver(m.datagram(60, 3));
    m.run(2_ms);
    EXPECT_EQ(m.received.frames.size(), 1U);
    EXPECT_EQ(unknown_registers(m), "");
}

// ---------------------------------------------------------------- MikroTik's card

models::ar8151::Ar8151Config mikrotik(std::uint64_t queues) {
    models::ar8151::MikrotikConfig config;
    config.queues = queues;
    return config;
}

TEST(Atl1cOnMikrotik, IsRecognisedAndRunsAtItsSpeed) {
    Machine m({}, mikrotik(1));
    ASSERT_EQ(m.start(), "");
    EXPECT_TRUE(m.driver.mikrotik());
    EXPECT_EQ(m.driver.link_bits_per_second(), mikrotik(1).link_speed);
    EXPECT_EQ(unknown_registers(m), "");
    m.on_core([&](Core& c) { EXPECT_TRUE(m.driver.device().queue_xmit(c, m.packet(60))); }, 5_ms);
    EXPECT_EQ(m.sink.frames, 1U);
    EXPECT_EQ(m.driver.tx_ring(0).used(), 0U);
    m.deliver(m.datagram(60, 3));
    m.run(2_ms);
    EXPECT_EQ(m.received.frames.size(), 1U);
}

/// Its frames may be longer than the field of the segment size counts: 13 bits.
TEST(Atl1cOnMikrotik, SegmentsOfMoreThanEightKilobytesAreCutAsTheFieldSays) {
    Machine m({}, mikrotik(1));
    m.driver.device().set_mtu(9000);
    ASSERT_EQ(m.start(), "");
    const auto frame = m.datagram(9014, 7);
    m.deliver(frame);
    m.run(2_ms);
    ASSERT_EQ(m.received.frames.size(), 1U);
    EXPECT_EQ(m.received.frames[0], frame);
    m.sink.keep_all = true;
    const auto payload = test_payload(40'000);
    m.on_core(
        [&](Core& c) {
            ASSERT_TRUE(m.driver.start_xmit(c, m.tcp_packet(payload, 8948), 0, false));
        },
        5_ms);
    expect_segments(m.sink.all, payload, 8948 & 0x1fff);
}

TEST(Atl1cOnMikrotik, FourQueuesSendAndAreFreedEach) {
    Atl1cConfig config;
    config.queues = 4;
    Machine m(config, mikrotik(4));
    ASSERT_EQ(m.start(), "");
    m.on_core(
        [&](Core& c) {
            for (unsigned q = 0; q < 4; ++q)
                for (unsigned i = 0; i <= q; ++i)
                    ASSERT_TRUE(m.driver.start_xmit(c, m.packet(60), q, false));
        },
        5_ms);
    EXPECT_EQ(m.sink.frames, 10U);
    for (unsigned q = 0; q < 4; ++q) {
        EXPECT_EQ(m.driver.device().queue(q).packets, q + 1) << "queue " << q;
        EXPECT_EQ(m.driver.tx_ring(q).used(), 0U) << "queue " << q;
    }
    EXPECT_EQ(unknown_registers(m), "");
}

}  // namespace
}  // namespace nicsim::host
