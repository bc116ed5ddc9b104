// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "models/common/address_filter.h"
#include "models/common/hashes.h"
#include "models/common/mac_rx.h"
#include "models/common/packet_parser.h"

namespace nicsim::models {
namespace {

using namespace sim::literals;

// The verification suite that Microsoft publishes with the RSS hash.
constexpr std::array<std::uint8_t, 40> rss_key = {
    0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
    0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
    0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};

TEST(Toeplitz, GivesThePublishedHashes) {
    // 66.9.149.187 port 2794 to 161.142.100.80 port 1766
    const std::array<std::uint8_t, 12> flow = {66,  9,  149,  187,  161,  142,
                                               100, 80, 0x0a, 0xea, 0x06, 0xe6};
    EXPECT_EQ(toeplitz(rss_key, std::span(flow).first(8)), 0x323e8fc2U);
    EXPECT_EQ(toeplitz(rss_key, flow), 0x51ccc178U);
}

TEST(EthernetFcs, GivesThePublishedCheckValue) {
    const std::string text = "123456789";
    const std::vector<std::uint8_t> bytes(text.begin(), text.end());
    EXPECT_EQ(ethernet_fcs(bytes), 0xCBF43926U);
}

TEST(EthernetFcs, IsTheSameBitByBitAtEveryLength) {
    std::vector<std::uint8_t> bytes;
    std::uint32_t c = 0xFFFF'FFFF;
    for (unsigned i = 0; i < 200; ++i) {
        EXPECT_EQ(ethernet_fcs(bytes), ~c) << i;
        bytes.push_back(static_cast<std::uint8_t>(i * 37 + 11));
        c ^= bytes.back();
        for (int bit = 0; bit < 8; ++bit) c = (c & 1U) != 0 ? 0xEDB8'8320U ^ c >> 1 : c >> 1;
    }
}

constexpr MacAddress mine = {0x02, 0, 0, 0, 0, 1};
constexpr MacAddress group = {0x01, 0x00, 0x5E, 0x00, 0x12, 0x34};
constexpr MacAddress everyone = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
using Match = AddressFilter::Match;

TEST(AddressFilter, TakesNothingUntilToldTo) {
    const AddressFilter filter;
    EXPECT_EQ(filter.match(mine), Match::none);
    EXPECT_EQ(filter.match(group), Match::none);
    EXPECT_EQ(filter.match(everyone), Match::none);
}

TEST(AddressFilter, TakesExactAddressesOnlyWhileTheyAreValid) {
    AddressFilter filter;
    filter.set_exact(15, mine, true);
    EXPECT_EQ(filter.match(mine), Match::exact);
    filter.set_exact(15, mine, false);
    EXPECT_EQ(filter.match(mine), Match::none);
}

TEST(AddressFilter, HashesMulticastByTheUpperTwelveBitsAtTheGivenOffset) {
    AddressFilter filter;
    // Bytes 4 and 5 are 0x12 and 0x34: 0x3412 from bit 4, 3, 2 and 0.
    const std::array<unsigned, 4> expected = {0x341, 0x682, 0xD04, 0x412};
    for (unsigned offset = 0; offset < 4; ++offset) {
        filter.set_hash_offset(offset);
        EXPECT_EQ(filter.hash(group), expected[offset]);
    }
    filter.set_hash_offset(0);
    filter.set_hash_word(0x341 / 32, 1U << (0x341 % 32));
    EXPECT_EQ(filter.match(group), Match::inexact);
    filter.set_hash_word(0x341 / 32, 0);
    EXPECT_EQ(filter.match(group), Match::none);
}

TEST(AddressFilter, KeepsThePromiscuousModesApart) {
    AddressFilter filter;
    filter.set_modes(true, false, false);
    EXPECT_EQ(filter.match(mine), Match::inexact);
    EXPECT_EQ(filter.match(group), Match::none);
    filter.set_modes(false, true, false);
    EXPECT_EQ(filter.match(mine), Match::none);
    EXPECT_EQ(filter.match(group), Match::inexact);
    filter.set_modes(false, false, true);
    EXPECT_EQ(filter.match(group), Match::none);
    EXPECT_EQ(filter.match(everyone), Match::exact);
}

TEST(PacketParser, LeavesTruncatedAndForeignPacketsAlone) {
    std::vector<std::uint8_t> frame(60, 0);
    EXPECT_FALSE(parse_packet(frame).ipv4);
    frame[12] = 0x08;  // IPv4 whose header is all zero
    EXPECT_FALSE(parse_packet(frame).ipv4);
    frame[14] = 0x45;
    frame[16] = 0x40;  // total length beyond the frame
    EXPECT_FALSE(parse_packet(frame).ipv4);
    EXPECT_FALSE(parse_packet(std::span(frame).first(10)).ipv4);
}

TEST(PacketParser, LooksBehindAVlanTag) {
    std::vector<std::uint8_t> frame(64, 0);
    frame[12] = 0x81;
    frame[14] = 0x60;
    frame[15] = 0x05;
    frame[16] = 0x08;
    const ParsedPacket p = parse_packet(frame);
    EXPECT_TRUE(p.vlan);
    EXPECT_EQ(p.vlan_tag, 0x6005U);
    EXPECT_EQ(p.ether_type, 0x0800U);
    EXPECT_EQ(p.l3, 18U);
}

struct MacBench : sc_core::sc_module {
    MacBench() : sc_module(sc_core::sc_module_name("bench")) {
        mac.set_link(1'000'000'000);
        mac.set_enabled(true);
    }
    void on_frame(const MacRx::Arrival& arrival) {
        times.push_back(sim::now());
        sfds.push_back(arrival.sfd);
        verdicts.push_back(arrival.verdict);
    }
    void on_carrier(bool up) { carrier.push_back(up); }
    void send(std::uint32_t length, sim::Ps start, bool good = true) {
        const sim::FramePtr frame = sim::frame_pool().make();
        frame->resize(length);
        frame->fcs_good = good;
        mac.deliver(frame, start, start + sim::serialisation_time(length + 12, 1'000'000'000));
    }
    MacRx mac{"mac", 448_ns, sim::Callback<const MacRx::Arrival&>::to<&MacBench::on_frame>(this),
              sim::Callback<bool>::to<&MacBench::on_carrier>(this)};
    std::vector<sim::Ps> times, sfds;
    std::vector<MacRx::Verdict> verdicts;
    std::vector<bool> carrier;
};

TEST(MacRx, HandsAFrameOnWhenItsLastBitHasPassedPlusItsLatency) {
    MacBench b;
    b.send(60, 0);
    sc_core::sc_start(sim::to_sc_time(10_us));
    EXPECT_EQ(b.times, std::vector<sim::Ps>{72 * 8_ns + 448_ns});
    EXPECT_EQ(b.sfds, std::vector<sim::Ps>{8 * 8_ns + 448_ns});
}

TEST(MacRx, JudgesFcsAndLength) {
    MacBench b;
    b.mac.set_max_frame(1522);
    b.send(60, 0);
    b.send(60, 10_us, false);
    b.send(59, 20_us);
    b.send(1518, 30_us);
    b.send(1519, 50_us);
    sc_core::sc_start(sim::to_sc_time(100_us));
    using Verdict = MacRx::Verdict;
    EXPECT_EQ(b.verdicts,
              (std::vector<Verdict>{Verdict::good, Verdict::crc_error, Verdict::undersize,
                                    Verdict::good, Verdict::oversize}));
}

TEST(MacRx, ReceivesThePaddingOfAShortFrameThatTookTheTimeOfAWholeOne) {
    MacBench b;
    const sim::FramePtr frame = sim::frame_pool().make();
    frame->resize(54);
    std::fill(frame->bytes().begin(), frame->bytes().end(), std::uint8_t{7});
    b.mac.deliver(frame, 0, 72 * 8_ns);
    sc_core::sc_start(sim::to_sc_time(10_us));
    EXPECT_EQ(b.verdicts, std::vector<MacRx::Verdict>{MacRx::Verdict::good});
    ASSERT_EQ(frame->length(), 60U);
    EXPECT_EQ(frame->bytes()[53], 7U);
    EXPECT_EQ(frame->bytes()[54], 0U);
}

TEST(MacRx, IgnoresFramesWhileDisabledAndWithoutLink) {
    MacBench b;
    b.mac.set_enabled(false);
    b.send(60, 0);
    b.mac.set_enabled(true);
    b.mac.set_link(0);
    b.send(60, 1_us);
    sc_core::sc_start(sim::to_sc_time(10_us));
    EXPECT_TRUE(b.times.empty());
    b.mac.link_changed(false);
    EXPECT_EQ(b.carrier, std::vector<bool>{false});
}

}  // namespace
}  // namespace nicsim::models
