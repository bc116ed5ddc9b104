// SPDX-License-Identifier: Apache-2.0
// The error registers of root ports and switch ports, as software finds them in configuration
// space.
#include "bench.h"
#include "pcie/switch.h"

namespace nicsim::pcie::test {
namespace {

constexpr Bdf root_port{0, 1, 0};
constexpr unsigned at(unsigned dword) {
    return config::aer_at + 4U * dword;
}

TEST(RootPort, IsAFunctionOfBusZeroWithAnErrorCapability) {
    System s;
    s.enumerate();
    EXPECT_EQ(s.config_read(0, 4, {0, 0, 0}), 0xffff'ffffU) << "no host bridge to be found";
    EXPECT_EQ(s.config_read(0, 4, {0, 2, 0}), 0xffff'ffffU) << "there is one port";
    EXPECT_NE(s.config_read(0, 4, root_port), 0xffff'ffffU);
    EXPECT_EQ(s.config_read(config::header_type, 1, root_port), 1U);
    EXPECT_EQ(s.config_read(config::class_revision, 4, root_port) >> 8U, 0x0604'00U);
    EXPECT_EQ(s.config_read(0x42, 2, root_port) >> 4U & 15U, 4U) << "a root port";
    EXPECT_EQ(s.config_read(BridgeWindows::buses_at, 4, root_port), 0x0001'0100U);
    EXPECT_EQ(s.config_read(config::aer_at, 4, root_port) & 0xffffU, 1U);
}

TEST(RootPort, KeepsALostLinkInItsStatusUntilSoftwareClearsIt) {
    Options o;
    Fault f;
    f.kind = FaultKind::link_down;
    f.at = 300_us;
    o.faults = {f};
    System s(o);
    s.enumerate();
    EXPECT_EQ(s.config_read(at(aer::uncorrectable_status), 4, root_port), 0U);
    System::run(400_us);
    EXPECT_EQ(s.config_read(at(aer::uncorrectable_status), 4, root_port), 1U << 5U);
    EXPECT_EQ(s.config_read(at(aer::root_status), 4, root_port), 0x54U)
        << "fatal, the first of its kind, received";
    EXPECT_EQ(s.config_read(at(aer::root_source) + 2, 2, root_port), id_of(root_port));
    const auto clear = [&s](unsigned dword) {
        bool done = false;
        s.rc.config_write(root_port, at(dword), 4, 0xffff'ffff, [&done] { done = true; });
        while (!done) System::run(100_ns);
    };
    clear(aer::uncorrectable_status);
    clear(aer::root_status);
    EXPECT_EQ(s.config_read(at(aer::uncorrectable_status), 4, root_port), 0U);
    EXPECT_EQ(s.config_read(at(aer::root_status), 4, root_port), 0U);
}

TEST(RootPort, NotesWhoSentAnErrorMessage) {
    Options o;
    Fault f;
    f.kind = FaultKind::poison;
    f.direction = Heading::down;
    f.tlp = FaultTarget::CplD;
    f.after = 100_us;
    o.faults = {f};
    System s(o);
    s.enumerate();
    System::run(100_us);
    s.device.read(memory_base, 64);
    System::run(20_us);
    EXPECT_EQ(s.rc.counters().err_nonfatal, 1U);
    EXPECT_EQ(s.config_read(at(aer::root_status), 4, root_port), 0x24U);
    EXPECT_EQ(s.config_read(at(aer::root_source) + 2, 2, root_port), id_of(device_at));
}

/// One endpoint behind a switch.
struct Behind {
    explicit Behind(std::vector<Fault> top_faults = {}, std::vector<Fault> faults = {})
        : memory(memory_base, 1U << 20U),
          interrupts(memory),
          rc("rc", {}, memory, interrupts, 1),
          sw("switch", {}),
          top("top", {}, rc.port(), sw.upstream(), 1, std::move(top_faults)),
          ep("ep", identity()),
          link("link", {}, sw.downstream(1), ep, 1, std::move(faults)),
          device("device") {
        device.dma.bind(ep.dma);
        ep.registers.bind(device.registers);
        device.interrupts.bind(ep.interrupts);
        top.observe(checkers[0]);
        link.observe(checkers[1]);
    }
    ~Behind() {
        for (TlpChecker& c : checkers) EXPECT_EQ(c.unfinished(), "");
    }
    template <class Start>
    std::uint64_t wait(Start start) {
        std::optional<std::uint64_t> value;
        start([&value](std::uint64_t v) { value = v; });
        while (!value) System::run(100_ns);
        return *value;
    }
    std::uint32_t config_read(Bdf f, unsigned offset) {
        return static_cast<std::uint32_t>(
            wait([&](auto done) { rc.config_read(f, offset, 4, done); }));
    }
    void config_write(Bdf f, unsigned offset, unsigned size, std::uint32_t value) {
        wait([&](auto done) { rc.config_write(f, offset, size, value, [done] { done(0); }); });
    }
    void bridge(Bdf f, std::uint32_t secondary, std::uint32_t subordinate) {
        config_read(f, 0x0c);
        config_write(f, BridgeWindows::buses_at, 4, f.bus | secondary << 8U | subordinate << 16U);
        config_write(f, BridgeWindows::memory_at, 4, 0xf0f0'f000);
        config_write(f, config::command, 2, 6);
    }
    void enumerate() {
        bridge({1, 0, 0}, 5, 7);
        bridge(port, 6, 6);
        config_write({6, 0, 0}, config::command, 2, 6);
    }
    static constexpr Bdf port{5, 1, 0};

    Memory memory;
    Interrupts interrupts;
    std::array<TlpChecker, 2> checkers;
    RootComplex rc;
    Switch sw;
    Link top;
    Endpoint ep;
    Link link;
    Device device;
};

TEST(SwitchPort, HasErrorRegistersThatSoftwareReadsMasksAndClears) {
    Fault f;
    f.kind = FaultKind::corrupt;
    f.direction = Heading::up;
    f.tlp = FaultTarget::MWr;
    Behind s({}, {f});
    s.enumerate();
    EXPECT_EQ(s.config_read(Behind::port, config::aer_at) & 0xffffU, 1U);
    s.device.write(memory_base, bytes(64));
    System::run(50_us);
    constexpr std::uint32_t bad_tlp = 1U << 6U;
    EXPECT_EQ(s.config_read(Behind::port, at(aer::correctable_status)), bad_tlp);
    EXPECT_EQ(s.sw.errors(2).count(AerError::bad_tlp), 1U);
    EXPECT_EQ(s.sw.counters().error_messages, 1U);
    EXPECT_EQ(s.rc.counters().err_cor, 1U) << "its message has come to the root complex";
    EXPECT_EQ(s.config_read(root_port, at(aer::root_source)) & 0xffffU, id_of(Behind::port));
    s.config_write(Behind::port, at(aer::correctable_status), 4, bad_tlp);
    EXPECT_EQ(s.config_read(Behind::port, at(aer::correctable_status)), 0U);
    s.config_write(Behind::port, at(aer::correctable_mask), 4, bad_tlp);
    EXPECT_EQ(s.config_read(Behind::port, at(aer::correctable_mask)), bad_tlp);
}

TEST(SwitchPort, ReportsTheLossOfTheLinkBelowIt) {
    Fault f;
    f.kind = FaultKind::link_down;
    f.at = 300_us;
    Behind s({}, {f});
    s.enumerate();
    System::run(400_us);
    EXPECT_EQ(s.config_read(Behind::port, at(aer::uncorrectable_status)), 1U << 5U);
    EXPECT_EQ(s.rc.counters().err_fatal, 1U);
    EXPECT_EQ(s.config_read({6, 0, 0}, 0), 0xffff'ffffU) << "nobody is there";
}

TEST(SwitchPort, NotesAnAddressThatNobodyHasAndAPoisonedTlpThatItPassesOn) {
    Fault f;
    f.kind = FaultKind::poison;
    f.direction = Heading::up;
    f.tlp = FaultTarget::MWr;
    Behind s({}, {f});
    s.enumerate();
    s.device.write(memory_base, bytes(64));
    System::run(20_us);
    EXPECT_EQ(s.rc.counters().poisoned, 1U) << "passed on";
    EXPECT_EQ(s.sw.errors(2).count(AerError::poisoned_tlp), 1U);
    s.device.write(0xf0f0'0000, bytes(4));  // the window that it is behind itself
    System::run(20_us);
    EXPECT_EQ(s.sw.errors(2).count(AerError::unsupported_request), 1U);
    EXPECT_NE(s.config_read(Behind::port, at(aer::uncorrectable_status)) & 1U << 20U, 0U);
}

TEST(SwitchPort, AFaultOnTheLinkToTheSwitchIsNotOneOnTheLinkToTheDevice) {
    Fault f;
    f.kind = FaultKind::drop;
    f.direction = Heading::up;
    f.tlp = FaultTarget::MWr;
    Behind s({f}, {});
    s.enumerate();
    s.device.write(memory_base, bytes(64));
    System::run(50_us);
    EXPECT_EQ(s.top.up().counters().damaged_tlps, 1U);
    EXPECT_EQ(s.link.up().counters().damaged_tlps, 0U);
    EXPECT_EQ(s.memory.writes.size(), 1U) << "replayed";
}

}  // namespace
}  // namespace nicsim::pcie::test
