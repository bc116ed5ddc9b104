// SPDX-License-Identifier: Apache-2.0
// The 82599 behind PCIe: what an operating system finds of it, and 64-byte line rate both ways over
// its link of 5 GT/s x8 with every TLP and credit charged.
#include <gtest/gtest.h>

#include "host_driver/host.h"
#include "models/i82599/i82599.h"
#include "pcie/endpoint.h"
#include "pcie/link.h"
#include "pcie/root_complex.h"
#include "sim/kernel.h"
#include "tests/support/protocol_checkers.h"

namespace nicsim::models::i82599 {
namespace {

using namespace sim::literals;

struct Sink : sim::EthernetIf {
    void deliver(const sim::FramePtr&, sim::Ps start, sim::Ps) override { starts.push_back(start); }
    std::vector<sim::Ps> starts;
};

struct Machine {
    explicit Machine(const std::vector<pcie::Fault>& faults = {})
        : host("host", host_config()),
          root("root", pcie::RootComplexConfig{}, host.memory(), host.interrupts(), 1),
          nic("nic", I82599Config{}),
          endpoint("endpoint", nic.identity()),
          link("link", link_config(), root.port(), endpoint, 1, faults) {
        host.attach(root);
        nic.interrupts.bind(endpoint.interrupts);
        nic.ethernet_out.bind(sink);
        endpoint.on_limits_changed(
            sim::Callback<const sim::BusLimits&>::to<&I82599::set_bus_limits>(&nic));
    }
    static host::HostConfig host_config() {
        host::HostConfig c;
        c.memory = 64 << 20;
        return c;
    }
    static pcie::LinkConfig link_config() {
        pcie::LinkConfig c;
        c.generation = 2;
        c.width = 8;
        return c;
    }
    static void run(sim::Ps t) { sc_core::sc_start(sim::to_sc_time(t)); }
    const host::PciFunction& enumerate() {
        host.script()
            .then([this](host::Core& c) { host.pci().enumerate(c); })
            .then([this](host::Core& c) {
                host.pci().functions().at(0).enable_memory(c);
                host.pci().functions().at(0).set_master(c, true);
            });
        run(100_ms);
        return host.pci().functions().at(0);
    }
    void wr(std::uint32_t offset, std::uint32_t value) {
        root.mmio_write(host.pci().functions().at(0).bars[0].address + offset, 4, value);
    }

