// SPDX-License-Identifier: Apache-2.0
// The time until a device's write can be seen: who waits for it, who does not, and until when.
#include "bench.h"
#include "sim/random.h"

namespace nicsim::pcie::test {
namespace {

constexpr sim::Ps visibility = 200'000;
constexpr sim::Ps latency = 400'000;

Options with_visibility(sim::Ps read_latency = latency) {
    Options o;
    o.device = fast_identity();
    o.link.generation = 3;
    o.link.width = 8;
    o.link.dllp = DllpCharge::none;
    o.root.read_latency = read_latency;
    o.root.write_visibility = visibility;
    return o;
}

/// When TLPs of one type arrive in one direction.
class Arrivals : public LinkObserver {
public:
    Arrivals(TlpType type, Heading heading) : type_(type), heading_(heading) {}
    void delivered(const LinkDirection& d, const Tlp& tlp) override {
        if (tlp.type == type_ && d.heading() == heading_) times.push_back(sim::now());
    }
    std::vector<sim::Ps> times;

private:
    TlpType type_;
    Heading heading_;
};

TEST(WriteVisibility, EveryWriteIsInMemoryItsTimeAfterItsArrivalAndNoneHoldsTheNextUp) {
    System s(with_visibility());
    Arrivals arrivals(TlpType::MWr, Heading::up);
    s.link.observe(arrivals);
    s.enumerate();
    for (unsigned i = 0; i < 200; ++i) s.device.write(memory_base + 64 * i, bytes(64, i));
    System::run(50_us);
    ASSERT_EQ(arrivals.times.size(), 200U);
    ASSERT_EQ(s.memory.writes.size(), 200U);
    for (unsigned i = 0; i < 200; ++i)
        EXPECT_EQ(s.memory.writes[i].time, arrivals.times[i] + visibility);
    EXPECT_EQ(s.link.up().counters().credit_stalls[0], 0U) << "its buffer is free at once";
}

TEST(WriteVisibility, AReadOfTheSameBytesIsServedWhenTheyAreSeenAndAnotherOneIsNot) {
    System s(with_visibility());
    s.enumerate();
    const auto time_of = [&s](std::uint64_t address) {
        s.device.write(memory_base, bytes(64, 7));
        const std::size_t j = s.device.read(address, 64);
        System::run(10_us);
        return s.device.jobs[j].done - s.device.jobs[j].issued;
    };
    const sim::Ps other = time_of(memory_base + 64);
    const sim::Ps same = time_of(memory_base);
    // The request of the read arrives its own 20 bytes behind the write.
    const sim::Ps behind = s.link.config().wire_time(20);
    EXPECT_NEAR(static_cast<double>(same - other), static_cast<double>(visibility - behind), 2.0);
    EXPECT_EQ(s.device.jobs.back().data, bytes(64, 7));
    // One byte of it is enough; a double word more goes both ways.
    EXPECT_NEAR(static_cast<double>(time_of(memory_base + 63)), static_cast<double>(same), 1e3);
}

TEST(WriteVisibility, OnlyTheCompletionsWithSuchBytesWait) {
    System s(with_visibility());
    Arrivals completions(TlpType::CplD, Heading::down);
    s.link.observe(completions);
    s.enumerate();
    const auto completions_of = [&](bool write) {
        if (write) s.device.write(memory_base + 448, bytes(64, 9));
        completions.times.clear();
        const sim::Ps t = sim::now();
        const std::size_t j = s.device.read(memory_base, 512);
        System::run(10_us);
        EXPECT_TRUE(s.device.jobs[j].ok);
        EXPECT_EQ(completions.times.size(), 2U);
        return std::pair{completions.times[0] - t, completions.times[1] - t};
    };
    const auto without = completions_of(false);
    const auto with = completions_of(true);
    const sim::Ps write = s.link.config().wire_time(64 + 20);
    EXPECT_NEAR(static_cast<double>(with.first), static_cast<double>(without.first + write), 2.0);
    EXPECT_GT(with.second, without.second + visibility - 50_ns);
    const auto data = s.device.jobs.back().data;
    EXPECT_TRUE(std::equal(data.begin() + 448, data.end(), bytes(64, 9).begin()));
}

TEST(WriteVisibility, AFlushEndsWhenAllEarlierWritesAreSeenThoughItsOwnLatencyIsShorter) {
    System s(with_visibility(20_ns));
    s.enumerate();
    s.device.write(memory_base, bytes(64));
    struct Flushed {
        sim::Ps time = 0;
        void done(bool) { time = sim::now(); }
    } flushed;
    ASSERT_TRUE(s.ep.flush(memory_base + 4096, sim::Callback<bool>::to<&Flushed::done>(&flushed)));
    System::run(10_us);
    ASSERT_EQ(s.memory.writes.size(), 1U);
    EXPECT_GE(flushed.time, s.memory.writes[0].time);
    EXPECT_LT(flushed.time, s.memory.writes[0].time + 30_ns) << "and not longer";
}

TEST(WriteVisibility, AnInterruptComesWithTheWritesBeforeItAndNotLater) {
    System s(with_visibility());
    s.enumerate();
    for (unsigned i = 0; i < 3; ++i) s.device.write(memory_base + 64 * i, bytes(64));
    s.device.interrupts->raise(0);
    System::run(10_us);
    ASSERT_EQ(s.interrupts.all.size(), 1U);
    EXPECT_EQ(s.interrupts.all[0].writes_before, 3U);
    EXPECT_EQ(s.interrupts.all[0].time, s.memory.writes.back().time);
    s.device.interrupts->raise(0);
    const sim::Ps t = sim::now();
    System::run(10_us);
    ASSERT_EQ(s.interrupts.all.size(), 2U);
    EXPECT_LT(s.interrupts.all[1].time - t, 30_ns) << "an interrupt alone waits for nothing";
}

TEST(WriteVisibility, ACoreThatReadsARegisterSeesTheWritesThatTheAnswerCameBehind) {
    Options o = with_visibility();
    o.root.mmio_latency = 1_ns;
    System s(o);
    s.enumerate();
    s.device.access_time = 10_ns;
    bool seen = false;
    bool answered = false;
    s.rc.mmio_read(bar0_base, 4, [&](std::uint64_t) {
        answered = true;
        seen = s.memory.writes.size() == 1;
    });
    System::run(12_ns);  // the request is on its way or at the device
    s.device.write(memory_base, bytes(64));
    System::run(10_us);
    EXPECT_TRUE(answered);
    EXPECT_TRUE(seen);
}

TEST(WriteVisibility, ReadsSeeExactlyTheWritesBeforeThemWhateverTheyOverlap) {
    Options o = with_visibility();
    o.root.completion_interval = 3_ns;
    o.link.max_payload = 128;
    System s(o);
    s.enumerate();
    sim::RandomStream random(5, "visibility");
    std::vector<std::uint8_t> model(8192);
    for (std::size_t i = 0; i < model.size(); ++i) model[i] = Memory::pattern(memory_base + i);
    for (unsigned round = 0; round < 300; ++round) {
        const auto writes = random.below(5);
        for (unsigned w = 0; w < writes; ++w) {
            const auto at = random.below(7000);
            const auto data = bytes(1 + random.below(700), round * 7 + w);
            std::copy(data.begin(), data.end(), model.begin() + static_cast<std::ptrdiff_t>(at));
            s.device.write(memory_base + at, data);
        }
        const auto at = random.below(7000);
        const std::size_t j =
            s.device.read(memory_base + at, static_cast<std::uint32_t>(1 + random.below(1100)));
        System::run(random.below(2) == 0 ? 5_us : 20_us);
        while (s.device.jobs[j].done == sim::never) System::run(1_us);
        const auto& got = s.device.jobs[j].data;
        ASSERT_TRUE(s.device.jobs[j].ok);
        ASSERT_TRUE(
            std::equal(got.begin(), got.end(), model.begin() + static_cast<std::ptrdiff_t>(at)))
            << "round " << round;
    }
    EXPECT_EQ(s.rc.reads_in_flight(), 0U);
    EXPECT_EQ(s.rc.counters().memory_reads, s.link.up().counters().tlps[0]) << "each counted once";
}

}  // namespace
}  // namespace nicsim::pcie::test
