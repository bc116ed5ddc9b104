// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "waves/pattern.h"
#include "waves/wave.h"

namespace nicsim::waves {
namespace {

TEST(Pattern, star_stays_within_a_level_and_two_stars_cross_levels) {
    EXPECT_TRUE(glob_match("nic.*.fill", "nic.tx.fill"));
    EXPECT_FALSE(glob_match("nic.*.fill", "nic.tx.queue0.fill"));
    EXPECT_TRUE(glob_match("nic.**.fill", "nic.tx.queue0.fill"));
    EXPECT_TRUE(glob_match("**.fill", "nic.tx.queue0.fill"));
    EXPECT_TRUE(glob_match("**q*0.f*l", "nic.tx.queue0.fill"));
    EXPECT_FALSE(glob_match("**q*1.f*l", "nic.tx.queue0.fill"));
    EXPECT_TRUE(glob_match("q?", "q1"));
    EXPECT_FALSE(glob_match("q?", "q"));
    EXPECT_TRUE(glob_match("mem[3]", "mem[3]"));
    EXPECT_TRUE(glob_match("", ""));
    EXPECT_FALSE(glob_match("", "a"));
}

TEST(Pattern, a_matched_scope_stands_for_everything_below_it) {
    EXPECT_TRUE(Pattern("nic.tx").matches("nic.tx.queue0.fill"));
    EXPECT_TRUE(Pattern("nic.*").matches("nic.tx.queue0.fill"));
    EXPECT_FALSE(Pattern("nic.tx").matches("nic.txq.fill"));
    EXPECT_TRUE(Pattern("a,nic.tx").matches("nic.tx.fill"));
    EXPECT_TRUE(Pattern("").matches("anything"));
}

TEST(Pattern, captures_say_what_each_wildcard_stood_for) {
    std::vector<std::string> captures;
    ASSERT_TRUE(glob_match("tb.**.q*_fill", "tb.a.b.q12_fill", &captures));
    EXPECT_EQ(captures, (std::vector<std::string>{"a.b", "12"}));
}

TEST(Pattern, the_nearest_names_come_first) {
    const std::vector<std::string> names = {"cpu.core0", "nic.tx.head", "nic.tx.queue0.fill"};
    EXPECT_EQ(nearest_names("nic.tx.haed", names, 1).front(), "nic.tx.head");
    EXPECT_EQ(nearest_names("nic.queue0.fill", names, 1).front(), "nic.tx.queue0.fill");
}

TEST(WaveText, values_are_hexadecimal_unless_a_digit_is_partly_unknown) {
    EXPECT_EQ(format_value(Kind::bits, "1"), "1");
    EXPECT_EQ(format_value(Kind::bits, "00011111"), "0x1f");
    EXPECT_EQ(format_value(Kind::bits, "00000"), "0x0");
    EXPECT_EQ(format_value(Kind::bits, "0001xxxx"), "h1x");
    EXPECT_EQ(format_value(Kind::bits, "10x1"), "b10x1");
    EXPECT_EQ(format_value(Kind::bits, "110000"), "0x30");
}

TEST(WaveText, times_are_exact_in_the_largest_fitting_unit) {
    EXPECT_EQ(format_time(0, -12), "0 s");
    EXPECT_EQ(format_time(1, -12), "1 ps");
    EXPECT_EQ(format_time(12345, -12), "12.345 ns");
    EXPECT_EQ(format_time(1'000'000, -12), "1 us");
    EXPECT_EQ(format_time(5, -11), "50 ps");
    EXPECT_EQ(format_time(1'500'000'000'000, -12), "1.5 s");
    EXPECT_EQ(format_time(7, 1), "70 s");
}

TEST(WaveText, times_are_parsed_exactly_or_refused) {
    EXPECT_EQ(parse_time("125ns", -12), 125'000U);
    EXPECT_EQ(parse_time("3.25us", -9), 3250U);
    EXPECT_EQ(parse_time("0", -9), 0U);
    EXPECT_EQ(parse_time("1s", -12), 1'000'000'000'000U);
    EXPECT_THROW(parse_time("1ps", -9), WaveError);
    EXPECT_THROW(parse_time("12", -9), WaveError);
    EXPECT_THROW(parse_time("12 parsec", -9), WaveError);
    EXPECT_THROW(parse_time("ns", -9), WaveError);
    EXPECT_THROW(parse_time("99999999999s", -12), WaveError);
}

TEST(WaveText, a_range_belongs_to_the_name_only_if_it_has_the_width) {
    Signal vector;
    vector.width = 8;
    set_name_and_range(vector, "count [7:0]");
    EXPECT_EQ(vector.path, "count");
    EXPECT_EQ(vector.full_name(), "count[7:0]");
    Signal element;
    element.width = 8;
    set_name_and_range(element, "mem[3] [7:0]");
    EXPECT_EQ(element.full_name(), "mem[3][7:0]");
    Signal bit;
    set_name_and_range(bit, "v [3]");
    EXPECT_EQ(bit.full_name(), "v[3]");
    EXPECT_FALSE(bit.ranged);
}

}  // namespace
}  // namespace nicsim::waves
