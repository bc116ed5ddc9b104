// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "models/common/register_file.h"

namespace nicsim::models {
namespace {

struct Owner {
    std::uint32_t on_read(unsigned index) { return 0x100 + index; }
    void on_write(unsigned index, std::uint32_t value) { writes.emplace_back(index, value); }
    std::vector<std::pair<unsigned, std::uint32_t>> writes;
};

TEST(RegisterFile, StoresReadWriteRegistersWithinTheirMask) {
    RegisterFile file(0x1000);
    file.add({.name = "R", .offset = 0x10, .reset = 0xA5, .write_mask = 0xFFFF'0000});
    EXPECT_EQ(file.read(0x10), 0xA5U);
    file.write(0x10, 0x1234'5678);
    EXPECT_EQ(file.read(0x10), 0x1234'00A5U);
    file.reset();
    EXPECT_EQ(file.read(0x10), 0xA5U);
}

TEST(RegisterFile, IgnoresWritesToReadOnlyRegistersAndHidesWriteOnlyOnes) {
    RegisterFile file(0x1000);
    file.add({.name = "RO", .offset = 0, .reset = 7, .access = Access::read_only});
    Register& wo = file.add({.name = "WO", .offset = 4, .access = Access::write_only});
    file.write(0, 99);
    file.write(4, 99);
    EXPECT_EQ(file.read(0), 7U);
    EXPECT_EQ(file.read(4), 0U);
    EXPECT_EQ(wo.get(), 99U);
}

TEST(RegisterFile, ClearsReadClearRegistersByTheRead) {
    RegisterFile file(0x1000);
    Register& r = file.add({.name = "RC", .offset = 0, .access = Access::read_clear});
    r.set(5);
    file.write(0, 77);
    EXPECT_EQ(file.peek(0), 5U);
    EXPECT_EQ(file.read(0), 5U);
    EXPECT_EQ(file.read(0), 0U);
}

TEST(RegisterFile, ClearsTheOnesWrittenToWriteOneToClearRegisters) {
    RegisterFile file(0x1000);
    Register& r = file.add({.name = "W1C", .offset = 0, .access = Access::write_1_clear});
    r.set(0xFF);
    file.write(0, 0x0F);
    EXPECT_EQ(file.read(0), 0xF0U);
}

TEST(RegisterFile, GivesSelfClearingWritesToTheHookOnly) {
    Owner owner;
    RegisterFile file(0x1000);
    file.add({.name = "SC",
              .offset = 0,
              .access = Access::self_clearing,
              .write = WriteHook::to<&Owner::on_write>(&owner)});
    file.write(0, 3);
    EXPECT_EQ(file.read(0), 0U);
    EXPECT_EQ(owner.writes, (std::vector<std::pair<unsigned, std::uint32_t>>{{0, 3}}));
}

TEST(RegisterFile, CallsHooksWithTheIndexInTheArrayAlsoThroughAnAlias) {
    Owner owner;
    RegisterFile file(0x10000);
    file.add({.name = "A",
              .offset = 0xC000,
              .count = 4,
              .stride = 0x40,
              .read = ReadHook::to<&Owner::on_read>(&owner),
              .write = WriteHook::to<&Owner::on_write>(&owner)});
    file.alias(0x2800, 0xC000, 4, 0x100, 0x40);
    EXPECT_EQ(file.read(0xC080), 0x102U);
    EXPECT_EQ(file.read(0x2B00), 0x103U);
    file.write(0x2900, 9);
    EXPECT_EQ(owner.writes, (std::vector<std::pair<unsigned, std::uint32_t>>{{1, 9}}));
    EXPECT_EQ(file.find(0xC040)->get(1), 9U);
}

TEST(RegisterFile, RemembersAndCountsAccessesThatAreNotModelled) {
    RegisterFile file(0x1000);
    EXPECT_EQ(file.read(0x40), 0U);
    file.write(0x40, 0x1234);
    EXPECT_EQ(file.read(0x40), 0x1234U);
    file.write(0x20, 1);
    ASSERT_EQ(file.unmodelled().size(), 2U);
    EXPECT_EQ(file.unmodelled().at(0x40).reads, 2U);
    EXPECT_EQ(file.unmodelled().at(0x40).writes, 1U);
    EXPECT_EQ(file.unmodelled().begin()->first, 0x20U);
    EXPECT_EQ(file.unmodelled_accesses(), 4U);
    file.reset();
    EXPECT_EQ(file.peek(0x40), 0U);
    EXPECT_EQ(file.unmodelled().at(0x40).writes, 1U) << "the count is of the run, not of a reset";
}

TEST(RegisterFile, ANarrowWriteChangesItsLanesAndTellsTheHookTheWholeRegister) {
    Owner owner;
    RegisterFile file(0x1000);
    file.add({.name = "A", .offset = 0, .write = WriteHook::to<&Owner::on_write>(&owner)});
    file.add({.name = "C",
              .offset = 4,
              .reset = 0x00FF'00FF,
              .access = Access::write_1_clear,
              .write = WriteHook::to<&Owner::on_write>(&owner)});
    file.write(0, 0x1111'2222);
    file.write(0, 0x3333'4444, 0xFFFF'0000);
    EXPECT_EQ(file.read(0), 0x3333'2222U);
    file.write(4, 0xFFFF'FFFF, 0x0000'FFFF);
    EXPECT_EQ(file.read(4), 0x00FF'0000U);
    file.write(0x40, 0xFFFF'FFFF, 0x0000'FF00);
    EXPECT_EQ(file.read(0x40), 0x0000'FF00U) << "places that are not modelled, too";
    EXPECT_EQ(owner.writes, (std::vector<std::pair<unsigned, std::uint32_t>>{
                                {0, 0x1111'2222}, {0, 0x3333'2222}, {0, 0x0000'FFFF}}));
}

TEST(RegisterFile, KeepsStickyRegistersOverAReset) {
    RegisterFile file(0x1000);
    file.add({.name = "S", .offset = 0, .sticky = true});
    file.write(0, 4);
    file.reset();
    EXPECT_EQ(file.read(0), 4U);
}

TEST(RegisterFile, RefusesOverlapsAndPlacesOutside) {
    RegisterFile file(0x100);
    file.add({.name = "A", .offset = 0x10});
    EXPECT_THROW(file.add({.name = "B", .offset = 0x10}), std::invalid_argument);
    EXPECT_THROW(file.add({.name = "C", .offset = 0x100}), std::invalid_argument);
    EXPECT_THROW(file.add({.name = "D", .offset = 0x22}), std::invalid_argument);
    EXPECT_THROW(file.alias(0x20, 0x30), std::invalid_argument);
}

}  // namespace
}  // namespace nicsim::models
