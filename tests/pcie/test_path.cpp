// SPDX-License-Identifier: Apache-2.0
// The whole road between cores, memory and device.
#include "bench.h"

namespace nicsim::pcie::test {
namespace {

TEST(PciePath, TheHostFindsTheFunctionAndNothingElse) {
    System s;
    EXPECT_EQ(s.config_read(config::vendor_id, 4), 0x1533'8086U);
    EXPECT_EQ(s.config_read(config::vendor_id, 2, {1, 1, 0}), 0xffffU);
    EXPECT_EQ(s.config_read(config::vendor_id, 2, {1, 0, 1}), 0xffffU);
    EXPECT_EQ(s.config_read(config::vendor_id, 2, {0, 0, 0}), 0xffffU);
    EXPECT_EQ(s.config_read(config::vendor_id, 4, {9, 0, 0}), 0xffff'ffffU);
    EXPECT_EQ(s.config_read(0x0b, 1), 0x02U) << "class code: network controller";
}

TEST(PciePath, RegisterWritesAndReadsReachTheDeviceWithTheirSizes) {
    System s;
    s.enumerate();
    s.device.accesses.clear();
    s.rc.mmio_write(bar0_base + 0x3000, 4, 0x1122'3344);
    s.rc.mmio_write(bar0_base + 0x3008, 8, 0x0102'0304'0506'0708);
    s.rc.mmio_write(bar0_base + 0x3012, 2, 0xabcd);
    s.rc.mmio_write(bar0_base + 0x3017, 1, 0xef);
    EXPECT_EQ(s.mmio_read(bar0_base + 0x3000, 4), 0x1122'3344U);
    EXPECT_EQ(s.mmio_read(bar0_base + 0x3008, 8), 0x0102'0304'0506'0708U);
    EXPECT_EQ(s.mmio_read(bar0_base + 0x3012, 2), 0xabcdU);
    EXPECT_EQ(s.mmio_read(bar0_base + 0x3017, 1), 0xefU);
    ASSERT_EQ(s.device.accesses.size(), 8U);
    EXPECT_EQ(s.device.accesses[2].offset, 0x3012U);
    EXPECT_EQ(s.device.accesses[2].length, 2U);
    EXPECT_EQ(s.device.accesses[3].length, 1U);
    s.rc.mmio_write(bar3_base + 0x1000, 4, 5);
    s.mmio_read(bar0_base, 4);
    EXPECT_EQ(s.device.accesses[8].bar, 3U);
    EXPECT_EQ(s.device.accesses[8].offset, 0x1000U);
}

TEST(PciePath, ReadsOfNobodyAreAllOnes) {
    System s;
    EXPECT_EQ(s.mmio_read(bar0_base, 4), 0xffff'ffffU) << "before the BAR is programmed";
    s.enumerate();
    EXPECT_EQ(s.mmio_read(0xd000'0000, 4), 0xffff'ffffU);
    s.rc.mmio_write(0xd000'0000, 4, 1);
    s.config_write(config::command, 2, 0);
    EXPECT_EQ(s.mmio_read(bar0_base, 8), ~std::uint64_t{0}) << "memory decoding is off";
    EXPECT_EQ(s.rc.counters().unclaimed, 4U);
}

TEST(PciePath, DmaReadsBringTheBytesOfMemoryFromAnyAddressAndOfAnyLength) {
    System s;
    s.enumerate();
    std::vector<std::size_t> jobs;
    for (const std::uint64_t offset : {0U, 1U, 3U, 61U, 64U, 4095U, 4032U})
        for (const std::uint32_t length : {1U, 2U, 5U, 16U, 63U, 64U, 300U, 1514U, 5000U, 9000U})
            jobs.push_back(s.device.read(memory_base + offset, length));
    System::run(4_ms);
    for (const std::size_t i : jobs) {
        const Device::Job& j = s.device.jobs[i];
        ASSERT_TRUE(j.ok) << i;
        for (std::size_t b = 0; b < j.data.size(); ++b)
            ASSERT_EQ(j.data[b], Memory::pattern(j.address + b)) << i << " byte " << b;
    }
    EXPECT_EQ(s.ep.reads_in_flight(), 0U);
}

TEST(PciePath, DmaWritesReachMemoryAndLeaveTheirNeighboursAlone) {
    System s;
    s.enumerate();
    std::uint64_t at = memory_base + 1;
    std::vector<std::pair<std::uint64_t, std::vector<std::uint8_t>>> written;
    for (const std::size_t length : {1U, 2U, 3U, 4U, 5U, 63U, 64U, 65U, 1514U, 4096U, 9000U}) {
        written.emplace_back(at, bytes(length, static_cast<unsigned>(length)));
        s.device.write(at, written.back().second);
        at += length + 1;
    }
    System::run(1_ms);
    EXPECT_EQ(s.memory.at(memory_base), Memory::pattern(memory_base));
    for (const auto& [address, data] : written) {
        for (std::size_t i = 0; i < data.size(); ++i)
            ASSERT_EQ(s.memory.at(address + i), data[i]) << address << " " << i;
        EXPECT_EQ(s.memory.at(address + data.size()), Memory::pattern(address + data.size()));
    }
}

TEST(PciePath, AnInterruptArrivesBehindTheWritesTakenBeforeIt) {
    System s;
    s.enumerate();
    for (int i = 0; i < 40; ++i) {
        s.device.write(memory_base + 256U * static_cast<unsigned>(i), bytes(256));
        s.device.interrupts->raise(static_cast<unsigned>(i) % 5);
    }
    System::run(1_ms);
    // Raised while the device's own queue held writes back, so count what the endpoint had taken:
    // the i-th interrupt can only be behind at least the writes of the first i+1 taken.
    ASSERT_EQ(s.interrupts.all.size(), 40U);
    std::size_t last = 0;
    for (std::size_t i = 0; i < 40; ++i) {
        EXPECT_EQ(s.interrupts.all[i].data, 0x40 + i % 5);
        EXPECT_GE(s.interrupts.all[i].writes_before, last);
        last = s.interrupts.all[i].writes_before;
    }
    EXPECT_EQ(s.interrupts.all[0].writes_before, 1U);
    EXPECT_EQ(s.ep.counters().messages, 40U);
}

TEST(PciePath, ADeviceReadOfNowhereFailsAndIsCounted) {
    System s;
    s.enumerate();
    s.device.read(0x9000'0000, 64);
    s.device.read(memory_base, 64);
    s.device.write(0x9000'0000, bytes(64));
    System::run(100_us);
    EXPECT_FALSE(s.device.jobs[0].ok);
    EXPECT_TRUE(s.device.jobs[1].ok);
    EXPECT_EQ(s.rc.counters().unsupported, 2U);
    EXPECT_EQ(s.ep.counters().failed_reads, 1U);
}

TEST(PciePath, NoDmaAndNoInterruptWithoutBusMaster) {
    System s;
    s.enumerate();
    s.config_write(config::command, 2, config::command_memory);
    EXPECT_FALSE(s.ep.limits().bus_master);
    s.device.read(memory_base, 64);
    s.device.interrupts->raise(0);
    System::run(10_us);
    EXPECT_FALSE(s.device.jobs[0].ok);
    EXPECT_EQ(s.ep.counters().not_bus_master, 1U);
    EXPECT_EQ(s.ep.counters().interrupts_lost, 1U);
    EXPECT_TRUE(s.interrupts.all.empty());
}

}  // namespace
}  // namespace nicsim::pcie::test
