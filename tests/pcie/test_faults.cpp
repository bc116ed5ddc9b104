// SPDX-License-Identifier: Apache-2.0
// Declared faults on a whole system: each ends as the standard says, nothing hangs, nothing is lost
// without a count, and a fault that never came is named.
#include "bench.h"
#include "sim/random.h"

namespace nicsim::pcie::test {
namespace {

Fault fault(FaultKind kind, Heading direction, FaultTarget tlp, std::uint64_t nth = 1,
            sim::Ps duration = 0) {
    Fault f;
    f.kind = kind;
    f.direction = direction;
    f.tlp = tlp;
    f.nth = nth;
    f.duration = duration;
    f.after = 1_ms;
    return f;
}

struct Faulty : System {
    static Options options(std::vector<Fault> faults) {
        Options o;
        o.faults = std::move(faults);
        return o;
    }
    explicit Faulty(std::vector<Fault> faults) : System(options(std::move(faults))) {
        enumerate();
        config_write(config::pcie_at + config::pcie_device_control2, 2, 1);  // 100 us
        run(1_ms + 1 - sim::now());
    }
    [[nodiscard]] bool right(std::size_t job) const {
        const Device::Job& j = device.jobs[job];
        for (std::size_t b = 0; b < j.data.size(); ++b)
            if (j.data[b] != Memory::pattern(j.address + b)) return false;
        return j.ok;
    }
};

TEST(Faults, ADroppedOrDamagedTlpCostsTimeAndNothingElse) {
    Faulty s({fault(FaultKind::drop, Heading::up, FaultTarget::MRd, 1),
              fault(FaultKind::corrupt, Heading::up, FaultTarget::MRd, 3),
              fault(FaultKind::drop, Heading::down, FaultTarget::CplD, 3),
              fault(FaultKind::corrupt, Heading::down, FaultTarget::CplD, 9)});
    for (unsigned i = 0; i < 10; ++i) s.device.read(memory_base + 1000 * i, 600);
    System::run(1_ms);
    for (std::size_t i = 0; i < 10; ++i) EXPECT_TRUE(s.right(i)) << i;
    EXPECT_EQ(s.link.faults().never_came(), std::vector<std::string>{});
    EXPECT_EQ(s.link.up().counters().damaged_tlps, 2U);
    EXPECT_EQ(s.link.down().counters().damaged_tlps, 2U);
    EXPECT_EQ(s.ep.counters().timeouts, 0U);
}

TEST(Faults, APoisonedCompletionFailsItsReadOnly) {
    Faulty s({fault(FaultKind::poison, Heading::down, FaultTarget::CplD, 2)});
    for (unsigned i = 0; i < 3; ++i) s.device.read(memory_base + 64 * i, 64);
    System::run(100_us);
    EXPECT_TRUE(s.right(0));
    EXPECT_FALSE(s.device.jobs[1].ok);
    EXPECT_TRUE(s.right(2));
    EXPECT_EQ(s.ep.errors().count(AerError::poisoned_tlp), 1U);
    EXPECT_EQ(s.rc.counters().err_nonfatal, 1U);
}

TEST(Faults, ALateCompletionIsWaitedForAndLaterOnesPassIt) {
    Faulty s({fault(FaultKind::delay, Heading::down, FaultTarget::CplD, 1, 50_us)});
    s.device.read(memory_base, 64);
    s.device.read(memory_base + 64, 64);
    System::run(200_us);
    EXPECT_TRUE(s.right(0) && s.right(1));
    const sim::Ps second = s.device.jobs[1].done - s.device.jobs[1].issued;
    const sim::Ps first = s.device.jobs[0].done - s.device.jobs[0].issued;
    EXPECT_LT(second, 2_us);
    EXPECT_GT(first, 50_us);
    EXPECT_LT(first, 52_us);
}

TEST(Faults, CompletionsOfOneRequestStayInOrderBehindALateOne) {
    Faulty s({fault(FaultKind::delay, Heading::down, FaultTarget::CplD, 1, 50_us)});
    s.device.read(memory_base, 512);  // two completions; the checker watches their order
    System::run(200_us);
    EXPECT_TRUE(s.right(0));
}

TEST(Faults, ACompletionLaterThanTheTimeoutIsATimeoutAndThenUnexpected) {
    Faulty s({fault(FaultKind::delay, Heading::down, FaultTarget::CplD, 1, 150_us)});
    s.device.read(memory_base, 64);
    System::run(1_ms);
    EXPECT_FALSE(s.device.jobs[0].ok);
    EXPECT_EQ(s.ep.errors().count(AerError::completion_timeout), 1U);
    EXPECT_EQ(s.ep.errors().count(AerError::unexpected_completion), 1U);
    EXPECT_EQ(s.ep.reads_in_flight(), 0U);
}

TEST(Faults, ALostRequestOrAnswerOfTheDeviceTimesOut) {
    Faulty s({fault(FaultKind::lose, Heading::up, FaultTarget::MRd, 1),
              fault(FaultKind::lose, Heading::down, FaultTarget::CplD, 1)});
    s.device.read(memory_base, 64);
    s.device.read(memory_base, 512);  // of its two completions the first is lost
    s.device.read(memory_base, 64);
    System::run(1_ms);
    EXPECT_FALSE(s.device.jobs[0].ok);
    EXPECT_FALSE(s.device.jobs[1].ok);
    EXPECT_TRUE(s.right(2));
    EXPECT_EQ(s.ep.errors().count(AerError::completion_timeout), 2U);
    EXPECT_EQ(s.ep.errors().count(AerError::unexpected_completion), 1U) << "the second completion";
    EXPECT_EQ(s.link.up().counters().lost_tlps + s.link.down().counters().lost_tlps, 2U);
    EXPECT_EQ(s.ep.reads_in_flight(), 0U);
}

TEST(Faults, ALostAnswerToACoreReadsAsAllOnesAfterItsTimeout) {
    Options o;
    o.root.completion_timeout = 60'000'000;
    o.faults = {fault(FaultKind::lose, Heading::up, FaultTarget::CplD, 1)};
    System s(o);
    s.enumerate();
    System::run(1_ms + 1 - sim::now());
    const sim::Ps t = sim::now();
    EXPECT_EQ(s.mmio_read(bar0_base, 4), 0xffff'ffffU);
    EXPECT_GE(sim::now() - t, 60_us);
    EXPECT_EQ(s.rc.errors().count(AerError::completion_timeout), 1U);
    EXPECT_EQ(s.mmio_read(bar0_base, 4), 0U);
    System::run(1_ms);
}

TEST(Faults, CreditsThatDoNotReturnStallTheirClassForThatTime) {
    Fault f;
    f.kind = FaultKind::stall_credits;
    f.direction = Heading::up;
    f.credits = FlowClass::posted;
    f.at = 1_ms;
    f.duration = 200_us;
    Options o;
    o.root.posted_header_credits = 4;
    o.faults = {f};
    System s(o);
    s.enumerate();
    System::run(1_ms + 1 - sim::now());
    for (unsigned i = 0; i < 12; ++i) s.device.write(memory_base + 64 * i, bytes(64, i));
    const std::size_t j = s.device.read(memory_base + 0x8000, 64);
    System::run(150_us);
    EXPECT_EQ(s.memory.writes.size(), 4U) << "as many as there were credits";
    EXPECT_EQ(s.device.jobs[j].done, sim::never) << "a read may not pass them";
    System::run(100_us);
    EXPECT_EQ(s.memory.writes.size(), 12U);
    EXPECT_TRUE(s.device.jobs[j].ok);
    EXPECT_GT(s.memory.writes[4].time, 1_ms + 200_us);
    EXPECT_GE(s.link.up().counters().credit_stall_time, 190_us);
    EXPECT_TRUE(s.link.faults().never_came().empty());
}

TEST(Faults, WhenTheLinkIsLostEverythingUnderWayEndsWithAnError) {
    Fault f;
    f.kind = FaultKind::link_down;
    f.at = 1_ms + 2_us;
    f.duration = 100_us;
    Faulty s({f});
    for (unsigned i = 0; i < 60; ++i) s.device.read(memory_base + 512 * i, 512);
    for (unsigned i = 0; i < 20; ++i) s.device.write(memory_base + 512 * i, bytes(256, i));
    std::optional<std::uint64_t> answer;
    System::run(1'700_ns);
    s.rc.mmio_read(bar0_base, 4, [&answer](std::uint64_t v) { answer = v; });
    System::run(20_us);
    EXPECT_FALSE(s.link.up().up());
    ASSERT_EQ(s.device.done, s.device.jobs.size()) << "no job waits for ever";
    std::size_t good = 0;
    for (const Device::Job& j : s.device.jobs) good += j.ok ? 1U : 0U;
    EXPECT_LT(good, 10U);
    EXPECT_EQ(s.ep.reads_in_flight(), 0U);
    EXPECT_FALSE(s.ep.limits().bus_master);
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(*answer, 0xffff'ffffU);
    EXPECT_EQ(s.mmio_read(bar0_base, 4), 0xffff'ffffU);
    EXPECT_EQ(s.rc.errors().count(AerError::surprise_down), 1U);
    EXPECT_EQ(s.rc.counters().err_fatal, 1U);
    const auto lost = s.link.up().counters().lost_tlps + s.link.down().counters().lost_tlps;
    EXPECT_GT(lost, 0U);
    System::run(500_us);
    EXPECT_TRUE(s.link.up().up());
    EXPECT_EQ(s.link.up().in_flight(), 0U);
    // It works again once software has set it up again, as after any reset.
    s.device.jobs.clear();
    s.enumerate();
    EXPECT_EQ(s.mmio_read(bar0_base, 4), 0U);
}

TEST(Faults, ADeviceIsToldToResetItselfWhenAllItAskedForHasEnded) {
    Fault f;
    f.kind = FaultKind::link_down;
    f.at = 1_ms + 2_us;
    f.duration = 100_us;
    Faulty s({f});
    struct Told {
        System* system;
        std::vector<bool> up;
        std::size_t open = 0;  ///< jobs not ended when the link was said to be lost
        void limits(const sim::BusLimits& l) {
            if (up.empty() || up.back() != l.link_up) up.push_back(l.link_up);
            if (!l.link_up) open += system->device.jobs.size() - system->device.done;
        }
    } told{&s, {}};
    s.ep.on_limits_changed(sim::Callback<const sim::BusLimits&>::to<&Told::limits>(&told));
    for (unsigned i = 0; i < 60; ++i) s.device.read(memory_base + 512 * i, 512);
    System::run(500_us);
    EXPECT_EQ(told.up, (std::vector<bool>{true, false, true}));
    EXPECT_EQ(told.open, 0U);
    EXPECT_EQ(s.device.done, 60U);
}

TEST(Faults, TheLinkIsUpAgainAfterTrainingAndFlowControlInitialisation) {
    Fault f;
    f.kind = FaultKind::link_down;
    f.at = 2_ms;
    f.duration = 100_us;
    Faulty s({f});
    const sim::Ps up_again = 2_ms + 100_us + s.link.config().flow_control_init_time();
    System::run(up_again - sim::now());
    EXPECT_FALSE(s.link.up().up());
    System::run(1);
    EXPECT_TRUE(s.link.up().up());
}

TEST(Faults, ALinkThatStaysDownAnswersNobodyAndHangsNothing) {
    Fault f;
    f.kind = FaultKind::link_down;
    f.at = 2_ms;
    Faulty s({f});
    System::run(1_ms + 1_us);
    s.device.write(memory_base, bytes(64));
    s.device.read(memory_base, 64);
    s.device.interrupts->raise(0);
    System::run(10_ms);
    EXPECT_EQ(s.device.done, 2U);
    EXPECT_FALSE(s.device.jobs[0].ok || s.device.jobs[1].ok);
    EXPECT_EQ(s.ep.counters().interrupts_lost, 1U);
    EXPECT_EQ(s.config_read(config::vendor_id, 4), 0xffff'ffffU);
}

TEST(Faults, AFaultThatNeverCameIsNamed) {
    Fault named = fault(FaultKind::drop, Heading::up, FaultTarget::MWr, 23);
    named.name = "late one";
    Fault twice = fault(FaultKind::poison, Heading::down, FaultTarget::CplD, 1);
    twice.count = 2;
    Fault stall;
    stall.kind = FaultKind::stall_credits;
    stall.credits = FlowClass::completion;
    stall.at = 1_ms;
    stall.duration = 5_us;
    Fault down;
    down.kind = FaultKind::link_down;
    down.at = 1'000_ms;
    Faulty s({named, twice, stall, down});
    s.device.write(memory_base, bytes(64));
    s.device.read(memory_base, 64);
    System::run(1_ms);
    EXPECT_EQ(s.link.faults().never_came(),
              (std::vector<std::string>{
                  "fault drop 'late one' (23rd MWr up after 1000 us): never came to pass: only 1 "
                  "such TLPs were sent",
                  "fault poison (1st CplD down after 1000 us): never came to pass in full: it came "
                  "to pass 1 times of 2",
                  "fault stall_credits (completion up from 1000 us for 5 us): never came to pass: "
                  "no credit of the class was freed in that time",
                  "fault link_down at 1e+06 us: never came to pass: the run ended before"}));
}

TEST(Faults, ThoseThatNoStandardCouldEndAreRefused) {
    Fault f;
    f.kind = FaultKind::lose;
    EXPECT_NE(f.check().find("tlp: is needed"), std::string::npos);
    f.kind = FaultKind::poison;
    EXPECT_NE(f.check().find("only TLPs with data"), std::string::npos);
    f.kind = FaultKind::delay;
    f.tlp = FaultTarget::CplD;
    EXPECT_EQ(f.check(), "duration: must be more than 0");
    f.kind = FaultKind::drop;
    f.tlp = FaultTarget::CfgRd0;
    f.direction = Heading::up;
    EXPECT_EQ(f.check(), "direction: CfgRd0 only goes down");
    f.kind = FaultKind::stall_credits;
    EXPECT_EQ(f.check().substr(0, 9), "direction");
    for (unsigned k = 0; k < fault_kinds; ++k)
        EXPECT_FALSE(Fault::params(static_cast<FaultKind>(k)).empty());
}

// ---- conservation ----

class RandomFaults : public testing::TestWithParam<unsigned> {};

Fault draw(sim::RandomStream& r) {
    using T = FaultTarget;
    static constexpr FaultKind kinds[] = {FaultKind::drop,   FaultKind::corrupt,
                                          FaultKind::poison, FaultKind::delay,
                                          FaultKind::lose,   FaultKind::stall_credits};
    Fault f;
    f.kind = kinds[r.below(std::size(kinds))];
    f.direction = r.below(2) != 0 ? Heading::up : Heading::down;
    f.nth = 1 + r.below(60);
    f.after = 1_ms;
    f.at = 1_ms + r.below(500'000'000);
    f.duration = 1 + r.below(200'000'000);
    f.count = 1 + r.below(5);
    f.credits = static_cast<FlowClass>(r.below(3));
    switch (f.kind) {
        case FaultKind::poison:
            f.tlp = f.direction == Heading::up ? T::MWr : T::CplD;
            break;
        case FaultKind::delay:
            f.tlp = T::CplD;
            break;
        case FaultKind::lose:
            f.tlp = f.direction == Heading::up ? T::MRd : T::CplD;
            break;
        default:
            break;
    }
    return f;
}

TEST_P(RandomFaults, EveryJobEndsAndWhatIsReportedGoodIsRight) {
    sim::RandomStream r(GetParam(), "random_faults");
    Options o;
    o.root.completion_timeout = 80'000'000;
    o.root.posted_header_credits = 1 + r.below(6);
    o.device.posted_header_credits = 4;
    o.link.bit_error_rate = r.below(2) != 0 ? 1e-6 : 0.0;
    for (std::uint64_t i = 1 + r.below(6); i > 0; --i) o.faults.push_back(draw(r));
    if (r.below(3) == 0) {
        Fault f;
        f.kind = FaultKind::link_down;
        f.at = 1_ms + r.below(1'000'000'000);
        f.duration = r.below(2) * 50_us;
        o.faults.push_back(f);
    }
    System s(o);
    s.enumerate();
    s.config_write(config::pcie_at + config::pcie_device_control2, 2, 1);
    System::run(1_ms + 1 - sim::now());
    unsigned asked = 0;
    unsigned answered = 0;
    for (unsigned i = 0; i < 200; ++i) {
        const auto length = static_cast<std::uint32_t>(1 + r.below(2000));
        const std::uint64_t at = memory_base + r.below(0x40000 - length);
        if (r.below(2) != 0)
            s.device.read(at, length);
        else
            s.device.write(at + 0x80000, bytes(length, i));
        if (r.below(4) == 0) {
            s.rc.mmio_read(bar0_base, 4, [&answered](std::uint64_t) { ++answered; });
            s.rc.mmio_write(bar0_base + 8, 4, i);
            ++asked;
        }
        if (r.below(3) == 0) System::run(1 + r.below(4'000'000));
    }
    System::run(60_ms);
    EXPECT_EQ(s.device.done, s.device.jobs.size());
    EXPECT_EQ(answered, asked);
    std::size_t bad = 0;
    for (const Device::Job& j : s.device.jobs) {
        if (!j.ok) ++bad;
        if (j.write || !j.ok) continue;
        for (std::size_t b = 0; b < j.data.size(); ++b)
            ASSERT_EQ(j.data[b], Memory::pattern(j.address + b));
    }
    // A failure has a count: a timeout, a poisoned TLP, or the loss of the link.
    const EndpointCounters& c = s.ep.counters();
    if (bad != 0) {
        EXPECT_GT(c.timeouts + c.poisoned + c.link_losses, 0U);
    }
    EXPECT_EQ(s.ep.reads_in_flight(), 0U);
    EXPECT_EQ(s.rc.host_reads_in_flight(), 0U);
    for (LinkDirection* d : {&s.link.up(), &s.link.down()}) {
        EXPECT_EQ(d->in_flight(), 0U);
        EXPECT_EQ(d->queued(), 0U);
        EXPECT_EQ(d->unacknowledged(), 0U);
        if (!d->up()) continue;
        const CreditLimits& limits = d->receiver_traits().credits;
        for (const FlowClass f : {FlowClass::posted, FlowClass::nonposted})
            EXPECT_EQ(d->header_credits(f), limits.header[static_cast<unsigned>(f)]);
    }
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomFaults, testing::Range(1U, 61U));

}  // namespace
}  // namespace nicsim::pcie::test