    host::Host host;
    pcie::RootComplex root;
    I82599 nic;
    pcie::Endpoint endpoint;
    pcie::Link link;
    nicsim::test::ProtocolCheckers checkers{nic, endpoint, link};
    Sink sink;
};

TEST(I82599OnPcie, AnOperatingSystemFindsItAsItIs) {
    Machine m;
    const host::PciFunction& f = m.enumerate();
    EXPECT_EQ(f.vendor_id, 0x8086);
    EXPECT_EQ(f.device_id, 0x10FB);
    EXPECT_EQ(f.bars[0].size, 512U * 1024U);
    EXPECT_TRUE(f.bars[2].io);
    EXPECT_EQ(f.bars[4].size, 16U * 1024U);
    EXPECT_EQ(f.link_generation, 2U);
    EXPECT_EQ(f.link_width, 8U);
    EXPECT_EQ(f.msix_vectors, 64U);
}

TEST(I82599OnPcie, SixtyFourByteFramesLeaveAtLineRate) {
    Machine m;
    m.enumerate();
    constexpr unsigned count = 2000, ring = 4096;
    const std::uint64_t base = m.host.memory().allocate(ring * 16, 128);
    const std::uint64_t data = m.host.memory().allocate(std::uint64_t{count} * 64, 64);
    for (unsigned i = 0; i < count; ++i) {
        m.host.memory().store<std::uint64_t>(base + i * 16U, data + i * 64U);
        m.host.memory().store<std::uint64_t>(
            base + i * 16U + 8, 60U | 3U << 20 | 0x2B00'0000 | std::uint64_t{60} << (32 + 14));
        for (unsigned k = 0; k < 60; ++k)
            m.host.memory().store(data + i * 64U + k, static_cast<std::uint8_t>(2 + k));
    }
    m.wr(reg::DMATXCTL, 1);
    m.wr(reg::TDBAL, static_cast<std::uint32_t>(base));
    m.wr(reg::TDBAH, static_cast<std::uint32_t>(base >> 32));
    m.wr(reg::TDLEN, ring * 16);
    m.wr(reg::TXDCTL, 0x0208'0120);
    m.run(10_us);
    const std::uint64_t before = sim::kernel_cost.wakeups;
    const sim::Ps doorbell = sim::now();
    m.wr(reg::TDT, count);
    m.run(1_ms);
    ASSERT_EQ(m.sink.starts.size(), count);
    // Doorbell, descriptor read, data read, wire: no wait that the long idle time before has left.
    EXPECT_LE(m.sink.starts.front(), doorbell + 3_us);
    const double spacing =
        static_cast<double>(m.sink.starts.back() - m.sink.starts[200]) / (count - 1 - 200);
    RecordProperty("spacing_ps", std::to_string(spacing));
    RecordProperty("wakeups_per_packet",
                   std::to_string(static_cast<double>(sim::kernel_cost.wakeups - before) / count));
    EXPECT_NEAR(spacing, 67'200, 70);
    EXPECT_LE(static_cast<double>(sim::kernel_cost.wakeups - before) / count, 20);
}

TEST(I82599OnPcie, SixtyFourByteFramesArriveAtLineRate) {
    Machine m;
    m.enumerate();
    constexpr unsigned count = 2000, ring = 4096;
    const std::uint64_t base = m.host.memory().allocate(ring * 16, 128);
    const std::uint64_t data = m.host.memory().allocate(std::uint64_t{ring} * 2048, 64);
    for (unsigned i = 0; i < ring; ++i) {
        m.host.memory().store<std::uint64_t>(base + i * 16U, data + i * 2048U);
        m.host.memory().store<std::uint64_t>(base + i * 16U + 8, 0);
    }
    m.wr(reg::RDBAL, static_cast<std::uint32_t>(base));
    m.wr(reg::RDBAH, static_cast<std::uint32_t>(base >> 32));
    m.wr(reg::RDLEN, ring * 16);
    m.wr(reg::SRRCTL, 0x0200'0402);
    m.wr(reg::RXDCTL, dctl::ENABLE);
    m.wr(reg::RDT, ring - 1);
    m.wr(reg::RDRXCTL, rdrxctl::CRCSTRIP);
    m.wr(reg::FCTRL, fctrl::UPE);
    m.wr(reg::RXCTRL, 1);
    m.run(10_us);
    sim::Ps start = sim::now();
    for (unsigned i = 0; i < count; ++i, start += 67'200) {
        const sim::FramePtr frame = sim::frame_pool().make();
        frame->resize(60);
        for (unsigned k = 0; k < 60; ++k)
            frame->bytes()[k] = static_cast<std::uint8_t>(k < 12 ? 2 : k);
        m.nic.ethernet_in->deliver(frame, start, start + 57'600);
    }
    m.run(count * 67'200_ps + 20_us);
    EXPECT_EQ(m.nic.rx().counts().delivered[0], count);
    EXPECT_EQ(m.nic.rx().counts().missed, 0U);
    EXPECT_EQ(m.nic.rx().frames_inside(), 0U);
}

TEST(I82599OnPcie, TheLossOfItsLinkResetsTheDevice) {
    pcie::Fault fault;
    fault.kind = pcie::FaultKind::link_down;
    fault.at = 150_ms;
    fault.duration = 100_us;
    Machine m({fault});
    m.enumerate();
    constexpr std::uint32_t tdlen = 0x06008;
    m.wr(tdlen, 1024);
    Machine::run(10_ms);
    EXPECT_EQ(m.nic.register_file().peek(tdlen), 1024U);
    Machine::run(50_ms);
    EXPECT_EQ(m.nic.register_file().peek(tdlen), 0U);
    EXPECT_TRUE(m.link.up().up()) << "it has trained again";
    EXPECT_FALSE(m.endpoint.limits().bus_master) << "and waits for software";
}

}  // namespace
}  // namespace nicsim::models::i82599
