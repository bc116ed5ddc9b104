// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "i210_bench.h"
#include "models/i210/statistics.h"

namespace nicsim::models::i210 {
namespace {

struct CountsBench {
    RegisterFile file{register_bar_bytes};
    TxCounts tx;
    RxCounts rx;
    Statistics statistics{file, tx, rx};
};

constexpr std::uint32_t MPC = 0x4010, GPRC = 0x4074, GPTC = 0x4080, GOTCL = 0x4090, GOTCH = 0x4094;

TEST(I210Statistics, AreClearedByTheirRead) {
    CountsBench b;
    b.tx.packets = 5;
    EXPECT_EQ(b.file.peek(GPTC), 0U) << "a debugger disturbs nothing";
    EXPECT_EQ(b.file.read(GPTC), 5U);
    EXPECT_EQ(b.file.read(GPTC), 0U);
    b.tx.packets = 7;
    EXPECT_EQ(b.file.read(GPTC), 2U);
}

TEST(I210Statistics, OfOneSourceAreClearedApart) {
    CountsBench b;
    b.tx.packets = 5;
    EXPECT_EQ(b.file.read(GPTC), 5U);
    EXPECT_EQ(b.file.read(0x40D4), 5U) << "TPT";
}

TEST(I210Statistics, OfOctetsAreClearedByTheReadOfTheHighHalf) {
    CountsBench b;
    b.tx.octets = 0x3'0000'0010;
    EXPECT_EQ(b.file.read(GOTCL), 0x10U);
    EXPECT_EQ(b.file.read(GOTCL), 0x10U);
    EXPECT_EQ(b.file.read(GOTCH), 3U);
    EXPECT_EQ(b.file.read(GOTCL), 0U);
    EXPECT_EQ(b.file.read(GOTCH), 0U);
}

TEST(I210Statistics, StickAtAllOnes) {
    CountsBench b;
    b.rx.missed = 0x1'0000'0005;
    EXPECT_EQ(b.file.read(MPC), 0xFFFF'FFFFU);
    EXPECT_EQ(b.file.read(MPC), 0U);
}

TEST(I210Statistics, StartAgainAfterAReset) {
    CountsBench b;
    b.rx.good_packets = 9;
    b.statistics.reset();
    EXPECT_EQ(b.file.read(GPRC), 0U);
}

TEST(I210Statistics, AnswerTheWholeBlockThatADriverReads) {
    Bench b;
    for (std::uint32_t offset = 0x4000; offset <= 0x4138; offset += 4) (void)b.rd(offset);
    for (const auto& access : b.nic.unmodelled())
        EXPECT_TRUE(access.offset == 0x4024 || access.offset == 0x402C || access.offset == 0x4044 ||
                    access.offset == 0x4084 || access.offset == 0x4098 || access.offset == 0x409C ||
                    access.offset == 0x4114)
            << std::hex << access.offset << " is no hole of the datasheet";
}

TEST(I210Statistics, CountReceivedFramesBySizeAndKind) {
    Bench b;
    const auto ring = b.make_ring(0, 64, 0x0200'0002, 0x108);
    b.give(0, ring, 0, 60);
    b.enable_receive(rctl::MPE);
    for (const std::uint32_t length : {60U, 61U, 123U, 124U, 251U, 252U, 507U, 508U, 1019U, 1020U})
        b.send(Bench::udp_frame(length));
    auto group = Bench::udp_frame(60);
    group[0] = 0x01;
    b.send(group);
    std::fill_n(group.begin(), 6, 0xFF);
    b.send(group);
    b.send(Bench::udp_frame(60), false);
    b.run(200_us);
    EXPECT_EQ(b.rd(0x405C), 3U) << "64 bytes with FCS";
    EXPECT_EQ(b.rd(0x4060), 2U) << "65-127";
    EXPECT_EQ(b.rd(0x4064), 2U);
    EXPECT_EQ(b.rd(0x4068), 2U);
    EXPECT_EQ(b.rd(0x406C), 2U);
    EXPECT_EQ(b.rd(0x4070), 1U);
    EXPECT_EQ(b.rd(GPRC), 12U);
    EXPECT_EQ(b.rd(0x4078), 1U) << "BPRC";
    EXPECT_EQ(b.rd(0x407C), 1U) << "MPRC";
    EXPECT_EQ(b.rd(0x4000), 1U) << "CRCERRS";
    EXPECT_EQ(b.rd(0x40D0), 13U) << "TPR";
    const std::uint32_t octets =
        60 + 61 + 123 + 124 + 251 + 252 + 507 + 508 + 1019 + 1020 + 120 + 12 * 4;
    EXPECT_EQ(b.rd(0x4088), octets);
    EXPECT_EQ(b.rd(reg::PQGPRC), 12U);
}

}  // namespace
}  // namespace nicsim::models::i210
