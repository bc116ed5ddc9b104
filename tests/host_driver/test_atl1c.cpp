// SPDX-License-Identifier: Apache-2.0
// The atl1c reference driver in front of registers: probe, descriptors, doorbells, completion.
#include "host_driver/drivers/atl1c.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/host_driver/atl1c_bench.h"

namespace nicsim::host {
namespace {

using namespace atl1c;
using namespace testing;
using namespace sim::literals;
using Values = std::vector<std::uint32_t>;

// ---------------------------------------------------------------- probe and up

TEST(Atl1c, ProbesOpensAndTakesItsAddressFromTheDevice) {
    Atl1cBench b;
    ASSERT_EQ(b.start(), "");
    EXPECT_TRUE(b.driver.device().carrier());
    const std::array<std::uint8_t, 6> mac = {0x00, 0x0b, 0x6a, 0xf6, 0x00, 0x01};
    EXPECT_EQ(b.driver.mac_address(), mac);
    EXPECT_EQ(b.driver.link_bits_per_second(), 1'000'000'000U);
    EXPECT_FALSE(b.driver.mikrotik());
}

TEST(Atl1c, WritesTheValuesThatTheRealDriverWrites) {
    Atl1cBench b;
    ASSERT_EQ(b.start(), "");
    EXPECT_EQ(b.device.written_to(MASTER_CTRL), (Values{0x20, 0x61, 0x60, 0xce0}));
    EXPECT_EQ(b.device.reg(IRQ_MODRT_TIMER_INIT), 0x00c803e8U) << "RX 400 us, TX 2000 us";
    EXPECT_EQ(b.device.reg(INT_RETRIG_TIMER), 0xc350U);
    EXPECT_EQ(b.device.reg(SMB_STAT_TIMER), 0x30d40U);
    EXPECT_EQ(b.device.reg(MTU), 0x5f2U);
    EXPECT_EQ(b.device.reg(RX_BUF_SIZE), 0x5f2U);
    EXPECT_EQ(b.device.reg(TSO_OFFLOAD_THRESH), 0x380U);
    EXPECT_EQ(b.device.reg(TPD_RING_SIZE), 0x400U);
    EXPECT_EQ(b.device.reg(RFD_RING_SIZE), 0x200U);
    EXPECT_EQ(b.device.reg(RRD_RING_SIZE), 0x200U);
    EXPECT_EQ(b.device.written_to(LOAD_PTR), Values{1});
    EXPECT_EQ(b.device.reg(MB_RFD_PROD_IDX(0)), 0x1ffU) << "all but one descriptor are given";
    EXPECT_EQ(b.device.written_to(TXQ_CTRL), (Values{0, 0x020000d5, 0x020000f5}));
    EXPECT_EQ(b.device.written_to(RXQ_CTRL), (Values{0, 0x00800000, 0x80800000}));
    EXPECT_EQ(b.device.reg(DMA_CTRL), 0x47c24U) << "reads of 512 bytes";
    EXPECT_EQ(b.device.reg(MAC_CTRL), 0x74205cefU);
    EXPECT_EQ(b.device.reg(SERDES), 0x60000U);
    EXPECT_EQ(b.device.reg(PM_CTRL), 0x40f4b048U);
    EXPECT_EQ(b.device.reg(GPHY_CTRL), 0x1c01U);
    EXPECT_EQ(b.device.reg(IMR), 0x0401f71cU);
    EXPECT_EQ(b.device.written_to(ISR).back(), 0x7fffffffU);
    EXPECT_NE(b.device.reg(TPD_ADDR_LO[1]), 0U) << "the queue of high priority has a ring, too";
}

TEST(Atl1c, ALongerMtuMakesLongerBuffers) {
    Atl1cBench b;
    b.driver.device().set_mtu(3001);
    ASSERT_EQ(b.start(), "");
    EXPECT_EQ(b.device.reg(MTU), 3001U + 22);
    EXPECT_EQ(b.device.reg(RX_BUF_SIZE), 3024U) << "a multiple of 8";
}

TEST(Atl1c, AShorterMtuKeepsTheBuffers) {
    Atl1cBench b;
    b.driver.device().set_mtu(576);
    ASSERT_EQ(b.start(), "");
    EXPECT_EQ(b.device.reg(MTU), 598U);
    EXPECT_EQ(b.device.reg(RX_BUF_SIZE), 0x5f2U);
}

TEST(Atl1c, SetsUpThePhyAsTheRealDriverDoes) {
    Atl1cBench b;
    ASSERT_EQ(b.start(), "");
    EXPECT_EQ(b.device.phy_written[ADVERTISE], 0x0de0);
    EXPECT_EQ(b.device.phy_written[CTRL1000], 0x0300);
    EXPECT_EQ(b.device.phy_written[BMCR], 0x9200);
    EXPECT_EQ(b.device.phy_written[PHY_IER], 0x0c00);
    for (const PhySetting& s : phy_debug_settings) EXPECT_EQ(b.device.phy_debug[s.reg], s.value);
    EXPECT_EQ(b.device.phy_debug[DBG_AZ_ANADECT], AZ_ANADECT_DEF);
}

TEST(Atl1c, ReadsInBlocksAsLargeAsTheBusAllowsAndRaisesATooSmallLimit) {
    HostConfig config = Atl1cBench::one_core();
    config.pci.max_read_request = 128;
    Atl1cBench b({}, config);
    ASSERT_EQ(b.start(), "");
    EXPECT_EQ(b.device.reg(DMA_CTRL), 0x47c24U);
    EXPECT_EQ(b.device.config32(0xa8) >> 12 & 7U, 2U) << "MRRS 512";
}

TEST(Atl1c, ReadsNeverMoreThanAKilobyteAtOnce) {
    HostConfig config = Atl1cBench::one_core();
    config.pci.max_read_request = 4096;
    Atl1cBench b({}, config);
    ASSERT_EQ(b.start(), "");
    EXPECT_EQ(b.device.reg(DMA_CTRL), 0x47c34U);
    EXPECT_EQ(b.device.config32(0xa8) >> 12 & 7U, 5U) << "MRRS stays";
}

TEST(Atl1c, FailsWithAReasonWhenThePhyDoesNotAnswer) {
    Atl1cBench b;
    b.device.mdio_stuck = true;
    EXPECT_NE(b.start().find("MDIO_CTRL stays busy"), std::string::npos);
}

TEST(Atl1c, FailsWithAReasonWithoutAnAddress) {
    Atl1cBench b;
    b.device.set_reg(MAC_STA_ADDR, 0);
    b.device.set_reg(MAC_STA_ADDR + 4, 0);
    EXPECT_NE(b.start().find("no valid station address"), std::string::npos);
}

TEST(Atl1c, FailsWithAReasonWhenTheDeviceDoesNotComeToRest) {
    Atl1cBench b;
    b.device.set_reg(IDLE_STATUS, 1);
    EXPECT_NE(b.start().find("does not come to rest"), std::string::npos);
}

TEST(Atl1c, FailsWithAReasonWithoutALink) {
    Atl1cBench b;
    b.device.link_up = false;
    EXPECT_NE(b.start().find("no link after 10 s"), std::string::npos);
}

TEST(Atl1c, RefusesConfigurationsThatContradictThemselves) {
    Atl1cConfig config;
    EXPECT_EQ(config.check(), "");
    config.tx_checksum = false;
    EXPECT_NE(config.check().find("needs tx_checksum"), std::string::npos);
}

// ---------------------------------------------------------------- descriptors

TEST(Atl1c, PlainPacketTakesOneDescriptorAndAHalfWordDoorbell) {
    Atl1cBench b;
    ASSERT_EQ(b.start(), "");
    b.forget();
    const SkbPtr skb = b.packet(1514);
    b.on_core([&](Core& c) { EXPECT_TRUE(b.driver.start_xmit(c, skb, 0, false)); });
    const auto d = b.device.tpd(0);
    EXPECT_EQ(d[0], 1514U);
    EXPECT_EQ(d[1], 0x80000000U);
    EXPECT_EQ(d[2], skb->linear.address);
    EXPECT_EQ(d[3], 0U);
    ASSERT_EQ(b.device.writes.size(), 1U);
    EXPECT_EQ(b.device.writes[0].reg, 0x15f2U);
    EXPECT_EQ(b.device.writes[0].value, 1U);
    EXPECT_EQ(b.device.writes[0].size, 2U);
}

TEST(Atl1c, ChecksumIsDescribedByWhereItStartsAndWhereItGoes) {
    Atl1cBench b;
    ASSERT_EQ(b.start(), "");
    const SkbPtr udp = b.packet(66, 1);
    udp->l4 = L4::udp;
    udp->transport_header_bytes = 8;
    udp->checksum_partial = true;
    const SkbPtr tcp = b.packet(66);
    tcp->l4 = L4::tcp;
    tcp->transport_header_bytes = 32;
    tcp->checksum_partial = true;
    b.on_core([&](Core& c) {
        (void)b.driver.start_xmit(c, udp, 0, false);
        (void)b.driver.start_xmit(c, tcp, 0, false);
    });
    EXPECT_EQ(b.device.tpd(0)[1], 0x00500111U);
    EXPECT_EQ(b.device.tpd(1)[1], 0x80500111U);
    EXPECT_EQ(b.device.tpd(1)[0], 256U);
    EXPECT_EQ(b.device.tpd(2)[1], 0x80640111U) << "the TCP checksum is at 50";
}

TEST(Atl1c, SegmentationPutsTheHeadersIntoADescriptorOfTheirOwn) {
    Atl1cBench b;
    ASSERT_EQ(b.start(), "");
    const SkbPtr skb = b.packet(166);
    skb->frags[0] = {b.host.memory().allocate(40'000), 40'000};
    skb->frag_count = 1;
    skb->length = 166 + 40'000;
    skb->l4 = L4::tcp;
    skb->transport_header_bytes = 32;
    skb->checksum_partial = true;
    skb->gso_size = 1448;
    skb->gso_segments = 28;
    std::uint8_t* ip = b.host.memory().at(skb->linear.address, 66) + 14;
    std::memset(ip, 0x11, 52);
    b.on_core([&](Core& c) { EXPECT_TRUE(b.driver.start_xmit(c, skb, 0, false)); });
    EXPECT_EQ(b.device.tpd(0)[0], 66U);
    EXPECT_EQ(b.device.tpd(0)[1], 0x16a11022U);
    EXPECT_EQ(b.device.tpd(1)[0], 100U);
    EXPECT_EQ(b.device.tpd(1)[1], 0x16a11022U);
    EXPECT_EQ(b.device.tpd(1)[2], skb->linear.address + 66);
    EXPECT_EQ(b.device.tpd(2)[0], 40'000U);
    EXPECT_EQ(b.device.tpd(2)[1], 0x96a11022U);
    EXPECT_EQ(ip[2] << 8 | ip[3], 0x1111) << "the length stays";
    EXPECT_EQ(ip[10] << 8 | ip[11], 0) << "IP checksum";
    // 0x1111 with the length of TCP header and payload taken out of the pseudo header sum
    std::uint32_t sum = 0x1111U + (~40'132U & 0xffffU) + 0xffffU;
    while (sum >> 16) sum = (sum & 0xffffU) + (sum >> 16);
    EXPECT_EQ(std::uint32_t{ip[36]} << 8 | ip[37], sum);
    EXPECT_EQ(b.doorbells(), Values{3});
}

TEST(Atl1c, SegmentationOfALinearPartOfHeadersOnlyTakesNoExtraDescriptor) {
    Atl1cBench b;
    ASSERT_EQ(b.start(), "");
    const SkbPtr skb = b.packet(66);
    skb->frags[0] = {b.host.memory().allocate(4000), 4000};
    skb->frag_count = 1;
    skb->length = 4066;
    skb->l4 = L4::tcp;
    skb->transport_header_bytes = 32;
    skb->checksum_partial = true;
    skb->gso_size = 1448;
    skb->gso_segments = 3;
    b.on_core([&](Core& c) { EXPECT_TRUE(b.driver.start_xmit(c, skb, 0, false)); });
    EXPECT_EQ(b.doorbells(), Values{2});
    EXPECT_EQ(b.device.tpd(1)[1] >> 31, 1U);
}

// ---------------------------------------------------------------- doorbells and stops

TEST(Atl1c, RingsTheDoorbellForEachPacketWhateverTheHint) {
    Atl1cBench b;
    ASSERT_EQ(b.start(), "");
    EXPECT_EQ(b.send(4, true), 4U);
    EXPECT_EQ(b.doorbells(), (Values{1, 2, 3, 4}));
}

TEST(Atl1c, BatchedRingsItWhenNoPacketFollows) {
    Atl1cConfig config;
    config.doorbell = Atl1cDoorbell::batched;
    Atl1cBench b(config);
    ASSERT_EQ(b.start(), "");
    EXPECT_EQ(b.send(4, true), 4U);
    EXPECT_EQ(b.doorbells(), Values{4});
    EXPECT_TRUE(b.driver.device().queue(0).bql.stopped()) << "the last packet looked at the limit";
}

TEST(Atl1c, AFullRingRefusesThePacketStopsTheQueueAndAnnouncesWhatWaits) {
    Atl1cConfig config;
    config.doorbell = Atl1cDoorbell::batched;
    config.tx_ring = 32;
    Atl1cBench b(config);
    ASSERT_EQ(b.start(), "");
    unsigned taken = 0;
    b.on_core([&](Core& c) {
        while (b.driver.start_xmit(c, b.packet(60), 0, true)) ++taken;
    });
    EXPECT_EQ(taken, 31U);
    EXPECT_TRUE(b.driver.device().queue(0).stopped_by_driver);
    EXPECT_EQ(b.doorbells(), Values{31});
    EXPECT_EQ(b.driver.tx_ring(0).refusals, 1U);
}

TEST(Atl1c, TheQueueIsNotStoppedBeforeAPacketDoesNotFit) {
    Atl1cConfig config;
    config.tx_ring = 32;
    Atl1cBench b(config);
    ASSERT_EQ(b.start(), "");
    EXPECT_EQ(b.send(31), 31U);
    EXPECT_FALSE(b.driver.device().queue(0).stopped_by_driver);
    EXPECT_EQ(b.send(1), 0U);
    EXPECT_TRUE(b.driver.device().queue(0).stopped_by_driver);
    EXPECT_EQ(b.doorbells().size(), 31U) << "with a doorbell each there is nothing to announce";
}

}  // namespace
}  // namespace nicsim::host
