// SPDX-License-Identifier: Apache-2.0
#include "pcie/msix.h"

#include "bench.h"

namespace nicsim::pcie::test {
namespace {

TEST(MsixTable, StartsMaskedAndKeepsWhatSoftwareWrites) {
    MsixTable t(3);
    EXPECT_EQ(t.read_table(16 + 12), 1U);
    t.write_table(16, 0xfee0'1003, 0xf);
    t.write_table(16 + 4, 7, 0xf);
    t.write_table(16 + 8, 0x55, 0xf);
    t.write_table(16 + 12, 0xffff'fffe, 0xf);
    EXPECT_EQ(t.read_table(16), 0xfee0'1000U) << "the two low bits are 0";
    EXPECT_EQ(t.read_table(16 + 4), 7U);
    EXPECT_EQ(t.read_table(16 + 12), 0U);
    t.write_table(16 + 8, 0xaa00, 0x2);
    EXPECT_EQ(t.read_table(16 + 8), 0xaa55U) << "bytes by their enables";
    const auto m = t.raise(1);
    ASSERT_TRUE(m.has_value());
    EXPECT_EQ(m->address, 0x7'fee0'1000U);
    EXPECT_EQ(m->data, 0xaa55U);
}

TEST(MsixTable, AMaskedVectorPendsOnceAndComesWithTheUnmask) {
    MsixTable t(40);
    EXPECT_FALSE(t.raise(35).has_value());
    EXPECT_FALSE(t.raise(35).has_value());
    EXPECT_EQ(t.read_pba(0), 0U);
    EXPECT_EQ(t.read_pba(4), 1U << 3U);
    EXPECT_FALSE(t.take_unmasked().has_value());
    t.write_table(35 * 16 + 12, 0, 0xf);
    EXPECT_TRUE(t.take_unmasked().has_value());
    EXPECT_FALSE(t.take_unmasked().has_value());
    EXPECT_EQ(t.read_pba(4), 0U);
}

TEST(MsixTable, TheFunctionMaskHoldsEveryVectorBack) {
    MsixTable t(2);
    t.write_table(12, 0, 0xf);
    t.set_function_mask(true);
    EXPECT_FALSE(t.raise(0).has_value());
    EXPECT_FALSE(t.take_unmasked().has_value());
    t.set_function_mask(false);
    EXPECT_TRUE(t.take_unmasked().has_value());
}

TEST(MsixTable, AResetMasksAndForgets) {
    MsixTable t(1);
    t.raise(0);
    t.reset();
    t.write_table(12, 0, 0xf);
    EXPECT_FALSE(t.take_unmasked().has_value());
}

TEST(Msix, SoftwareMasksAVectorAndFindsItPendingInTheDevice) {
    System s;
    s.enumerate();
    s.rc.mmio_write(bar3_base + 2 * 16 + 12, 4, 1);
    s.mmio_read(bar3_base + 2 * 16 + 12, 4);
    s.device.interrupts->raise(2);
    System::run(5_us);
    EXPECT_TRUE(s.interrupts.all.empty());
    EXPECT_EQ(s.mmio_read(bar3_base + 0x2000, 4), 4U);
    s.rc.mmio_write(bar3_base + 2 * 16 + 12, 4, 0);
    System::run(5_us);
    ASSERT_EQ(s.interrupts.all.size(), 1U);
    EXPECT_EQ(s.interrupts.all[0].data, 0x42U);
    EXPECT_EQ(s.interrupts.all[0].address, msi_base);
    EXPECT_EQ(s.mmio_read(bar3_base + 0x2000, 8), 0U);
    EXPECT_EQ(s.mmio_read(bar3_base + 3 * 16 + 8, 8), 0x43U) << "data, and control unmasked";
}

TEST(Msix, TheFunctionMaskOfTheCapabilityActsAtOnce) {
    System s;
    s.enumerate();
    s.config_write(config::msix_at + 2, 2, config::msix_enable | config::msix_function_mask);
    s.device.interrupts->raise(1);
    System::run(5_us);
    EXPECT_TRUE(s.interrupts.all.empty());
    s.config_write(config::msix_at + 2, 2, config::msix_enable);
    System::run(5_us);
    EXPECT_EQ(s.interrupts.all.size(), 1U);
}

TEST(Msi, AFunctionWithoutATableSendsItsOneMessageOnceItIsOn) {
    Options o;
    o.device.msi = true;
    o.device.msix_vectors = 0;
    System s(o);
    s.config_write(config::command, 2, config::command_memory | config::command_bus_master);
    s.config_write(config::msi_at + 4, 4, static_cast<std::uint32_t>(msi_base));
    s.config_write(config::msi_at + 12, 2, 0x55);
    s.device.interrupts->raise(0);
    System::run(5_us);
    EXPECT_TRUE(s.interrupts.all.empty());
    EXPECT_EQ(s.ep.counters().interrupts_lost, 1U);
    s.config_write(config::msi_at + 2, 2, config::msi_enable);
    s.device.interrupts->raise(0);
    System::run(5_us);
    ASSERT_EQ(s.interrupts.all.size(), 1U);
    EXPECT_EQ(s.interrupts.all[0].address, msi_base);
    EXPECT_EQ(s.interrupts.all[0].data, 0x55U);
}

TEST(Msix, AnInterruptBehindAWriteThatWaitsIsHeldWithIt) {
    Options o;
    o.endpoint.posted_buffer = 1;
    o.root.posted_header_credits = 1;
    System s(o);
    s.enumerate();
    const std::size_t before = s.memory.writes.size();
    for (unsigned i = 0; i < 6; ++i) s.device.write(memory_base + 64 * i, bytes(64));
    // Two are taken at most (wire and buffer); the third waits, and the interrupt behind it.
    s.device.interrupts->raise(0);
    System::run(100_us);
    ASSERT_EQ(s.interrupts.all.size(), 1U);
    EXPECT_GE(s.interrupts.all[0].writes_before - before, 3U);
    EXPECT_EQ(s.memory.writes.size() - before, 6U);
}

}  // namespace
}  // namespace nicsim::pcie::test
