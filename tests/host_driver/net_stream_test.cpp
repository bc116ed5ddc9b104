// SPDX-License-Identifier: Apache-2.0
// Streams through a whole stack, a perfect card and the far end: rates against closed forms, loss,
// conservation, determinism, speed.
#include <gtest/gtest.h>

#include "host_driver/workloads/etf_talker.h"
#include "host_driver/workloads/tcp_stream.h"
#include "host_driver/workloads/udp_stream.h"
#include "net_bench.h"
#include "sim/kernel.h"
#include "sim/random.h"

namespace nicsim::host {
namespace {

using namespace sim::literals;

/// Payload per slot on the wire: 1448 of 1538 bytes with TCP.
constexpr double tcp_line_rate = 1e9 * 1448 / 1538;
constexpr double udp_line_rate = 1e9 * 1448 / 1514;

void expect_clean(const FarEnd& far, const Sink& sink) {
    EXPECT_EQ(sink.wrong_payloads, 0U);
    EXPECT_EQ(far.counters().bad_ip_checksum, 0U);
    EXPECT_EQ(far.counters().bad_l4_checksum, 0U);
    EXPECT_EQ(far.counters().malformed, 0U);
    EXPECT_EQ(far.counters().not_for_us, 0U);
}

TEST(TcpStreamTest, ReachesLineRateAndItsWindowsMatchTheRules) {
    NetBench bench;
    Sink& sink = bench.far.add_tcp_sink("tcp", 5201);
    TcpStream stream("tcp", {}, {}, bench.stack, bench.core);
    stream.start();
    NetBench::run_until(100_ms);
    bench.far.begin_measurement();
    NetBench::run_until(300_ms);
    EXPECT_NEAR(bench.far.goodput() / tcp_line_rate, 1.0, 0.001);
    EXPECT_NEAR(bench.far.goodput() / 1e6, 941.5, 1.0);
    expect_clean(bench.far, sink);
    EXPECT_EQ(sink.out_of_order, 0U);
    EXPECT_EQ(stream.sender().counters().retransmitted_segments, 0U);
    // Charges in the host: at most the limit and one skb more.
    EXPECT_LE(stream.sender().wmem_alloc(), TcpConfig{}.limit_output_bytes + 66'440);
    EXPECT_GT(stream.sender().congestion().cwnd, 20U);
    // Conservation: written = acknowledged + unacknowledged.
    EXPECT_EQ(stream.bytes_written(), stream.sender().write_seq() - 2);
    EXPECT_EQ(stream.sender().snd_una() - 2, stream.sender().counters().bytes_acked);
    EXPECT_GE(sink.payload_bytes, stream.sender().counters().bytes_acked);
}

TEST(TcpStreamTest, AFiniteStreamDeliversEveryByteAndLeavesAnIdleSystem) {
    NetBench bench;
    Sink& sink = bench.far.add_tcp_sink("tcp", 5201);
    TcpStreamConfig config;
    config.bytes = 1'000'001;
    TcpStream stream("tcp", config, {}, bench.stack, bench.core);
    stream.start();
    NetBench::run_until(300_ms);
    EXPECT_EQ(sink.payload_bytes, config.bytes);
    EXPECT_EQ(stream.sender().counters().bytes_acked, config.bytes);
    EXPECT_EQ(stream.sender().wmem_alloc(), 0U);
    EXPECT_EQ(stream.sender().queued_charge(), 0U);
    EXPECT_EQ(stream.sender().segments_alive(), 0U);
    EXPECT_EQ(skb_pool().in_use(), 0U);
    EXPECT_EQ(sim::frame_pool().in_use(), 0U);
    expect_clean(bench.far, sink);
    const std::uint64_t before = sim::kernel_cost.wakeups;
    NetBench::run_until(3_s);
    EXPECT_LE(sim::kernel_cost.wakeups - before, 6U);  // timers armed while it ran
}

class WriteSizes : public testing::TestWithParam<std::uint64_t> {};

TEST_P(WriteSizes, AnyWriteSizeReachesLineRateOnAFastCore) {
    CoreConfig fast;
    fast.cost[static_cast<unsigned>(Op::syscall)] = 100'000;
    NetBench bench("bench", {}, {}, fast);
    Sink& sink = bench.far.add_tcp_sink("tcp", 5201);
    TcpStreamConfig config;
    config.write_bytes = GetParam();
    TcpStream stream("tcp", config, {}, bench.stack, bench.core);
    stream.start();
    NetBench::run_until(100_ms);
    bench.far.begin_measurement();
    NetBench::run_until(200_ms);
    EXPECT_NEAR(bench.far.goodput() / tcp_line_rate, 1.0, 0.003);
    expect_clean(bench.far, sink);
}
INSTANTIATE_TEST_SUITE_P(Sizes, WriteSizes, testing::Values(192, 1448, 4096, 131'072));

TEST(TcpStreamTest, SmallWritesAreBoundByTheCallsCostOnASlowCore) {
    // 192 bytes per call of 3 us: 512 Mb/s if nothing else cost anything.
    CoreConfig slow;
    slow.cost.fill(0);
    slow.cost[static_cast<unsigned>(Op::syscall)] = 3'000'000;
    NetBench bench("bench", {}, {}, slow);
    Sink& sink = bench.far.add_tcp_sink("tcp", 5201);
    TcpStreamConfig config;
    config.write_bytes = 192;
    TcpStream stream("tcp", config, {}, bench.stack, bench.core);
    stream.start();
    NetBench::run_until(100_ms);
    bench.far.begin_measurement();
    const std::uint64_t before = sim::kernel_cost.wakeups;
    NetBench::run_until(200_ms);
    EXPECT_NEAR(bench.far.goodput() / 512e6, 1.0, 0.01);
    // 33 333 calls; grouped by segment they cost far fewer wake-ups.
    EXPECT_LT(sim::kernel_cost.wakeups - before, 33'333U);
    expect_clean(bench.far, sink);
}

TEST(TcpStreamTest, LostSegmentsAreSentAgainAndEveryByteArrives) {
    PerfectNicConfig nic;
    nic.lose = {40, 41, 300, 302, 305, 900, 2000, 2001, 2002, 2003, 2004};
    NetBench bench("bench", nic);
    Sink& sink = bench.far.add_tcp_sink("tcp", 5201);
    TcpStreamConfig config;
    config.bytes = 5'000'000;
    TcpStream stream("tcp", config, {}, bench.stack, bench.core);
    stream.start();
    NetBench::run_until(3_s);
    EXPECT_EQ(bench.nic.lost, nic.lose.size());
    EXPECT_EQ(sink.payload_bytes, config.bytes);
    EXPECT_GE(stream.sender().counters().retransmitted_segments, nic.lose.size());
    EXPECT_GE(stream.sender().counters().fast_recoveries, 3U);
    EXPECT_EQ(stream.sender().counters().bytes_acked, config.bytes);
    EXPECT_EQ(stream.sender().segments_alive(), 0U);
    expect_clean(bench.far, sink);
}

TEST(TcpStreamTest, ALostTailAndALostRetransmissionAreRecoveredByTimeouts) {
    PerfectNicConfig nic;
    for (std::uint64_t n = 680; n < 695; ++n) nic.lose.insert(n);  // 691 segments in all
    NetBench bench("bench", nic);
    Sink& sink = bench.far.add_tcp_sink("tcp", 5201);
    TcpStreamConfig config;
    config.bytes = 1'000'000;
    TcpStream stream("tcp", config, {}, bench.stack, bench.core);
    stream.start();
    NetBench::run_until(10_s);
    EXPECT_EQ(bench.nic.lost, nic.lose.size());
    EXPECT_GE(stream.sender().counters().timeouts, 2U);
    EXPECT_EQ(sink.payload_bytes, config.bytes);
    EXPECT_EQ(stream.sender().segments_alive(), 0U);
    expect_clean(bench.far, sink);
}

TEST(TcpStreamTest, RandomLossOfOnePercentNeverCorruptsOrStopsTheStream) {
    PerfectNicConfig nic;
    sim::RandomStream random(3, "loss");
    for (std::uint64_t n = 0; n < 40'000; ++n) {
        if (random.below(100) == 0) nic.lose.insert(n);
    }
    NetBench bench("bench", nic);
    Sink& sink = bench.far.add_tcp_sink("tcp", 5201);
    TcpStreamConfig config;
    config.bytes = 20'000'000;
    TcpStream stream("tcp", config, {}, bench.stack, bench.core);
    stream.start();
    NetBench::run_until(60_s);
    EXPECT_GT(bench.nic.lost, 100U);
    EXPECT_EQ(sink.payload_bytes, config.bytes);
    EXPECT_EQ(stream.sender().segments_alive(), 0U);
    EXPECT_EQ(skb_pool().in_use(), 0U);
    expect_clean(bench.far, sink);
}

TEST(TcpStreamTest, SequenceNumbersWrapOnTheWireOnly) {
    NetBench bench;
    Sink& sink = bench.far.add_tcp_sink("tcp", 5201);
    TcpStreamConfig config;
    config.initial_sequence = 0xffff'ffff - 100'000;
    config.bytes = 10'000'000;
    TcpStream stream("tcp", config, {}, bench.stack, bench.core);
    stream.start();
    NetBench::run_until(300_ms);
    EXPECT_EQ(sink.payload_bytes, config.bytes);
    EXPECT_EQ(stream.sender().counters().bytes_acked, config.bytes);
    EXPECT_GT(stream.sender().snd_una(), std::uint64_t{1} << 32);
    expect_clean(bench.far, sink);
}

TEST(TcpStreamTest, WorksWithoutAnyOffload) {
    PerfectNicConfig nic;
    nic.tso = nic.checksum = false;
    NetBench bench("bench", nic);
    Sink& sink = bench.far.add_tcp_sink("tcp", 5201);
    TcpStreamConfig config;
    config.write_bytes = 3001;  // odd fragments in the software checksum
    config.bytes = 2'000'000;
    TcpStream stream("tcp", config, {}, bench.stack, bench.core);
    stream.start();
    NetBench::run_until(200_ms);
    EXPECT_EQ(sink.payload_bytes, config.bytes);
    EXPECT_EQ(stream.sender().counters().skbs_sent, stream.sender().counters().segments_sent);
    expect_clean(bench.far, sink);
}

TEST(TcpStreamTest, SoftwareSegmentationServesACardWithoutTso) {
    PerfectNicConfig nic;
    nic.tso = false;
    NetBench bench("bench", nic);
    Sink& sink = bench.far.add_tcp_sink("tcp", 5201);
    TcpStreamConfig config;
    config.bytes = 5'000'000;
    TcpStream stream("tcp", config, {}, bench.stack, bench.core);
    stream.start();
    NetBench::run_until(300_ms);
    EXPECT_EQ(sink.payload_bytes, config.bytes);
    EXPECT_LT(stream.sender().counters().skbs_sent * 2, stream.sender().counters().segments_sent);
    EXPECT_EQ(stream.sender().segments_alive(), 0U);
    expect_clean(bench.far, sink);
}

TEST(TcpStreamTest, SmallQueueLimitBoundsTheRateIfInterruptsAreSlow) {
    // At most floor(limit / charge) + 1 = 4 skbs per interrupt period of 4 ms.
    PerfectNicConfig nic;
    nic.interrupt_spacing = 4_ms;
    NetBench bench("bench", nic);
    Sink& sink = bench.far.add_tcp_sink("tcp", 5201);
    TcpConfig tcp;
    tcp.limit_output_bytes = 262'144;
    TcpStream stream("tcp", {}, tcp, bench.stack, bench.core);
    stream.start();
    NetBench::run_until(1_s);
    bench.far.begin_measurement();
    NetBench::run_until(2_s);
    EXPECT_NEAR(bench.far.goodput() / (4 * 65'160 * 8 / 4e-3), 1.0, 0.01);
    EXPECT_GT(stream.activity().spent(5), 500_ms);  // small_queue
    expect_clean(bench.far, sink);
}

TEST(TcpStreamTest, AtOneHundredMegabitTheSmallQueueLeavesGapsUnlessOneSkbMayPass) {
    // Completions every millisecond: where the limit holds back what is left of a cut skb, the wire
    // idles until the clean of the piece before it. Kernels since 6.6 let one skb pass.
    PerfectNicConfig nic;
    nic.link_rate = 100'000'000;
    nic.interrupt_spacing = 1_ms;
    FarEndConfig far;
    far.link_rate = nic.link_rate;
    far.receive_moderation = 0;
    far.cable_delay = 100_us;
    TcpConfig old;
    TcpConfig fixed;
    fixed.small_queue_free_skbs = 1;
    NetBench a("a", nic, far);
    NetBench b("b", nic, far);
    a.far.add_tcp_sink("tcp", 5201);
    b.far.add_tcp_sink("tcp", 5201);
    TcpStream stream_a("a.tcp", {}, old, a.stack, a.core);
    TcpStream stream_b("b.tcp", {}, fixed, b.stack, b.core);
    stream_a.start();
    stream_b.start();
    NetBench::run_until(2_s);
    a.far.begin_measurement();
    b.far.begin_measurement();
    NetBench::run_until(6_s);
    const double line = tcp_line_rate / 10;
    EXPECT_LT(a.far.goodput() / line, 0.95);
    EXPECT_GT(b.far.goodput() / line, 0.99);
    EXPECT_EQ(stream_a.sender().counters().retransmitted_segments, 0U);
    // Sending is then no longer bound by the congestion window, which stops growing.
    EXPECT_NEAR(stream_a.sender().congestion().cwnd, 66, 6);
}

TEST(TcpStreamTest, TwoEqualSystemsDoExactlyTheSame) {
    NetBench a("a");
    NetBench b("b");
    Sink& sink_a = a.far.add_tcp_sink("tcp", 5201);
    Sink& sink_b = b.far.add_tcp_sink("tcp", 5201);
    TcpStream stream_a("a.tcp", {}, {}, a.stack, a.core);
    TcpStream stream_b("b.tcp", {}, {}, b.stack, b.core);
    stream_a.start();
    stream_b.start();
    NetBench::run_until(100_ms);
    EXPECT_GT(sink_a.payload_bytes, 10'000'000U);
    EXPECT_EQ(sink_a.payload_bytes, sink_b.payload_bytes);
    EXPECT_EQ(sink_a.last_arrival, sink_b.last_arrival);
    EXPECT_EQ(stream_a.sender().congestion().cwnd, stream_b.sender().congestion().cwnd);
    EXPECT_EQ(stream_a.sender().rtt().srtt8_us(), stream_b.sender().rtt().srtt8_us());
    EXPECT_EQ(a.core.time_in(Work::softirq), b.core.time_in(Work::softirq));
    EXPECT_EQ(a.far.counters().acks_sent, b.far.counters().acks_sent);
}

TEST(TcpStreamTest, TwoStreamsShareTheLink) {
    NetBench bench;
    bench.far.add_tcp_sink("one", 5201);
    bench.far.add_tcp_sink("two", 5202);
    TcpStreamConfig second;
    second.port = 5202;
    second.local_port = 40'002;
    TcpStream one("one", {}, {}, bench.stack, bench.core);
    TcpStream two("two", second, {}, bench.stack, bench.core);
    one.start();
    two.start();
    NetBench::run_until(100_ms);
    bench.far.begin_measurement();
    NetBench::run_until(300_ms);
    EXPECT_NEAR(bench.far.goodput() / tcp_line_rate, 1.0, 0.001);
    for (const Sink& s : bench.far.sinks()) {
        EXPECT_GT(s.goodput(), 0.3 * tcp_line_rate);
        expect_clean(bench.far, s);
    }
}

TEST(FarEndTest, AcknowledgesEverySecondSegmentWithoutModeration) {
    FarEndConfig far;
    far.receive_moderation = 0;
    NetBench bench("bench", {}, far);
    Sink& sink = bench.far.add_tcp_sink("tcp", 5201);
    TcpStream stream("tcp", {}, {}, bench.stack, bench.core);
    stream.start();
    NetBench::run_until(200_ms);
    EXPECT_NEAR(static_cast<double>(sink.packets) / static_cast<double>(sink.acks), 2.0, 0.02);
}

TEST(FarEndTest, ALoneSegmentIsAcknowledgedAfterTheDelay) {
    FarEndConfig far;
    far.quick_acks = 0;
    far.receive_moderation = 0;
    NetBench bench("bench", {}, far);
    bench.far.add_tcp_sink("tcp", 5201);
    TcpStreamConfig config;
    config.bytes = 1448;
    TcpStream stream("tcp", config, {}, bench.stack, bench.core);
    stream.start();
    NetBench::run_until(39_ms);
    EXPECT_EQ(stream.sender().counters().bytes_acked, 0U);
    NetBench::run_until(42_ms);
    EXPECT_EQ(stream.sender().counters().bytes_acked, 1448U);
}

TEST(UdpStreamTest, IsHeldBackByItsBufferAndLosesNothing) {
    NetBench bench;
    Sink& sink = bench.far.add_udp_sink("udp", 5201);
    UdpStream stream("udp", {}, bench.stack, bench.core);
    stream.start();
    NetBench::run_until(10_ms);
    bench.far.begin_measurement();
    for (sim::Ps t = 10_ms; t <= 110_ms; t += 1_ms) {
        NetBench::run_until(t);
        ASSERT_LT(stream.charged(), 212'992U + 2304U);
    }
    EXPECT_NEAR(bench.far.goodput() / udp_line_rate, 1.0, 0.001);
    EXPECT_EQ(sink.lost, 0U);
    EXPECT_EQ(sink.out_of_order, 0U);
    EXPECT_EQ(bench.nic.packets, stream.sent());
    expect_clean(bench.far, sink);
}

TEST(UdpStreamTest, ADatagramOf1448BytesIsChargedAsLinuxDoesAndNinetyThreeFit) {
    EXPECT_EQ(UdpStream::truesize(1448 + 28), 2304U);
    PerfectNicConfig nic;
    nic.interrupt_spacing = 100_ms;  // nothing but the first interrupt's work is freed
    NetBench bench("bench", nic);
    bench.far.add_udp_sink("udp", 5201);
    UdpStream stream("udp", {}, bench.stack, bench.core);
    stream.start();
    NetBench::run_until(50_ms);
    EXPECT_EQ(stream.charged(), 93U * 2304U);  // first multiple not below 212 992
}

TEST(UdpStreamTest, SetRateIsKeptByTheMillisecondTimer) {
    NetBench bench;
    Sink& sink = bench.far.add_udp_sink("udp", 5201);
    UdpStreamConfig config;
    config.rate = 100'000'000;
    UdpStream stream("udp", config, bench.stack, bench.core);
    stream.start();
    NetBench::run_until(1_s);
    const double rate = static_cast<double>(sink.payload_bytes) * 8;
    EXPECT_NEAR(rate / 100e6, 1.0, 0.002);
    EXPECT_EQ(sink.lost, 0U);
}

TEST(UdpStreamTest, ALimitedStreamEndsAndGivesItsBuffersBack) {
    NetBench bench;
    Sink& sink = bench.far.add_udp_sink("udp", 5201);
    UdpStreamConfig config;
    config.datagrams = 1000;
    UdpStream stream("udp", config, bench.stack, bench.core);
    stream.start();
    NetBench::run_until(100_ms);
    EXPECT_EQ(sink.packets, 1000U);
    EXPECT_EQ(stream.charged(), 0U);
    EXPECT_EQ(skb_pool().in_use(), 0U);
}

TEST(UdpStreamTest, ADatagramThatDoesNotFitTheMtuIsRefusedBeforeTheRun) {
    NetBench bench;
    UdpStreamConfig config;
    config.datagram_bytes = 1473;
    EXPECT_THROW(UdpStream("udp", config, bench.stack, bench.core), std::invalid_argument);
    config.datagram_bytes = 1472;
    EXPECT_NO_THROW(UdpStream("udp", config, bench.stack, bench.core));
}

TEST(EtfTalkerTest, HandsOverOnePacketPerPeriodALeadBeforeItsLaunch) {
    NetBench bench;
    Sink& sink = bench.far.add_talker_sink("talker", 7788);
    EtfTalkerConfig config;
    config.offset = 10_us;
    EtfTalker talker("talker", config, bench.stack, bench.core);
    talker.start();
    NetBench::run_until(101_ms);
    // Launches at 1010 us, 1135 us, ...
    EXPECT_EQ(sink.packets, 1U + (101'000U - 1010U) / 125U);
    EXPECT_EQ(talker.late(), 0U);
    EXPECT_EQ(sink.lost, 0U);
    EXPECT_EQ(sink.early, 0U);
    EXPECT_EQ(sink.jitter(), 0U);
    EXPECT_EQ(sink.arrival_spacing.min(), 125_us);
    EXPECT_EQ(sink.arrival_spacing.max(), 125_us);
    EXPECT_EQ(bench.far.counters().bytes / bench.far.counters().frames, 1514U);
    expect_clean(bench.far, sink);
}

TEST(EtfTalkerTest, ACardThatLaunchesLateIsFoundOut) {
    PerfectNicConfig nic;
    nic.launch_error = 33_ns;
    NetBench bench("bench", nic);
    Sink& sink = bench.far.add_talker_sink("talker", 7788);
    EtfTalker talker("talker", {}, bench.stack, bench.core);
    talker.start();
    NetBench::run_until(50_ms);
    EXPECT_EQ(sink.jitter(), 33_ns);
    EXPECT_EQ(sink.launch_offset.max(), 33_ns);
    EXPECT_EQ(sink.least_offset(), 0);
}

TEST(EtfTalkerTest, APacketHandedOverAfterItsLaunchCountsAsLate) {
    NetBench bench;
    bench.far.add_talker_sink("talker", 7788);
    EtfTalkerConfig config;
    config.lead = 0;
    config.packets = 10;
    EtfTalker talker("talker", config, bench.stack, bench.core);
    talker.start();
    NetBench::run_until(10_ms);
    EXPECT_EQ(talker.sent(), 10U);
    EXPECT_EQ(talker.late(), 10U);
}

TEST(FarEndTest, DamagedPayloadAndChecksumsAreFoundOut) {
    FarEnd far("far", {});
    Sink& sink = far.add_udp_sink("udp", 9);
    const FlowAddress flow{{2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 2}, 1, 2, 1, 9};
    const auto send = [&](std::uint64_t counter, int damage, bool with_checksum) {
        sim::FramePtr f = sim::frame_pool().make();
        f->resize(42 + 100);
        std::uint8_t* p = f->bytes().data();
        put64(p + 50, counter);
        sink.pattern.fill(counter * 100 + 16, p + 42 + 16, 84);
        if (damage >= 0 && with_checksum) p[damage] ^= 1;
        write_udp_headers(p, flow, 100, 0, L4Checksum::full);
        if (damage >= 0 && !with_checksum) p[damage] ^= 1;
        far.in->deliver(f, 0, 0);
    };
    send(0, -1, true);
    EXPECT_EQ(sink.payload_bytes, 100U);
    send(1, 100, true);  // wrong payload under a right checksum
    EXPECT_EQ(sink.wrong_payloads, 1U);
    send(1, 100, false);
    EXPECT_EQ(far.counters().bad_l4_checksum, 1U);
    send(3, -1, true);
    EXPECT_EQ(sink.lost, 2U);
    send(2, -1, true);
    EXPECT_EQ(sink.lost, 1U);
    EXPECT_EQ(sink.out_of_order, 1U);
    EXPECT_THROW(far.add_talker_sink("again", 9), std::invalid_argument);
}

TEST(WorkloadParameters, EveryDeclarationHasASentenceASourceAndADefaultInRange) {
    for (const sim::ParamTable* table :
         {&TcpConfig::params(), &TcpStreamConfig::params(), &UdpStreamConfig::params(),
          &EtfTalkerConfig::params(), &FarEndConfig::params(), &IpConfig::params()}) {
        EXPECT_FALSE(table->empty());
        for (const sim::ParamDecl& d : *table) {
            EXPECT_FALSE(d.sentence.empty()) << d.name;
            EXPECT_FALSE(d.source.text.empty()) << d.name;
            EXPECT_EQ(sim::check_value(d, d.default_value), "") << d.name;
        }
    }
}

}  // namespace
}  // namespace nicsim::host
