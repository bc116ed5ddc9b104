// SPDX-License-Identifier: Apache-2.0
// The exerciser's driver on a modelled host: enumeration through a switch, the window in real
// memory, the interrupt; and what enumeration says of a BAR that does not fit.
#include "host_driver/drivers/dma_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "models/dma_bench/dma_bench.h"
#include "pcie/endpoint.h"
#include "pcie/link.h"
#include "pcie/root_complex.h"
#include "pcie/switch.h"
#include "pcie/tlp_checker.h"
#include "sim/tlm_base_checker.h"

namespace nicsim::host {
namespace {

using namespace sim::literals;
using models::dma_bench::DmaBench;
using models::dma_bench::DmaBenchConfig;
using testing::HasSubstr;

pcie::LinkConfig link_config() {
    pcie::LinkConfig c;
    c.generation = 3;
    c.width = 4;
    return c;
}

struct Card {
    Card(const std::string& n, pcie::LinkPartner& port, Host& host, unsigned index,
         std::uint32_t max_payload = 512)
        : device(("device" + n).c_str(), config(max_payload)),
          endpoint(("endpoint" + n).c_str(), device.identity()),
          link(("link" + n).c_str(), link_config(), port, endpoint),
          dma_checker(("dma_checker" + n).c_str()),
          register_checker(("register_checker" + n).c_str()),
          driver(host, index) {
        device.dma().bind(dma_checker.target);
        dma_checker.initiator.bind(endpoint.dma);
        endpoint.registers.bind(register_checker.target);
        register_checker.initiator.bind(device.registers());
        device.interrupts.bind(endpoint.interrupts);
        endpoint.on_limits_changed(
            sim::Callback<const sim::BusLimits&>::to<&DmaBench::set_bus_limits>(&device));
        link.observe(checker);
    }
    static DmaBenchConfig config(std::uint32_t max_payload) {
        DmaBenchConfig c;
        c.max_payload = max_payload;
        return c;
    }
    DmaBench device;
    pcie::Endpoint endpoint;
    pcie::Link link;
    sim::TlmBaseChecker dma_checker;
    sim::TlmBaseChecker register_checker;
    pcie::TlpChecker checker;
    DmaBenchDriver driver;
};

HostConfig host_config() {
    HostConfig c;
    c.memory = 16 << 20;
    c.pci.max_payload = 256;
    return c;
}

struct Machine {
    explicit Machine(unsigned behind_switch, HostConfig config = host_config())
        : host("host", config), root("root", {}, host.memory(), host.interrupts(), 1) {
        host.attach(root);
        if (behind_switch == 0) {
            cards.push_back(std::make_unique<Card>("", root.port(), host, 0));
            return;
        }
        pcie::SwitchConfig c;
        c.ports = behind_switch;
        sw = std::make_unique<pcie::Switch>("switch", c);
        top = std::make_unique<pcie::Link>("top", link_config(), root.port(), sw->upstream());
        top->observe(top_checker);
        for (unsigned i = 0; i < behind_switch; ++i)
            cards.push_back(std::make_unique<Card>(std::to_string(i), sw->downstream(i), host, i));
    }
    void run(const std::vector<DmaTransferConfig>& programs, sim::Ps t) {
        host.script()
            .then([this](Core& core) { host.pci().enumerate(core); })
            .then([this, programs](Core& core) {
                for (auto& c : cards) c->driver.probe(core);
                for (std::size_t i = 0; i < programs.size(); ++i)
                    cards[i]->driver.start(core, programs[i]);
            });
        sc_core::sc_start(sim::to_sc_time(t));
        if (host.script().error()) std::rethrow_exception(host.script().error());
    }
    Host host;
    pcie::RootComplex root;
    std::unique_ptr<pcie::Switch> sw;
    std::unique_ptr<pcie::Link> top;
    pcie::TlpChecker top_checker;
    std::vector<std::unique_ptr<Card>> cards;
};

DmaTransferConfig program(DmaMode mode, std::uint64_t size, std::uint64_t count) {
    DmaTransferConfig c;
    c.mode = mode;
    c.size = size;
    c.count = count;
    c.in_flight = 4;
    return c;
}

TEST(DmaBenchDriver, RunsAProgramAndTakesItsInterrupt) {
    Machine m(0);
    m.run({program(DmaMode::write, 128, 50)}, 2_ms);
    const Card& c = *m.cards[0];
    EXPECT_TRUE(c.driver.finished());
    EXPECT_EQ(c.driver.transactions(), 50U);
    EXPECT_EQ(c.driver.failed(), 0U);
    EXPECT_GT(c.driver.time(), 0U);
    for (unsigned n = 0; n < 50; ++n)
        for (unsigned i = 0; i < 128; ++i)
            ASSERT_EQ(m.host.memory().load<std::uint8_t>(c.driver.window() + n * 128U + i),
                      DmaBench::pattern(n, i));
}

TEST(DmaBenchDriver, ABlockStoredWriteCombinedCostsALineAtATimeAndAnUncachedOneAWordAtATime) {
    Machine m(0);
    sim::Ps combined = 0, uncached = 0, read = 0;
    m.host.script().then([&](Core& core) { m.host.pci().enumerate(core); }).then([&](Core& core) {
        m.cards[0]->driver.probe(core);
        const std::uint64_t at = m.host.pci().functions()[0].bars[2].address;
        std::array<std::uint8_t, 256> block{};
        for (unsigned i = 0; i < block.size(); ++i) block[i] = static_cast<std::uint8_t>(i);
        core.sync();
        sim::Ps t = core.local_time();
        core.mmio_write_combined(at, block);
        combined = core.local_time() - t;
        t = core.local_time();
        for (unsigned i = 0; i < 64; ++i) core.mmio_write32(at + 1024 + 4 * i, i);
        uncached = core.local_time() - t;
        t = core.local_time();
        EXPECT_EQ(core.mmio_read32(at + 252), 0xfffe'fdfcU);
        read = core.local_time() - t;
    });
    sc_core::sc_start(sim::to_sc_time(2_ms));
    if (m.host.script().error()) std::rethrow_exception(m.host.script().error());
    EXPECT_EQ(combined, 4 * 60_ns);
    EXPECT_EQ(uncached, 64 * 40_ns);
    // Two crossings of the host, 20 and 24 bytes on a generation 3 x4 link, two ways of 5 ns.
    const double wire = 44 * 8125.0 / 8 / 4;
    EXPECT_NEAR(static_cast<double>(read), 20e3 + 2 * 250e3 + 10e3 + wire, 5e3);
    EXPECT_EQ(m.cards[0]->device.scratch().peek(1024 + 4 * 9), 9U);
}

TEST(DmaBenchDriver, FourCardsBehindASwitchAreFoundNumberedAndWork) {
    Machine m(4);
    std::vector<DmaTransferConfig> programs;
    for (unsigned i = 0; i < 4; ++i)
        programs.push_back(program(i % 2 == 0 ? DmaMode::read : DmaMode::write_read, 300, 40));
    m.run(programs, 5_ms);
    ASSERT_EQ(m.host.pci().functions().size(), 4U);
    for (unsigned i = 0; i < 4; ++i) {
        const PciFunction& f = m.host.pci().functions()[i];
        EXPECT_EQ(f.bdf.bus, 6 + i) << "root ports 1 to 4, 5 inside of the switch";
        EXPECT_EQ(f.max_payload, 256U);
        EXPECT_EQ(f.bars[0].address, 0xe000'0000U + 0x10'0000U * i) << "a window for each port";
        EXPECT_TRUE(m.cards[i]->driver.finished()) << i;
        EXPECT_EQ(m.cards[i]->driver.transactions(), 40U);
        EXPECT_EQ(m.cards[i]->device.errors(), 0U);
        EXPECT_EQ(m.cards[i]->checker.unfinished(), "");
        EXPECT_EQ(m.cards[i]->dma_checker.in_flight(), 0U);
    }
    EXPECT_EQ(m.top_checker.unfinished(), "");
    EXPECT_EQ(m.sw->held(), 0U);
}

TEST(PciBusBridges, AScanSetsTheSmallestPayloadOfTheWay) {
    Host host("host", [] {
        HostConfig c = host_config();
        c.pci.max_payload = 512;
        return c;
    }());
    pcie::RootComplex root("root", {}, host.memory(), host.interrupts(), 1);
    host.attach(root);
    pcie::SwitchConfig c;
    c.max_payload = 128;
    pcie::Switch sw("switch", c);
    pcie::Link top("top", link_config(), root.port(), sw.upstream());
    Card card("", sw.downstream(1), host, 0);
    host.script().then([&](Core& core) { host.pci().enumerate(core); });
    sc_core::sc_start(sim::to_sc_time(2_ms));
    ASSERT_EQ(host.pci().functions().size(), 1U);
    EXPECT_EQ(host.pci().functions()[0].max_payload, 128U);
    EXPECT_EQ(host.pci().functions()[0].bdf.bus, 7U) << "the empty port has a bus number too";
}

/// Registers that answer with zeros, behind a BAR of any size.
struct Nothing : sc_core::sc_module, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<> {
    explicit Nothing(const sc_core::sc_module_name& name) : sc_module(name) {
        registers.bind(*this);
        dma.bind(*this);
    }
    tlm::tlm_target_socket<> registers{"registers"};
    tlm::tlm_initiator_socket<> dma{"dma"};
    sc_core::sc_port<sim::InterruptIf> interrupts{"interrupts"};
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& p, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        p.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) override {}
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
    unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

TEST(PciBusBridges, ABarThatDoesNotFitIsAnErrorThatSaysWhich) {
    Host host("host", host_config());
    pcie::RootComplex root("root", {}, host.memory(), host.interrupts(), 1);
    host.attach(root);
    sim::DeviceIdentity identity = DmaBenchConfig{}.identity();
    identity.bars[0].size = std::uint64_t{1} << 30;
    Nothing device("device");
    pcie::Endpoint endpoint("endpoint", identity);
    pcie::Link link("link", link_config(), root.port(), endpoint);
    device.dma.bind(endpoint.dma);
    endpoint.registers.bind(device.registers);
    device.interrupts.bind(endpoint.interrupts);
    host.script().then([&](Core& core) { host.pci().enumerate(core); });
    sc_core::sc_start(sim::to_sc_time(2_ms));
    ASSERT_TRUE(host.script().error());
    try {
        std::rethrow_exception(host.script().error());
    } catch (const std::exception& e) {
        EXPECT_THAT(e.what(), HasSubstr("BAR 0 of 1GiB does not fit"));
    }
}

}  // namespace
}  // namespace nicsim::host
