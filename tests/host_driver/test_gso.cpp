// SPDX-License-Identifier: Apache-2.0
#include "host_driver/gso.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "host_driver/qdisc_taprio.h"
#include "tests/host_driver/host_bench.h"

namespace nicsim::host {
namespace {

using namespace testing;
using namespace sim::literals;

constexpr std::uint32_t headers = 14 + 20 + 32;
constexpr std::uint32_t mss = 1448;

std::uint32_t get16(const std::uint8_t* p) {
    return (std::uint32_t{p[0]} << 8) | p[1];
}

/// Sum of 16-bit words, not complemented.
std::uint32_t sum16(const std::uint8_t* p, std::size_t n, std::uint32_t sum = 0) {
    for (std::size_t i = 0; i + 1 < n; i += 2) sum += get16(p + i);
    if (n % 2 != 0) sum += std::uint32_t{p[n - 1]} << 8;
    while (sum >> 16) sum = (sum & 0xffffU) + (sum >> 16);
    return sum;
}

std::uint32_t pseudo_sum(const std::uint8_t* ip, std::uint32_t l4_length) {
    std::uint32_t sum = sum16(ip + 12, 8, 6 + l4_length);
    while (sum >> 16) sum = (sum & 0xffffU) + (sum >> 16);
    return sum;
}

struct Owner : SkbOwner {
    void skb_freed(SkBuff&) override { ++freed; }
    int freed = 0;
};

/// A TCP packet with headers in the linear part and `payload` bytes in two fragments.
SkbPtr tcp_packet(HostMemory& memory, std::uint32_t payload, Owner& owner) {
    SkbPtr skb = skb_pool().make();
    skb->linear = {memory.allocate(headers), headers};
    std::uint8_t* h = memory.at(skb->linear.address, headers);
    std::memset(h, 0, headers);
    std::uint8_t* ip = h + 14;
    ip[0] = 0x45;
    ip[2] = static_cast<std::uint8_t>((payload + 52) >> 8);
    ip[3] = static_cast<std::uint8_t>(payload + 52);
    ip[5] = 100;  // identification
    ip[9] = 6;
    for (int i = 0; i < 8; ++i) ip[12 + i] = static_cast<std::uint8_t>(10 + i);
    std::uint8_t* tcp = ip + 20;
    tcp[4] = 0xff;  // sequence number close to the end of its range
    tcp[5] = 0xff;
    tcp[6] = 0xff;
    tcp[7] = 0x00;
    tcp[12] = 0x80;
    tcp[13] = 0x18 | 0x01;  // ACK PSH FIN
    const std::uint32_t sum = pseudo_sum(ip, payload + 32);
    tcp[16] = static_cast<std::uint8_t>(sum >> 8);
    tcp[17] = static_cast<std::uint8_t>(sum);
    const std::uint64_t data = memory.allocate(payload);
    for (std::uint32_t i = 0; i < payload; ++i)
        *memory.at(data + i, 1) = static_cast<std::uint8_t>(i * 7 + i / 256);
    skb->frags[0] = {data, 1000};
    skb->frags[1] = {data + 1000, payload - 1000};
    skb->frag_count = 2;
    skb->length = headers + payload;
    skb->transport_header_bytes = 32;
    skb->l4 = L4::tcp;
    skb->checksum_partial = true;
    skb->gso_size = mss;
    skb->gso_segments = static_cast<std::uint16_t>((payload + mss - 1) / mss);
    skb->owner = &owner;
    return skb;
}

TEST(Gso, PartsCarryThePayloadInOrderWithHeadersOfTheirOwn) {
    DeviceBench b;
    Owner owner;
    constexpr std::uint32_t payload = 3 * mss + 100;
    const SkbPtr whole = tcp_packet(b.memory, payload, owner);
    const std::uint64_t data = whole->frags[0].address;
    std::vector<SkbPtr> parts;
    b.on_core([&](Core& core) { b.device.gso().cut(core, whole, parts); });
    ASSERT_EQ(parts.size(), 4U);
    std::uint32_t done = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const SkBuff& p = *parts[i];
        const std::uint32_t bytes = i < 3 ? mss : 100;
        EXPECT_EQ(p.length, headers + bytes);
        const std::uint8_t* ip = b.memory.at(p.linear.address, headers) + 14;
        const std::uint8_t* tcp = ip + 20;
        EXPECT_EQ(get16(ip + 2), 52 + bytes);
        EXPECT_EQ(get16(ip + 4), 100 + i);
        EXPECT_EQ(sum16(ip, 20), 0xffffU) << "IP header checksum";
        const std::uint32_t sequence = get16(tcp + 4) << 16 | get16(tcp + 6);
        EXPECT_EQ(sequence, 0xffffff00U + done);
        EXPECT_EQ(tcp[13], i < 3 ? 0x10 : 0x19) << "PSH and FIN on the last part only";
        EXPECT_EQ(get16(tcp + 16), pseudo_sum(ip, bytes + 32)) << "partial checksum";
        std::uint32_t in_frags = 0;
        for (unsigned f = 0; f < p.frag_count; ++f) {
            EXPECT_EQ(p.frags[f].address, data + done + in_frags);
            in_frags += p.frags[f].length;
        }
        EXPECT_EQ(in_frags, bytes);
        done += bytes;
    }
    EXPECT_EQ(done, payload);
    EXPECT_EQ(b.core.count_of(Op::gso_segment), 4U);
}

TEST(Gso, WholePacketIsFreedWithItsLastPart) {
    DeviceBench b;
    Owner owner;
    std::vector<SkbPtr> parts;
    b.on_core(
        [&](Core& core) { b.device.gso().cut(core, tcp_packet(b.memory, 2 * mss, owner), parts); });
    EXPECT_EQ(b.device.gso().headers_in_use(), 2U);
    parts[0] = {};
    EXPECT_EQ(owner.freed, 0);
    parts[1] = {};
    EXPECT_EQ(owner.freed, 1);
    EXPECT_EQ(b.device.gso().headers_in_use(), 0U);
}

TEST(Gso, DriverWithoutSegmentationReceivesParts) {
    DeviceBench b;
    b.driver.tso = false;
    Owner owner;
    b.on_core(
        [&](Core& core) { (void)b.device.queue_xmit(core, tcp_packet(b.memory, 4 * mss, owner)); });
    ASSERT_EQ(b.driver.sent.size(), 4U);
    EXPECT_TRUE(b.driver.sent[2].more);
    EXPECT_FALSE(b.driver.sent[3].more);
    EXPECT_EQ(owner.freed, 1);
}

TEST(Gso, TaprioCutsBeforeItsChildrenWhateverTheDriverCanDo) {
    DeviceBench b(4);
    Owner owner;
    TaprioConfig config;
    config.map.assign(16, 0);
    config.queue_counts = {4};
    config.queue_offsets = {0};
    b.on_core([&](Core& core) {
        EXPECT_EQ(b.device.set_qdisc(core, std::make_unique<TaprioQdisc>(config, 4)), "");
        (void)b.device.queue_xmit(core, tcp_packet(b.memory, 3 * mss, owner));
    });
    EXPECT_EQ(b.driver.sent.size(), 3U);
    for (const auto& s : b.driver.sent) EXPECT_EQ(s.length, headers + mss);
}

}  // namespace
}  // namespace nicsim::host
