// SPDX-License-Identifier: Apache-2.0
// A switch between a root port and two endpoints: enumeration by hand, routing both ways, latency,
// ordering, back-pressure, and what nobody claims.
#include "pcie/switch.h"

#include "bench.h"
#include "sim/tlm_base_checker.h"

namespace nicsim::pcie::test {
namespace {

constexpr std::uint8_t up_bus = 1, inner_bus = 5;
constexpr std::uint64_t window0 = 0xe000'0000, window1 = 0xe010'0000, windows_end = 0xe020'0000;

struct TwoBehindASwitch {
    explicit TwoBehindASwitch(SwitchConfig config = {}, const Options& o = options())
        : memory(o.memory, o.memory_size),
          interrupts(memory),
          rc("rc", o.root, memory, interrupts, 1),
          sw("switch", config),
          top("top", o.link, rc.port(), sw.upstream(), 1, o.faults) {
        top.observe(checkers[0]);
        for (unsigned i = 0; i < 2; ++i) {
            ep.push_back(std::make_unique<Endpoint>(("ep" + std::to_string(i)).c_str(), o.device,
                                                    o.endpoint));
            link.push_back(std::make_unique<Link>(("link" + std::to_string(i)).c_str(), o.link,
                                                  sw.downstream(i), *ep[i]));
            device.push_back(std::make_unique<Device>(("device" + std::to_string(i)).c_str()));
            device[i]->dma.bind(ep[i]->dma);
            ep[i]->registers.bind(device[i]->registers);
            device[i]->interrupts.bind(ep[i]->interrupts);
            link[i]->observe(checkers[i + 1]);
        }
    }
    ~TwoBehindASwitch() {
        for (TlpChecker& c : checkers) EXPECT_EQ(c.unfinished(), "");
        EXPECT_EQ(sw.held(), 0U);
    }
    static Options options() {
        Options o;
        o.device = fast_identity();
        o.link.generation = 3;
        o.link.width = 8;
        o.link.dllp = DllpCharge::none;
        return o;
    }
    static void run(sim::Ps time) { sc_core::sc_start(sim::to_sc_time(time)); }
    std::uint64_t config_read(Bdf at, unsigned offset, unsigned size) {
        return wait([&](auto done) { rc.config_read(at, offset, size, done); });
    }
    void config_write(Bdf at, unsigned offset, unsigned size, std::uint32_t value) {
        wait([&](auto done) { rc.config_write(at, offset, size, value, [done] { done(0); }); });
    }
    std::uint64_t mmio_read(std::uint64_t address, unsigned size) {
        return wait([&](auto done) { rc.mmio_read(address, size, done); });
    }
    template <class Start>
    std::uint64_t wait(Start start) {
        std::optional<std::uint64_t> value;
        start([&value](std::uint64_t v) { value = v; });
        while (!value) run(10_ns);
        return *value;
    }

