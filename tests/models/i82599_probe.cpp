// SPDX-License-Identifier: Apache-2.0
// What ixgbe reads and writes at probe, reset, up and down, in its order: every poll must end,
// every value must be one that it accepts, and no access may miss the model.
#include <gtest/gtest.h>

#include "sim/kernel.h"
#include "tests/models/i82599_bench.h"

namespace nicsim::models::i82599 {
namespace {

I82599Config with(Board board) {
    I82599Config config;
    config.board = board;
    return config;
}

std::uint16_t eeprom(Bench& b, unsigned word) {
    b.wr(reg::EERD, word << 2 | 1);
    const std::uint32_t value = b.rd(reg::EERD);
    EXPECT_NE(value & 2U, 0U) << word;
    return static_cast<std::uint16_t>(value >> 16);
}

void take_semaphore(Bench& b, std::uint32_t bit) {
    EXPECT_EQ(b.rd(reg::SWSM) & 1U, 0U);
    b.wr(reg::SWSM, b.rd(reg::SWSM) | 2U);
    EXPECT_NE(b.rd(reg::SWSM) & 2U, 0U);
    EXPECT_EQ(b.rd(reg::SW_FW_SYNC) & (bit | bit << 5), 0U);
    b.wr(reg::SW_FW_SYNC, b.rd(reg::SW_FW_SYNC) | bit);
    b.wr(reg::SWSM, b.rd(reg::SWSM) & ~3U);
}

void give_semaphore(Bench& b, std::uint32_t bit) {
    EXPECT_EQ(b.rd(reg::SWSM) & 1U, 0U);
    b.wr(reg::SWSM, b.rd(reg::SWSM) | 2U);
    b.wr(reg::SW_FW_SYNC, b.rd(reg::SW_FW_SYNC) & ~bit);
    b.wr(reg::SWSM, b.rd(reg::SWSM) & ~3U);
}

void reset_hardware(Bench& b) {
    b.wr(reg::RXCTRL, 0);
    b.wr(reg::EIMC, 0xFFFF'0000);
    for (unsigned i = 0; i < 2; ++i) b.wr(reg::EIMC_EX + 4 * i, 0xFFFF'FFFF);
    b.rd(reg::EICR);
    for (unsigned q = 0; q < max_queues; ++q) {
        b.wr(Bench::q(reg::TXDCTL, q), dctl::SWFLSH);
        const std::uint32_t high = q < 64 ? 0 : reg::rx_high - 64 * reg::queue_stride;
        b.wr(Bench::q(reg::RXDCTL, q) + high, dctl::SWFLSH);
    }
    b.wr(reg::CTRL, ctrl::GIO_DIS);
    EXPECT_EQ(b.rd(reg::STATUS) & status::GIO_MASTER_ENABLE, 0U);
    b.wr(reg::CTRL, b.rd(reg::CTRL) | ctrl::RST);
    b.run(1_us);
    EXPECT_EQ(b.rd(reg::CTRL) & (ctrl::RST | ctrl::LRST), 0U);
    EXPECT_EQ(b.rd(reg::STATUS) & status::GIO_MASTER_ENABLE, status::GIO_MASTER_ENABLE);
}

TEST(I82599Probe, IdentityIsThatOfTheBoard) {
    const auto id = i82599_identity(with(Board::kx4));
    EXPECT_EQ(id.vendor_id, 0x8086);
    EXPECT_EQ(id.device_id, 0x10F7);
    EXPECT_EQ(i82599_identity(with(Board::sfp)).device_id, 0x10FB);
    ASSERT_EQ(id.bars.size(), 3U);
    EXPECT_EQ(id.bars[0].size, 512U * 1024U);
    EXPECT_TRUE(id.bars[1].io);
    EXPECT_EQ(id.bars[2].index, 4U);
    EXPECT_EQ(id.msix_vectors, 64U);
    EXPECT_EQ(id.msix_bar, 4U);
    EXPECT_EQ(id.msix_pba_offset, 0x2000U);
    EXPECT_EQ(id.max_link_generation, 2U);
    EXPECT_EQ(id.max_link_width, 8U);
    EXPECT_EQ(id.tags, 32U);
}

TEST(I82599Probe, EepromWordsAddUpAndPointNowhere) {
    Bench b;
    EXPECT_EQ(b.rd(reg::EEC), 0x0400'2B00U);
    std::uint16_t sum = 0;
    for (unsigned i = 0; i <= 0x3F; ++i) sum = static_cast<std::uint16_t>(sum + eeprom(b, i));
    EXPECT_EQ(sum, 0xBABA);
    for (unsigned i = 0x03; i <= 0x0F; ++i) EXPECT_EQ(eeprom(b, i), 0xFFFF);
    EXPECT_EQ(eeprom(b, 0x28), 0xFFFF);
}

TEST(I82599Probe, TheSfpSectionListsTheModulesInit) {
    Bench b(with(Board::sfp));
    unsigned at = eeprom(b, 0x2B) + 1U;
    unsigned data = 0;
    for (; eeprom(b, at) != 0xFFFF; at += 2)
        if (eeprom(b, at) == 5) data = eeprom(b, at + 1);
    ASSERT_NE(data, 0U);
    unsigned words = 0;
    while (eeprom(b, ++data) != 0xFFFF) {
        b.wr(0x14F00, eeprom(b, data));
        ++words;
    }
    EXPECT_EQ(words, 1U);
}

TEST(I82599Probe, ResetLoadsTheAddressAgain) {
    I82599Config config = with(Board::kx4);
    config.mac_address = "02:11:22:33:44:55";
    Bench b(config);
    b.wr(reg::RAL_LEGACY, 0);
    reset_hardware(b);
    EXPECT_EQ(b.rd(reg::RAL_LEGACY), 0x3322'1102U);
    EXPECT_EQ(b.rd(reg::RAL_LEGACY + 4), 0x8000'5544U);
    EXPECT_EQ(b.rd(reg::RAL), 0x3322'1102U);
}

TEST(I82599Probe, NoPhyAnswersOnMdio) {
    Bench b;
    for (unsigned phy = 0; phy < 32; ++phy) {
        b.wr(reg::MSCA, 1U << 30 | phy << 21);
        EXPECT_EQ(b.rd(reg::MSCA) >> 30 & 1U, 0U);
        EXPECT_EQ(b.rd(reg::MSRWD) >> 16, 0xFFFFU);
    }
}

TEST(I82599Probe, LinkIsUpAt10G) {
    Bench b;
    EXPECT_EQ(b.rd(reg::LINKS), 0x7800'0080U);
    EXPECT_NE(b.rd(reg::ANLP1) & 0x000F'0000U, 0U);
    b.wr(reg::AUTOC, b.rd(reg::AUTOC) | autoc::AN_RESTART);
    EXPECT_EQ(b.rd(reg::AUTOC) & autoc::AN_RESTART, 0U);
    EXPECT_EQ(b.rd(reg::AUTOC) >> autoc::lms_shift & 7U, autoc::lms_10g_serial);
}

TEST(I82599Probe, ALinkThatTakesTimeComesUpAfterItAndSaysSo) {
    I82599Config config;
    config.link_time = 5'000 * sim::ps_per_us;
    Bench b(config);
    b.enable_msix();
    b.wr(reg::AUTOC, b.rd(reg::AUTOC) | autoc::AN_RESTART);
    EXPECT_EQ(b.rd(reg::LINKS) & links::UP, 0U);
    b.run(5'000 * sim::ps_per_us);
    EXPECT_EQ(b.rd(reg::LINKS) & links::UP, 0U);
    b.run(1_ps);
    EXPECT_EQ(b.rd(reg::LINKS) & links::UP, links::UP);
    EXPECT_EQ(b.bus.raised.back().vector, 1U);
}

// ---- the module behind I2CCTL, bit by bit ----

class I2c {
public:
    explicit I2c(Bench& b) : b_(b) {}

    void start() {
        drive(true, true);
        drive(true, false);
        drive(false, false);
    }
    void stop() {
        drive(false, false);
        drive(true, false);
        drive(true, true);
    }
    /// True if acknowledged.
    bool write(std::uint8_t byte) {
        for (int bit = 7; bit >= 0; --bit) clock_bit((byte >> bit & 1) != 0);
        drive(false, true);
        drive(true, true);
        const bool acknowledged = (b_.rd(reg::I2CCTL) & 4U) == 0;
        drive(false, true);
        return acknowledged;
    }
    std::uint8_t read(bool last) {
        std::uint8_t byte = 0;
        for (int bit = 7; bit >= 0; --bit) {
            drive(false, true);
            drive(true, true);
            byte = static_cast<std::uint8_t>(byte << 1 | (b_.rd(reg::I2CCTL) >> 2 & 1U));
            drive(false, true);
        }
        clock_bit(last);
        drive(false, true);
        return byte;
    }
    int random_read(std::uint8_t device, std::uint8_t offset) {
        start();
        if (!write(device) || !write(offset)) {
            stop();
            return -1;
        }
        start();
        if (!write(device | 1)) {
            stop();
            return -1;
        }
        const std::uint8_t byte = read(true);
        stop();
        return byte;
    }

private:
    void drive(bool clock, bool data) {
        b_.wr(reg::I2CCTL, (clock ? 2U : 0U) | (data ? 8U : 0U));
        EXPECT_EQ((b_.rd(reg::I2CCTL) & 1U) != 0, clock);
    }
    void clock_bit(bool bit) {
        drive(false, bit);
        drive(true, bit);
        drive(false, bit);
    }
    Bench& b_;
};

TEST(I82599Probe, TheModuleIsReadOverItsWires) {
    Bench b(with(Board::sfp));
    EXPECT_NE(b.rd(reg::ESDP) & esdp::SDP2, 0U);
    I2c i2c(b);
    EXPECT_EQ(i2c.random_read(0xA0, 0), 3);     // SFP
    EXPECT_EQ(i2c.random_read(0xA0, 3), 0x10);  // 10GBASE-SR
    EXPECT_EQ(i2c.random_read(0xA0, 6), 0);
    EXPECT_EQ(i2c.random_read(0xA0, 8), 0);
    EXPECT_EQ(i2c.random_read(0xA0, 0x25), 0x00);
    EXPECT_EQ(i2c.random_read(0xA0, 0x26), 0x1B);
    EXPECT_EQ(i2c.random_read(0xA0, 0x27), 0x21);
    EXPECT_EQ(i2c.random_read(0xB0, 0), -1);  // nobody there
    EXPECT_EQ(i2c.random_read(0xA0, 0), 3);   // and the bus is as before
}

TEST(I82599Probe, TheModuleReadsOnWhileItIsAcknowledged) {
    Bench b(with(Board::sfp));
    I2c i2c(b);
    i2c.start();
    ASSERT_TRUE(i2c.write(0xA0));
    ASSERT_TRUE(i2c.write(0x25));
    i2c.start();
    ASSERT_TRUE(i2c.write(0xA1));
    EXPECT_EQ(i2c.read(false), 0x00);
    EXPECT_EQ(i2c.read(false), 0x1B);
    EXPECT_EQ(i2c.read(true), 0x21);
    i2c.stop();
}

// ---- the whole sequence ----

void set_up(Bench& b) {
    b.wr(reg::RXPBSIZE, 0x80000);
    b.wr(reg::TXPBSIZE, 0x28000);
    b.wr(reg::TXPBTHRESH, 0x96);
    for (unsigned i = 1; i < 8; ++i) {
        b.wr(reg::RXPBSIZE + 4 * i, 0);
        b.wr(reg::TXPBSIZE + 4 * i, 0);
        b.wr(reg::TXPBTHRESH + 4 * i, 0);
    }
    b.wr(reg::SECRXCTRL, 2);
    EXPECT_NE(b.rd(reg::SECRXSTAT) & 1U, 0U);
    b.wr(reg::SECRXCTRL, 0);
    b.wr(reg::RTTDCS, rttdcs::ARBDIS);
    b.wr(reg::MTQC, 0);
    b.wr(reg::RTTDCS, 0);
    EXPECT_NE(b.rd(reg::RDRXCTL) & rdrxctl::DMAIDONE, 0U);
    b.wr(reg::MAXFRS, 0x05EE'0000);
    b.wr(reg::VLNCTRL, 0x8100);
    for (unsigned i = 0; i < 128; ++i) b.wr(reg::MTA + 4 * i, 0);
    for (unsigned i = 0; i < 128; ++i) b.wr(reg::VFTA + 4 * i, 0);
    b.wr(reg::FDIRCTRL, 1);
    EXPECT_NE(b.rd(reg::FDIRCTRL) & 8U, 0U);
    b.wr(reg::MRQC_LEGACY, 0x0033'0001);
    for (unsigned i = 0; i < 32; ++i) b.wr(reg::RETA_LEGACY + 4 * i, 0);
    for (unsigned i = 0; i < 10; ++i) b.wr(reg::RSSRK_LEGACY + 4 * i, i);
    b.wr(reg::FCCFG, 0);
    b.wr(reg::MFLCN, mflcn::DPF);
}

void read_statistics(Bench& b) {
    for (std::uint32_t at = 0x3FA0; at < 0x3FE0; at += 4) b.rd(at);
    for (const std::uint32_t at :
         {0x4000U, 0x4004U, 0x4008U, 0x4010U, 0x4034U, 0x4038U, 0x4040U, 0x405CU, 0x4060U,
          0x4064U, 0x4068U, 0x406CU, 0x4070U, 0x4074U, 0x4078U, 0x407CU, 0x4080U, 0x4088U,
          0x408CU, 0x4090U, 0x4094U, 0x40A4U, 0x40A8U, 0x40ACU, 0x40B0U, 0x40B4U, 0x40B8U,
          0x40C0U, 0x40C4U, 0x40D0U, 0x40D4U, 0x40D8U, 0x40F0U, 0x40F4U, 0x4120U, 0x41A4U,
          0x41A8U, 0x3F60U, 0x3F68U, 0xCF60U, 0xCF68U, 0xCF90U})
        b.rd(at);
    for (unsigned q = 0; q < 16; ++q) {
        b.rd(Bench::q(0x1030, q));
        b.rd(Bench::q(0x1034, q));
        b.rd(Bench::q(0x1430, q));
        b.rd(Bench::q(0x6030, q));
        b.rd(0x8700 + 8 * q);
        b.rd(0x8704 + 8 * q);
    }
}

void replay(Board board) {
    Bench b(with(board));
    take_semaphore(b, 1);
    for (unsigned i = 0; i <= 0x41; ++i) eeprom(b, i);
    give_semaphore(b, 1);
    EXPECT_EQ(b.rd(reg::FWSM) & 0x8000U, 0x8000U);
    reset_hardware(b);
    b.wr(reg::CTRL_EXT, 0x1000'0000);
    b.rd(reg::AUTOC);
    b.rd(reg::AUTOC + 8);
    for (unsigned q = 0; q < max_queues; ++q) {
        b.wr(0x4904, q);
        b.wr(0x4984, 0);
    }
    b.wr(0x5810, 0xFFFF'FFFF);
    b.rd(0x04218);
    b.rd(0x15F0C);
    EXPECT_EQ(b.rd(0x15F00) & 1U, 0U);  // no host interface: no driver version is sent
    set_up(b);
    b.enable_tx(0, 512);
    EXPECT_NE(b.rd(reg::TXDCTL) & dctl::ENABLE, 0U);
    const auto ring = b.enable_rx(0, 512);
    b.wr(reg::RXDCTL, 0x4200'0000);
    EXPECT_NE(b.rd(reg::RXDCTL) & dctl::ENABLE, 0U);
    b.give(0, ring, 0, 511);
    b.enable_msix();
    b.enable_receive();
    EXPECT_EQ(b.rd(reg::LINKS), 0x7800'0080U);
    for (unsigned i = 0; i < 5; ++i) b.post(0, Bench::ip_frame(100 + i));
    b.kick(0);
    b.send(Bench::ip_frame(100));
    b.run(20_us);
    EXPECT_EQ(b.bus.sent.size(), 5U);
    EXPECT_EQ(b.nic.rx().counts().delivered[0], 1U);
    read_statistics(b);
    b.wr(reg::RXDCTL, dctl::SWFLSH);
    EXPECT_EQ(b.rd(reg::RXDCTL) & dctl::ENABLE, 0U);
    reset_hardware(b);
    for (const auto& u : b.nic.unmodelled())
        ADD_FAILURE() << std::hex << u.offset << ": " << u.reads << " reads, " << u.writes
                      << " writes";
}

TEST(I82599Probe, ProbeUpTrafficAndDownOfABackplaneBoardTouchNothingUnknown) {
    replay(Board::kx4);
}

TEST(I82599Probe, ProbeUpTrafficAndDownOfAnSfpBoardTouchNothingUnknown) {
    replay(Board::sfp);
}

TEST(I82599Probe, BadAddressesAreRefusedWithWhatIsExpected) {
    I82599Config config;
    config.mac_address = "02:00:00";
    try {
        static_cast<void>(config.mac_bytes());
        FAIL();
    } catch (const std::invalid_argument& e) {
        EXPECT_NE(std::string(e.what()).find("six pairs"), std::string::npos);
    }
}

TEST(I82599Probe, EveryParameterHasItsSentenceAndSource) {
    for (const sim::ParamDecl& p : I82599Config::params()) {
        EXPECT_FALSE(p.sentence.empty()) << p.name;
        EXPECT_FALSE(p.source.text.empty()) << p.name;
        EXPECT_EQ(sim::check_value(p, p.default_value), "") << p.name;
    }
}

}  // namespace
}  // namespace nicsim::models::i82599
