// SPDX-License-Identifier: Apache-2.0
// A comparison of nothing finds no difference, and must not be taken for a success: each way to it
// is an error that says what was empty and how far the files reach. What just is a comparison
// stays one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diff_support.h"

namespace nicsim::waves {
namespace {

using test::compare_texts;
using test::Folder;
using test::Set;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Matcher;

/// A clock that rises at 5 and 15 ns, a signal that never does, and a value.
std::string vcd(const std::string& body) {
    return "$timescale 1ns $end\n$scope module tb $end\n$var wire 1 ! clk $end\n"
           "$var wire 1 \" still $end\n$var wire 8 # v [7:0] $end\n$var wire 1 $ unset $end\n"
           "$upscope $end\n$enddefinitions $end\n" +
           body;
}
const std::string a_body = "#0\n0!\n0\"\nb0 #\n#5\n1!\nb1 #\n#10\n0!\n#15\n1!\nb10 #\n#20\n0!\n";
/// All values of v differ from those of A, and it begins later.
const std::string b_body =
    "#2\n0!\n0\"\nb100 #\n#5\n1!\nb101 #\n#10\n0!\n#15\n1!\nb110 #\n#30\n0!\n";

DiffResult compare(const Set& set, const std::string& a = vcd(a_body),
                   const std::string& b = vcd(b_body)) {
    return compare_texts(a, b, set);
}

std::string error_of(const Set& set, const std::string& a = vcd(a_body),
                     const std::string& b = vcd(b_body)) {
    try {
        const DiffResult result = compare(set, a, b);
        return result.same ? "no error: same" : "no error: different";
    } catch (const WaveError& error) {
        return error.what();
    }
}

Set from(const std::string& time) {
    return [time](DiffOptions& o) { o.from = time; };
}
Set skew(const std::string& time, bool common = false) {
    return [time, common](DiffOptions& o) {
        o.skew = time;
        o.common_time = common;
    };
}
Set clocks(const std::string& a, const std::string& b, const Set& more = {}) {
    return [a, b, more](DiffOptions& o) {
        o.clock_a = a;
        o.clock_b = b;
        if (more) more(o);
    };
}

Matcher<std::string> says(const char* what, const char* a, const char* b) {
    return AllOf(HasSubstr(what), HasSubstr(std::string("A lasts from ") + a + ", "),
                 HasSubstr(std::string("B lasts from ") + b));
}

TEST(DiffOfNothing, a_stretch_outside_of_a_file) {
    const char* const a = "0 s to 20 ns";
    const char* const b = "2 ns to 30 ns";
    EXPECT_THAT(error_of(from("1s")), says("begins at 1 s, after the end of A and B (", a, b));
    EXPECT_THAT(error_of(from("31ns")), says("begins at 31 ns, after the end of A and B", a, b));
    EXPECT_THAT(error_of(from("21ns")), says("begins at 21 ns, after the end of A (", a, b));
    for (const bool common : {false, true}) {
        EXPECT_THAT(error_of(skew("1s", common)),
                    says("begins at 1.000000002 s, after the end of A (", a,
                         "1.000000002 s to 1.00000003 s; aligned, with the skew)"));
        EXPECT_THAT(error_of(skew("-31ns", common)),
                    says("begins at 0 s, after the end of B (", a, "-29 ns to -1 ns; "));
    }
    const Set events = [](DiffOptions& o) {
        o.event_a = "tb.clk:rise";
        o.event_b = "tb.clk:fall";
        o.from = "16ns";
    };
    EXPECT_THAT(error_of(events),
                says("begins at 16 ns, after the end of A (", "-5 ns to 15 ns", "-8 ns to 20 ns"));
}

TEST(DiffOfNothing, the_last_instant_is_compared_still) {
    EXPECT_FALSE(compare(from("20ns")).same);
    EXPECT_FALSE(compare(skew("18ns", true)).same);
    EXPECT_FALSE(compare(skew("-30ns", true)).same);
    EXPECT_THAT(error_of(skew("19ns", true)), HasSubstr("begins at 21 ns, after the end of A"));
    EXPECT_TRUE(compare(from("20ns"), vcd(a_body), vcd(a_body)).same);
}

TEST(DiffOfNothing, cycles_outside_of_a_file) {
    const auto clocked = [](const Set& more) { return clocks("tb.clk", "tb.clk", more); };
    EXPECT_THAT(error_of(clocked(from("3c"))), says("begins at cycle 3, after the end of A and B",
                                                    "cycle 0 to cycle 2", "cycle 0 to cycle 2)"));
    for (const bool common : {false, true}) {
        EXPECT_THAT(error_of(clocked(skew("3c", common))),
                    says("begins at cycle 3, after the end of A (", "cycle 0 to cycle 2",
                         "cycle 3 to cycle 5; aligned, with the skew)"));
        EXPECT_THAT(error_of(clocked(skew("-3c", common))),
                    says("begins at cycle 0, after the end of B (", "cycle 0 to cycle 2",
                         "cycle -3 to cycle -1; "));
    }
    EXPECT_FALSE(compare(clocked(from("2c"))).same);
    EXPECT_FALSE(compare(clocked(skew("2c", true))).same);
}

TEST(DiffOfNothing, cycles_before_the_first_of_a_side_that_is_moved_do_not_differ) {
    // B without its first clock period is one cycle short.
    const std::string b = vcd("#0\n0!\n0\"\nb1 #\n#5\n1!\nb10 #\n#10\n0!\n");
    const DiffResult result = compare(clocks("tb.clk", "tb.clk", skew("1c")), vcd(a_body), b);
    EXPECT_TRUE(result.same);
    EXPECT_EQ(result.begin, 1);
    EXPECT_EQ(result.end, 2);
}

TEST(DiffOfNothing, a_clock_without_a_rising_edge) {
    const char* const a = "0 s to 20 ns";
    const char* const b = "2 ns to 30 ns";
    EXPECT_THAT(
        error_of(clocks("tb.still", "tb.still")),
        says("'tb.still' of A has no rising edge, 'tb.still' of B has no rising edge (", a, b));
    EXPECT_THAT(error_of(clocks("tb.unset", "tb.clk")),
                says("clock 'tb.unset' of A has no rising edge (", a, b));
    EXPECT_THAT(error_of(clocks("tb.clk", "tb.still", skew("1c"))),
                says("clock 'tb.still' of B has no rising edge (", a, b));
    // The event is behind the last edge.
    const Set late = [](DiffOptions& o) {
        o.event_a = "tb.clk:fall#2";
        o.event_b = "tb.clk:rise";
    };
    EXPECT_THAT(error_of(clocks("tb.clk", "tb.clk", late)),
                says("clock 'tb.clk' of A has no rising edge from the event on (", a, b));
    // One edge is enough.
    const Set last = [](DiffOptions& o) { o.event_a = o.event_b = "tb.clk:rise#2"; };
    EXPECT_FALSE(compare(clocks("tb.clk", "tb.clk", last)).same);
}

TEST(DiffOfNothing, signals_without_a_value) {
    const Set unset = [](DiffOptions& o) { o.names.include = "tb.unset"; };
    EXPECT_THAT(error_of(unset), says("neither file has a value of the compared signals",
                                      "0 s to 20 ns", "2 ns to 30 ns"));
    EXPECT_THAT(error_of({}, vcd(""), vcd("")),
                says("neither file has a value", "0 s to 0 s", "0 s to 0 s"));
    EXPECT_EQ(error_of({}, vcd(a_body), vcd("")), "no error: different");
}

TEST(DiffOfNothing, signals_that_are_unknown_and_ignored) {
    const std::string b = vcd("#0\nbx #\n#5\nbx1 #\n#25\nbx #\n");
    const Set ignored = [](DiffOptions& o) {
        o.names.include = "tb.v";
        o.ignore_x = "always";
    };
    EXPECT_THAT(error_of(ignored, vcd(a_body), b),
                says("every signal stayed unknown on a side", "0 s to 20 ns", "0 s to 25 ns"));
    // Known once, and compared then, is enough.
    const std::string once = vcd("#0\nb0 #\n#3\nbx #\n#20\n");
    EXPECT_TRUE(compare(ignored, vcd(a_body), once).same);
    const std::string wrong = vcd("#0\nb1 #\n#3\nbx #\n#20\n");
    EXPECT_FALSE(compare(ignored, vcd(a_body), wrong).same);
}

TEST(DiffOfNothing, nothing_is_written_and_fst_files_are_told_alike) {
    const Folder folder;
    const std::string fst = folder.file("d.fst");
    compare([&](DiffOptions& o) { o.write = fst; });
    const auto with = [&](const Set& set) {
        return error_of([&](DiffOptions& o) {
            o.a = o.b = fst;
            o.write = folder.file("e.vcd");
            set(o);
        });
    };
    EXPECT_THAT(with(from("31ns")),
                says("after the end of A and B", "2 ns to 30 ns", "2 ns to 30 ns"));
    EXPECT_THAT(with(skew("1s", true)), HasSubstr("after the end of A ("));
    EXPECT_THAT(with(clocks("a.tb.still", "b.tb.still")), HasSubstr("has no rising edge"));
    EXPECT_EQ(folder.entries(), 1U);
}

TEST(DiffOfNothing, changes_that_the_end_leaves_undecided_are_counted) {
    const std::string still = vcd("#0\n0!\n0\"\nb0 #\n#20\n");
    const auto tolerant = [](bool common) {
        return [common](DiffOptions& o) {
            o.tolerance = {"1us"};
            o.common_time = common;
        };
    };
    EXPECT_THAT(compare(tolerant(true), vcd(a_body), still).notes,
                ElementsAre(HasSubstr("2 signals have a change that the other side could still")));
    EXPECT_FALSE(compare(tolerant(false), vcd(a_body), still).same);
    EXPECT_THAT(compare(tolerant(true), vcd(a_body), vcd(a_body)).notes, IsEmpty());
}

}  // namespace
}  // namespace nicsim::waves
