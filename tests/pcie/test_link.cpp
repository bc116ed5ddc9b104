// SPDX-License-Identifier: Apache-2.0
// One link between two bare ends: when TLPs start and arrive, who may pass whom, what credits do.
#include "pcie/link.h"

#include "bench.h"
#include "ends.h"
#include "sim/kernel.h"

namespace nicsim::pcie::test {
namespace {

TEST(Link, AnUnloadedTlpTakesItsBytesTimesTheByteTimeAndThePropagation) {
    struct Case {
        unsigned generation, width;
        double byte_ps;
    };
    // 8b/10b: 10 bits at 2.5 or 5 GT/s; 128b/130b: 65/64 of 8 bits at 8, 16 and 32 GT/s.
    const Case all[] = {
        {1, 1, 4000}, {2, 4, 500}, {3, 8, 126.953125}, {4, 2, 253.90625}, {5, 16, 15.869140625}};
    unsigned i = 0;
    for (const Case& c : all) {
        LinkConfig config;
        config.generation = c.generation;
        config.width = c.width;
        config.propagation_delay = 7'000;
        EXPECT_EQ(config.wire_time(1000), static_cast<sim::Ps>(c.byte_ps * 1000)) << ++i;
    }
    Pair p;
    p.device_sends->send(write(64));
    Pair::run(1_us);
    ASSERT_EQ(p.top.arrivals.size(), 1U);
    EXPECT_EQ(p.top.arrivals[0].time, (64 + 12 + 8) * 4_ns + 5_ns);
}

TEST(Link, ALongHeaderIsUsedFrom4GiBOnAndOnlyThere) {
    EXPECT_EQ(write(64, 0, 0xffff'ff00)->wire_bytes(), 84U);
    EXPECT_EQ(write(64, 0, 0x1'0000'0000)->wire_bytes(), 88U);
    EXPECT_EQ(read(0)->wire_bytes(), 20U);
    EXPECT_EQ(completion(64, 0)->wire_bytes(), 84U);
}

TEST(Link, TlpsFollowOneAnotherWithoutGapAndCostOneWakeUpEach) {
    LinkConfig config;
    config.dllp = DllpCharge::none;
    Pair p(config);
    const std::uint64_t before = sim::kernel_cost.wakeups;
    for (std::uint16_t i = 0; i < 4; ++i) p.device_sends->send(write(64, i));
    Pair::run(10_us);
    ASSERT_EQ(p.top.arrivals.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_EQ(p.top.arrivals[i].time, (i + 1) * 84 * 4_ns + 5_ns);
    EXPECT_EQ(sim::kernel_cost.wakeups - before, 4U);
}

TEST(Link, AQueueThatIsLongerThanTheLookaheadWakesOnceInAWhile) {
    LinkConfig config;
    config.dllp = DllpCharge::none;
    Pair p(config);
    const std::uint64_t before = sim::kernel_cost.wakeups;
    for (std::uint16_t i = 0; i < 100; ++i) p.device_sends->send(write(64, i));
    EXPECT_GT(p.device_sends->queued(FlowClass::posted), 90U);
    Pair::run(100_us);
    ASSERT_EQ(p.top.arrivals.size(), 100U);
    EXPECT_EQ(p.top.arrivals[99].time, 100 * 84 * 4_ns + 5_ns);
    EXPECT_LE(sim::kernel_cost.wakeups - before, 150U) << "one to arrive, and fewer to leave";
    EXPECT_GT(p.device.rooms, 0U);
}

TEST(Link, AtRestNothingWakes) {
    Pair p;
    p.device_sends->send(write(64));
    Pair::run(100_us);
    const std::uint64_t before = sim::kernel_cost.wakeups;
    Pair::run(1_ms);
    EXPECT_EQ(sim::kernel_cost.wakeups, before);
}

// ---- credits ----

ReceiverTraits posted_credits(std::uint32_t headers, std::uint32_t data, bool at_once = true) {
    ReceiverTraits t;
    t.credits.header[P] = headers;
    t.credits.data[P] = data;
    t.update_at_once = at_once;
    return t;
}

TEST(Link, WithoutCreditATlpWaitsUntilTheUpdateHasArrivedAndNotAPicosecondLonger) {
    LinkConfig config;
    config.dllp = DllpCharge::none;
    Pair p(config, posted_credits(1, 0));
    p.top.hold = true;
    p.device_sends->send(write(64, 0));
    p.device_sends->send(write(64, 1));
    Pair::run(10_us);
    ASSERT_EQ(p.top.arrivals.size(), 1U) << "no credit, no TLP, however long it takes";
    p.top.drain(0);
    // UpdateFC: 8 bytes and the way back; then the TLP itself and the way there.
    const sim::Ps arrival = 10_us + 8 * 4_ns + 5_ns + 84 * 4_ns + 5_ns;
    Pair::run(arrival - 10_us);  // all that happens before `arrival`
    ASSERT_EQ(p.top.arrivals.size(), 1U);
    Pair::run(1);
    ASSERT_EQ(p.top.arrivals.size(), 2U);
    EXPECT_EQ(p.device_sends->counters().credit_stalls[P], 1U);
    EXPECT_EQ(p.device_sends->counters().credit_stall_time, 10_us + 37_ns - 84 * 4_ns);
    p.top.drain(1);
}

TEST(Link, DataCreditsGateInUnitsOf16Bytes) {
    Pair p({}, posted_credits(0, 16));
    p.top.hold = true;
    p.device_sends->send(write(100, 0));  // 7 units
    p.device_sends->send(write(144, 1));  // 9 units: exactly what is left
    p.device_sends->send(write(4, 2));
    Pair::run(10_us);
    EXPECT_EQ(p.top.tags(), (std::vector<unsigned>{0, 1}));
    EXPECT_EQ(p.device_sends->data_credits(FlowClass::posted), 0U);
    p.top.drain(0);
    Pair::run(10_us);
    EXPECT_EQ(p.top.tags(), (std::vector<unsigned>{0, 1, 2}));
    EXPECT_EQ(p.device_sends->data_credits(FlowClass::posted), 6U);
    p.top.drain(1);
    p.top.drain(2);
    Pair::run(10_us);
    EXPECT_EQ(p.device_sends->data_credits(FlowClass::posted), 16U);
}

TEST(Link, AHeldBackUpdateComesAtTheLimitOfTheSpecification) {
    LinkConfig config;
    config.dllp = DllpCharge::none;
    Pair p(config, posted_credits(1, 0, false));
    // floor((256 + 28) * 1.4 / 1 + 19) = 416 symbol times of 4 ns.
    EXPECT_EQ(config.dllp_limit_symbols(), 416U);
    p.device_sends->send(write(64, 0));
    p.device_sends->send(write(64, 1));
    Pair::run(100_us);
    ASSERT_EQ(p.top.arrivals.size(), 2U);
    EXPECT_EQ(p.top.arrivals[1].time - p.top.arrivals[0].time,
              416 * 4_ns + 8 * 4_ns + 5_ns + 84 * 4_ns + 5_ns);
}

TEST(Link, UpdatesWaitForTheTlpThatIsOnTheirWire) {
    LinkConfig config;
    Pair p(config, posted_credits(1, 0));
    p.top.out->send(completion(256, 9));  // 276 bytes: the wire down is busy until 1104 ns
    p.device_sends->send(write(64, 0));   // arrives at 341 ns
    p.device_sends->send(write(64, 1));
    Pair::run(100_us);
    ASSERT_EQ(p.top.arrivals.size(), 2U);
    EXPECT_EQ(p.top.arrivals[1].time, 1104_ns + 32_ns + 5_ns + 336_ns + 5_ns);
}

// ---- ordering ----

ReceiverTraits no_nonposted() {
    ReceiverTraits t;
    t.credits.header[N] = 1;
    t.update_at_once = true;
    return t;
}

TEST(Link, PostedTlpsAndCompletionsPassReadsThatLackCredits) {
    Pair p({}, no_nonposted());
    p.top.hold = true;
    p.device_sends->send(read(1));
    p.device_sends->send(read(2));
    p.device_sends->send(write(64, 3));
    p.device_sends->send(completion(64, 4));
    p.device_sends->send(read(5));
    Pair::run(10_us);
    EXPECT_EQ(p.top.tags(), (std::vector<unsigned>{1, 3, 4}));
    p.top.drain(0);
    Pair::run(10_us);
    p.top.drain(3);
    Pair::run(10_us);
    EXPECT_EQ(p.top.tags(), (std::vector<unsigned>{1, 3, 4, 2, 5}));
    for (std::size_t i : {1U, 2U, 4U}) p.top.drain(i);
}

TEST(Link, NothingPassesAPostedTlpThatLacksCredits) {
    Pair p({}, posted_credits(1, 0));
    p.top.hold = true;
    p.device_sends->send(write(64, 1));
    p.device_sends->send(write(64, 2));
    p.device_sends->send(read(3));
    p.device_sends->send(completion(64, 4));
    Pair::run(10_us);
    EXPECT_EQ(p.top.tags(), (std::vector<unsigned>{1}));
    p.top.drain(0);
    Pair::run(10_us);
    EXPECT_EQ(p.top.tags(), (std::vector<unsigned>{1, 2, 3, 4}));
}

TEST(Link, RelaxedOrderingLetsCompletionsPassPostedTlpsButNotReads) {
    Pair p({}, posted_credits(1, 0));
    p.top.hold = true;
    p.device_sends->send(write(64, 1));
    p.device_sends->send(write(64, 2));
    TlpPtr r = read(3);
    r->relaxed_ordering = true;
    TlpPtr c = completion(64, 4);
    c->relaxed_ordering = true;
    p.device_sends->send(r);
    p.device_sends->send(c);
    Pair::run(10_us);
    EXPECT_EQ(p.top.tags(), (std::vector<unsigned>{1, 4}));
    p.top.drain(0);
    Pair::run(10_us);
    EXPECT_EQ(p.top.tags(), (std::vector<unsigned>{1, 4, 2, 3}));
}

TEST(Link, IdBasedOrderingLetsARequestPassThoseOfOtherRequestersOnly) {
    Pair p({}, posted_credits(1, 0));
    p.top.hold = true;
    p.device_sends->send(write(64, 1));
    p.device_sends->send(write(64, 2));
    TlpPtr same = read(3);
    same->id_based_ordering = true;
    TlpPtr different = completion(64, 4);
    different->id_based_ordering = true;
    different->completer_id = 0x0200;
    p.device_sends->send(same);
    p.device_sends->send(different);
    Pair::run(10_us);
    EXPECT_EQ(p.top.tags(), (std::vector<unsigned>{1, 4}));
    p.top.drain(0);
    Pair::run(10_us);
    EXPECT_EQ(p.top.tags(), (std::vector<unsigned>{1, 4, 2, 3}));
}

// ---- DLLPs ----

TEST(Link, AnAckIsChargedToTheOtherDirectionWithinItsLimit) {
    Pair p;
    p.device_sends->send(write(64));  // arrives at 341 ns; ACK due 1664 ns later
    Pair::run(341_ns + 1664_ns);
    p.top.out->send(write(64, 1));  // the ACK goes first: 8 bytes
    Pair::run(1_us);
    ASSERT_EQ(p.device.arrivals.size(), 1U);
    EXPECT_EQ(p.device.arrivals[0].time, 341_ns + 1664_ns + 32_ns + 336_ns + 5_ns);
    EXPECT_EQ(p.link->down().counters().acks, 1U);
    EXPECT_EQ(p.link->down().counters().dllp_bytes, 8U);
}

TEST(Link, OneAckServesAllThatCameWithinTheLimit) {
    Pair p;
    for (std::uint16_t i = 0; i < 4; ++i) p.device_sends->send(write(64, i));
    Pair::run(20_us);
    p.top.out->send(write(4));
    EXPECT_EQ(p.link->down().counters().acks, 1U);
}

TEST(Link, SkpSetsTake4SymbolsIn1538FromABusyWire) {
    Pair p;
    constexpr std::uint16_t n = 1000;
    for (std::uint16_t i = 0; i < n; ++i) p.device_sends->send(write(256, i));
    Pair::run(2_ms);
    ASSERT_EQ(p.top.arrivals.size(), n);
    const double tlps = n * 276 * 4000.0;
    const double expected = tlps / (1.0 - 4.0 / 1538.0);
    EXPECT_NEAR(static_cast<double>(p.top.arrivals.back().time), expected, expected * 2e-4);
}

TEST(Link, OnABusyWireTlpsDllpsAndSkpSetsAddUpToAllOfTheTime) {
    LinkConfig config;
    config.generation = 2;
    config.width = 4;
    Pair p(config, posted_credits(8, 0));
    for (std::uint16_t i = 0; i < 3000; ++i) {
        p.device_sends->send(write(64, i));
        p.top.out->send(write(64, i));
    }
    Pair::run(100_us);  // both directions are full, each carries the other's ACK and UpdateFC
    for (LinkDirection* d : {&p.link->up(), &p.link->down()}) {
        const LinkCounters& c = d->counters();
        const sim::Ps used =
            config.wire_time(c.all_tlp_bytes + c.dllp_bytes) + c.skp_sets * skp_symbols * 2_ns;
        const auto wire = static_cast<double>(d->wire_free());
        EXPECT_GT(d->queued() + c.credit_stalls[P], 0U);
        if (d == &p.link->down()) {
            EXPECT_GT(c.flow_control_updates, 500U);
            EXPECT_NEAR(static_cast<double>(used), wire, wire * 1e-3);
        } else {
            EXPECT_LE(static_cast<double>(used), wire * 1.001);
        }
    }
}

// ---- set-up ----

TEST(Link, RefusesConfigurationsThatDoNotExist) {
    const auto error = [](auto change) {
        LinkConfig c;
        change(c);
        return c.validate();
    };
    EXPECT_EQ(LinkConfig{}.validate(), "");
    EXPECT_EQ(error([](LinkConfig& c) { c.width = 3; }), "width is 3; allowed are 1, 2, 4, 8, 16");
    EXPECT_EQ(error([](LinkConfig& c) { c.generation = 9; }),
              "generation is 9; allowed are 1, 2, 3, 4, 5");
    EXPECT_EQ(error([](LinkConfig& c) { c.max_payload = 100; }),
              "max_payload is 100; allowed are 128, 256, 512, 1024, 2048, 4096");
    EXPECT_NE(error([](LinkConfig& c) { c.max_read_request = 64; }), "");
    EXPECT_EQ(error([](LinkConfig& c) { c.read_completion_boundary = 96; }),
              "read_completion_boundary is 96; allowed are 64, 128");
    EXPECT_NE(error([](LinkConfig& c) { c.propagation_delay = 1'000'000'000; }), "");
    End a;
    End b;
    LinkConfig c;
    c.width = 3;
    EXPECT_THROW(Link("bad", c, a, b), std::invalid_argument);
}

TEST(Link, RefusesCreditsBelowOnePayload) {
    End a;
    End b;
    a.traits = posted_credits(4, 15);
    EXPECT_THROW(Link("bad", LinkConfig{}, a, b), std::invalid_argument);
}

TEST(Link, TrainsToWhatTheDeviceCanDo) {
    Options o;
    o.link.generation = 3;
    o.link.width = 8;
    o.link.max_payload = 1024;
    System s(o);
    EXPECT_EQ(s.link.config().generation, 1U);
    EXPECT_EQ(s.link.config().width, 1U);
    EXPECT_EQ(s.link.config().max_payload, 512U);
}

TEST(Link, TheWireAccountsForAllOfItsTime) {
    Pair p({}, posted_credits(1, 0));
    p.top.hold = true;
    p.device_sends->send(write(64, 0));  // busy 336 ns
    p.device_sends->send(write(64, 1));  // then blocked until 10 us
    Pair::run(10_us);
    sim::Activity& a = p.device_sends->activity();
    EXPECT_EQ(a.spent(1), 336_ns);
    EXPECT_EQ(a.spent(2), 10_us - 336_ns);
    p.top.drain(0);
    Pair::run(10_us);
    EXPECT_EQ(a.spent(1), 672_ns);
    EXPECT_EQ(a.spent(2), 10_us - 336_ns + 37_ns);
    EXPECT_EQ(a.spent(0), 20_us - 672_ns - (10_us - 336_ns + 37_ns));
}

}  // namespace
}  // namespace nicsim::pcie::test
