// SPDX-License-Identifier: Apache-2.0
// Bytes: segmentation compared frame by frame with a reference, checksums, VLAN tags. The reference
// computes checksums its own way and builds every header from scratch.
#include <gtest/gtest.h>

#include "sim/random.h"
#include "tests/models/tx_bench.h"

namespace nicsim::models::i210 {
namespace {

using namespace sim::literals;

void put(Bytes& b, std::size_t at, unsigned width, std::uint32_t value) {
    for (unsigned i = 0; i < width; ++i)
        b[at + i] = static_cast<std::uint8_t>(value >> (8 * (width - 1 - i)));
}

/// Byte by byte, as RFC 1071 puts it into words.
std::uint16_t reference_sum(const Bytes& b, std::size_t from, std::size_t to, std::uint32_t sum) {
    for (std::size_t i = from; i < to; ++i) {
        sum += (i - from) % 2 == 0 ? b[i] * 256U : b[i];
        if (sum > 0xffff) sum -= 0xffff;
    }
    return static_cast<std::uint16_t>(sum);
}

struct Flow {
    bool ipv4 = true;
    bool tcp = true;
    std::uint32_t ip_options = 0;  ///< bytes
    std::uint32_t tcp_options = 12;
    std::uint16_t ip_id = 0xfffe;
    std::uint32_t sequence = 0xffff'ff00;
    std::uint16_t flags = 0x099;  // CWR ACK PSH FIN: those that segmentation touches

