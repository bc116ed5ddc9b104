// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "i210_bench.h"
#include "sim/kernel.h"

namespace nicsim::models::i210 {
namespace {

TEST(I210Identity, IsThatOfTheDatasheet) {
    const sim::DeviceIdentity id = i210_identity({});
    EXPECT_EQ(id.vendor_id, 0x8086);
    EXPECT_EQ(id.device_id, 0x1533);
    EXPECT_EQ(id.class_code, 0x020000U);
    ASSERT_EQ(id.bars.size(), 3U);
    EXPECT_EQ(id.bars[0].size, 128U * 1024);
    EXPECT_TRUE(id.bars[1].io);
    EXPECT_EQ(id.bars[1].size, 32U);
    EXPECT_EQ(id.bars[2].index, 3U);
    EXPECT_EQ(id.bars[2].size, 16U * 1024);
    EXPECT_EQ(id.msix_vectors, 5U);
    EXPECT_EQ(id.msix_bar, 3U);
    EXPECT_EQ(id.max_link_generation, 1U);
    EXPECT_EQ(id.max_link_width, 1U);
    EXPECT_EQ(id.posted_header_credits, 4U);
    EXPECT_EQ(id.nonposted_header_credits, 4U);
    EXPECT_EQ(id.nonposted_data_credits, 4U);
    EXPECT_EQ(id.max_read_request_limit, 2048U);
}

TEST(I210Identity, NamesTheFlashlessPart) {
    I210Config config;
    config.nvm = NvmKind::invm;
    EXPECT_EQ(i210_identity(config).device_id, 0x157B);
}

TEST(I210Identity, MakesItsSerialNumberOfTheAddress) {
    I210Config config;
    config.mac_address = "00:a0:c9:12:34:56";
    EXPECT_EQ(i210_identity(config).serial_number, 0x00A0C9FFFE123456U);
}

TEST(I210Config, RefusesWhatIsNoUnicastAddress) {
    I210Config config;
    for (const char* text : {"", "02:00:00:00:00", "02-00-00-00-00-01", "0g:00:00:00:00:01",
                             "01:00:5e:00:00:01", "02:00:00:00:00:011"}) {
        config.mac_address = text;
        EXPECT_THROW((void)config.mac_bytes(), std::invalid_argument) << text;
    }
}

TEST(I210Config, DeclaresEveryParameterWithSentenceAndSource) {
    const sim::ParamTable& table = I210Config::params();
    ASSERT_GE(table.size(), 9U);
    for (const sim::ParamDecl& decl : table) {
        EXPECT_FALSE(decl.sentence.empty()) << decl.name;
        EXPECT_FALSE(decl.source.text.empty()) << decl.name;
        EXPECT_EQ(check_value(decl, decl.default_value), "") << decl.name;
    }
}

TEST(I210, NeverWakesTheKernelWhileIdle) {
    Bench b;
    b.enable_msix(0x8000'0288);
    b.make_ring(0, 256, 0xC200'0402, 0x0004'0808);
    b.enable_receive();
    b.run(1_ms);
    const std::uint64_t before = sim::kernel_cost.wakeups;
    b.run(20_ms);
    EXPECT_EQ(sim::kernel_cost.wakeups - before, 0U);
}

TEST(I210, AnswersItsInputOutputWindow) {
    Bench b;
    b.bus.wr(0, reg::RAL, 2);
    EXPECT_EQ(b.bus.rd(4, 2), 0x0000'0002U);
    b.bus.wr(0, reg::LEDCTL, 2);
    b.bus.wr(4, 0x1234, 2);
    EXPECT_EQ(b.rd(reg::LEDCTL), 0x1234U);
}

TEST(I210, ListsTheRegistersThatItDoesNotHave) {
    Bench b;
    b.wr(0x1F000, 7);
    (void)b.rd(0x1F000);
    (void)b.rd(0x0F00);
    const auto list = b.nic.unmodelled();
    ASSERT_EQ(list.size(), 2U);
    EXPECT_EQ(list[0].offset, 0x0F00U);
    EXPECT_EQ(list[1].offset, 0x1F000U);
    EXPECT_EQ(list[1].reads, 1U);
    EXPECT_EQ(list[1].writes, 1U);
}

TEST(I210, RegistersStatisticsOfEveryUnit) {
    Bench b;
    sim::StatGroup group("nic");
    b.nic.register_stats(group);
    for (const char* path :
         {"registers.unmodelled", "rx.missed", "rx.dma", "rx.queue3.ring.fetches",
          "interrupts.vector4.interrupts", "rx.queue0.dropped_no_descriptor"})
        EXPECT_NE(group.find(path), nullptr) << path;
}

}  // namespace
}  // namespace nicsim::models::i210
