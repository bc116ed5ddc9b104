// SPDX-License-Identifier: Apache-2.0
#include "host_driver/pci_bus.h"

#include <gtest/gtest.h>

#include "tests/host_driver/igb_bench.h"

namespace nicsim::host {
namespace {

using namespace testing;
using namespace sim::literals;

struct PciBench : IgbBench {
    explicit PciBench(const HostConfig& config = one_core()) : IgbBench({}, config) {
        host.script().then([this](Core& c) { host.pci().enumerate(c); });
        run(10_ms);
    }
    [[nodiscard]] const PciFunction& function() { return *host.pci().find(0x8086, 0x1533); }
};

TEST(PciBus, FindsTheFunctionAndWhatItIs) {
    PciBench b;
    ASSERT_EQ(b.host.pci().functions().size(), 1U);
    const PciFunction& f = b.function();
    EXPECT_EQ(f.bdf, (pcie::Bdf{1, 0, 0}));
    EXPECT_EQ(f.class_code, 0x020000U);
    EXPECT_EQ(f.revision, 3);
    EXPECT_EQ(f.subsystem_id, 1);
    EXPECT_EQ(f.link_generation, 1U);
    EXPECT_EQ(f.link_width, 1U);
    EXPECT_EQ(b.host.pci().find(0x8086, 0x1533, 1), nullptr);
}

TEST(PciBus, SizesAndAssignsBarsOnTheirNaturalBoundaries) {
    PciBench b;
    const PciFunction& f = b.function();
    EXPECT_EQ(f.bars[0].size, 0x20000U);
    EXPECT_EQ(f.bars[0].address % f.bars[0].size, 0U);
    EXPECT_TRUE(f.bars[2].io);
    EXPECT_EQ(f.bars[2].size, 0x20U);
    EXPECT_EQ(f.bars[3].size, 0x4000U);
    EXPECT_GE(f.bars[3].address, f.bars[0].address + f.bars[0].size);
    EXPECT_EQ(f.bars[1].size, 0U);
    EXPECT_EQ(b.device.bar(0), f.bars[0].address);
    EXPECT_EQ(b.device.bar(3), f.bars[3].address);
}

TEST(PciBus, SetsPayloadToTheSmallerSideAndReadRequestsByPolicy) {
    HostConfig config = one_core();
    config.pci.max_payload = 256;  // the device could take 512
    config.pci.max_read_request = 1024;
    PciBench b(config);
    const std::uint32_t control = b.device.config32(0xa8) & 0xffffU;
    EXPECT_EQ(control >> 5 & 7U, 1U) << "MPS 256";
    EXPECT_EQ(control >> 12 & 7U, 3U) << "MRRS 1024";
    EXPECT_NE(control & 1U << 8, 0U) << "extended tags";
    EXPECT_EQ(b.function().max_payload, 256U);
}

TEST(PciBus, TurnsMsixOnMaskedAndLetsOnlyProgrammedEntriesThrough) {
    PciBench b;
    int fired = 0;
    struct Handler {
        int& count;
        void run(Core&) { ++count; }
    } handler{fired};
    Job job(Job::Action::to<&Handler::run>(&handler));
    b.on_core([&](Core& c) {
        const PciFunction& f = b.function();
        EXPECT_EQ(f.msix_vectors, 5U);
        f.enable_memory(c);
        f.enable_msix(c);
        f.set_msix_entry(c, 2, b.host.interrupts().request(0, job));
    });
    b.device.interrupt(1);
    b.run(10_us);
    EXPECT_EQ(fired, 0);
    b.device.interrupt(2);
    b.run(10_us);
    EXPECT_EQ(fired, 1);
}

TEST(InterruptController, DeliversToTheCoreNamedByTheAddressAfterTheLatency) {
    HostConfig config = one_core();
    config.cores = 2;
    Host host("host", config);
    sim::Ps at = 0;
    unsigned core = 99;
    struct Handler {
        sim::Ps& at;
        unsigned& core;
        void run(Core& c) {
            at = sim::now();
            core = c.id();
        }
    } handler{at, core};
    Job job(Job::Action::to<&Handler::run>(&handler));
    const InterruptMessage message = host.interrupts().request(1, job);
    EXPECT_EQ(message.address, 0xfee0'1000U);
    sc_core::sc_start(sim::to_sc_time(1_us));
    host.interrupts().msi(message.address, message.data);
    host.interrupts().msi(message.address, message.data);  // merged
    host.interrupts().msi(message.address, 0xff);          // nobody
    sc_core::sc_start(sim::to_sc_time(10_us));
    EXPECT_EQ(at, 1_us + config.core.interrupt_latency);
    EXPECT_EQ(core, 1U);
    EXPECT_EQ(host.core(1).interrupts_taken(), 1U);
}

}  // namespace
}  // namespace nicsim::host
