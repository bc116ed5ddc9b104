// SPDX-License-Identifier: Apache-2.0
// DMA writes with byte enables: every enabled byte is written once, no other is, and every request
// is one that PCIe allows.
#include "pcie/write_pieces.h"

#include "bench.h"
#include "pcie/tlp_rules.h"
#include "sim/random.h"

namespace nicsim::pcie::test {
namespace {

using Enables = std::vector<unsigned char>;

/// Marks what the pieces write; the requests as text of what is wrong with them.
std::vector<unsigned> written(std::uint64_t address, std::uint32_t length, const Enables& enables,
                              std::uint32_t limit) {
    const EnabledBytes enabled(enables.empty() ? nullptr : enables.data(),
                               static_cast<std::uint32_t>(enables.size()));
    std::vector<unsigned> out(length, 0);
    for (std::uint32_t offset = 0; offset < length;) {
        const WritePiece p = next_write_piece(address, length, offset, limit, enabled);
        if (p.length == 0) break;
        Tlp tlp;
        tlp.type = TlpType::MWr;
        tlp.allocate(p.range.length_dw);
        tlp.address = p.range.address;
        tlp.first_be = p.range.first_be;
        tlp.last_be = p.range.last_be;
        EXPECT_EQ(why_malformed(tlp, limit), "");
        for (std::uint32_t i = 0; i < 4U * p.range.length_dw; ++i) {
            const unsigned be = i < 4                             ? p.range.first_be
                                : i >= 4U * p.range.length_dw - 4 ? p.range.last_be
                                                                  : 0xfU;
            if ((be >> (i & 3U) & 1U) == 0) continue;
            const std::uint64_t at = p.range.address + i;
            EXPECT_GE(at, address);
            EXPECT_LT(at, address + length);
            if (at >= address && at < address + length) ++out[at - address];
        }
        EXPECT_GT(p.offset + p.length, offset);
        offset = p.offset + p.length;
    }
    return out;
}

TEST(WritePieces, WriteEveryEnabledByteOnceAndNoOtherForAnyPattern) {
    sim::RandomStream random(1, "enables");
    for (unsigned round = 0; round < 20'000; ++round) {
        const std::uint64_t address = 0x1000'0000 + random.below(4096);
        const auto length = static_cast<std::uint32_t>(1 + random.below(300));
        Enables enables(1 + random.below(round % 2 == 0 ? 24 : length));
        const auto density = 1 + random.below(10);  // of ten
        for (unsigned char& e : enables) e = random.below(10) < density ? 0xff : 0;
        const std::uint32_t limit = 128U << random.below(2);
        const auto out = written(address, length, enables, limit);
        for (std::uint32_t i = 0; i < length; ++i)
            ASSERT_EQ(out[i], enables[i % enables.size()] != 0 ? 1U : 0U)
                << "round " << round << ", byte " << i;
    }
}

TEST(WritePieces, TakeOneRequestForTheHolesOfAQuadWordAndOneForARun) {
    const auto count = [](std::uint64_t address, const Enables& e) {
        const auto length = static_cast<std::uint32_t>(e.size());
        const EnabledBytes enabled(e.data(), length);
        unsigned n = 0;
        for (std::uint32_t offset = 0; offset < length; ++n) {
            const WritePiece p = next_write_piece(address, length, offset, 256, enabled);
            if (p.length == 0) break;
            offset = p.offset + p.length;
        }
        return n;
    };
    EXPECT_EQ(count(0x1000, {0xff, 0, 0xff, 0}), 1U) << "one double word";
    EXPECT_EQ(count(0x1000, {0xff, 0, 0, 0xff, 0, 0xff, 0, 0xff}), 1U) << "an aligned quad word";
    EXPECT_EQ(count(0x1004, {0xff, 0, 0, 0xff, 0, 0xff, 0, 0xff}), 2U) << "not aligned: two";
    EXPECT_EQ(count(0x1000, Enables(200, 0xff)), 1U);
    EXPECT_EQ(count(0x1000, Enables(64, 0)), 0U);
}

TEST(WritePieces, ReachMemoryThroughLinkAndRootComplexAsTheDeviceMeantThem) {
    System s;
    s.enumerate();
    sim::RandomStream random(3, "enables");
    std::vector<std::uint8_t> model(4096);
    for (std::size_t i = 0; i < model.size(); ++i) model[i] = Memory::pattern(memory_base + i);
    for (unsigned round = 0; round < 60; ++round) {
        const auto at = random.below(3500);
        const auto data = bytes(1 + random.below(400), round);
        Enables enables(1 + random.below(40));
        for (unsigned char& e : enables) e = random.below(2) == 0 ? 0xff : 0;
        s.device.write(memory_base + at, data, enables);
        for (std::size_t i = 0; i < data.size(); ++i)
            if (enables[i % enables.size()] != 0) model[at + i] = data[i];
    }
    const std::size_t last = s.device.write(memory_base, bytes(32), Enables(8, 0));
    while (s.device.done < s.device.jobs.size()) System::run(10_us);
    System::run(10_us);
    EXPECT_TRUE(s.device.jobs[last].ok) << "a write of nothing has nothing to fail in";
    for (std::size_t i = 0; i < model.size(); ++i)
        ASSERT_EQ(s.memory.at(memory_base + i), model[i]) << "byte " << i;
    EXPECT_EQ(s.ep.counters().writes, 61U);
}

}  // namespace
}  // namespace nicsim::pcie::test
