// SPDX-License-Identifier: Apache-2.0
// What the Linux igb driver reads and writes from probe to up, in its order, with the answers that
// it needs (traced with an unmodified driver). Each test is one phase.
#include <gtest/gtest.h>

#include "i210_bench.h"

namespace nicsim::models::i210 {
namespace {

std::uint16_t mdio_read(Bench& b, unsigned address) {
    b.wr(reg::MDIC, address << 16 | 1U << 21 | 1U << 27);
    const std::uint32_t value = b.rd(reg::MDIC);
    EXPECT_NE(value & 1U << 28, 0U) << "ready at once";
    EXPECT_EQ(value & 1U << 30, 0U) << "no error";
    return static_cast<std::uint16_t>(value);
}
void mdio_write(Bench& b, unsigned address, std::uint16_t data) {
    b.wr(reg::MDIC, address << 16 | 1U << 21 | 1U << 26 | data);
    EXPECT_NE(b.rd(reg::MDIC) & 1U << 28, 0U);
}
std::uint16_t nvm_word(Bench& b, unsigned address) {
    b.wr(reg::EERD, address << 2 | 1);
    const std::uint32_t value = b.rd(reg::EERD);
    EXPECT_NE(value & 2U, 0U) << "done at once";
    return static_cast<std::uint16_t>(value >> 16);
}

TEST(I210Probe, GrantsTheSemaphoresToTheReadThatFindsThemFree) {
    Bench b;
    for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(b.rd(reg::SWSM) & 1U, 0U);
        const std::uint32_t swsm = b.rd(reg::SWSM);
        EXPECT_EQ(swsm & 1U, 1U) << "taken by the first read";
        b.wr(reg::SWSM, swsm | 2);
        EXPECT_EQ(b.rd(reg::SWSM) & 2U, 2U);
        EXPECT_EQ(b.rd(reg::SW_FW_SYNC), 0U);
        b.wr(reg::SW_FW_SYNC, 1);
        b.wr(reg::SWSM, 0);
        EXPECT_EQ(b.rd(reg::SW_FW_SYNC), 1U);
        b.wr(reg::SW_FW_SYNC, 0);
    }
    b.wr(reg::SW_FW_SYNC, 0xFFFF'0002);
    EXPECT_EQ(b.rd(reg::SW_FW_SYNC), 2U) << "the firmware's half stays 0";
    EXPECT_EQ(b.rd(reg::FWSM), 0U);
    EXPECT_EQ(b.rd(reg::MANC), 0U);
}

TEST(I210Probe, ReadsAnNvmWithAGoodChecksum) {
    I210Config config;
    config.mac_address = "00:a0:c9:12:34:56";
    Bench b(config);
    EXPECT_EQ(b.rd(reg::EECD), 0x0408'2B00U);
    std::uint16_t sum = 0;
    for (unsigned i = 0; i < 0x40; ++i) sum = static_cast<std::uint16_t>(sum + nvm_word(b, i));
    EXPECT_EQ(sum, 0xBABA);
    EXPECT_EQ(nvm_word(b, 0), 0xA000);
    EXPECT_EQ(nvm_word(b, 2), 0x5634);
    (void)nvm_word(b, 0x43);
}

TEST(I210Probe, ReadsTheAddressFromTheDieWithoutFlash) {
    I210Config config;
    config.nvm = NvmKind::invm;
    config.mac_address = "00:a0:c9:12:34:56";
    Bench b(config);
    EXPECT_EQ(b.rd(reg::EECD) & 1U << 19, 0U) << "no flash";
    EXPECT_EQ(b.rd(reg::INVM_DATA), 0xA000'0001U);
    EXPECT_EQ(b.rd(reg::INVM_DATA + 4), 0x12C9'0201U);
    EXPECT_EQ(b.rd(reg::INVM_DATA + 8), 0x5634'0401U);
    for (unsigned i = 3; i < 64; ++i) EXPECT_EQ(b.rd(reg::INVM_DATA + 4 * i), 0U);
    mdio_write(b, 22, 0xFC);
    EXPECT_NE(mdio_read(b, 14), 0xFF) << "PLL is locked";
    b.wr(reg::MDICNFG, 0x1234);
    EXPECT_EQ(b.rd(reg::MDICNFG), 0x1234U);
    EXPECT_TRUE(b.nic.unmodelled().empty());
}

TEST(I210Probe, ComesOutOfResetWithItsAddressAndItsLink) {
    I210Config config;
    config.mac_address = "00:a0:c9:12:34:56";
    Bench b(config);
    b.wr(reg::CTRL, b.rd(reg::CTRL) | ctrl::GIO_MASTER_DISABLE);
    EXPECT_EQ(b.rd(reg::STATUS) & status::GIO_MASTER_ENABLE, 0U);
    for (const std::uint32_t bit : {ctrl::RST, ctrl::DEV_RST}) {
        b.wr(reg::RAL, 0);
        b.wr(reg::RAH, 0);
        b.wr(reg::EIMS, 0x1F);
        b.wr(reg::CTRL, b.rd(reg::CTRL) | bit);
        EXPECT_EQ(b.rd(reg::CTRL) & (ctrl::RST | ctrl::DEV_RST | ctrl::PHY_RST), 0U);
        EXPECT_EQ(b.rd(reg::STATUS), 0x0028'0083U);
        EXPECT_EQ(b.rd(reg::RAL), 0x12C9'A000U);
        EXPECT_EQ(b.rd(reg::RAH), 0x8000'5634U);
        EXPECT_EQ(b.rd(reg::EIMS), 0U);
    }
    b.wr(reg::STATUS, 0x0010'0000);
    EXPECT_EQ(b.rd(reg::STATUS), 0x0028'0083U);
    EXPECT_EQ(b.rd(reg::CTRL_EXT) & 0x00C0'0000U, 0U) << "copper";
    b.wr(reg::CTRL_EXT, b.rd(reg::CTRL_EXT) | ctrl_ext::DRV_LOAD);
    EXPECT_NE(b.rd(reg::CTRL_EXT) & ctrl_ext::DRV_LOAD, 0U);
    EXPECT_NE(b.rd(reg::EEMNGCTL) & 1U << 18, 0U) << "configuration is done";
}

TEST(I210Probe, FindsItsPhyAndNegotiates) {
    Bench b;
    EXPECT_EQ(mdio_read(b, 2), 0x0141);
    EXPECT_EQ(mdio_read(b, 3), 0x0C00);
    b.wr(reg::CTRL, b.rd(reg::CTRL) | ctrl::PHY_RST);
    b.wr(reg::CTRL, b.rd(reg::CTRL) & ~ctrl::PHY_RST);
    mdio_write(b, 22, 0);
    mdio_write(b, 0, 0x9140);
    EXPECT_EQ(mdio_read(b, 0), 0x1140);
    mdio_write(b, 4, 0x0DE1);
    mdio_write(b, 9, 0x0200);
    mdio_write(b, 0, 0x1340);
    EXPECT_EQ(mdio_read(b, 1), 0x796D);
    EXPECT_EQ(mdio_read(b, 5), 0xCDE1);
    EXPECT_EQ(mdio_read(b, 10), 0x7C00);
    EXPECT_EQ(mdio_read(b, 17), 0xAC48);
    mdio_write(b, 22, 7);
    for (const unsigned r : {16U, 17U, 18U, 19U, 21U}) EXPECT_EQ(mdio_read(b, r), 0);
}

TEST(I210Probe, NeedsNoRegisterThatIsNotModelled) {
    Bench b;
    for (const std::uint32_t memory :
         {reg::EEER, reg::EEE_SU, reg::IPCNFG, reg::PHPM, reg::PCIEMISC, reg::LEDCTL, reg::WUC}) {
        EXPECT_EQ(b.rd(memory), 0U);
        b.wr(memory, 0x11);
        EXPECT_EQ(b.rd(memory), 0x11U);
    }
    for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(b.rd(0x5AD0 + 4 * i), 0U);
    for (const std::uint32_t written :
         {reg::FCAL, reg::FCAH, reg::FCT, reg::FCTTV, reg::FCRTL, reg::FCRTH, reg::VET})
        b.wr(written, 0);
    for (unsigned i = 0; i < 128; ++i) {
        b.wr(reg::MTA + 4 * i, 0);
        b.wr(reg::UTA + 4 * i, 0);
        b.wr(reg::VFTA + 4 * i, 0);
    }
    for (unsigned i = 1; i < 16; ++i) {
        b.wr(reg::RAL + 8 * i, 0);
        b.wr(reg::RAH + 8 * i, 0);
    }
    b.wr(reg::TSAUXC, 0);
    b.wr(reg::TSSDP, 0);
    b.wr(reg::TSIM, 2);
    b.wr(reg::TSYNCTXCTL, 0);
    b.wr(reg::TSYNCRXCTL, 0);
    for (unsigned i = 0; i < 8; ++i) b.wr(reg::ETQF + 4 * i, 0);
    b.wr(0x59EC, 0);
    EXPECT_EQ(b.rd(reg::TSICR), 0U);
    b.wr(reg::RXPBSIZE, 0xA2);
    b.wr(reg::TXPBSIZE, 0x0400'0014);
    b.wr(reg::DTXMXPKTSZ, 0x98);
    b.wr(reg::TQAVCTRL, 0);
    b.wr(reg::TCTL, 0x0103'F0FA);
    b.wr(reg::RLPML, 0x5FE);
    b.wr(reg::RXCSUM, 0x2800 | b.rd(reg::RXCSUM));
    b.wr(reg::RFCTL, 0x10000);
    b.wr(reg::MRQC, 0x0037'0002);
    b.wr(reg::RCTL, 0x0404'8022);
    EXPECT_TRUE(b.nic.unmodelled().empty())
        << "first: 0x" << std::hex << b.nic.unmodelled().front().offset;
}

TEST(I210Probe, SetsItsClockByTheWriteOfSeconds) {
    Bench b;
    b.run(1_ms);
    b.wr(reg::SYSTIML, 123'456'784);
    b.wr(reg::SYSTIMH, 42);
    b.run(16_ns);
    (void)b.rd(reg::SYSTIMR);
    b.run(1_us);
    EXPECT_EQ(b.rd(reg::SYSTIML), 123'456'800U) << "latched by SYSTIMR";
    EXPECT_EQ(b.rd(reg::SYSTIMH), 42U);
}

TEST(I210Probe, BringsUpFourQueuePairsOnFiveVectors) {
    Bench b;
    b.wr(reg::GPIE, 0xC000'0011);
    b.wr(reg::IVAR0, 0x8282'8181);
    b.wr(reg::IVAR0 + 4, 0x8484'8383);
    b.wr(reg::IVAR_MISC, 0x8000);
    for (unsigned v = 0; v < vectors; ++v) b.wr(reg::EITR + 4 * v, 0x8000'0288);
    // The driver uses the old places of the ring registers.
    for (unsigned q = 0; q < queues; ++q) {
        const std::uint64_t rx = b.bus.allocate(4096);
        const std::uint64_t tx = b.bus.allocate(4096);
        const std::uint32_t r = reg::rx_alias + reg::alias_stride * q;
        const std::uint32_t t = reg::tx_alias + reg::alias_stride * q;
        b.wr(r + 0x28, 0);
        b.wr(r + 0x00, static_cast<std::uint32_t>(rx));
        b.wr(r + 0x04, 0);
        b.wr(r + 0x08, 0x1000);
        b.wr(r + 0x10, 0);
        b.wr(r + 0x18, 0);
        b.wr(r + 0x0C, 0xC200'0402);
        b.wr(r + 0x28, 0x0204'0808);
        EXPECT_EQ(b.rd(r + 0x28), 0x0204'0808U);
        b.wr(t + 0x28, 0);
        b.wr(t + 0x00, static_cast<std::uint32_t>(tx));
        b.wr(t + 0x04, 0);
        b.wr(t + 0x08, 0x1000);
        b.wr(t + 0x10, 0);
        b.wr(t + 0x18, 0);
        b.wr(t + 0x28, 0x0210'0108);
        EXPECT_EQ(b.rd(t + 0x28), 0x0210'0108U);
    }
    b.wr(reg::EIAC, 0x1F);
    b.wr(reg::EIAM, 0x1F);
    (void)b.rd(reg::ICR);
    b.wr(reg::EIMS, 0x1F);
    b.wr(reg::IMS, 0x5000'0004);
    b.wr(reg::EICS, 0x1E);
    b.run(1_us);
    ASSERT_EQ(b.bus.raised.size(), 4U) << "all queue vectors fire";
    for (unsigned v = 1; v < vectors; ++v) EXPECT_EQ(b.raised_by(v).size(), 1U) << v;
    EXPECT_TRUE(b.nic.unmodelled().empty());
}

TEST(I210Probe, ReportsALinkChangeOnTheOtherVector) {
    Bench b;
    b.enable_msix();
    b.wr(reg::IMS, icr::LSC);
    b.nic.ethernet_in->link_changed(false);
    b.run(1_us);
    ASSERT_EQ(b.bus.raised.size(), 1U);
    EXPECT_EQ(b.bus.raised[0].vector, 0U);
    EXPECT_EQ(b.rd(reg::STATUS) & status::LU, 0U);
    EXPECT_EQ(b.rd(reg::ICR), icr::LSC | icr::INT_ASSERTED);
    EXPECT_EQ(b.rd(reg::ICR), 0U);
    EXPECT_EQ(mdio_read(b, 1) & 4U, 0U);
    b.wr(reg::EIMS, 1);
    b.nic.ethernet_in->link_changed(true);
    EXPECT_NE(b.rd(reg::STATUS) & status::LU, 0U);
    b.clocks();
    EXPECT_EQ(b.bus.raised.size(), 2U);
}

}  // namespace
}  // namespace nicsim::models::i210
