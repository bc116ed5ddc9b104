// SPDX-License-Identifier: Apache-2.0
// Headers as bytes, against RFC layouts and a checksum computed the slow way.
#include <gtest/gtest.h>

#include <vector>

#include "host_driver/net/headers.h"
#include "host_driver/net/payload_pattern.h"
#include "sim/random.h"

namespace nicsim::host {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// RFC 1071 word by word.
std::uint16_t slow_sum(const Bytes& bytes, std::size_t from, std::size_t to, std::uint32_t seed) {
    std::uint32_t sum = seed;
    for (std::size_t i = from; i < to; i += 2) {
        sum += static_cast<std::uint32_t>(bytes[i] << 8) + (i + 1 < to ? bytes[i + 1] : 0U);
        if (sum > 0xffff) sum = (sum & 0xffff) + 1;
    }
    return static_cast<std::uint16_t>(sum);
}

FlowAddress example_flow() {
    return {{2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 2}, 0xc0a80101, 0xc0a80102, 40000, 5201};
}

TEST(NetHeaders, ChecksumSumAgreesWithWordByWordSumAtEveryLengthAndAlignment) {
    sim::RandomStream random(1, "bytes");
    Bytes bytes(200);
    for (auto& b : bytes) b = static_cast<std::uint8_t>(random.bits());
    for (std::size_t from = 0; from < 9; ++from) {
        for (std::size_t to = from; to < bytes.size(); ++to) {
            const std::uint16_t expected = slow_sum(bytes, from, to, 0);
            const std::uint16_t got = checksum_fold(checksum_sum(bytes.data() + from, to - from));
            ASSERT_EQ(got % 0xffff, expected % 0xffff) << from << ".." << to;
        }
    }
}

TEST(NetHeaders, ChecksumSumDoesNotOverflowOnAllOnes) {
    const Bytes bytes(65534, 0xff);
    EXPECT_EQ(checksum_fold(checksum_sum(bytes.data(), bytes.size())), 0xffff);
}

TEST(NetHeaders, KnownIpHeaderHasItsKnownChecksum) {
    // The example of RFC 1071's commentaries: 45 00 00 73 00 00 40 00 40 11 -> b861.
    Bytes out(34);
    write_ip_headers(out.data(), {{}, {}, 0xc0a80001, 0xc0a800c7, 0, 0}, protocol_udp, 0x73, 0);
    EXPECT_EQ(get16(out.data() + 14 + 10), 0xb861);
    EXPECT_EQ(get16(out.data() + 14), 0x4500);
    EXPECT_EQ(get16(out.data() + 14 + 6), 0x4000);
}

TEST(NetHeaders, TcpSegmentHasEveryFieldInItsPlaceAndAFullChecksumThatVerifies) {
    Bytes out(66 + 1001);
    for (std::size_t i = 66; i < out.size(); ++i) out[i] = static_cast<std::uint8_t>(i * 7);
    TcpFields f;
    f.sequence = 0xfffffff0;
    f.acknowledgement = 2;
    f.flags = tcp_ack_flag | tcp_psh;
    f.window = 511;
    f.timestamp = 0x01020304;
    f.timestamp_echo = 0x05060708;
    EXPECT_EQ(write_tcp_headers(out.data(), example_flow(), f, 1001, 0x1234, L4Checksum::full),
              66U);
    const Bytes expected_start = {2,    0, 0,    0, 0,    2,    2,    0,    0,    0, 0,  1,
                                  0x08, 0, 0x45, 0, 0x04, 0x1d, 0x12, 0x34, 0x40, 0, 64, 6};
    EXPECT_EQ(Bytes(out.begin(), out.begin() + 24), expected_start);
    EXPECT_EQ(slow_sum(out, 14, 34, 0), 0xffff);
    const Bytes expected_tcp = {0x9c, 0x40, 0x14, 0x51, 0xff, 0xff, 0xff, 0xf0,
                                0,    0,    0,    2,    0x80, 0x18, 0x01, 0xff};
    EXPECT_EQ(Bytes(out.begin() + 34, out.begin() + 50), expected_tcp);
    const Bytes expected_options = {1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8};
    EXPECT_EQ(Bytes(out.begin() + 54, out.begin() + 66), expected_options);
    // Pseudo header added by hand.
    const std::uint32_t pseudo = 0xc0a8 + 0x0101 + 0xc0a8 + 0x0102 + 6 + 1033;
    EXPECT_EQ(slow_sum(out, 34, out.size(), (pseudo & 0xffff) + (pseudo >> 16)), 0xffff);

    ParsedPacket p;
    ASSERT_EQ(parse_packet(out, p), ParseResult::ok);
    EXPECT_EQ(p.tcp.sequence, f.sequence);
    EXPECT_EQ(p.tcp.window, 511);
    EXPECT_EQ(p.tcp.timestamp_echo, f.timestamp_echo);
    EXPECT_EQ(p.payload_length, 1001U);
    EXPECT_TRUE(l4_checksum_good(p));
    out[500] ^= 1;
    EXPECT_FALSE(l4_checksum_good(p));
}

TEST(NetHeaders, PartialChecksumIsTheFoldedPseudoHeaderAsADeviceExpectsIt) {
    Bytes out(42 + 100, 0xab);
    write_udp_headers(out.data(), example_flow(), 100, 7, L4Checksum::partial);
    const std::uint32_t pseudo = 0xc0a8 + 0x0101 + 0xc0a8 + 0x0102 + 17 + 108;
    EXPECT_EQ(get16(out.data() + 40), (pseudo & 0xffff) + (pseudo >> 16));
    // A device sums from the L4 header on, checksum field included, and complements.
    const auto finished = static_cast<std::uint16_t>(~slow_sum(out, 34, out.size(), 0));
    put16(out.data() + 40, finished);
    ParsedPacket p;
    ASSERT_EQ(parse_packet(out, p), ParseResult::ok);
    EXPECT_TRUE(l4_checksum_good(p));
}

TEST(NetHeaders, SynCarriesMssTimestampsAndWindowScale) {
    Bytes out(74);
    TcpFields f;
    f.flags = tcp_syn;
    f.mss = 1460;
    f.window_scale = 7;
    f.timestamp = 99;
    EXPECT_EQ(write_tcp_headers(out.data(), example_flow(), f, 0, 0, L4Checksum::full), 74U);
    ParsedPacket p;
    ASSERT_EQ(parse_packet(out, p), ParseResult::ok);
    EXPECT_EQ(p.tcp.mss, 1460);
    EXPECT_EQ(p.tcp.window_scale, 7);
    EXPECT_TRUE(p.tcp.timestamps);
    EXPECT_EQ(p.tcp.timestamp, 99U);
    EXPECT_EQ(p.payload_length, 0U);
    EXPECT_TRUE(l4_checksum_good(p));
}

TEST(NetHeaders, DamagedFramesAreRefusedAndSayWhy) {
    Bytes out(66 + 10);
    write_tcp_headers(out.data(), example_flow(), {}, 10, 0, L4Checksum::full);
    ParsedPacket p;
    EXPECT_EQ(parse_packet(std::span(out).first(60), p), ParseResult::truncated);
    EXPECT_EQ(parse_packet(std::span(out).first(20), p), ParseResult::truncated);
    Bytes other = out;
    other[13] = 6;  // ARP
    EXPECT_EQ(parse_packet(other, p), ParseResult::not_ipv4);
    other = out;
    other[22] = 63;  // TTL without its checksum
    EXPECT_EQ(parse_packet(other, p), ParseResult::bad_ip_checksum);
    other = out;
    other[46] = 0xf0;  // header of 60 bytes in a segment of 42
    EXPECT_EQ(parse_packet(other, p), ParseResult::truncated);
}

TEST(NetHeaders, PaddingBehindTheIpPacketIsNotPayload) {
    Bytes out(60);
    write_udp_headers(out.data(), example_flow(), 4, 0, L4Checksum::full);
    ParsedPacket p;
    ASSERT_EQ(parse_packet(out, p), ParseResult::ok);
    EXPECT_EQ(p.payload_length, 4U);
    EXPECT_TRUE(l4_checksum_good(p));
}

TEST(NetHeaders, AddressesAreReadAndWrittenAsText) {
    EXPECT_EQ(parse_ipv4("192.168.1.2"), 0xc0a80102U);
    EXPECT_EQ(format_ipv4(0xc0a80102), "192.168.1.2");
    EXPECT_EQ(format_mac(sim::parse_mac_address("02:00:5e:Fa:00:01")), "02:00:5e:fa:00:01");
    for (const char* bad : {"", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.x", "1..2.3"}) {
        EXPECT_FALSE(parse_ipv4(bad)) << bad;
    }
    for (const char* bad : {"", "02:00:00:00:00", "02-00-00-00-00-01", "02:00:00:00:00:0g"}) {
        EXPECT_FALSE(sim::read_mac_address(bad)) << bad;
    }
}

TEST(PayloadPatternTest, EveryPieceIsTheSameStreamAndStreamsDiffer) {
    const PayloadPattern a(1);
    const PayloadPattern b(2);
    Bytes whole(65536);
    a.fill(1'000'000'000'000, whole.data(), 65536);
    for (std::uint32_t offset = 0; offset + 1448 <= 65536; offset += 1448) {
        EXPECT_TRUE(a.matches(1'000'000'000'000 + offset, whole.data() + offset, 1448));
        EXPECT_FALSE(b.matches(1'000'000'000'000 + offset, whole.data() + offset, 1448));
        EXPECT_FALSE(a.matches(1'000'000'000'001 + offset, whole.data() + offset, 1448));
    }
}

}  // namespace
}  // namespace nicsim::host
