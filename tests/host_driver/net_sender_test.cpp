// SPDX-License-Identifier: Apache-2.0
// The rules of the TCP sender, one by one, with a clock and a device that the test moves by hand.
#include <gtest/gtest.h>

#include <vector>

#include "host_driver/net/tcp_sender.h"

namespace nicsim::host {
namespace {

using namespace sim::literals;

constexpr std::uint64_t plenty = 100'000'000;

struct Bench : TcpOutput, PageSource {
    sim::Ps clock() override { return now; }
    void transmit(TcpSegment& s) override {
        sent.push_back({&s, s.packets, s.length, s.truesize, s.sequence});
    }
    std::uint64_t take_header() override { return 0; }
    std::uint64_t take() override {
        pages.emplace_back(32768);
        return pages.size() << 32;
    }
    std::uint8_t* bytes(std::uint64_t address, std::uint64_t) override {
        return pages[(address >> 32) - 1].data() + (address & 0xffff'ffff);
    }

    struct Sent {
        TcpSegment* segment;
        std::uint32_t packets;
        std::uint32_t length;
        std::uint32_t truesize;
        std::uint64_t sequence;
    };

    explicit Bench(TcpConfig config = wide(), std::uint32_t mss = 1448)
        : sender(config, {mss, 65'536, 65'535, 1}, *this, *this) {}
    /// Neither window, buffer nor pacing in the way.
    static TcpConfig wide() {
        TcpConfig c;
        c.initial_cwnd = 10'000;
        c.send_buffer_fixed = plenty;
        return c;
    }
    void establish(std::uint64_t rtt_us = 100, std::uint64_t window = plenty) {
        sender.establish(rtt_us, window, 1460);
    }
    /// One write call, as sendmsg does it.
    void write(std::uint64_t bytes) {
        while (bytes > 0) {
            const std::uint32_t n = sender.write(pattern, static_cast<std::uint32_t>(bytes));
            if (n == 0) {
                sender.wait_for_buffer();
                return;
            }
            bytes -= n;
            if (bytes > 0 && sender.last_skb_full()) sender.full_skb();
        }
        sender.end_of_write();
    }
    void free_one() {
        const Sent s = sent[freed++];
        if (sender.freed(*s.segment, s.truesize)) ++tasklets;
    }
    void ack_to(std::uint64_t sequence) {
        sender.acknowledge(static_cast<std::uint32_t>(sequence), plenty);
    }

    sim::Ps now = 1_ms;
    std::vector<Sent> sent;
    std::size_t freed = 0;
    unsigned tasklets = 0;
    std::vector<std::vector<std::uint8_t>> pages;
    PayloadPattern pattern{1};
    TcpSender sender;
};

TEST(TcpSenderSizes, SizeGoalIsTheWholeSegmentsBelowTheDevicesLimitLessHeaderRoom) {
    Bench b;
    b.establish();
    EXPECT_EQ(b.sender.size_goal(), 45U * 1448U);
    EXPECT_EQ(b.sender.size_goal(), 65'160U);
    Bench no_timestamps(Bench::wide(), 1460);
    no_timestamps.establish();
    EXPECT_EQ(no_timestamps.sender.size_goal(), 44U * 1460U);
    Bench jumbo(Bench::wide(), 8948);
    jumbo.sender.establish(100, plenty, 8948);
    EXPECT_EQ(jumbo.sender.size_goal(), 7U * 8948U);
}

TEST(TcpSenderSizes, SizeGoalIsAtMostHalfOfTheLargestWindowSeen) {
    Bench b;
    b.establish(100, 20 * 1448);
    EXPECT_EQ(b.sender.size_goal(), 10U * 1448U);
}

TEST(TcpSenderSizes, AutosizingIsThePacingRatePerMillisecondPlusTheRoundTripBonus) {
    TcpConfig c = Bench::wide();
    c.initial_cwnd = 100;
    Bench b(c);
    b.establish(10'000);
    // 100 segments in 10 ms, doubled in slow start: 28.96 MB/s; per 1/1024 s 28 281 bytes. The
    // bonus is 65215 >> (10000 >> 9 = 19) = 0.
    EXPECT_EQ(b.sender.congestion().pacing_rate, 28'960'000U);
    EXPECT_EQ(b.sender.tso_segments(), 28'281U / 1448U);
    Bench near(c);
    near.establish(1000);  // bonus 65215 >> 1; rate 289.6 MB/s: capped by the device
    EXPECT_EQ(near.sender.tso_segments(), 45U);
    TcpConfig small = c;
    small.initial_cwnd = 10;
    Bench slow(small);
    slow.establish(2000);  // 14.48 MB/s: 14 140, bonus 65215 >> 3 = 8151
    EXPECT_EQ(slow.sender.tso_segments(), (14'140U + 8151U) / 1448U);
    small.tso_rtt_sizing = false;
    Bench old(small);
    old.establish(2000);
    EXPECT_EQ(old.sender.tso_segments(), 14'140U / 1448U);
    Bench least(small);
    least.establish(100'000);
    EXPECT_EQ(least.sender.tso_segments(), 2U);
}

TEST(TcpSenderSizes, AnSkbIsCutToHalfOfTheCongestionWindow) {
    TcpConfig c = Bench::wide();
    c.initial_cwnd = 10;
    Bench b(c);
    b.establish();
    b.write(131'072);
    ASSERT_EQ(b.sent.size(), 2U);
    EXPECT_EQ(b.sent[0].packets, 5U);
    EXPECT_EQ(b.sent[1].packets, 5U);
    EXPECT_EQ(b.sender.blocked_by(), SendBlock::congestion);
}

TEST(TcpSenderSizes, AnSkbEndsAtTheWindowsEdgeAndTheRestFollowsWhenItMoves) {
    TcpConfig c = Bench::wide();
    c.autocorking = false;
    Bench b(c);
    b.establish(100, 30 * 1448);
    b.write(40 * 1448);
    std::uint64_t bytes = 0;
    for (const auto& s : b.sent) bytes += s.length;
    EXPECT_EQ(bytes, 30U * 1448U);
    EXPECT_EQ(b.sender.blocked_by(), SendBlock::receive_window);
    b.now += 100_us;
    b.sender.acknowledge(1 + 30 * 1448, 30 * 1448);
    for (bytes = 0; const auto& s : b.sent) bytes += s.length;
    EXPECT_EQ(bytes, 40U * 1448U);
}

// ---- small queue ----

TEST(SmallQueue, FourFullSkbsPassALimitOf262144AndTheFifthWaits) {
    for (const auto& [mss, in_host, charge] :
         {std::tuple{1448U, 4U, 66'440U}, std::tuple{1460U, 5U, 65'520U},
          std::tuple{8948U, 5U, 63'916U}}) {
        TcpConfig c = Bench::wide();
        c.limit_output_bytes = 262'144;
        Bench b(c, mss);
        b.sender.establish(100, plenty, mss);
        b.write(1'000'000);
        ASSERT_EQ(b.sent.size(), in_host) << mss;
        EXPECT_EQ(b.sent[0].truesize, charge);
        EXPECT_EQ(b.sender.wmem_alloc(), std::uint64_t{in_host} * charge);
        EXPECT_EQ(b.sender.blocked_by(), SendBlock::small_queue);
    }
}

TEST(SmallQueue, HoldsAtTheLimitAndNotOneByteBelowIt) {
    for (const std::uint64_t limit : {265'760U, 265'761U}) {  // four skbs of 66 440
        TcpConfig c = Bench::wide();
        c.limit_output_bytes = limit;
        Bench b(c);
        b.establish();
        b.write(1'000'000);
        EXPECT_EQ(b.sent.size(), limit == 265'761U ? 5U : 4U);
    }
}

TEST(SmallQueue, OnlyTheDriversCleanReleasesItThroughOneTasklet) {
    TcpConfig c = Bench::wide();
    c.limit_output_bytes = 262'144;
    Bench b(c);
    b.establish();
    b.write(1'000'000);
    ASSERT_EQ(b.sent.size(), 4U);
    b.now += 100_us;
    b.ack_to(1 + 2 * 65'160);  // an acknowledgement alone opens nothing
    EXPECT_EQ(b.sent.size(), 4U);
    b.free_one();
    b.free_one();
    EXPECT_EQ(b.tasklets, 1U);
    EXPECT_EQ(b.sent.size(), 4U);
    b.sender.small_queue_released();
    EXPECT_EQ(b.sent.size(), 6U);
    EXPECT_EQ(b.sender.counters().small_queue_throttles, 2U);
}

TEST(SmallQueue, LimitIsTwoSkbsOrTheRatePerMillisecondBoundedBySysctl) {
    TcpConfig c = Bench::wide();
    c.initial_cwnd = 100;
    Bench b(c);
    b.establish(10'000);
    EXPECT_EQ(b.sender.small_queue_limit(20'000), 40'000U);
    EXPECT_EQ(b.sender.small_queue_limit(10'000), 28'281U);
    c.limit_output_bytes = 25'000;
    Bench low(c);
    low.establish(10'000);
    EXPECT_EQ(low.sender.small_queue_limit(20'000), 25'000U);
    c.pacing = true;  // an enforced rate needs no fixed limit
    Bench paced(c);
    paced.establish(10'000);
    EXPECT_EQ(paced.sender.small_queue_limit(20'000), 40'000U);
}

/// A sender with a small least RTT and a large mean one: large skbs, a small limit.
void settle_at_low_rate(Bench& b) {
    b.establish(400);
    for (unsigned i = 0; i < 60; ++i) {
        b.write(100);
        b.now += 50_ms;
        b.free_one();
        b.ack_to(b.sender.snd_nxt());
    }
    ASSERT_LT(b.sender.congestion().pacing_rate >> 10, 10'000U);
    ASSERT_EQ(b.sender.tso_segments(), 45U);
    b.sent.clear();
    b.freed = 0;
}

TEST(SmallQueue, ThePieceLeftOfACutSkbIsHeldFromAHeadOfThirtyOneSegmentsOn) {
    // The rest r of 45 segments is held behind a head a = cwnd / 2 if a's charge exceeds twice r's.
    for (const auto& [cwnd, skbs] : {std::pair{60U, 2U}, std::pair{62U, 1U}}) {
        TcpConfig c = Bench::wide();
        c.initial_cwnd = cwnd;
        Bench b(c);
        settle_at_low_rate(b);
        b.write(65'160);
        ASSERT_EQ(b.sent.size(), skbs) << cwnd;
        EXPECT_EQ(b.sent[0].packets, cwnd / 2);
    }
    // Kernels that let one unacknowledged skb pass do not hold it.
    TcpConfig fixed = Bench::wide();
    fixed.initial_cwnd = 62;
    fixed.small_queue_free_skbs = 1;
    Bench b(fixed);
    settle_at_low_rate(b);
    b.write(65'160);
    EXPECT_EQ(b.sent.size(), 2U);
}

// ---- coalescing ----

TEST(Coalescing, SmallWritesGoOutAloneOnlyWhileTheDriverHoldsNothing) {
    Bench b;
    b.establish();
    b.write(192);
    EXPECT_EQ(b.sent.size(), 1U);
    b.write(192);
    EXPECT_EQ(b.sent.size(), 1U);  // corked until the first is freed
    EXPECT_TRUE(b.sender.corked());
    EXPECT_EQ(b.sender.counters().autocorks, 1U);
    b.write(192);
    b.free_one();
    EXPECT_EQ(b.tasklets, 1U);
    b.sender.small_queue_released();
    EXPECT_EQ(b.sent.size(), 1U);  // and by Nagle until the first short one is acknowledged
    EXPECT_EQ(b.sender.blocked_by(), SendBlock::coalescing);
    b.now += 100_us;
    b.ack_to(193);
    ASSERT_EQ(b.sent.size(), 2U);
    EXPECT_EQ(b.sent[1].length, 384U);
}

TEST(Coalescing, NoDelayAndNoCorkingSendEveryWrite) {
    TcpConfig c = Bench::wide();
    c.no_delay = true;
    c.autocorking = false;
    Bench b(c);
    b.establish();
    for (unsigned i = 0; i < 5; ++i) b.write(192);
    EXPECT_EQ(b.sent.size(), 5U);
}

TEST(Coalescing, AWholeSegmentDoesNotWaitForNagle) {
    TcpConfig c = Bench::wide();
    c.autocorking = false;
    Bench b(c);
    b.establish();
    b.write(100);
    b.write(1447);
    EXPECT_EQ(b.sent.size(), 1U);
    b.write(1);
    ASSERT_EQ(b.sent.size(), 2U);
    EXPECT_EQ(b.sent[1].length, 1448U);
}

// ---- send buffer ----

TEST(SendBuffer, StartsWhereLinuxDoesAndGrowsWithTheWindow) {
    Bench b{TcpConfig{}};
    b.establish();
    EXPECT_EQ(b.sender.send_buffer(), 87'040U);  // 2 x 10 x (4096 + 256)
}

TEST(SendBuffer, WriterStopsWhenItIsFullAndMayGoOnWhenAThirdIsFree) {
    TcpConfig c;
    c.send_buffer_fixed = 200'000;
    Bench b(c);
    b.establish();
    b.write(10'000'000);
    EXPECT_GE(b.sender.queued_charge(), 200'000U);
    EXPECT_LT(b.sender.queued_charge(), 200'000U + 66'440U);
    EXPECT_EQ(b.sender.write(b.pattern, 1), 0U);
    EXPECT_FALSE(b.sender.writeable());
    std::uint64_t limit = 0;
    while (!b.sender.writeable()) {
        while (b.freed < b.sent.size()) b.free_one();
        b.now += 100_us;
        b.ack_to(b.sender.snd_una() + 1448);
        ASSERT_LT(++limit, 1000U);
    }
    EXPECT_LE(b.sender.queued_charge(), 200'000U * 2 / 3);
    EXPECT_GT(b.sender.queued_charge(), 200'000U * 2 / 3 - 2 * 66'440U);
}

TEST(SendBuffer, MemoryIsUsedAgainOnlyWhenAcknowledgedAndFreed) {
    Bench b;
    b.establish();
    b.write(65'160);
    ASSERT_EQ(b.sent.size(), 1U);
    EXPECT_EQ(b.sender.segments_alive(), 1U);
    b.now += 100_us;
    b.ack_to(1 + 65'160);  // the driver still holds it
    EXPECT_EQ(b.sender.queued_charge(), 0U);
    EXPECT_EQ(b.sender.segments_alive(), 1U);
    EXPECT_EQ(b.sender.pages().pages_in_use(), 2U);
    b.free_one();
    EXPECT_EQ(b.sender.segments_alive(), 0U);
    EXPECT_EQ(b.sender.pages().pages_in_use(), 1U);  // the one being filled
}

TEST(SendBuffer, PayloadLiesInPagesOf32KiBThatSkbsShare) {
    Bench b;
    b.establish();
    b.write(2 * 65'160);
    const TcpSegment& first = *b.sent[0].segment;
    ASSERT_EQ(first.frag_count, 2U);
    EXPECT_EQ(first.frags[0].length, 32'768U);
    EXPECT_EQ(first.frags[1].length, 65'160U - 32'768U);
    const TcpSegment& second = *b.sent[1].segment;
    ASSERT_EQ(second.frag_count, 3U);
    EXPECT_EQ(second.frags[0].length, 2U * 32'768U - 65'160U);
    EXPECT_EQ(second.frags[0].page, first.frags[1].page);
}

// ---- loss ----

TEST(Loss, ThreeDuplicatesRetransmitOneSegmentAndAPartialAckTheNext) {
    TcpConfig c = Bench::wide();
    c.initial_cwnd = 20;
    Bench b(c);
    b.establish();
    b.write(20 * 1448);
    while (b.freed < b.sent.size()) b.free_one();
    const std::size_t before = b.sent.size();
    b.now += 100_us;
    b.ack_to(1);
    b.ack_to(1);
    EXPECT_EQ(b.sent.size(), before);
    b.ack_to(1);
    ASSERT_EQ(b.sent.size(), before + 1);
    EXPECT_EQ(b.sent.back().sequence, 1U);
    EXPECT_EQ(b.sent.back().length, 1448U);
    EXPECT_EQ(b.sender.congestion().ssthresh, 14U);  // 20 x 0.7
    EXPECT_EQ(b.sender.counters().fast_recoveries, 1U);
    b.free_one();
    b.now += 100_us;
    b.ack_to(1 + 3 * 1448);  // a second hole there
    ASSERT_EQ(b.sent.size(), before + 2);
    EXPECT_EQ(b.sent.back().sequence, 1U + 3 * 1448);
    b.free_one();
    b.ack_to(1 + 20 * 1448);
    EXPECT_EQ(b.sender.packets_out(), 0U);
    EXPECT_EQ(b.sender.packets_in_flight(), 0U);
    EXPECT_EQ(b.sender.congestion().cwnd, 14U);
    EXPECT_EQ(b.sender.segments_alive(), 0U);
}

TEST(Loss, NothingIsRetransmittedWhileItsFirstCopyIsStillInTheHost) {
    TcpConfig c = Bench::wide();
    c.initial_cwnd = 20;
    Bench b(c);
    b.establish();
    b.write(20 * 1448);
    const std::size_t before = b.sent.size();
    for (unsigned i = 0; i < 3; ++i) b.ack_to(1);
    EXPECT_EQ(b.sent.size(), before);
    EXPECT_EQ(b.sender.counters().retransmits_in_host, 1U);
    b.free_one();
    EXPECT_EQ(b.tasklets, 1U);
    b.sender.small_queue_released();
    EXPECT_EQ(b.sent.size(), before + 1);
}

TEST(Loss, ATimeoutRetransmitsTheHeadBacksOffAndStartsSlowly) {
    TcpConfig c = Bench::wide();
    c.initial_cwnd = 20;
    Bench b(c);
    b.establish(100);
    b.write(20 * 1448);
    while (b.freed < b.sent.size()) b.free_one();
    const sim::Ps due = b.sender.timeout_due();
    EXPECT_EQ(due, b.now + 100_us + 200_ms);
    const std::size_t before = b.sent.size();
    b.now = due;
    b.sender.timeout();
    ASSERT_EQ(b.sent.size(), before + 1);
    EXPECT_EQ(b.sent.back().length, 1448U);
    EXPECT_EQ(b.sender.congestion().cwnd, 1U);
    EXPECT_EQ(b.sender.congestion().ssthresh, 14U);
    EXPECT_EQ(b.sender.timeout_due(), b.now + 2 * (100_us + 200_ms));
    // Everything acknowledged in steps: the rest is sent again, twice as fast each time.
    while (b.sender.packets_out() > 0) {
        while (b.freed < b.sent.size()) b.free_one();
        b.now += 100_us;
        b.ack_to(b.sent.back().sequence + b.sent.back().length);
    }
    EXPECT_EQ(b.sender.snd_una(), 1U + 20 * 1448);
    EXPECT_EQ(b.sender.packets_in_flight(), 0U);
    EXPECT_EQ(b.sender.timeout_due(), sim::never);
}

TEST(Loss, AcknowledgementsFromTheFutureAndThePastAreIgnored) {
    Bench b;
    b.establish();
    b.write(1448);
    b.ack_to(1 + 5000);
    EXPECT_EQ(b.sender.snd_una(), 1U);
    b.ack_to(0);
    EXPECT_EQ(b.sender.snd_una(), 1U);
    EXPECT_EQ(b.sender.counters().duplicate_acks, 0U);
}

TEST(Pacing, AnEnforcedRateSpacesTheSkbsAfterTheInitialWindow) {
    TcpConfig c = Bench::wide();
    c.initial_cwnd = 100;
    c.pacing = true;
    Bench b(c);
    b.establish(10'000);  // 28.96 MB/s, 19 segments per skb
    b.write(200'000);
    ASSERT_GE(b.sent.size(), 1U);
    EXPECT_EQ(b.sender.blocked_by(), SendBlock::pacing);
    const std::size_t before = b.sent.size();
    const sim::Ps due = b.sender.pacing_due();
    EXPECT_EQ(due - b.now, 19U * 1448U * 1'000'000'000'000U / 28'960'000U);
    b.now = due;
    b.sender.pacing_released();
    EXPECT_EQ(b.sent.size(), before + 1);
}

}  // namespace
}  // namespace nicsim::host
