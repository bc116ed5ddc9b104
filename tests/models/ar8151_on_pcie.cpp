// SPDX-License-Identifier: Apache-2.0
// The AR8151 behind PCIe: what an operating system finds of it, 16-bit accesses over the link, its
// MSI, and what its link of 2.5 GT/s x1 lets through with every TLP and credit charged.
#include <gtest/gtest.h>

#include "host_driver/host.h"
#include "models/ar8151/ar8151.h"
#include "pcie/endpoint.h"
#include "pcie/link.h"
#include "pcie/root_complex.h"
#include "sim/kernel.h"
#include "tests/support/protocol_checkers.h"

namespace nicsim::models::ar8151 {
namespace {

using namespace sim::literals;

constexpr sim::Ps wire_60 = 84 * 8_ns;

struct Sink : sim::EthernetIf {
    void deliver(const sim::FramePtr&, sim::Ps start, sim::Ps) override { starts.push_back(start); }
    std::vector<sim::Ps> starts;
};

struct Machine {
    explicit Machine(const Ar8151Config& config = {})
        : host("host", host_config()),
          root("root", root_config(), host.memory(), host.interrupts(), 1),
          nic("nic", config),
          endpoint("endpoint", nic.identity()),
          link("link", link_config(nic.identity()), root.port(), endpoint) {
        host.attach(root);
        nic.interrupts.bind(endpoint.interrupts);
        nic.ethernet_out.bind(sink);
        endpoint.on_limits_changed(
            sim::Callback<const sim::BusLimits&>::to<&Ar8151::set_bus_limits>(&nic));
    }
    static pcie::RootComplexConfig root_config() {
        pcie::RootComplexConfig c;
        c.read_latency = 700'000;
        return c;
    }
    static host::HostConfig host_config() {
        host::HostConfig c;
        c.memory = 64 << 20;
        return c;
    }
    static pcie::LinkConfig link_config(const sim::DeviceIdentity& identity) {
        pcie::LinkConfig c;
        c.generation = identity.max_link_generation;
        c.width = identity.max_link_width;
        return c;
    }
    static void run(sim::Ps t) { sc_core::sc_start(sim::to_sc_time(t)); }
    const host::PciFunction& enumerate() {
        host.script()
            .then([this](host::Core& c) { host.pci().enumerate(c); })
            .then([this](host::Core& c) {
                host.pci().functions().at(0).enable_memory(c);
                host.pci().functions().at(0).set_master(c, true);
                host.pci().functions().at(0).enable_msi(c, host.interrupts().request(0, job));
            });
        run(100_ms);
        return function();
    }
    [[nodiscard]] const host::PciFunction& function() { return host.pci().functions().at(0); }
    [[nodiscard]] std::uint64_t at(std::uint32_t offset) {
        return function().bars[0].address + offset;
    }
    void wr(std::uint32_t offset, std::uint32_t value) { root.mmio_write(at(offset), 4, value); }
    std::uint64_t allocate(std::uint64_t bytes) { return host.memory().allocate(bytes, 128); }
    /// Rings of `size` descriptors each way; every TPD sends the same 60 bytes.
    void set_up(unsigned size) {
        const std::uint64_t tpds = allocate(size * std::uint64_t{tpd_bytes});
        const std::uint64_t rfds = allocate(size * std::uint64_t{rfd_bytes});
        rrds = allocate(size * std::uint64_t{rrd_bytes});
        const std::uint64_t data = allocate(64), buffers = allocate(size * 2048ULL);
        for (unsigned k = 0; k < 60; ++k) host.memory().store(data + k, std::uint8_t{2});
        for (unsigned i = 0; i < size; ++i) {
            host.memory().store<std::uint64_t>(tpds + i * 16ULL,
                                               std::uint64_t{tpd::EOP} << 32 | 60);
            host.memory().store<std::uint64_t>(tpds + i * 16ULL + 8, data);
            host.memory().store<std::uint64_t>(rfds + i * 8ULL, buffers + i * 2048ULL);
            host.memory().store<std::uint64_t>(rrds + i * 16ULL + 8, 0);
        }
        wr(reg::TPD_PRI0_ADDR_LO, static_cast<std::uint32_t>(tpds));
        wr(reg::TPD_RING_SIZE, size);
        wr(reg::RFD0_HEAD_ADDR_LO, static_cast<std::uint32_t>(rfds));
        wr(reg::RFD_RING_SIZE, size);
        wr(reg::RX_BUF_SIZE, 1522);
        wr(reg::RRD0_HEAD_ADDR_LO, static_cast<std::uint32_t>(rrds));
        wr(reg::RRD_RING_SIZE, size);
        wr(reg::LOAD_PTR, 1);
        wr(reg::DMA_CTRL, 0x47C24);
        wr(reg::TXQ_CTRL, 0x0200'00F5);
        wr(reg::RXQ_CTRL, 0x8080'0000);
        wr(reg::MAC_CTRL, 0x7420'5CEF | mac::PROMIS_EN);
        wr(reg::MB_RFD0_PROD_IDX, size - 1);
        run(20_us);
    }
    void receive(unsigned count) {
        sim::Ps start = sim::now();
        for (unsigned i = 0; i < count; ++i, start += wire_60) {
            const sim::FramePtr frame = sim::frame_pool().make();
            frame->resize(60);
            for (unsigned k = 0; k < 60; ++k) frame->bytes()[k] = 2;
            nic.ethernet_in->deliver(frame, start, start + 72 * 8_ns);
        }
    }

    void handle(host::Core&) {
        ++interrupts;
        updated = (host.memory().load<std::uint32_t>(rrds + 12) & rrd::UPDATED) != 0;
    }

    host::Host host;
    host::Job job{host::Job::Action::to<&Machine::handle>(this)};
    pcie::RootComplex root;
    Ar8151 nic;
    pcie::Endpoint endpoint;
    pcie::Link link;
    nicsim::test::ProtocolCheckers checkers{nic, endpoint, link};
    Sink sink;
    std::uint64_t rrds = 0;
    unsigned interrupts = 0;
    bool updated = false;  ///< the first return descriptor, when the handler looked
};

TEST(Ar8151OnPcie, AnOperatingSystemFindsItAsItIs) {
    Machine m;
    const host::PciFunction& f = m.enumerate();
    EXPECT_EQ(f.vendor_id, 0x1969);
    EXPECT_EQ(f.device_id, 0x1083);
    EXPECT_EQ(f.revision, 0xC0);
    EXPECT_EQ(f.bars[0].size, 256U * 1024U);
    EXPECT_EQ(f.bars[2].size, 128U);
    EXPECT_TRUE(f.bars[2].io);
    EXPECT_EQ(f.link_generation, 1U);
    EXPECT_EQ(f.link_width, 1U);
    EXPECT_EQ(f.msix_vectors, 0U);
    EXPECT_TRUE(f.has_msi());
}

TEST(Ar8151OnPcie, DoorbellAndConsumerIndexAreSixteenBitAccesses) {
    Machine m;
    m.enumerate();
    m.set_up(64);
    m.root.mmio_write(m.at(reg::TPD_PRI0_PIDX), 2, 3);
    m.run(20_us);
    EXPECT_EQ(m.sink.starts.size(), 3U);
    std::uint64_t consumer = 99;
    m.root.mmio_read(m.at(reg::TPD_PRI0_CIDX), 2, [&consumer](std::uint64_t v) { consumer = v; });
    m.run(10_us);
    EXPECT_EQ(consumer, 3U);
    m.root.mmio_read(m.at(reg::TPD_PRI1_CIDX), 2, [&consumer](std::uint64_t v) { consumer = v; });
    m.run(10_us);
    EXPECT_EQ(consumer, 0U);
    EXPECT_EQ(m.nic.unmodelled().size(), 0U);
}

TEST(Ar8151OnPcie, ItsMessageReachesTheHandlerBehindTheReturnDescriptor) {
    Machine m;
    m.enumerate();
    m.set_up(64);
    m.wr(reg::IMR, isr::RX_PKT_0);
    m.run(10_us);
    m.receive(1);
    m.run(100_us);
    EXPECT_EQ(m.interrupts, 1U);
    EXPECT_TRUE(m.updated);
}

TEST(Ar8151OnPcie, SmallFramesLeaveAtLineRateOverTheNarrowLink) {
    // Downstream: 36 B of descriptor and 84 B of data completion a packet are 0.48 us at 250 MB/s,
    // less than the wire's 0.672 us, so the wire is the limit.
    Machine m;
    m.enumerate();
    constexpr unsigned count = 2000;
    m.set_up(4096 - 1);
    const std::uint64_t before = sim::kernel_cost.wakeups;
    m.root.mmio_write(m.at(reg::TPD_PRI0_PIDX), 2, count);
    m.run(count * wire_60 + 100_us);
    ASSERT_EQ(m.sink.starts.size(), count);
    const double spacing =
        static_cast<double>(m.sink.starts.back() - m.sink.starts[200]) / (count - 1 - 200);
    const double wakeups = static_cast<double>(sim::kernel_cost.wakeups - before) / count;
    RecordProperty("spacing_ps", std::to_string(spacing));
    RecordProperty("wakeups_per_packet", std::to_string(wakeups));
    EXPECT_NEAR(spacing, static_cast<double>(wire_60), 10);
    EXPECT_LE(wakeups, 20);
}

TEST(Ar8151OnPcie, SmallFramesArriveAtLineRateOverTheNarrowLink) {
    Machine m;
    m.enumerate();
    constexpr unsigned count = 2000;
    m.set_up(4095);
    m.receive(count);
    m.run(count * wire_60 + 50_us);
    EXPECT_EQ(m.nic.rx().counts().delivered[0], count);
    EXPECT_EQ(m.nic.rx().counts().missed, 0U);
}

/// Mean distance of frame starts when `burst` descriptors come with a read, in picoseconds.
double mikrotik_spacing(Machine& m, std::uint32_t burst) {
    constexpr unsigned count = 2000;
    m.set_up(4095);
    m.wr(reg::TXQ_CTRL, 0x0200'00F0 | burst);
    m.run(1_us);
    m.root.mmio_write(m.at(reg::TPD_PRI0_PIDX), 2, count);
    m.run(1_ms);
    EXPECT_EQ(m.sink.starts.size(), count);
    return static_cast<double>(m.sink.starts.back() - m.sink.starts[200]) / (count - 1 - 200);
}

TEST(MikrotikOnPcie, SmallFramesLeaveAtTenGigabitLineRate) {
    Machine m{MikrotikConfig()};
    const host::PciFunction& f = m.enumerate();
    EXPECT_EQ(f.link_generation, 3U);
    EXPECT_EQ(f.link_width, 8U);
    EXPECT_NEAR(mikrotik_spacing(m, 15), 67'200, 70);
}

TEST(MikrotikOnPcie, TheDescriptorBurstOfTheDriverBoundsItsRate) {
    // One read of five descriptors at a time: five packets for each round trip of 0.75 us, which
    // is far above what a driver has been seen to reach (1.7 Mpps).
    Machine m{MikrotikConfig()};
    m.enumerate();
    const double spacing = mikrotik_spacing(m, 5);
    RecordProperty("spacing_ps", std::to_string(spacing));
    EXPECT_NEAR(spacing, 750'000.0 / 5, 10'000);
}

}  // namespace
}  // namespace nicsim::models::ar8151