    void bridge(Bdf at, unsigned secondary, unsigned subordinate, std::uint64_t from,
                std::uint64_t end) {
        config_read(at, 0x0c, 4);
        config_write(at, BridgeWindows::buses_at, 4, at.bus | secondary << 8U | subordinate << 16U);
        config_write(
            at, BridgeWindows::memory_at, 4,
            static_cast<std::uint32_t>((from >> 16U & 0xfff0U) | ((end - 1) & 0xfff0'0000U)));
        config_write(at, config::command, 2, 6);
    }
    void enumerate() {
        bridge({up_bus, 0, 0}, inner_bus, 7, window0, windows_end);
        bridge({inner_bus, 0, 0}, 6, 6, window0, window1);
        bridge({inner_bus, 1, 0}, 7, 7, window1, windows_end);
        for (unsigned i = 0; i < 2; ++i) {
            const Bdf at{static_cast<std::uint8_t>(6 + i), 0, 0};
            const std::uint64_t base = i == 0 ? window0 : window1;
            config_write(at, config::bar0, 4, static_cast<std::uint32_t>(base));
            config_write(at, config::bar0 + 12, 4, static_cast<std::uint32_t>(base + 0x2'0000));
            config_write(at, config::command, 2, 6);
            rc.mmio_write(base + 0x2'0000, 4, msi_base);
            rc.mmio_write(base + 0x2'0008, 4, 0x50 + i);
            rc.mmio_write(base + 0x2'000c, 4, 0);
            config_write(at, config::msix_at + 2, 2, config::msix_enable);
        }
        mmio_read(window1, 4);
    }

    Memory memory;
    Interrupts interrupts;
    std::array<TlpChecker, 3> checkers;
    RootComplex rc;
    Switch sw;
    Link top;
    std::vector<std::unique_ptr<Endpoint>> ep;
    std::vector<std::unique_ptr<Link>> link;
    std::vector<std::unique_ptr<Device>> device;
};

TEST(Switch, ShowsAnUpstreamAndTwoDownstreamBridgesAndTheDevicesBehindThem) {
    TwoBehindASwitch s;
    EXPECT_EQ(s.config_read({up_bus, 0, 0}, 0x0e, 1), 1U) << "type-1 header";
    EXPECT_EQ(s.config_read({up_bus, 1, 0}, 0, 4), 0xffff'ffffU);
    EXPECT_EQ(s.config_read({inner_bus, 0, 0}, 0, 4), 0xffff'ffffU) << "no bus numbers yet";
    s.enumerate();
    EXPECT_EQ(s.config_read({up_bus, 0, 0}, 0x42, 2) >> 4U & 15U, 5U) << "upstream port";
    EXPECT_EQ(s.config_read({inner_bus, 1, 0}, 0x42, 2) >> 4U & 15U, 6U) << "downstream port";
    EXPECT_EQ(s.config_read({inner_bus, 1, 0}, BridgeWindows::buses_at, 4), 0x0007'0705U);
    EXPECT_EQ(s.config_read({inner_bus, 2, 0}, 0, 4), 0xffff'ffffU) << "it has two";
    for (const std::uint8_t bus : {6, 7}) {
        EXPECT_EQ(s.config_read({bus, 0, 0}, 0, 4), 0x1533'8086U);
        EXPECT_EQ(s.config_read({bus, 1, 0}, 0, 4), 0xffff'ffffU) << "a link has one device";
    }
    EXPECT_EQ(s.config_read({8, 0, 0}, 0, 4), 0xffff'ffffU);
    EXPECT_EQ(s.config_read({inner_bus, 0, 0}, 0x52, 2) & 0x3ffU, 3U | 8U << 4U) << "its link";
}

TEST(Switch, RegistersDmaAndInterruptsOfBothDevicesFindTheirWay) {
    TwoBehindASwitch s;
    s.enumerate();
    for (unsigned i = 0; i < 2; ++i) {
        const std::uint64_t base = i == 0 ? window0 : window1;
        s.rc.mmio_write(base + 0x100, 4, 0xabc0 + i);
        EXPECT_EQ(s.mmio_read(base + 0x100, 4), 0xabc0U + i);
        EXPECT_EQ(s.device[i]->file[0x100], 0xc0U + i);
        s.device[i]->write(memory_base + 0x1000 * i, bytes(1000, i));
        s.device[i]->interrupts->raise(0);
        const std::size_t r = s.device[i]->read(memory_base + 0x1000 * i + 100, 777);
        TwoBehindASwitch::run(20_us);
        ASSERT_TRUE(s.device[i]->jobs[r].ok);
        const auto expected = bytes(1000, i);
        EXPECT_TRUE(std::equal(s.device[i]->jobs[r].data.begin(), s.device[i]->jobs[r].data.end(),
                               expected.begin() + 100))
            << "the read is behind the write";
        ASSERT_EQ(s.interrupts.all.size(), i + 1);
        EXPECT_EQ(s.interrupts.all[i].data, 0x50U + i);
        EXPECT_GE(s.interrupts.all[i].writes_before, (i + 1) * 4U) << "behind the four writes";
    }
    EXPECT_EQ(s.sw.counters().unsupported, 0U);
}

TEST(Switch, StoreAndForwardCountsItsLatencyFromTheLastByteAndCutThroughFromTheHeader) {
    // One 256-byte write: 276 bytes on each link at 126.953 ps a byte, 5 ns of way on each.
    const LinkConfig link = TwoBehindASwitch::options().link;
    const sim::Ps wire = link.wire_time(276);
    const auto time_of_write = [](Forwarding forwarding) {
        SwitchConfig c;
        c.forwarding = forwarding;
        c.latency = 150'000;
        TwoBehindASwitch s(c);
        s.enumerate();
        s.memory.writes.clear();
        const sim::Ps t = sim::now();
        s.device[0]->write(memory_base, bytes(256));
        TwoBehindASwitch::run(5_us);
        return s.memory.writes.at(0).time - t;
    };
    const sim::Ps stored = time_of_write(Forwarding::store_and_forward);
    EXPECT_NEAR(static_cast<double>(stored), static_cast<double>(2 * wire + 10'000 + 150'000), 2.0);
}

TEST(Switch, CutThroughSavesTheTimeOfTheBytesBehindTheHeader) {
    const LinkConfig link = TwoBehindASwitch::options().link;
    SwitchConfig c;
    c.latency = 150'000;
    TwoBehindASwitch s(c);
    s.enumerate();
    s.memory.writes.clear();
    const sim::Ps t = sim::now();
    s.device[0]->write(memory_base, bytes(256));
    TwoBehindASwitch::run(5_us);
    const sim::Ps expected = link.wire_time(16) + 150'000 + link.wire_time(276) + 10'000;
    EXPECT_NEAR(static_cast<double>(s.memory.writes.at(0).time - t), static_cast<double>(expected),
                3.0);
}

TEST(Switch, TwoDevicesShareTheLinkToTheHost) {
    TwoBehindASwitch s;
    s.enumerate();
    constexpr unsigned n = 400;
    const sim::Ps t = sim::now();
    for (unsigned i = 0; i < n; ++i)
        for (auto& d : s.device) d->write(memory_base + 256 * i, bytes(256));
    s.memory.writes.clear();
    TwoBehindASwitch::run(200_us);
    ASSERT_EQ(s.memory.writes.size(), 2 * n);
    const auto span = static_cast<double>(s.memory.writes.back().time - t);
    const auto least = static_cast<double>(s.top.config().wire_time(276)) * 2 * n;
    EXPECT_GE(span, least);
    EXPECT_LE(span, least * 1.02) << "the shared link is full from the first to the last";
    EXPECT_GT(s.sw.counters().blocked, 0U);
}

TEST(Switch, PostedWritesPassReadRequestsThatLackCredits) {
    Options o = TwoBehindASwitch::options();
    o.root.nonposted_header_credits = 1;
    o.root.read_latency = 5'000'000;
    TwoBehindASwitch s({}, o);
    s.enumerate();
    s.memory.writes.clear();
    for (unsigned i = 0; i < 12; ++i) s.device[0]->read(memory_base + 64 * i, 64);
    TwoBehindASwitch::run(200_ns);
    const sim::Ps t = sim::now();
    s.device[1]->write(memory_base + 0x8000, bytes(64));
    TwoBehindASwitch::run(3_us);
    ASSERT_EQ(s.memory.writes.size(), 1U) << "reads stand in the switch, the write passes them";
    EXPECT_LT(s.memory.writes[0].time - t, 300_ns);
    TwoBehindASwitch::run(100_us);
    EXPECT_EQ(s.device[0]->done, 12U);
}

TEST(Switch, AWriteToTheOtherDeviceGoesFromPortToPort) {
    TwoBehindASwitch s;
    s.enumerate();
    s.device[0]->write(window1 + 0x200, bytes(4, 9));
    const std::size_t r = s.device[0]->read(window1 + 0x100, 4);
    TwoBehindASwitch::run(10_us);
    EXPECT_EQ(s.device[1]->file[0x200], bytes(4, 9)[0]);
    EXPECT_TRUE(s.device[0]->jobs[r].ok);
    EXPECT_EQ(s.sw.counters().peer_to_peer, 3U) << "a write, a request, its completion";
    EXPECT_EQ(s.rc.counters().unsupported, 0U);
}

TEST(Switch, WhatNobodyClaimsIsAnsweredAsUnsupported) {
    TwoBehindASwitch s;
    s.enumerate();
    s.config_write({inner_bus, 1, 0}, config::command, 2, 0);
    EXPECT_EQ(s.mmio_read(window1, 4), 0xffff'ffffU) << "the port's memory decoding is off";
    const std::size_t r = s.device[1]->read(memory_base, 64);
    TwoBehindASwitch::run(10_us);
    EXPECT_FALSE(s.device[1]->jobs[r].ok) << "the port is no bus master";
    EXPECT_EQ(s.sw.counters().unsupported, 2U);
    EXPECT_NE(s.config_read({inner_bus, 1, 0}, 0x4a, 2) & 8U, 0U) << "noted in Device Status";
}

// ---- the loss of the link to the host ----

Options with_outages(const std::vector<std::pair<sim::Ps, sim::Ps>>& outages) {
    Options o = TwoBehindASwitch::options();
    for (const auto& [at, duration] : outages) {
        Fault f;
        f.kind = FaultKind::link_down;
        f.at = at;
        f.duration = duration;
        o.faults.push_back(f);
    }
    return o;
}

TEST(SwitchReset, ALostLinkToTheHostResetsTheSwitchAndEveryDeviceBehindIt) {
    TwoBehindASwitch s({}, with_outages({{1_ms, 100_us}}));
    s.enumerate();
    TwoBehindASwitch::run(1_ms - 500_ns - sim::now());
    for (auto& d : s.device) {
        for (unsigned i = 0; i < 40; ++i) d->read(memory_base + 512 * i, 512);
        for (unsigned i = 0; i < 20; ++i) d->write(memory_base + 512 * i, bytes(256, i));
    }
    std::optional<std::uint64_t> answer;
    s.rc.mmio_read(window0, 4, [&answer](std::uint64_t v) { answer = v; });
    TwoBehindASwitch::run(20_us);
    EXPECT_FALSE(s.top.up().up());
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(s.sw.counters().resets, 1U);
    EXPECT_GT(s.sw.counters().reset_losses, 0U);
    EXPECT_EQ(s.sw.held(), 0U);
    EXPECT_EQ(s.rc.errors().count(AerError::surprise_down), 1U) << "that link only";
    for (unsigned i = 0; i < 2; ++i) {
        EXPECT_FALSE(s.link[i]->up().up() || s.link[i]->down().up());
        EXPECT_EQ(s.link[i]->lost_at(), 1_ms);
        EXPECT_EQ(s.device[i]->done, 60U) << "no job waits for ever";
        EXPECT_EQ(s.ep[i]->reads_in_flight(), 0U);
        EXPECT_FALSE(s.ep[i]->limits().bus_master || s.ep[i]->limits().link_up);
        EXPECT_EQ(s.sw.errors(i + 1).count(AerError::surprise_down), 0U) << "a reset is no error";
    }
    EXPECT_EQ(s.config_read({up_bus, 0, 0}, 0, 4), 0xffff'ffffU);
    TwoBehindASwitch::run(200_us);
    EXPECT_TRUE(s.top.up().up());
    EXPECT_NE(s.config_read({up_bus, 0, 0}, 0, 4), 0xffff'ffffU);
    EXPECT_EQ(s.config_read({up_bus, 0, 0}, BridgeWindows::buses_at, 4), 0U) << "no bus numbers";
    EXPECT_EQ(s.config_read({6, 0, 0}, 0, 4), 0xffff'ffffU) << "nothing leads to the devices";
    s.enumerate();
    for (unsigned i = 0; i < 2; ++i) {
        const std::uint64_t base = i == 0 ? window0 : window1;
        s.rc.mmio_write(base + 0x100, 4, 0xabc0 + i);
        EXPECT_EQ(s.mmio_read(base + 0x100, 4), 0xabc0U + i);
        const std::size_t r = s.device[i]->read(memory_base, 512);
        TwoBehindASwitch::run(20_us);
        EXPECT_TRUE(s.device[i]->jobs[r].ok);
    }
}

TEST(SwitchReset, TheLinksBehindComeUpWhenTheirFlowControlIsSetUpAfterThatOfTheHost) {
    TwoBehindASwitch s({}, with_outages({{1_ms, 100_us}}));
    const sim::Ps host = 1_ms + 100_us + s.top.config().flow_control_init_time();
    const sim::Ps device = host + s.link[0]->config().flow_control_init_time();
    TwoBehindASwitch::run(host - sim::now());
    EXPECT_FALSE(s.top.up().up()) << "not at that time's first delta";
    TwoBehindASwitch::run(device - host);
    EXPECT_TRUE(s.top.up().up());
    EXPECT_FALSE(s.link[0]->up().up());
    TwoBehindASwitch::run(1);
    EXPECT_TRUE(s.link[0]->up().up());
    EXPECT_TRUE(s.link[1]->down().up());
}

TEST(SwitchReset, ASecondLossWhileTheLinksTrainHoldsThemAgain) {
    const sim::Ps init = TwoBehindASwitch::options().link.flow_control_init_time();
    const sim::Ps host = 1_ms + 100_us + init;
    TwoBehindASwitch s({}, with_outages({{1_ms, 100_us}, {host + init / 2, 50_us}}));
    TwoBehindASwitch::run(host + init + 1 - sim::now());
    EXPECT_FALSE(s.link[0]->up().up());
    EXPECT_EQ(s.sw.counters().resets, 2U);
    TwoBehindASwitch::run(host + init / 2 + 50_us + 2 * init + 1 - sim::now());
    EXPECT_TRUE(s.top.up().up());
    EXPECT_TRUE(s.link[0]->up().up());
    s.enumerate();
    EXPECT_EQ(s.mmio_read(window0, 4), 0U);
}

TEST(SwitchReset, ALinkThatStaysDownLeavesNothingInside) {
    TwoBehindASwitch s({}, with_outages({{1_ms, 0}}));
    s.enumerate();
    TwoBehindASwitch::run(1_ms + 1_us - sim::now());
    for (auto& d : s.device) {
        d->write(memory_base, bytes(64));
        d->read(memory_base, 64);
    }
    TwoBehindASwitch::run(20_ms);
    for (auto& d : s.device) EXPECT_EQ(d->done, 2U);
    EXPECT_FALSE(s.link[1]->up().up());
    EXPECT_EQ(s.mmio_read(window1, 4), 0xffff'ffffU);
}

TEST(SwitchReset, AFaultThatHasALinkDownKeepsItDownWhenTheHostIsBack) {
    Options o = with_outages({{1_ms, 100_us}});
    Memory memory(o.memory, o.memory_size);
    Interrupts interrupts(memory);
    RootComplex rc("rc", o.root, memory, interrupts, 1);
    Switch sw("switch", {});
    Link top("top", o.link, rc.port(), sw.upstream(), 1, o.faults);
    Endpoint a("a", o.device, o.endpoint), b("b", o.device, o.endpoint);
    Device device_a("device_a"), device_b("device_b");
    for (auto [endpoint, device] : {std::pair{&a, &device_a}, std::pair{&b, &device_b}}) {
        device->dma.bind(endpoint->dma);
        endpoint->registers.bind(device->registers);
        device->interrupts.bind(endpoint->interrupts);
    }
    const auto outage = [](sim::Ps at, sim::Ps duration) {
        return with_outages({{at, duration}}).faults;
    };
    Link for_good("for_good", o.link, sw.downstream(0), a, 1, outage(900_us, 0));
    Link longer("longer", o.link, sw.downstream(1), b, 1, outage(1_ms + 50_us, 200_us));
    std::array<TlpChecker, 3> checkers;
    top.observe(checkers[0]);
    for_good.observe(checkers[1]);
    longer.observe(checkers[2]);
    TwoBehindASwitch::run(1_ms + 240_us);
    EXPECT_TRUE(top.up().up());
    EXPECT_FALSE(for_good.up().up());
    EXPECT_FALSE(longer.up().up()) << "its own fault lasts until 1.25 ms";
    TwoBehindASwitch::run(100_us);
    EXPECT_FALSE(for_good.up().up());
    EXPECT_TRUE(longer.up().up());
}

TEST(SwitchReset, ALinkThatMayGoDownIsBuiltBeforeThoseBehindIt) {
    Options o = with_outages({{1_ms, 0}});
    Memory memory(o.memory, o.memory_size);
    Interrupts interrupts(memory);
    RootComplex rc("rc", o.root, memory, interrupts, 1);
    Switch sw("switch", {});
    Endpoint ep("ep", o.device, o.endpoint);
    Link below("below", o.link, sw.downstream(0), ep);
    EXPECT_THROW(Link("top", o.link, rc.port(), sw.upstream(), 1, o.faults), std::invalid_argument);
}

TEST(Switch, AnUnknownPortIsRefused) {
    Switch sw("sw", {});
    EXPECT_THROW((void)sw.downstream(2), std::invalid_argument);
    SwitchConfig none;
    none.ports = 0;
    EXPECT_THROW(Switch("none", none), std::invalid_argument);
    SwitchConfig small;
    small.max_payload = 4096;
    small.posted_data_credits = 100;
    EXPECT_NE(small.check().find("posted_data_credits: 100 of 16 B"), std::string::npos);
}

TEST(RootComplex, SeveralPortsLeadToTheirOwnDevices) {
    Options o = TwoBehindASwitch::options();
    Memory memory(o.memory, o.memory_size);
    Interrupts interrupts(memory);
    RootComplex rc("rc", o.root, memory, interrupts, 1);
    std::array<TlpChecker, 3> checkers;
    std::array<std::unique_ptr<Endpoint>, 3> ep;
    std::array<std::unique_ptr<Link>, 3> link;
    std::array<std::unique_ptr<Device>, 3> device;
    unsigned pending = 0;
    const auto configure = [&](std::uint8_t bus, unsigned offset, std::uint32_t value) {
        ++pending;
        rc.config_write({bus, 0, 0}, offset, 4, value, [&pending] { --pending; });
        while (pending != 0) System::run(10_ns);
    };
    for (unsigned i = 0; i < 3; ++i) {
        const std::string n = std::to_string(i);
        ep[i] = std::make_unique<Endpoint>(("ep" + n).c_str(), o.device, o.endpoint);
        link[i] = std::make_unique<Link>(("link" + n).c_str(), o.link, rc.port(i), *ep[i]);
        link[i]->observe(checkers[i]);
        device[i] = std::make_unique<Device>(("device" + n).c_str());
        device[i]->dma.bind(ep[i]->dma);
        ep[i]->registers.bind(device[i]->registers);
        device[i]->interrupts.bind(ep[i]->interrupts);
    }
    for (std::uint8_t i = 0; i < 3; ++i) {
        const auto bus = static_cast<std::uint8_t>(i + 1);
        configure(bus, config::bar0, 0xffff'ffff);
        ++pending;
        rc.config_read({bus, 0, 0}, config::bar0, 4, [&pending](std::uint64_t) { --pending; });
        while (pending != 0) System::run(10_ns);
        configure(bus, config::bar0, 0xf000'0000U + 0x10'0000U * i);
        configure(bus, config::command, 6);
        rc.mmio_write(0xf000'0000U + 0x10'0000U * i + 0x40, 4, 0x77U + i);
        device[i]->read(memory_base + 64U * i, 64);
        System::run(5_us);
        EXPECT_EQ(device[i]->file[0x40], 0x77U + i);
        EXPECT_EQ(device[i]->jobs[0].data[5], Memory::pattern(memory_base + 64U * i + 5));
    }
}

}  // namespace
}  // namespace nicsim::pcie::test
