// SPDX-License-Identifier: Apache-2.0
// What counts as different, option by option.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "diff_support.h"
#include "waves/inspect.h"

namespace nicsim::waves {
namespace {

using test::compare_texts;
using test::Folder;
using test::Set;
using testing::ElementsAre;
using testing::HasSubstr;

/// Declarations: clk !, v[7:0] ", w[3:0] # in scope tb, real r $, event e %. Times in ns.
std::string vcd(const std::string& body, const std::string& scope = "tb") {
    return "$timescale 1ns $end\n$scope module " + scope +
           " $end\n$var wire 1 ! clk $end\n$var wire 8 \" v [7:0] $end\n$var wire 4 # w [3:0] "
           "$end\n"
           "$var real 64 $ r $end\n$var event 1 % e $end\n$upscope $end\n$enddefinitions $end\n" +
           body;
}
const std::string initial = "#0\n0!\nb0 \"\nb0 #\nr0 $\n";

Set tolerance(const std::string& text) {
    return [text](DiffOptions& o) { o.tolerance = {text}; };
}

struct Row {
    const char* name;
    std::string a;  ///< behind `initial`
    std::string b;
    Set set;
    bool same;
};

TEST(Diff, table_of_time_and_tolerance) {
    const Set none;
    const Row rows[] = {
        {"equal", "#5\nb1 \"\n#9\n", "#5\nb1 \"\n#9\n", none, true},
        {"value", "#5\nb1 \"\n#9\n", "#5\nb10 \"\n#9\n", none, false},
        {"one tick late", "#5\nb1 \"\n#9\n", "#6\nb1 \"\n#9\n", none, false},
        {"tolerance exactly", "#5\nb1 \"\n#30\n", "#8\nb1 \"\n#30\n", tolerance("3ns"), true},
        {"one more than the tolerance", "#5\nb1 \"\n#30\n", "#9\nb1 \"\n#30\n", tolerance("3ns"),
         false},
        {"early, exactly", "#8\nb1 \"\n#30\n", "#5\nb1 \"\n#30\n", tolerance("3ns"), true},
        {"early, one more", "#9\nb1 \"\n#30\n", "#5\nb1 \"\n#30\n", tolerance("3ns"), false},
        {"a counter that runs late all the time", "#5\nb1 \"\n#6\nb10 \"\n#7\nb11 \"\n#9\n",
         "#6\nb1 \"\n#7\nb10 \"\n#8\nb11 \"\n#9\n", tolerance("1ns"), true},
        {"a pulse within the tolerance is not forgiven", "#5\nb1 \"\n#6\nb0 \"\n#30\n", "#30\n",
         tolerance("10ns"), false},
        {"changes of an instant settle first", "#5\nb1 \"\nb10 \"\n#9\n", "#5\nb10 \"\n#9\n", none,
         true},
        {"writing the same value is no change", "#5\nb0 \"\n#9\n", "#9\n", none, true},
        {"order of values counts", "#5\nb1 \"\n#6\nb10 \"\n#30\n", "#5\nb10 \"\n#6\nb1 \"\n#30\n",
         tolerance("5ns"), false},
        {"skew", "#5\nb1 \"\n#9\nb0 \"\n#10\n", "#2\nb1 \"\n#6\nb0 \"\n#7\n",
         [](DiffOptions& o) { o.skew = "3ns"; }, true},
        {"negative skew", "#5\nb1 \"\n#9\nb0 \"\n#10\n", "#7\nb1 \"\n#11\nb0 \"\n#12\n",
         [](DiffOptions& o) { o.skew = "-2ns"; }, true},
        {"wrong skew", "#5\nb1 \"\n#9\nb0 \"\n#10\n", "#7\nb1 \"\n#11\nb0 \"\n#12\n",
         [](DiffOptions& o) { o.skew = "-1ns"; }, false},
        {"tolerance by pattern, on this signal", "#5\nb1 \"\n#9\n", "#6\nb1 \"\n#9\n",
         tolerance("tb.v=1ns"), true},
        {"tolerance by pattern, on another", "#5\nb1 \"\n#9\n", "#6\nb1 \"\n#9\n",
         tolerance("tb.w=1ns"), false},
        {"the last tolerance that fits counts", "#5\nb1 \"\n#9\n", "#6\nb1 \"\n#9\n",
         [](DiffOptions& o) {
             o.tolerance = {"5ns", "tb.v=0ns"};
         },
         false},
        {"cycles of a given length, exactly", "#5\nb1 \"\n#90\n", "#21\nb1 \"\n#90\n",
         [](DiffOptions& o) {
             o.tolerance = {"2c"};
             o.cycle = "8ns";
         },
         true},
        {"cycles of a given length, one tick more", "#5\nb1 \"\n#90\n", "#22\nb1 \"\n#90\n",
         [](DiffOptions& o) {
             o.tolerance = {"2c"};
             o.cycle = "8ns";
         },
         false},
        {"what A has after the end of B", "#5\nb1 \"\n#9\nb10 \"\n", "#5\nb1 \"\n#6\n", none,
         false},
        {"not if only the common time counts", "#5\nb1 \"\n#9\nb10 \"\n", "#5\nb1 \"\n#6\n",
         [](DiffOptions& o) { o.common_time = true; }, true},
        {"inconclusive within the tolerance of the end", "#5\nb1 \"\n#9\n", "#3\n",
         [](DiffOptions& o) {
             o.common_time = true;
             o.tolerance = {"4ns"};
         },
         true},
        {"a difference before the window", "#5\nb1 \"\n#6\nb0 \"\n#9\n", "#9\n",
         [](DiffOptions& o) { o.from = "6ns"; }, true},
        {"the values in force at its beginning", "#5\nb1 \"\n#9\n", "#9\n",
         [](DiffOptions& o) { o.from = "6ns"; }, false},
        {"a difference behind the window", "#5\nb1 \"\n#9\n", "#9\n",
         [](DiffOptions& o) { o.to = "4ns"; }, true},
        {"the window's end is inside", "#5\nb1 \"\n#9\n", "#9\n",
         [](DiffOptions& o) { o.to = "5ns"; }, false},
        {"a change cut by the beginning, within the tolerance", "#5\nb1 \"\n#30\n",
         "#7\nb1 \"\n#30\n",
         [](DiffOptions& o) {
             o.from = "6ns";
             o.tolerance = {"2ns"};
         },
         true},
        {"ignored", "#5\nb1 \"\n#9\n", "#9\n", [](DiffOptions& o) { o.names.ignore = "tb.v"; },
         true},
        {"not asked for", "#5\nb1 \"\n#9\n", "#9\n",
         [](DiffOptions& o) { o.names.include = "tb.w,tb.clk"; }, true},
        {"reals are compared as numbers", "#5\nr1.50 $\n#9\n", "#5\nr15e-1 $\n#9\n", none, true},
        {"reals differ", "#5\nr1.5 $\n#9\n", "#5\nr1.51 $\n#9\n", none, false},
        {"reals within their tolerance", "#5\nr100 $\n#9\n", "#5\nr101 $\n#9\n",
         [](DiffOptions& o) { o.real_tolerance = 0.01; }, true},
        {"an event", "#5\n1%\n#7\n1%\n#9\n", "#5\n1%\n#7\n1%\n#9\n", none, true},
        {"a missing event", "#5\n1%\n#7\n1%\n#9\n", "#5\n1%\n#9\n", none, false},
        {"a late event", "#5\n1%\n#7\n1%\n#19\n", "#6\n1%\n#8\n1%\n#19\n", tolerance("1ns"), true},
    };
    for (const Row& row : rows)
        EXPECT_EQ(compare_texts(vcd(initial + row.a), vcd(initial + row.b), row.set).same, row.same)
            << row.name;
}

TEST(Diff, table_of_unknown_values) {
    const Set until5 = [](DiffOptions& o) { o.ignore_x = "5ns"; };
    const Set ever = [](DiffOptions& o) { o.ignore_x = "always"; };
    const Set reset = [](DiffOptions& o) { o.ignore_x = "tb.clk:rise"; };
    const Row rows[] = {
        {"x is a value", "#0\nb0 \"\n#9\n", "#0\nbx \"\n#3\nb0 \"\n#9\n", {}, false},
        {"x before reset", "#0\nb0 \"\n#9\n", "#0\nbx \"\n#3\nb0 \"\n#9\n", until5, true},
        {"known values before reset are compared", "#0\nb0 \"\n#3\nb1 \"\n#9\n", "#0\nb0 \"\n#9\n",
         until5, false},
        {"still x after reset", "#0\nb0 \"\n#9\n", "#0\nbx \"\n#6\nb0 \"\n#9\n", until5, false},
        {"x that ends with reset", "#0\nb0 \"\n#9\n", "#0\nbx \"\n#5\nb0 \"\n#9\n", until5, true},
        {"x again after reset", "#0\nb0 \"\n#9\n", "#0\nb0 \"\n#7\nbx \"\n#8\nb0 \"\n#9\n", until5,
         false},
        {"x again, ignored always", "#0\nb0 \"\n#9\n", "#0\nb0 \"\n#7\nbx \"\n#8\nb0 \"\n#9\n",
         ever, true},
        {"wrong after x, ignored always", "#0\nb0 \"\n#9\n",
         "#0\nb0 \"\n#7\nbx \"\n#8\nb1 \"\n#9\n", ever, false},
        {"before an event", "#0\n0!\nb0 \"\n#6\n1!\n#9\n", "#0\n0!\nbx \"\n#6\n1!\nb0 \"\n#9\n",
         reset, true},
        {"after an event", "#0\n0!\nb0 \"\n#6\n1!\n#9\n", "#0\n0!\nbx \"\n#6\n1!\n#7\nb0 \"\n#9\n",
         reset, false},
    };
    for (const Row& row : rows)
        EXPECT_EQ(compare_texts(vcd(row.a), vcd(row.b), row.set).same, row.same) << row.name;
}

/// A clock of the given period with `v` changing at the given cycles (at the edge).
std::string clocked(unsigned period, unsigned start, const std::vector<unsigned>& cycles,
                    unsigned total = 20) {
    std::string body = "#0\n0!\nb0 \"\nb0 #\n";
    unsigned value = 0;
    for (unsigned cycle = 1; cycle <= total; ++cycle) {
        body += fmt::format("#{}\n1!\n", start + cycle * period);
        if (std::find(cycles.begin(), cycles.end(), cycle) != cycles.end())
            body += fmt::format("b{:b} \"\n", ++value);
        body += fmt::format("#{}\n0!\n", start + cycle * period + period / 2);
    }
    return vcd(body);
}

TEST(Diff, clocks_align_runs_of_different_periods) {
    const auto by_clock = [](const std::string& amount) {
        return [amount](DiffOptions& o) {
            o.clock_a = o.clock_b = "tb.clk";
            if (!amount.empty()) o.tolerance = {amount};
        };
    };
    const std::string a = clocked(10, 0, {3, 7, 8, 15});
    EXPECT_TRUE(compare_texts(a, clocked(8, 5, {3, 7, 8, 15}), by_clock("")).same);
    EXPECT_FALSE(compare_texts(a, clocked(8, 5, {3, 7, 8, 16}), by_clock("")).same);
    EXPECT_TRUE(compare_texts(a, clocked(8, 5, {5, 8, 10, 17}), by_clock("2c")).same);
    const DiffResult late = compare_texts(a, clocked(8, 5, {6, 8, 10, 17}), by_clock("2c"));
    ASSERT_EQ(late.differences.size(), 1U);
    EXPECT_EQ(late.differences[0].axis, 3);
    EXPECT_TRUE(late.differences[0].late);
    EXPECT_EQ(late.differences[0].lateness, 3);
    EXPECT_EQ(late.differences[0].at[0].native, 30U);
    EXPECT_TRUE(late.cycles);
    // The same clock under other names, and a skew in cycles.
    EXPECT_TRUE(compare_texts(a, clocked(8, 5, {4, 8, 9, 16}), [](DiffOptions& o) {
                    o.clock_a = o.clock_b = "tb.clk";
                    o.skew = "-1c";
                }).same);
    EXPECT_THROW(compare_texts(a, a, by_clock("3ns")), WaveError);
    EXPECT_THROW(compare_texts(a, a, [](DiffOptions& o) { o.clock_a = "tb.clk"; }), WaveError);
}

TEST(Diff, glitches_between_edges_do_not_count_in_cycles) {
    const std::string a =
        vcd("#0\n0!\nb0 \"\n#10\n1!\n#12\nb1 \"\n#13\nb0 \"\n#15\n0!\n#20\n1!\n#25\n");
    const std::string b = vcd("#0\n0!\nb0 \"\n#10\n1!\n#15\n0!\n#20\n1!\n#25\n");
    EXPECT_FALSE(compare_texts(a, b).same);
    EXPECT_TRUE(compare_texts(a, b, [](DiffOptions& o) {
                    o.clock_a = o.clock_b = "tb.clk";
                    o.names.ignore = "tb.clk";
                }).same);
}

TEST(Diff, events_align_runs_that_start_at_different_times) {
    const std::string a = vcd("#0\n0!\nb0 \"\n#10\n1!\n#12\nb1 \"\n#20\n");
    const std::string b = vcd("#0\n0!\nb1 \"\n#3\nb0 \"\n#70\n1!\n#72\nb1 \"\n#80\n");
    const auto align = [](const char* event) {
        return [event](DiffOptions& o) { o.event_a = o.event_b = event; };
    };
    EXPECT_FALSE(compare_texts(a, b).same);
    const DiffResult result = compare_texts(a, b, align("tb.clk:rise"));
    EXPECT_TRUE(result.same);
    EXPECT_EQ(result.offset[1], 70);
    EXPECT_THROW(compare_texts(a, b, align("tb.clk:rise#2")), WaveError);
    // Cycles counted from the event on: cycle 1 begins there.
    const std::string early = clocked(10, 0, {6, 9});
    const std::string late = clocked(10, 0, {8, 11}, 22);
    EXPECT_TRUE(compare_texts(early, late, [](DiffOptions& o) {
                    o.clock_a = o.clock_b = "tb.clk";
                    o.event_a = "tb.clk:rise#4";
                    o.event_b = "tb.clk:rise#6";
                }).same);
}

TEST(Diff, time_units_need_not_be_equal) {
    const std::string ns = vcd(initial + "#5\nb1 \"\n#9\n");
    std::string ps = vcd(initial + "#5000\nb1 \"\n#9000\n");
    ps.replace(ps.find("1ns"), 3, "1ps");
    EXPECT_TRUE(compare_texts(ns, ps).same);
    EXPECT_TRUE(compare_texts(ps, ns).same);
    ps.replace(ps.find("#5000"), 5, "#5001");
    EXPECT_FALSE(compare_texts(ns, ps).same);
}

TEST(Diff, names_come_together_by_rules) {
    const std::string body = initial + "#5\nb1 \"\n#9\n";
    const std::string a = vcd(body, "tb");
    const std::string b = vcd(body, "TOP $end $scope module dut");
    const auto with = [](const std::function<void(NameRules&)>& set) {
        return [set](DiffOptions& o) {
            set(o.names);
            o.strict_names = true;
        };
    };
    try {
        compare_texts(a, b);
        FAIL() << "nothing to compare, and no error";
    } catch (const WaveError& error) {
        EXPECT_THAT(error.what(), HasSubstr("no signal to compare"));
        EXPECT_THAT(error.what(), HasSubstr("tb.clk"));
        EXPECT_THAT(error.what(), HasSubstr("TOP.dut.clk"));
    }
    EXPECT_TRUE(compare_texts(a, b, with([](NameRules& n) {
                                  n.strip_a = {"tb"};
                                  n.strip_b = {"nothing", "TOP.dut."};
                              }))
                    .same);
    EXPECT_TRUE(compare_texts(a, b, with([](NameRules& n) { n.map = {"tb.*=TOP.dut.*"}; })).same);
    EXPECT_TRUE(compare_texts(
                    a, b, with([](NameRules& n) { n.map_regex = {R"(^TOP\.dut\.(\w+)$=tb.$1)"}; }))
                    .same);
    EXPECT_THROW(compare_texts(a, b, with([](NameRules& n) { n.map = {"nonsense"}; })), WaveError);
    EXPECT_THROW(compare_texts(a, b, with([](NameRules& n) { n.map = {"*.*=TOP.dut.*"}; })),
                 WaveError);
    EXPECT_THROW(compare_texts(a, b, with([](NameRules& n) { n.map_regex = {"(=x"}; })), WaveError);
}

TEST(Diff, signals_of_one_side_only_differ_where_names_are_strict) {
    const std::string a = vcd(initial + "#9\n");
    std::string b = a;
    b.replace(b.find(" w "), 3, " u ");
    const DiffResult result = compare_texts(a, b);
    EXPECT_TRUE(result.same);
    EXPECT_THAT(result.only_in[0], ElementsAre("tb.w"));
    EXPECT_THAT(result.only_in[1], ElementsAre("tb.u"));
    EXPECT_FALSE(compare_texts(a, b, [](DiffOptions& o) { o.strict_names = true; }).same);
}

std::string bits(const std::string& body) {
    return "$timescale 1ns $end\n$scope module tb $end\n$var wire 1 0 w[3] $end\n"
           "$var wire 1 1 w [2] $end\n$var wire 1 2 w[1] $end\n$var wire 1 3 w[0] $end\n"
           "$upscope $end\n$enddefinitions $end\n" +
           body;
}

TEST(Diff, vectors_are_compared_with_their_single_bits) {
    const std::string vector = vcd("#0\nb0 #\n#5\nb1010 #\n#7\nb0101 #\n#9\n");
    const std::string split = bits("#0\n00\n01\n02\n03\n#5\n10\n12\n#7\n00\n11\n02\n13\n#9\n");
    EXPECT_TRUE(compare_texts(vector, split).same);
    EXPECT_TRUE(compare_texts(split, vector).same);
    const std::string wrong = bits("#0\n00\n01\n02\n03\n#5\n10\n13\n#7\n00\n11\n02\n13\n#9\n");
    const DiffResult result = compare_texts(vector, wrong);
    ASSERT_EQ(result.differences.size(), 1U);
    EXPECT_EQ(result.differences[0].signal, "tb.w");
    EXPECT_EQ(result.differences[0].at[0].value, "0xa");
    EXPECT_EQ(result.differences[0].at[1].value, "0x9");
}

TEST(Diff, widths_that_differ_are_compared_as_numbers_and_noted) {
    const std::string a = vcd("#0\nb0 \"\n#5\nb101 \"\n#9\n");
    std::string b = a;
    b.replace(b.find("8 \" v [7:0]"), 11, "16 \" v [15:0]");
    const DiffResult result = compare_texts(a, b);
    EXPECT_TRUE(result.same);
    EXPECT_THAT(result.notes, ElementsAre(HasSubstr("tb.v has 8 bits in A and 16 in B")));
    b.replace(b.find("b101 "), 5, "b100000101 ");
    EXPECT_FALSE(compare_texts(a, b).same);
}

TEST(Diff, the_earliest_divergence_stands_first_with_its_context) {
    const std::string a =
        vcd(initial + "#2\nb1 \"\n#4\nb10 \"\n#6\nb11 \"\nb1 #\n#8\nb100 \"\n#9\nb10 #\n#10\n");
    const std::string b =
        vcd(initial + "#2\nb1 \"\n#4\nb10 \"\n#6\nb111 \"\nb1 #\n#8\nb100 \"\n#9\nb11 #\n#10\n");
    const DiffResult result = compare_texts(a, b);
    ASSERT_EQ(result.differences.size(), 2U);
    const Difference& first = result.differences[0];
    EXPECT_EQ(first.signal, "tb.v");
    EXPECT_EQ(first.axis, 6);
    EXPECT_EQ(first.at[0].value, "0x3");
    EXPECT_EQ(first.at[1].value, "0x7");
    EXPECT_EQ(first.matched, 2U);
    std::vector<std::string> values;
    for (const DiffPoint& point : first.recent[1]) values.push_back(point.value);
    EXPECT_THAT(values, ElementsAre("0x0", "0x1", "0x2", "0x7", "0x4"));
    EXPECT_EQ(result.differences[1].signal, "tb.w");

    DiffOptions options;
    const std::string text = to_text(result, options);
    EXPECT_THAT(text, HasSubstr("  1. 6 ns  tb.v: A goes to 0x3, B goes to 0x7"));
    EXPECT_THAT(text, HasSubstr("B: 0 s 0x0 | 2 ns 0x1 | 4 ns 0x2 | 6 ns 0x7 | 8 ns 0x4"));
    const auto json = nlohmann::json::parse(to_json(result, options));
    EXPECT_EQ(json.at("same"), false);
    EXPECT_EQ(json.at("differences").at(0).at("signal"), "tb.v");
    EXPECT_EQ(json.at("differences").at(0).at("b").at("value"), "0x7");
    EXPECT_THAT(to_text(result, options, 1), HasSubstr("... and 1 more"));

    const DiffResult stopped = compare_texts(a, b, [](DiffOptions& o) { o.stop_after = 1; });
    EXPECT_EQ(stopped.differences.size(), 1U);
    EXPECT_TRUE(stopped.stopped);
}

TEST(Diff, what_was_tolerated_is_told) {
    const DiffResult result = compare_texts(vcd(initial + "#5\nb1 \"\n#30\n"),
                                            vcd(initial + "#8\nb1 \"\n#30\n"), tolerance("4ns"));
    EXPECT_EQ(result.largest_skew, 3);
    EXPECT_EQ(result.largest_skew_signal, "tb.v");
    EXPECT_THAT(to_text(result, {}), HasSubstr("B 3 ns later (tb.v)"));
}

TEST(Diff, writes_both_sides_and_a_difference_signal) {
    const Folder folder;
    for (const char* name : {"d.vcd", "d.fst"}) {
        compare_texts(vcd(initial + "#5\nb1 \"\n#30\n"), vcd(initial + "#8\nb1 \"\n#30\n"),
                      [&](DiffOptions& o) { o.write = folder.file(name); });
        ShowOptions options;
        options.file = folder.file(name);
        options.pattern = "**.tb.v";
        options.at = {"4ns", "5ns", "7ns", "8ns"};
        const Shown shown = show_signals(options);
        ASSERT_EQ(shown.signals.size(), 3U);
        EXPECT_EQ(shown.signals[0].full_name(), "a.tb.v[7:0]");
        EXPECT_THAT(shown.table[0], ElementsAre("0x0", "0x1", "0x1", "0x1"));
        EXPECT_THAT(shown.table[1], ElementsAre("0x0", "0x0", "0x0", "0x1"));
        EXPECT_THAT(shown.table[2], ElementsAre("0", "1", "1", "0"));
    }
    EXPECT_THROW(compare_texts(vcd(initial), vcd(initial),
                               [](DiffOptions& o) { o.write = "/no/such/folder/d.vcd"; }),
                 WaveError);
}

TEST(Diff, bad_options_are_errors_that_say_what_is_allowed) {
    const std::string a = vcd(initial + "#9\n");
    const std::pair<Set, const char*> cases[] = {
        {tolerance("2c"), "give the length of a cycle"},
        {tolerance("2"), "the unit is missing"},
        {tolerance("tb.x=2ns"), "is for no compared signal; the nearest are: tb."},
        {[](DiffOptions& o) { o.event_a = o.event_b = "tb.x:rise"; }, "no signal 'tb.x'"},
        {[](DiffOptions& o) { o.event_a = "tb.v:rise"; }, "both files need an event"},
        {[](DiffOptions& o) { o.clock_a = o.clock_b = "clock"; }, "no signal 'clock'"},
        {[](DiffOptions& o) {
             o.from = "5ns";
             o.to = "4ns";
         },
         "ends before it begins"},
        {[](DiffOptions& o) { o.names.include = "zz"; }, "no signal to compare"},
        {[](DiffOptions& o) { o.cycle = "0"; }, "a cycle has a length"},
        {[](DiffOptions& o) { o.b = "/no/such"; }, "cannot read /no/such"},
    };
    for (const auto& [set, message] : cases) {
        try {
            compare_texts(a, a, set);
            ADD_FAILURE() << message;
        } catch (const WaveError& error) {
            EXPECT_THAT(error.what(), HasSubstr(message));
        }
    }
}

}  // namespace
}  // namespace nicsim::waves
