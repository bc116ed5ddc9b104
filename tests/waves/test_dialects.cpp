// SPDX-License-Identifier: Apache-2.0
// Wave files as Icarus Verilog 11 and Verilator 5.006 write them, of one and the same bench
// (dialects/tb.v says how they were made).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "waves/diff.h"
#include "waves/inspect.h"

namespace nicsim::waves {
namespace {

const std::string folder = NICSIM_SOURCE_DIR "/tests/waves/dialects/";

std::uint64_t changes_of(const std::string& file, const std::string& signal) {
    const Listing listing = list_signals(folder + file, signal);
    return listing.signals.size() == 1 ? listing.signals[0].changes : 0;
}

TEST(Dialects, OfIcarusIsRead) {
    EXPECT_EQ(list_signals(folder + "icarus.vcd", "").signals.size(), 9U);
    EXPECT_EQ(changes_of("icarus.vcd", "tb.clk"), 105U);
    EXPECT_EQ(changes_of("icarus.vcd", "tb.dut.count"), 52U);
}

TEST(Dialects, OfVerilatorIsRead) {
    EXPECT_EQ(list_signals(folder + "verilator.vcd", "").signals.size(), 9U);
    EXPECT_EQ(changes_of("verilator.vcd", "TOP.tb.clk"), 105U);
    EXPECT_EQ(changes_of("verilator.vcd", "TOP.tb.dut.count"), 51U) << "it knows no X";
}

DiffOptions both() {
    DiffOptions o;
    o.a = folder + "icarus.vcd";
    o.b = folder + "verilator.vcd";
    o.names.strip_b = {"TOP."};
    return o;
}

TEST(Dialects, AreTheSameOnceTheUnknownHasGone) {
    DiffOptions o = both();
    o.ignore_x = "80ns";
    const DiffResult r = diff_waves(o);
    EXPECT_TRUE(r.same) << to_text(r, o);
    EXPECT_EQ(r.compared, 9U);
}

TEST(Dialects, DifferInWhatIsUnknownWithoutThat) {
    const DiffResult r = diff_waves(both());
    ASSERT_FALSE(r.same);
}

TEST(Dialects, AreTheSameCountedInCyclesOfTheClock) {
    DiffOptions o = both();
    o.clock_a = "tb.clk";
    o.clock_b = "TOP.tb.clk";
    o.ignore_x = "10c";
    const DiffResult r = diff_waves(o);
    EXPECT_TRUE(r.same) << to_text(r, o);
    EXPECT_GT(r.matched, 100U);
}

}  // namespace
}  // namespace nicsim::waves
