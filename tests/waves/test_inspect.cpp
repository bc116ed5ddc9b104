// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support.h"
#include "waves/inspect.h"

namespace nicsim::waves {
namespace {

using test::Folder;
using testing::ElementsAre;
using testing::HasSubstr;

const char* const sample =
    "$timescale 1ns $end\n$scope module tb $end\n$var wire 1 ! clk $end\n"
    "$var wire 8 \" count [7:0] $end\n$upscope $end\n$enddefinitions $end\n"
    "#0\n0!\nb0 \"\n#5\n1!\nb1 \"\n#10\n0!\n#15\n1!\nb10 \"\nb11 \"\n#20\n0!\n#25\n1!\nb11 \"\n";

class Inspect : public testing::Test {
protected:
    Inspect() { test::write_file(file_, sample); }
    Folder folder_;
    std::string file_ = folder_.file("t.vcd");
};

TEST_F(Inspect, ls_counts_changes_and_not_repetitions) {
    const Listing listing = list_signals(file_, "");
    ASSERT_EQ(listing.signals.size(), 2U);
    EXPECT_EQ(listing.signals[0].changes, 5U);
    EXPECT_EQ(listing.signals[1].changes, 3U);
    EXPECT_EQ(listing.last_time, 25U);
    EXPECT_THAT(to_text(listing), HasSubstr("tb.count[7:0]"));
    EXPECT_EQ(nlohmann::json::parse(to_json(listing)).at("signals").at(1).at("width"), 8);
}

TEST_F(Inspect, an_unknown_signal_is_an_error_with_the_nearest_names) {
    try {
        list_signals(file_, "tb.cuont");
        FAIL();
    } catch (const WaveError& error) {
        EXPECT_THAT(error.what(),
                    HasSubstr("no signal matches 'tb.cuont'; the nearest are: tb.count"));
    }
}

TEST_F(Inspect, show_gives_the_value_in_force_at_each_time) {
    ShowOptions options;
    options.file = file_;
    options.pattern = "tb.count";
    options.at = {"4ns", "5ns", "14ns", "15ns", "99ns"};
    const Shown shown = show_signals(options);
    EXPECT_THAT(shown.table.at(0), ElementsAre("0x0", "0x1", "0x1", "0x3", "0x3"));
    EXPECT_THAT(to_text(shown), HasSubstr("15 ns"));
}

TEST_F(Inspect, show_looks_around_the_nth_event) {
    ShowOptions options;
    options.file = file_;
    options.around = "tb.clk:rise#2";
    options.window = "5ns";
    const Shown shown = show_signals(options);
    EXPECT_EQ(shown.from, 10U);
    EXPECT_EQ(shown.to, 20U);
    EXPECT_EQ(shown.before.at(1).value, "0x1");
    ASSERT_EQ(shown.changes.size(), 5U);
    EXPECT_EQ(shown.changes.at(2).value, "0x2");
    EXPECT_TRUE(nlohmann::json::parse(to_json(shown)).at("changes").is_array());
}

TEST_F(Inspect, events_are_found_by_settled_values) {
    const auto at = [&](const char* text) { return find_event(file_, EventSpec::parse(text)); };
    EXPECT_EQ(at("tb.clk:rise"), 5U);
    EXPECT_EQ(at("tb.clk:fall#2"), 20U);
    EXPECT_EQ(at("tb.count:0x3"), 15U);
    EXPECT_EQ(at("tb.count[7:0]:change#2"), 15U);
    EXPECT_THROW(at("tb.count:2"), WaveError);  // only within an instant
    EXPECT_THROW(at("tb.clk:rise#4"), WaveError);
    EXPECT_THROW(at("tb.none:rise"), WaveError);
    for (const char* bad : {"tb.clk", "tb.clk:up", "tb.clk:rise#0", ":rise", "tb.v[3:0]"})
        EXPECT_THROW(EventSpec::parse(bad), WaveError) << bad;
}

TEST_F(Inspect, contradicting_ways_of_showing_are_refused) {
    ShowOptions options;
    options.file = file_;
    options.at = {"4ns"};
    options.from = "1ns";
    EXPECT_THROW(show_signals(options), WaveError);
    options.at.clear();
    options.to = "0";
    EXPECT_THROW(show_signals(options), WaveError);
}

TEST_F(Inspect, rows_are_limited_on_request) {
    ShowOptions options;
    options.file = file_;
    options.max_rows = 2;
    const Shown shown = show_signals(options);
    EXPECT_EQ(shown.changes.size(), 2U);
    EXPECT_TRUE(shown.cut);
}

TEST(Values, of_strings_send_nothing_to_a_terminal_but_text) {
    EXPECT_EQ(format_value(Kind::string, "idle"), "\"idle\"");
    EXPECT_EQ(format_value(Kind::string, "\x1b[31mred\n"), "\"\\x1b[31mred\\n\"");
    EXPECT_EQ(format_value(Kind::string, "a\"b\\c\x7f"), "\"a\\\"b\\\\c\\x7f\"");
    EXPECT_EQ(format_value(Kind::string, "gr\u00fcn"), "\"gr\u00fcn\"");
}

}  // namespace
}  // namespace nicsim::waves
