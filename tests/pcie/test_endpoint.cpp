// SPDX-License-Identifier: Apache-2.0
#include "pcie/endpoint.h"

#include "bench.h"
#include "ends.h"

namespace nicsim::pcie::test {
namespace {

TEST(Endpoint, ReadsInFlightAreBoundByTags) {
    Options o;
    o.device = fast_identity();
    o.device.tags = 8;
    o.link.generation = 3;
    o.link.width = 8;
    o.link.dllp = DllpCharge::none;
    System s(o);
    s.enumerate();
    for (unsigned i = 0; i < 80; ++i) s.device.read(memory_base + 256 * i, 256);
    System::run(500_ns);
    EXPECT_EQ(s.ep.reads_in_flight(), 8U);
    EXPECT_EQ(s.device.jobs[8].taken, sim::never);
    System::run(50_us);
    ASSERT_EQ(s.device.done, 80U);
    EXPECT_GT(s.ep.counters().tag_stalls, 0U);
    EXPECT_GT(s.ep.counters().tag_stall_time, 5 * 700_ns);
    // Eight at a time and a round trip each: 10 rounds of 8 * 256 bytes.
    const sim::Ps taken = s.device.jobs[79].done - s.device.jobs[0].issued;
    EXPECT_GE(taken, 10 * 700_ns);
    EXPECT_LE(taken, 10 * 1100_ns);
}

TEST(Endpoint, TheTagAfterTheLastIsGivenOutWhenACompletionFreesOneAndNotBefore) {
    Options o;
    o.device.tags = 1;
    o.link.dllp = DllpCharge::none;
    System s(o);
    s.enumerate();
    s.device.read(memory_base, 64);
    s.device.read(memory_base, 64);
    System::run(50_us);
    EXPECT_EQ(s.device.jobs[1].taken, s.device.jobs[0].done);
}

TEST(Endpoint, OnlyExtendedTagsGiveMoreThan32) {
    Options o;
    o.device = fast_identity();
    o.link.generation = 5;
    o.link.width = 16;
    o.root.nonposted_header_credits = 0;
    o.endpoint.nonposted_buffer = 1000;
    System s(o);
    s.enumerate();
    for (unsigned i = 0; i < 300; ++i) s.device.read(memory_base + 256 * i, 64);
    EXPECT_EQ(s.ep.reads_in_flight(), 256U);
    System::run(100_us);
    EXPECT_EQ(s.device.done, 300U);
}

TEST(Endpoint, TheDeviceWaitsWhileTheBuffersTowardsTheLinkAreFull) {
    Options o;
    o.endpoint.posted_buffer = 2;
    System s(o);
    s.enumerate();
    for (unsigned i = 0; i < 20; ++i) s.device.write(memory_base + 512 * i, bytes(256, i));
    unsigned taken = 0;
    for (const Device::Job& j : s.device.jobs) taken += j.taken != sim::never ? 1 : 0;
    EXPECT_LE(taken, 4U) << "on the wire, ahead of it, and two in the buffer";
    EXPECT_EQ(s.link.up().queued(FlowClass::posted), 2U);
    System::run(100_us);
    EXPECT_EQ(s.memory.writes.size(), 20U);
    EXPECT_GT(s.ep.counters().buffer_stalls, 0U);
    for (unsigned i = 0; i < 20; ++i) EXPECT_EQ(s.memory.at(memory_base + 512 * i), i);
}

TEST(Endpoint, ALongTransferIsCutIntoLegalRequests) {
    System s;  // the checker watches MPS, MRRS and 4 KiB
    s.enumerate();
    s.device.read(memory_base + 4000, 9000);
    s.device.write(memory_base + 20'000, bytes(9000));
    System::run(1_ms);
    EXPECT_TRUE(s.device.jobs[0].ok && s.device.jobs[1].ok);
    const auto& up = s.link.up().counters();
    EXPECT_EQ(s.ep.counters().reads, 1U);
    EXPECT_GE(up.tlps[static_cast<unsigned>(TlpType::MRd)], 18U);
    EXPECT_GE(up.tlps[static_cast<unsigned>(TlpType::MWr)], 36U);
    // Every read ended in one answer with all bytes in place.
    for (std::size_t b = 0; b < 9000; ++b)
        ASSERT_EQ(s.device.jobs[0].data[b], Memory::pattern(memory_base + 4000 + b));
}

TEST(Endpoint, TrafficIsCountedByPurpose) {
    System s;
    s.enumerate();
    s.device.read(memory_base, 64, sim::DmaPurpose::tx_descriptor);
    s.device.read(memory_base, 256, sim::DmaPurpose::tx_data);
    s.device.write(memory_base, bytes(16), sim::DmaPurpose::tx_writeback);
    System::run(50_us);
    const auto of = [](const LinkDirection& d, sim::DmaPurpose p) {
        return d.counters().purpose_bytes[static_cast<unsigned>(p)];
    };
    EXPECT_EQ(of(s.link.up(), sim::DmaPurpose::tx_descriptor), 20U);
    EXPECT_EQ(of(s.link.down(), sim::DmaPurpose::tx_descriptor), 84U);
    EXPECT_EQ(of(s.link.down(), sim::DmaPurpose::tx_data), 276U);
    EXPECT_EQ(of(s.link.up(), sim::DmaPurpose::tx_writeback), 36U);
    sim::StatGroup group("pcie");
    s.link.register_stats(group);
    s.ep.register_stats(group.group("endpoint"));
    s.rc.register_stats(group.group("root_complex"));
    ASSERT_NE(group.find("up.purposes.tx_writeback_bytes"), nullptr);
    EXPECT_EQ(
        std::get<sim::CounterStat>(group.find("up.purposes.tx_writeback_bytes")->value).whole_run(),
        36U);
    EXPECT_NE(group.find("down.utilisation"), nullptr);
    EXPECT_NE(group.find("endpoint.tag_stalls"), nullptr);
}

/// An endpoint whose host is a bare end.
struct Alone {
    explicit Alone(const sim::DeviceIdentity& d = identity())
        : ep("ep", d), device("device"), link("link", LinkConfig{}, host, ep) {
        device.dma.bind(ep.dma);
        ep.registers.bind(device.registers);
        device.interrupts.bind(ep.interrupts);
        beside.watch(link);
        config(config::command, config::command_memory | config::command_bus_master);
        config(config::bar0, static_cast<std::uint32_t>(bar0_base));
        run(10_us);
        host.arrivals.clear();
    }
    void config(unsigned offset, std::uint32_t value) {
        TlpPtr t = tlp_pool().make();
        t->type = TlpType::CfgWr0;
        t->allocate(1);
        t->first_be = 0xf;
        t->address = offset;
        t->target = device_at;
        t->tag = next_tag++;
        for (unsigned i = 0; i < 4; ++i) t->data()[i] = static_cast<std::uint8_t>(value >> (8 * i));
        host.out->send(t);
    }
    static void run(sim::Ps t) { sc_core::sc_start(sim::to_sc_time(t)); }
    std::uint16_t next_tag = 0x40;
    End host;
    Endpoint ep;
    Device device;
    Beside beside;
    Link link;
};

TEST(Endpoint, AReadWithoutAnswerFailsAtItsTimeoutAndItsTagStaysOut) {
    Alone a;
    a.config(config::pcie_at + config::pcie_device_control2, 1);  // 100 us
    Alone::run(10_us);
    a.host.arrivals.clear();
    const std::size_t j = a.device.read(memory_base, 64);
    Alone::run(100_us);
    EXPECT_EQ(a.device.jobs[j].done, sim::never);
    Alone::run(1);
    EXPECT_EQ(a.device.jobs[j].done - a.device.jobs[j].issued, 100_us);
    EXPECT_FALSE(a.device.jobs[j].ok);
    EXPECT_EQ(a.ep.counters().timeouts, 1U);
    EXPECT_EQ(a.ep.reads_in_flight(), 1U) << "a late answer may still come";
    TlpPtr late = completion(64, a.host.arrivals.at(0).tlp->tag);
    late->requester_id = id_of(device_at);
    a.host.out->send(late);
    Alone::run(10_us);
    EXPECT_EQ(a.ep.reads_in_flight(), 0U);
    EXPECT_EQ(a.ep.counters().unexpected, 1U) << "for the requester it has become that";
    const std::uint32_t status =
        a.ep.config_space().read(config::pcie_at + config::pcie_device_control) >> 16U;
    EXPECT_NE(status & config::device_status_nonfatal, 0U);
}

TEST(Endpoint, AnErrorAnswerFailsTheWholeReadOnceAllItsPiecesAreBack) {
    Alone a;
    const std::size_t j = a.device.read(memory_base, 1024);  // two requests of 512
    Alone::run(10_us);
    ASSERT_EQ(a.host.arrivals.size(), 2U);
    for (const bool good : {false, true}) {
        EXPECT_EQ(a.device.jobs[j].done, sim::never);
        TlpPtr c = completion(good ? 256 : 4, a.host.arrivals[good ? 1 : 0].tlp->tag);
        c->requester_id = id_of(device_at);
        if (!good) {
            c->type = TlpType::Cpl;
            c->status = CompletionStatus::completer_abort;
            a.host.out->send(c);
        } else {
            c->byte_count = 512;
            a.host.out->send(c);
            TlpPtr second = completion(256, c->tag);
            second->requester_id = c->requester_id;
            a.host.out->send(second);
        }
        Alone::run(10_us);
    }
    EXPECT_NE(a.device.jobs[j].done, sim::never);
    EXPECT_FALSE(a.device.jobs[j].ok);
    EXPECT_EQ(a.ep.reads_in_flight(), 0U);
}

TEST(Endpoint, APoisonedAnswerFailsTheRead) {
    Alone a;
    const std::size_t j = a.device.read(memory_base, 64);
    Alone::run(10_us);
    TlpPtr c = completion(64, a.host.arrivals.at(0).tlp->tag);
    c->requester_id = id_of(device_at);
    c->poisoned = true;
    a.host.out->send(c);
    Alone::run(10_us);
    EXPECT_FALSE(a.device.jobs[j].ok);
    EXPECT_EQ(a.ep.counters().poisoned, 1U);
}

TEST(Endpoint, UnsupportedRequestsAreAnsweredAndNoted) {
    Alone a;
    TlpPtr nowhere = read(1, 0x1000);
    a.host.out->send(nowhere);
    TlpPtr large = read(2, bar0_base);
    large->length_dw = 3;
    a.host.out->send(large);
    a.host.out->send(write(12, 0, bar0_base));
    TlpPtr flush = read(3, bar0_base);
    flush->length_dw = 1;
    flush->first_be = flush->last_be = 0;
    a.host.out->send(flush);
    Alone::run(10_us);
    ASSERT_EQ(a.host.arrivals.size(), 4U);
    EXPECT_EQ(a.host.arrivals[0].tlp->status, CompletionStatus::unsupported_request);
    EXPECT_EQ(a.host.arrivals[1].tlp->status, CompletionStatus::unsupported_request);
    EXPECT_EQ(a.host.arrivals[2].tlp->type, TlpType::Msg) << "a write has no answer";
    EXPECT_EQ(a.host.arrivals[2].tlp->message_code, message::err_nonfatal);
    EXPECT_EQ(a.host.arrivals[3].tlp->type, TlpType::CplD) << "a zero-length read has an answer";
    EXPECT_EQ(a.host.arrivals[3].tlp->completer_id, id_of(device_at));
    EXPECT_EQ(a.ep.counters().unsupported, 3U);
    EXPECT_TRUE(a.device.accesses.empty());
    const std::uint32_t status =
        a.ep.config_space().read(config::pcie_at + config::pcie_device_control) >> 16U;
    EXPECT_NE(status & config::device_status_unsupported, 0U);
}

TEST(Endpoint, AWriteWithHolesIsOneAccessPerRunOfBytes) {
    Alone a;
    TlpPtr w = write(8, 0, bar0_base + 0x40);
    for (unsigned i = 0; i < 8; ++i) w->data()[i] = static_cast<std::uint8_t>(i + 1);
    w->first_be = 0b0101;
    w->last_be = 0b1100;
    a.host.out->send(w);
    Alone::run(10_us);
    ASSERT_EQ(a.device.accesses.size(), 3U);
    EXPECT_EQ(a.device.accesses[2].offset, 0x46U);
    EXPECT_EQ(a.device.accesses[2].length, 2U);
    EXPECT_EQ(std::vector<std::uint8_t>(a.device.file.begin() + 0x40, a.device.file.begin() + 0x48),
              (std::vector<std::uint8_t>{1, 0, 3, 0, 0, 0, 7, 8}));
}

TEST(Endpoint, ACompletionOfNobodyIsCountedAndDropped) {
    Alone a;
    a.beside.excuse(nobody_asked);
    a.host.out->send(completion(64, 5));
    Alone::run(10_us);
    EXPECT_EQ(a.ep.counters().unexpected, 1U);
}

TEST(Endpoint, RegisterAnswersKeepTheirOrderWhenTheDeviceTakesItsTime) {
    Alone a;
    a.device.access_time = 3'000'000;
    for (std::uint16_t i = 0; i < 2; ++i) {
        TlpPtr r = read(i, bar0_base);
        r->length_dw = 1;
        r->last_be = 0;
        a.host.out->send(r);
    }
    Alone::run(1_us);
    a.device.access_time = 0;
    TlpPtr r = read(2, bar0_base);
    r->length_dw = 1;
    r->last_be = 0;
    a.host.out->send(r);
    Alone::run(10_us);
    EXPECT_EQ(a.host.tags(), (std::vector<unsigned>{0, 1, 2}));
}

}  // namespace
}  // namespace nicsim::pcie::test
