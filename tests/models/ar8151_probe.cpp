// SPDX-License-Identifier: Apache-2.0
// What an operating system's driver reads and writes at probe, up and down, in the values that an
// unmodified atl1c was seen to use.
#include <gtest/gtest.h>

#include "tests/models/ar8151_bench.h"

namespace nicsim::models::ar8151 {
namespace {

class ProbeBench : public Bench {
public:
    using Bench::Bench;
    std::uint16_t mdio_read(unsigned address) {
        wr(reg::MDIO_CTRL, 0x02A0'0000U | address << mdio::register_shift);
        return mdio_done();
    }
    void mdio_write(unsigned address, std::uint16_t value) {
        wr(reg::MDIO_CTRL, 0x0280'0000U | address << mdio::register_shift | value);
        mdio_done();
    }
    std::uint16_t extended_read(unsigned device, unsigned address) {
        wr(reg::MDIO_EXTN, device << 16 | address);
        wr(reg::MDIO_CTRL, 0x42A0'0000U);
        return mdio_done();
    }
    void extended_write(unsigned device, unsigned address, std::uint16_t value) {
        wr(reg::MDIO_EXTN, device << 16 | address);
        wr(reg::MDIO_CTRL, 0x4280'0000U | value);
        mdio_done();
    }

private:
    std::uint16_t mdio_done() {
        const std::uint32_t value = rd(reg::MDIO_CTRL);
        EXPECT_EQ(value & (mdio::START | mdio::BUSY), 0U) << "done at the first look";
        return static_cast<std::uint16_t>(value);
    }
};

TEST(Ar8151Probe, ItIsNoMikrotikCard) {
    ProbeBench b;
    EXPECT_NE(b.rd(reg::MT_MAGIC), mt_magic);
    EXPECT_TRUE(b.nic.unmodelled().empty()) << "every probe looks there";
    const sim::DeviceIdentity& id = b.nic.identity();
    EXPECT_EQ(id.vendor_id, 0x1969);
    EXPECT_EQ(id.device_id, 0x1083);
    EXPECT_EQ(id.revision, 0xC0);
    EXPECT_TRUE(id.msi);
    EXPECT_EQ(id.msix_vectors, 0U);
    EXPECT_EQ(id.max_link_generation, 1U);
    EXPECT_EQ(id.max_link_width, 1U);
    EXPECT_EQ(b.rd(0x0008) & 0xFFU, 0xC0U);
}

TEST(Ar8151Probe, PlainRegistersKeepWhatIsWrittenAndAreKnown) {
    ProbeBench b;
    for (const std::uint32_t offset : {0x0068U, 0x0004U, 0x12FCU, 0x14A0U, 0x1440U, 0x12F8U,
                                       0x140CU, 0x1424U, 0x15C4U, 0x1594U, 0x1598U}) {
        b.wr(offset, 0x1234);
        EXPECT_EQ(b.rd(offset), 0x1234U) << std::hex << offset;
    }
    EXPECT_EQ(b.rd(reg::TWSI_DEBUG), 0U) << "there is no EEPROM";
    b.wr(reg::TWSI_CTRL, 1U << 11);
    EXPECT_EQ(b.rd(reg::TWSI_CTRL), 0U) << "a reload is over at once";
    EXPECT_TRUE(b.nic.unmodelled().empty());
}

TEST(Ar8151Probe, TheSoftResetClearsItselfAndEverythingIsIdle) {
    ProbeBench b;
    EXPECT_EQ(b.rd(reg::MASTER_CTRL), 0U);
    b.wr(reg::MASTER_CTRL, 0x60 | master::SOFT_RST);
    EXPECT_EQ(b.rd(reg::MASTER_CTRL), 0x60U);
    EXPECT_EQ(b.rd(reg::IDLE_STATUS) & 0xFU, 0U);
    EXPECT_EQ(b.counter("resets"), 1U);
}

TEST(Ar8151Probe, TheAddressStandsInTwoWordsAndSurvivesTheReset) {
    Ar8151Config config;
    config.mac_address = "00:0b:6a:f6:00:01";
    ProbeBench b(config);
    EXPECT_EQ(b.rd(reg::MAC_STA_ADDR), 0x6AF6'0001U);
    EXPECT_EQ(b.rd(reg::MAC_STA_ADDR + 4), 0x0000'000BU);
    b.wr(reg::MASTER_CTRL, master::SOFT_RST);
    EXPECT_EQ(b.rd(reg::MAC_STA_ADDR), 0x6AF6'0001U);
    EXPECT_EQ(b.rd(reg::MAC_STA_ADDR + 4), 0x0000'000BU);
}

TEST(Ar8151Probe, ThePhyAnswersByMdio) {
    ProbeBench b;
    EXPECT_EQ(b.mdio_read(2), 0x004D);
    b.mdio_write(4, 0x0DE0);
    EXPECT_EQ(b.mdio_read(4), 0x0DE0);
    b.mdio_write(phy::DBG_ADDR, 0x29);
    b.mdio_write(phy::DBG_DATA, 0x36DC);
    b.mdio_write(phy::DBG_ADDR, 0x05);
    EXPECT_EQ(b.mdio_read(phy::DBG_DATA), 0);
    b.mdio_write(phy::DBG_ADDR, 0x29);
    EXPECT_EQ(b.mdio_read(phy::DBG_DATA), 0x36DC);
    b.extended_write(3, 0x8003, 0x4D19);
    EXPECT_EQ(b.extended_read(3, 0x8003), 0x4D19);
    EXPECT_EQ(b.extended_read(7, 0x3C), 0);
    b.mdio_write(0, 0x9200);
    EXPECT_EQ(b.mdio_read(0) & 0x8200, 0) << "reset and restart clear themselves";
    EXPECT_NE(b.mdio_read(1) & 0x0004, 0) << "link";
    const std::uint16_t status = b.mdio_read(17);
    EXPECT_EQ(status & 0xE800, 0xA800) << "1000 Mbit/s, full duplex, resolved";
}

TEST(Ar8151Probe, ALossOfCarrierIsReportedByThePhyInterrupt) {
    ProbeBench b;
    b.up();
    b.mdio_write(phy::IER, phy::link_up | phy::link_down);
    b.nic.ethernet_in->link_changed(false);
    EXPECT_EQ(b.bus.raised.size(), 1U);
    EXPECT_EQ(b.handle(), isr::GPHY);
    EXPECT_EQ(b.mdio_read(phy::ISR), phy::link_down);
    EXPECT_EQ(b.mdio_read(phy::ISR), 0) << "cleared by its read";
    b.mdio_read(1);
    EXPECT_EQ(b.mdio_read(1) & 0x0004, 0);
    b.post(0, Bench::ip_frame(60));
    b.kick(0);
    b.send(Bench::ip_frame(60));
    b.run(50_us);
    EXPECT_TRUE(b.bus.sent.empty());
    EXPECT_EQ(b.nic.rx().counts().total_packets, 0U);
    b.nic.ethernet_in->link_changed(true);
    b.run(50_us);
    EXPECT_EQ(b.handle() & isr::GPHY, isr::GPHY);
    EXPECT_EQ(b.bus.sent.size(), 1U);
}

TEST(Ar8151Probe, UpWritesAreKept) {
    ProbeBench b;
    b.up();
    EXPECT_EQ(b.rd(reg::MASTER_CTRL), 0xCE0U);
    EXPECT_EQ(b.rd(reg::IRQ_MODRT_TIMER_INIT), 0x00C8'03E8U);
    EXPECT_EQ(b.rd(reg::TPD_RING_SIZE), 0x400U);
    EXPECT_EQ(b.rd(reg::RFD_RING_SIZE), 0x200U);
    EXPECT_EQ(b.rd(reg::MB_RFD0_PROD_IDX), 0x1FFU);
    EXPECT_EQ(b.rd(reg::LOAD_PTR), 0U) << "clears itself";
    EXPECT_EQ(b.rd(reg::DMA_CTRL), 0x47C24U);
    EXPECT_EQ(b.rd(reg::MAC_CTRL), 0x7420'5CEFU);
    EXPECT_EQ(b.rd(reg::IMR), 0x0401'F71CU);
    EXPECT_EQ(b.rd(reg::SRAM_TXF_LEN), 8192U / 8);
    EXPECT_EQ(b.rd(reg::SRAM_RXF_LEN), 16384U / 8);
    EXPECT_TRUE(b.nic.unmodelled().empty());
}

TEST(Ar8151Probe, AResetAfterALostLinkStillLetsTheNextLinkInterrupt) {
    ProbeBench b;
    b.up();
    b.mdio_write(phy::IER, phy::link_up | phy::link_down);
    b.nic.ethernet_in->link_changed(false);
    b.handle();
    b.wr(reg::MASTER_CTRL, Bench::atl1c_master | master::SOFT_RST);
    EXPECT_EQ(b.rd(reg::IMR), Bench::atl1c_imr);
    EXPECT_EQ(b.rd(reg::ISR), 0U);
    b.nic.ethernet_in->link_changed(true);
    EXPECT_EQ(b.bus.raised.size(), 2U);
}

TEST(Ar8151Probe, BuffersMayBeGivenBeforeThePointersAreLoaded) {
    ProbeBench b;
    b.up();
    b.wr(reg::LOAD_PTR, 1);  // again, behind the producer index
    b.send(Bench::ip_frame(60));
    b.run(20_us);
    EXPECT_EQ(b.harvest(0), 1U);
}

TEST(Ar8151Probe, AllStatisticsRegistersAreThere) {
    ProbeBench b;
    for (std::uint32_t offset = 0x1700; offset <= 0x17C0; offset += 4)
        EXPECT_EQ(b.rd(offset), 0U) << std::hex << offset;
    EXPECT_TRUE(b.nic.unmodelled().empty());
}

TEST(Ar8151Probe, DownAndUpAgainLeavesNothingBehind) {
    ProbeBench b;
    for (unsigned round = 0; round < 3; ++round) {
        b.up();
        for (unsigned i = 0; i < 100; ++i) b.post(0, Bench::ip_frame(1514));
        b.kick(0);
        for (unsigned i = 0; i < 20; ++i) b.send(Bench::ip_frame(300));
        b.run(50_us);  // in the middle of it
        b.wr(reg::IMR, 0);
        b.wr(reg::ISR, isr::DIS_INT);
        b.wr(reg::RXQ_CTRL, b.rd(reg::RXQ_CTRL) & ~rxq::EN);
        b.wr(reg::TXQ_CTRL, b.rd(reg::TXQ_CTRL) & ~txq::EN);
        b.wr(reg::MAC_CTRL, b.rd(reg::MAC_CTRL) & ~(mac::TX_EN | mac::RX_EN));
        b.wr(reg::MASTER_CTRL, 0xCE1);
        b.run(10_ms);
        EXPECT_EQ(b.rd(reg::IDLE_STATUS) & 0xFU, 0U);
        EXPECT_EQ(b.rd16(reg::TPD_PRI0_CIDX), 0U);
        EXPECT_EQ(b.rd(reg::MAC_CTRL), 0U);
    }
    b.up();
    b.bus.sent.clear();
    for (unsigned i = 0; i < 10; ++i) b.post(0, Bench::ip_frame(200));
    b.kick(0);
    b.send(Bench::ip_frame(300));
    b.run(200_us);
    EXPECT_EQ(b.bus.sent.size(), 10U);
    EXPECT_EQ(b.harvest(0), 1U);
    const RxCounts& counts = b.nic.rx().counts();
    EXPECT_EQ(counts.total_packets, counts.accounted());
}

TEST(Ar8151Probe, UnknownPlacesAreAnsweredAndCounted) {
    ProbeBench b;
    b.wr(0x1950, 7);
    EXPECT_EQ(b.rd(0x1950), 7U);
    ASSERT_EQ(b.nic.unmodelled().size(), 1U);
    EXPECT_EQ(b.nic.unmodelled()[0].offset, 0x1950U);
    EXPECT_EQ(b.counter("registers.unmodelled"), 2U);
}

TEST(MikrotikProbe, MagicModeSpeedAndVersion) {
    MikrotikConfig config;
    config.link_speed = 25'000'000'000;
    ProbeBench b(config);
    EXPECT_EQ(b.rd(reg::MT_MAGIC), 0xAABB'1234U);
    EXPECT_EQ(b.rd(reg::MT_MODE), 0U) << "one queue";
    b.wr(reg::MT_MODE, 1);
    EXPECT_EQ(b.rd(reg::MT_MODE), 0U) << "which cannot be changed";
    EXPECT_EQ(b.rd(reg::MT_SPEED), 25'000U);
    EXPECT_NE(b.rd(reg::MT_VERSION), 0U);
    EXPECT_EQ(b.nic.identity().vendor_id, 0x1969);
    EXPECT_EQ(b.nic.identity().device_id, 0x1083);
    EXPECT_EQ(b.nic.identity().max_link_generation, 3U);
    b.nic.ethernet_in->link_changed(false);
    EXPECT_EQ(b.rd(reg::MT_SPEED), 0U);
    EXPECT_TRUE(b.nic.unmodelled().empty());
}

}  // namespace
}  // namespace nicsim::models::ar8151
