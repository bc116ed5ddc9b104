// SPDX-License-Identifier: Apache-2.0
// Every error that is claimed to be reported: its cause, its status bit, Device Status, the message
// that reaches the root complex, the header log; masks, severities and enables.
#include "bench.h"
#include "ends.h"
#include "pcie/tlp_rules.h"

namespace nicsim::pcie::test {
namespace {

using namespace config;

constexpr std::uint32_t correctable = 1, nonfatal = 2, fatal = 4, unsupported = 8;

/// A system whose host can send what no root complex would.
struct Erring : System {
    static Options options(std::vector<Fault> faults, bool ecrc) {
        Options o;
        o.faults = std::move(faults);
        o.link.ecrc = ecrc;
        return o;
    }
    explicit Erring(std::vector<Fault> faults = {}, bool ecrc = false)
        : System(options(std::move(faults), ecrc)) {
        enumerate();
        before = rc.counters();
    }
    void send(const TlpPtr& tlp) {
        link.down().send(tlp);
        run(20_us);
    }
    [[nodiscard]] std::uint32_t aer_at_dw(unsigned dword) {
        return ep.config_space().read(aer_at + 4 * dword);
    }
    [[nodiscard]] std::uint32_t uncorrectable() { return aer_at_dw(aer::uncorrectable_status); }
    [[nodiscard]] std::uint32_t correctable_status() { return aer_at_dw(aer::correctable_status); }
    [[nodiscard]] std::uint32_t device_status() {
        return ep.config_space().read(pcie_at + pcie_device_control) >> 16U & 0xfU;
    }
    void set(unsigned dword, std::uint32_t value) { config_write(aer_at + 4 * dword, 4, value); }
    [[nodiscard]] std::array<std::uint64_t, 3> messages() const {
        const auto& c = rc.counters();
        return {c.err_cor - before.err_cor, c.err_nonfatal - before.err_nonfatal,
                c.err_fatal - before.err_fatal};
    }
    RootComplexCounters before;
};
using Messages = std::array<std::uint64_t, 3>;
constexpr Messages none{0, 0, 0}, one_cor{1, 0, 0}, one_nonfatal{0, 1, 0}, one_fatal{0, 0, 1};

TEST(Aer, TheCapabilityStandsAtTheHeadOfTheExtendedOnes) {
    Erring s;
    EXPECT_EQ(s.config_read(0x100, 4), 0x1402'0001U) << "AER, version 2, next at 0x140";
    EXPECT_EQ(s.config_read(0x140, 4), 0x0001'0003U) << "the serial number, the last";
    EXPECT_EQ(s.uncorrectable(), 0U);
    EXPECT_EQ(s.correctable_status(), 0U);
    EXPECT_EQ(s.aer_at_dw(aer::uncorrectable_severity), 1U << 5U | 1U << 18U);
    EXPECT_EQ(s.aer_at_dw(aer::correctable_mask), 1U << 13U);
    s.set(aer::header_log, 0xffff'ffff);
    EXPECT_EQ(s.aer_at_dw(aer::header_log), 0U) << "read only";
}

TEST(Aer, AnUnsupportedWriteIsANonFatalErrorWithItsHeaderLogged) {
    Erring s;
    TlpPtr w = write(64, 0, 0xd000'0040);
    w->requester_id = 0x0008;
    const auto header = header_dwords(*w);
    s.send(w);
    EXPECT_EQ(s.uncorrectable(), 1U << 20U);
    EXPECT_EQ(s.device_status(), nonfatal | unsupported);
    EXPECT_EQ(s.messages(), one_nonfatal);
    EXPECT_EQ(s.aer_at_dw(aer::control) & 0x1fU, 20U) << "first error pointer";
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(s.aer_at_dw(aer::header_log + i), header[i]) << i;
    // 3 DW with data, type memory, 16 DW; requester, tag, enables; address.
    EXPECT_EQ(header[0], 0x4000'0010U);
    EXPECT_EQ(header[1], 0x0008'00ffU);
    EXPECT_EQ(header[2], 0xd000'0040U);
    EXPECT_EQ(s.ep.errors().count(AerError::unsupported_request), 1U);
}

TEST(Aer, TheHeaderLogKeepsTheFirstErrorUntilSoftwareClearsIt) {
    Erring s;
    s.send(write(64, 0, 0xd000'0040));
    s.send(write(64, 0, 0xd000'0080));
    EXPECT_EQ(s.aer_at_dw(aer::header_log + 2), 0xd000'0040U);
    s.set(aer::uncorrectable_status, 1U << 20U);
    EXPECT_EQ(s.uncorrectable(), 0U) << "ones clear";
    s.send(write(64, 0, 0xd000'00c0));
    EXPECT_EQ(s.aer_at_dw(aer::header_log + 2), 0xd000'00c0U);
    EXPECT_EQ(s.messages(), (Messages{0, 3, 0}));
}

TEST(Aer, AnUnsupportedReadIsAdvisoryOnlySinceItsRequesterIsTold) {
    Erring s;
    s.set(aer::correctable_mask, 0);
    EXPECT_EQ(s.mmio_read(bar3_base + 0x4000 - 8, 4), 0U) << "the last of the BAR";
    TlpPtr r = read(9, 0xd000'0000);
    s.send(r);
    EXPECT_EQ(s.correctable_status(), 1U << 13U);
    EXPECT_EQ(s.uncorrectable(), 1U << 20U);
    EXPECT_EQ(s.device_status(), correctable | unsupported);
    EXPECT_EQ(s.messages()[0], 1U);
    EXPECT_EQ(s.messages()[1], 0U);
}

TEST(Aer, AnAdvisoryErrorIsMaskedAtReset) {
    Erring s;
    s.send(read(9, 0xd000'0000));
    EXPECT_EQ(s.correctable_status(), 1U << 13U);
    EXPECT_EQ(s.uncorrectable(), 0U);
    EXPECT_EQ(s.messages(), none);
    EXPECT_EQ(s.ep.errors().count(AerError::unsupported_request), 1U) << "counted all the same";
}

TEST(Aer, ADeviceThatCannotServeARegisterAbortsTheRequest) {
    Erring s;
    s.set(aer::correctable_mask, 0);
    s.device.answer_with = tlm::TLM_GENERIC_ERROR_RESPONSE;
    EXPECT_EQ(s.mmio_read(bar0_base, 4), 0xffff'ffffU);
    EXPECT_EQ(s.uncorrectable(), 1U << 15U);
    EXPECT_EQ(s.messages(), one_cor);
    EXPECT_EQ(s.ep.counters().aborted, 1U);
    EXPECT_NE(s.config_read(status, 2) & 1U << 11U, 0U) << "signaled target abort";
    s.rc.mmio_write(bar0_base, 4, 1);
    System::run(10_us);
    EXPECT_EQ(s.messages(), (Messages{1, 1, 0})) << "a write has nobody to be told";
}

TEST(Aer, AnAddressThatADeviceDoesNotHaveIsUnsupported) {
    Erring s;
    s.device.answer_with = tlm::TLM_ADDRESS_ERROR_RESPONSE;
    EXPECT_EQ(s.mmio_read(bar0_base, 4), 0xffff'ffffU);
    EXPECT_EQ(s.ep.counters().unsupported, 1U);
    EXPECT_EQ(s.ep.counters().aborted, 0U);
}

TEST(Aer, APoisonedWriteIsDroppedAndReported) {
    Erring s;
    TlpPtr w = write(4, 0, bar0_base);
    w->poisoned = true;
    s.device.accesses.clear();
    s.send(w);
    EXPECT_TRUE(s.device.accesses.empty());
    EXPECT_EQ(s.uncorrectable(), 1U << 12U);
    EXPECT_EQ(s.device_status(), nonfatal);
    EXPECT_EQ(s.messages(), one_nonfatal);
    EXPECT_NE(s.config_read(status, 2) & 1U << 15U, 0U) << "detected parity error";
    EXPECT_NE(s.aer_at_dw(aer::header_log) & 1U << 14U, 0U) << "EP";
}

TEST(Aer, APoisonedConfigurationWriteIsNotDone) {
    Fault f;
    f.kind = FaultKind::poison;
    f.direction = Heading::down;
    f.tlp = FaultTarget::CfgWr0;
    f.after = 1_ms;
    Erring s({f});
    System::run(1_ms);
    s.config_write(interrupt_line, 1, 0x5a);
    EXPECT_EQ(s.config_read(interrupt_line, 1), 0U);
    EXPECT_EQ(s.uncorrectable(), 1U << 12U);
    s.config_write(interrupt_line, 1, 0x5a);
    EXPECT_EQ(s.config_read(interrupt_line, 1), 0x5aU);
}

TEST(Aer, ACompletionWithoutARequestIsUnexpected) {
    Erring s;
    s.beside.excuse(nobody_asked);
    s.set(aer::correctable_mask, 0);
    TlpPtr c = completion(64, 5);
    c->requester_id = id_of(device_at);
    s.send(c);
    EXPECT_EQ(s.uncorrectable(), 1U << 16U);
    EXPECT_EQ(s.correctable_status(), 1U << 13U);
    EXPECT_EQ(s.device_status(), correctable);
    EXPECT_EQ(s.messages(), one_cor);
    EXPECT_EQ(s.ep.counters().unexpected, 1U);
}

TEST(Aer, AMalformedTlpIsFatal) {
    Erring s;
    s.beside.excuse("the enabled bytes must be contiguous");
    TlpPtr w = write(8, 0, bar0_base + 4);  // two double words off a quad word, with a hole
    w->first_be = 0b1010;
    s.device.accesses.clear();
    s.send(w);
    EXPECT_TRUE(s.device.accesses.empty());
    EXPECT_EQ(s.uncorrectable(), 1U << 18U);
    EXPECT_EQ(s.device_status(), fatal);
    EXPECT_EQ(s.messages(), one_fatal);
    EXPECT_EQ(s.ep.counters().malformed, 1U);
}

TEST(Aer, WithEcrcChangedContentsAreFoundAndTheTlpDropped) {
    Fault f;
    f.kind = FaultKind::corrupt_payload;
    f.direction = Heading::down;
    f.tlp = FaultTarget::MWr;
    f.after = 1_ms;
    Erring s({f}, true);
    System::run(1_ms);
    s.device.accesses.clear();
    s.rc.mmio_write(bar0_base, 4, 7);
    System::run(10_us);
    EXPECT_TRUE(s.device.accesses.empty());
    EXPECT_EQ(s.uncorrectable(), 1U << 19U);
    EXPECT_EQ(s.device_status(), nonfatal);
    EXPECT_EQ(s.messages(), one_nonfatal);
    EXPECT_EQ(s.link.down().counters().damaged_tlps, 0U) << "the LCRC was right";
}

TEST(Aer, WithoutEcrcChangedContentsArePassedOn) {
    Fault f;
    f.kind = FaultKind::corrupt_payload;
    f.direction = Heading::down;
    f.tlp = FaultTarget::MWr;
    f.after = 1_ms;
    Erring s({f});
    System::run(1_ms);
    s.rc.mmio_write(bar0_base, 4, 6);
    System::run(10_us);
    EXPECT_EQ(s.device.file[0], 7U) << "one bit";
    EXPECT_EQ(s.uncorrectable(), 0U);
}

TEST(Aer, EcrcAddsFourBytesToEveryTlp) {
    Erring s({}, true);
    const std::uint64_t before = s.link.up().counters().all_tlp_bytes;
    s.device.write(memory_base, bytes(64));
    System::run(10_us);
    EXPECT_EQ(s.link.up().counters().all_tlp_bytes - before, 88U);
    s.config_write(aer_at + 4 * aer::control, 4, 0);
    System::run(10_us);
    const std::uint64_t off = s.link.up().counters().all_tlp_bytes;
    s.device.write(memory_base, bytes(64));
    System::run(10_us);
    EXPECT_EQ(s.link.up().counters().all_tlp_bytes - off, 84U) << "software can turn it off";
}

TEST(Aer, ALostAnswerIsACompletionTimeout) {
    Fault f;
    f.kind = FaultKind::lose;
    f.direction = Heading::down;
    f.tlp = FaultTarget::CplD;
    f.after = 1_ms;
    Erring s({f});
    System::run(1_ms);
    s.config_write(pcie_at + pcie_device_control2, 2, 1);  // 100 us
    const std::size_t j = s.device.read(memory_base, 64);
    System::run(200_us);
    EXPECT_FALSE(s.device.jobs[j].ok);
    EXPECT_EQ(s.device.jobs[j].done - s.device.jobs[j].issued, 100_us);
    EXPECT_EQ(s.uncorrectable(), 1U << 14U);
    EXPECT_EQ(s.device_status(), nonfatal);
    EXPECT_EQ(s.messages(), one_nonfatal);
    EXPECT_EQ(s.ep.reads_in_flight(), 1U);
    System::run(100_us);
    EXPECT_EQ(s.ep.reads_in_flight(), 0U) << "nothing came in as long a time again";
}

TEST(Aer, LinkErrorsOfTheEndpointAreCorrectableOnesOfItsOwn) {
    struct Case {
        std::uint64_t count;
        std::uint32_t bits;
        FaultKind kind;
        Heading direction;
    };
    // Down: it receives; up: it sends, and has four replays without progress, three by its timer.
    const Case all[] = {{1, 1U << 0U, FaultKind::drop, Heading::down},
                        {1, 1U << 6U, FaultKind::corrupt, Heading::down},
                        {1, 1U << 12U, FaultKind::drop, Heading::up},
                        {4, 1U << 8U | 1U << 12U, FaultKind::corrupt, Heading::up}};
    std::vector<Fault> faults;
    sim::Ps at = 1_ms;
    for (const Case& c : all) {
        Fault f;
        f.kind = c.kind;
        f.direction = c.direction;
        f.count = c.count;
        f.tlp = FaultTarget::MWr;
        f.after = at;
        at += 1_ms;
        faults.push_back(f);
    }
    Erring s(faults);
    at = 1_ms;
    for (const Case& c : all) {
        System::run(at + 1 - sim::now());
        s.set(aer::correctable_status, ~0U);
        if (c.direction == Heading::up)
            s.device.write(memory_base, bytes(64, 1));
        else
            s.rc.mmio_write(bar0_base, 4, 1);
        System::run(500_us);
        EXPECT_EQ(s.correctable_status(), c.bits) << static_cast<int>(c.kind);
        EXPECT_EQ(s.device_status(), correctable);
        at += 1_ms;
    }
    EXPECT_EQ(s.rc.errors().count(AerError::bad_tlp), 4U) << "the other end of the last";
    EXPECT_EQ(s.rc.errors().count(AerError::receiver_error), 1U);
    EXPECT_GE(s.messages()[0], 4U);
}

TEST(Aer, ADamagedDllpIsOneToo) {
    Options o;
    o.link.bit_error_rate = 1e-4;
    System s(o);
    s.enumerate();
    for (unsigned i = 0; i < 4000; ++i) s.device.write(memory_base, bytes(4, i));
    System::run(100_ms);
    EXPECT_GT(s.ep.errors().count(AerError::bad_dllp), 0U);
    EXPECT_NE(s.ep.config_space().read(aer_at + 4 * aer::correctable_status) & 1U << 7U, 0U);
}

TEST(Aer, MasksKeepTheMessageAndTheLogBackAndSeverityChoosesTheMessage) {
    Erring s;
    s.set(aer::uncorrectable_mask, 1U << 20U);
    s.send(write(64, 0, 0xd000'0040));
    EXPECT_EQ(s.uncorrectable(), 1U << 20U);
    EXPECT_EQ(s.aer_at_dw(aer::header_log), 0U);
    EXPECT_EQ(s.messages(), none);
    s.set(aer::uncorrectable_mask, 0);
    s.set(aer::uncorrectable_status, ~0U);
    s.set(aer::uncorrectable_severity, 1U << 20U);
    s.send(write(64, 0, 0xd000'0040));
    EXPECT_EQ(s.messages(), one_fatal);
    s.send(read(1, 0xd000'0040));
    EXPECT_EQ(s.messages(), (Messages{0, 0, 2})) << "a fatal error is never advisory";
}

TEST(Aer, WithoutReportingThereAreBitsAndNoMessages) {
    Options o;
    o.endpoint.error_reporting = false;
    System s(o);
    s.enumerate();
    s.link.down().send(write(64, 0, 0xd000'0040));
    System::run(10_us);
    EXPECT_EQ(s.ep.config_space().read(aer_at + 4), 1U << 20U);
    EXPECT_EQ(s.rc.counters().err_nonfatal, 0U);
    s.config_write(command, 2, command_memory | command_bus_master | 1U << 8U);  // SERR#
    s.link.down().send(write(64, 0, 0xd000'0040));
    System::run(10_us);
    EXPECT_EQ(s.rc.counters().err_nonfatal, 1U) << "SERR# enables them too";
}

TEST(Aer, TheRootPortReportsWhatItReceives) {
    Erring s;
    for (const auto& wrong : {nobody_asked, std::string("it crosses a 4 KiB boundary")})
        s.beside.excuse(wrong);
    const auto send_up = [&s](const TlpPtr& tlp) {
        tlp->requester_id = id_of(device_at);
        s.link.up().send(tlp);
        System::run(10_us);
    };
    TlpPtr poisoned = write(64, 0, memory_base);
    poisoned->poisoned = true;
    send_up(poisoned);
    EXPECT_EQ(s.rc.errors().count(AerError::poisoned_tlp), 1U);
    EXPECT_TRUE(s.memory.writes.empty());
    send_up(write(64, 0, 0x9000'0000));
    EXPECT_EQ(s.rc.errors().count(AerError::unsupported_request), 1U);
    TlpPtr across = write(64, 0, memory_base + 4096 - 4);
    send_up(across);
    EXPECT_EQ(s.rc.errors().count(AerError::malformed_tlp), 1U);
    TlpPtr c = completion(4, 3);
    s.link.up().send(c);
    System::run(10_us);
    EXPECT_EQ(s.rc.errors().count(AerError::unexpected_completion), 1U);
    EXPECT_EQ(s.messages(), (Messages{0, 2, 1})) << "its own errors count as messages";
}

}  // namespace
}  // namespace nicsim::pcie::test