    [[nodiscard]] std::uint32_t ip_bytes() const { return ipv4 ? 20 + ip_options : 40; }
    [[nodiscard]] std::uint32_t l4_bytes() const { return tcp ? 20 + tcp_options : 8; }
    [[nodiscard]] std::uint32_t header() const { return 14 + ip_bytes() + l4_bytes(); }
};

/// Pseudo header sum, with or without the length.
std::uint32_t pseudo(const Flow& f, const Bytes& b, std::uint32_t length) {
    const std::size_t addresses = f.ipv4 ? 26 : 22;
    const std::size_t bytes = f.ipv4 ? 8 : 32;
    std::uint32_t sum = reference_sum(b, addresses, addresses + bytes, 0);
    sum += (f.tcp ? 6U : 17U) + length;
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
    return sum;
}

/// The frame that must leave: everything filled in.
Bytes finished_frame(const Flow& f, const Bytes& payload, std::uint16_t id, std::uint32_t sequence,
                     std::uint16_t flags) {
    Bytes b(f.header());
    for (unsigned i = 0; i < 12; ++i) b[i] = static_cast<std::uint8_t>(2 + 4 * i);
    put(b, 12, 2, f.ipv4 ? 0x0800 : 0x86dd);
    const auto l4 = static_cast<std::uint32_t>(f.l4_bytes() + payload.size());
    const std::size_t at = 14 + f.ip_bytes();
    if (f.ipv4) {
        b[14] = static_cast<std::uint8_t>(0x40 | f.ip_bytes() / 4);
        put(b, 16, 2, f.ip_bytes() + l4);
        put(b, 18, 2, id);
        put(b, 20, 2, 0x4000);
        b[22] = 64;
        b[23] = f.tcp ? 6 : 17;
        put(b, 26, 4, 0x0a000001);
        put(b, 30, 4, 0xc0a8fe02);
        put(b, 24, 2, 0xffffU & ~reference_sum(b, 14, at, 0));
    } else {
        b[14] = 0x60;
        put(b, 18, 2, l4);
        b[20] = f.tcp ? 6 : 17;
        b[21] = 64;
        for (unsigned i = 0; i < 32; ++i) b[22 + i] = static_cast<std::uint8_t>(i * 7 + 1);
    }
    put(b, at, 2, 5201);
    put(b, at + 2, 2, 40000);
    if (f.tcp) {
        put(b, at + 4, 4, sequence);
        put(b, at + 8, 4, 0x01020304);
        put(b, at + 12, 2, (f.l4_bytes() / 4) << 12 | flags);
        put(b, at + 14, 2, 0xfff0);
        for (unsigned i = 0; i < f.tcp_options; ++i) b[at + 20 + i] = static_cast<std::uint8_t>(i);
    } else {
        put(b, at + 4, 2, l4);
    }
    b.insert(b.end(), payload.begin(), payload.end());
    std::uint16_t sum = 0xffffU & ~reference_sum(b, at, b.size(), pseudo(f, b, l4));
    if (!f.tcp && sum == 0) sum = 0xffff;
    put(b, at + (f.tcp ? 16 : 6), 2, sum);
    return b;
}

/// What a driver hands over: lengths of a segmented packet empty, checksum field the pseudo header.
Bytes handed_over(const Flow& f, const Bytes& payload, bool tso) {
    Bytes b = finished_frame(f, payload, f.ip_id, f.sequence, f.flags);
    const std::size_t at = 14 + f.ip_bytes();
    if (f.ipv4) put(b, 24, 2, tso ? 0 : 0xbeef);
    if (tso) put(b, f.ipv4 ? 16 : 18, 2, 0);
    const auto l4 = static_cast<std::uint32_t>(f.l4_bytes() + payload.size());
    put(b, at + (f.tcp ? 16 : 6), 2, pseudo(f, b, tso ? 0 : l4));
    return b;
}

std::vector<Bytes> reference_segments(const Flow& f, const Bytes& payload, std::uint32_t mss) {
    std::vector<Bytes> frames;
    for (std::size_t from = 0; from < payload.size(); from += mss) {
        const std::size_t to = std::min<std::size_t>(from + mss, payload.size());
        std::uint16_t flags = f.flags;
        if (to != payload.size()) flags &= 0xff6;  // FIN and PSH on the last one only
        if (from != 0) flags &= 0xf7f;             // CWR on the first one only
        frames.push_back(finished_frame(f,
                                        Bytes(payload.begin() + static_cast<long>(from),
                                              payload.begin() + static_cast<long>(to)),
                                        static_cast<std::uint16_t>(f.ip_id + frames.size()),
                                        f.sequence + static_cast<std::uint32_t>(from), flags));
    }
    return frames;
}

PacketSpec spec_of(const Flow& f, bool tso, std::uint32_t mss) {
    PacketSpec s;
    s.context = ContextSpec{};
    s.context->ip_length = f.ip_bytes();
    s.context->l4_length = f.l4_bytes();
    s.context->ipv4 = f.ipv4;
    s.context->l4_type = f.tcp ? 1 : 0;
    s.context->mss = mss;
    s.tso = tso;
    s.ip_checksum = f.ipv4;
    s.l4_checksum = true;
    s.header_length = f.header();
    return s;
}

/// Random buffers that add up to `total`.
std::vector<std::uint32_t> cut(std::uint32_t total, unsigned most, sim::RandomStream& random) {
    std::vector<std::uint32_t> pieces;
    while (total != 0) {
        std::uint32_t n =
            pieces.size() + 1 == most ? total : 1 + static_cast<std::uint32_t>(random.below(total));
        pieces.push_back(n);
        total -= n;
    }
    return pieces;
}

void expect_segments(TxBench& bench, const Flow& f, std::uint32_t payload, std::uint32_t mss,
                     std::vector<std::uint32_t> pieces) {
    const std::size_t before = bench.wire.sent.size();
    const Bytes data = make_frame(payload, payload);
    const Bytes packet = handed_over(f, data, true);
    PacketSpec spec = spec_of(f, true, mss);
    spec.pieces = std::move(pieces);
    bench.post(0, packet, spec);
    bench.kick(0);
    bench.run_for(2_ms);
    const auto expected = reference_segments(f, data, mss);
    ASSERT_EQ(bench.wire.sent.size() - before, expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        Bytes padded = expected[i];
        if (padded.size() < 60) padded.resize(60);
        ASSERT_EQ(bench.wire.sent[before + i].bytes, padded) << "segment " << i;
    }
}

void set_up(TxBench& bench) {
    bench.start();
    bench.use_pcie_like_bus(700_ns);
    bench.enable_queue(0);
}

TEST(Segmentation, OfTcpOverIpv4MatchesTheReference) {
    TxBench bench("bench");
    set_up(bench);
    expect_segments(bench, {}, 64'000, 1448, {});
    EXPECT_EQ(bench.clean(0), 1U);
}

TEST(Segmentation, OfTcpOverIpv6MatchesTheReference) {
    TxBench bench("bench");
    set_up(bench);
    Flow f;
    f.ipv4 = false;
    expect_segments(bench, f, 10'000, 1428, {});
}

TEST(Segmentation, OfUdpMatchesTheReference) {
    TxBench bench("bench");
    set_up(bench);
    Flow f;
    f.tcp = false;
    expect_segments(bench, f, 5'000, 1472, {});
}

TEST(Segmentation, MatchesTheReferenceForAnySizesAndBuffers) {
    TxBench bench("bench");
    set_up(bench);
    sim::RandomStream random(1, "segmentation");
    for (unsigned i = 0; i < 200; ++i) {
        Flow f;
        f.ipv4 = random.below(2) == 0;
        f.ip_options = 4 * static_cast<std::uint32_t>(random.below(3));
        f.tcp_options = 4 * static_cast<std::uint32_t>(random.below(11));
        f.flags = static_cast<std::uint16_t>(random.below(0x200));
        const auto mss = 1 + static_cast<std::uint32_t>(random.below(1400));
        const auto payload = 1 + static_cast<std::uint32_t>(random.below(20 * mss));
        expect_segments(bench, f, payload, mss, cut(f.header() + payload, 30, random));
        if (HasFatalFailure()) FAIL() << "packet " << i;
        bench.clean(0);
    }
    EXPECT_EQ(bench.unused(0), 255U);
}

TEST(Segmentation, ReadsTheHeaderOnce) {
    TxBench bench("bench");
    set_up(bench);
    expect_segments(bench, {}, 10 * 1448, 1448, {});
    std::uint64_t octets = 0;
    for (const auto& r : bench.bus.seen_for(sim::DmaPurpose::tx_data)) octets += r.length;
    EXPECT_EQ(octets, 10U * 1448 + 66);
}

TEST(Segmentation, SurvivesAnswersInAnyOrder) {
    TxBench bench("bench");
    set_up(bench);
    bench.bus.answer_backwards = true;
    expect_segments(bench, {}, 30'000, 500, {1000, 20'000, 9'066});
}

TEST(Checksum, OfTcpAndUdpFramesIsInserted) {
    TxBench bench("bench");
    set_up(bench);
    sim::RandomStream random(1, "checksum");
    for (unsigned i = 0; i < 300; ++i) {
        Flow f;
        f.ipv4 = random.below(2) == 0;
        f.tcp = random.below(2) == 0;
        const Bytes payload = make_frame(1 + static_cast<std::uint32_t>(random.below(1400)), i);
        const Bytes frame = handed_over(f, payload, false);
        PacketSpec spec = spec_of(f, false, 0);
        spec.pieces = cut(static_cast<std::uint32_t>(frame.size()), 4, random);
        bench.post(0, frame, spec);
        bench.kick(0);
        bench.run_for(50_us);
        Bytes expected = finished_frame(f, payload, f.ip_id, f.sequence, f.flags);
        if (expected.size() < 60) expected.resize(60);
        ASSERT_EQ(bench.wire.sent.back().bytes, expected) << "frame " << i;
        bench.clean(0);
    }
}

TEST(Checksum, OfUdpIsNeverZero) {
    TxBench bench("bench");
    set_up(bench);
    Flow f;
    f.tcp = false;
    Bytes payload(2);
    // Choose the payload so that the sum becomes ffff and its complement 0.
    const Bytes probe = finished_frame(f, payload, f.ip_id, 0, 0);
    payload[0] = probe[40];
    payload[1] = probe[41];
    bench.post(0, handed_over(f, payload, false), spec_of(f, false, 0));
    bench.kick(0);
    bench.run_for(50_us);
    EXPECT_EQ(bench.wire.sent.at(0).bytes[40], 0xff);
    EXPECT_EQ(bench.wire.sent.at(0).bytes[41], 0xff);
}

TEST(Vlan, TagOfTheContextIsInserted) {
    TxBench bench("bench");
    set_up(bench);
    const Bytes frame = make_frame(200, 7);
    PacketSpec spec;
    spec.context = ContextSpec{};
    spec.context->vlan = 0x6123;
    spec.vlan = true;
    bench.post(0, frame, spec);
    bench.kick(0);
    bench.run_for(50_us);
    Bytes expected(frame.begin(), frame.begin() + 12);
    for (const std::uint8_t b : {0x81, 0x00, 0x61, 0x23}) expected.push_back(b);
    expected.insert(expected.end(), frame.begin() + 12, frame.end());
    EXPECT_EQ(bench.wire.sent.at(0).bytes, expected);
}

TEST(ShortFrame, IsPaddedWithZerosTo60Bytes) {
    TxBench bench("bench");
    set_up(bench);
    Bytes frame = make_frame(20, 7);
    bench.post(0, frame);
    bench.kick(0);
    bench.run_for(50_us);
    frame.resize(60);
    EXPECT_EQ(bench.wire.sent.at(0).bytes, frame);
    EXPECT_EQ(bench.wire.sent.at(0).end - bench.wire.sent.at(0).start, 72 * 8_ns);
    EXPECT_EQ(bench.tx.counts().by_size[0], 1U);
    EXPECT_EQ(bench.tx.counts().octets, 64U);
}

TEST(BadPacket, IsNotSentAndItsDescriptorsComeBack) {
    TxBench bench("bench");
    bench.start();
    bench.qav({8, 8, 4, 4}, 16);
    bench.enable_queue(0);
    bench.post(0, make_frame(1025, 1));  // above 16 x 64
    Flow f;
    PacketSpec spec = spec_of(f, true, 0);  // MSS 0
    bench.post(0, handed_over(f, make_frame(500, 2), true), spec);
    bench.post(0, make_frame(1024, 3));
    bench.kick(0);
    bench.run_for(100_us);
    ASSERT_EQ(bench.wire.sent.size(), 1U);
    EXPECT_EQ(bench.wire.sent[0].bytes, make_frame(1024, 3));
    EXPECT_EQ(bench.clean(0), 3U);
}

}  // namespace
}  // namespace nicsim::models::i210
