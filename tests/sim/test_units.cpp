// SPDX-License-Identifier: Apache-2.0
#include "sim/units.h"

#include <gtest/gtest.h>

#include "sim/param.h"

using namespace nicsim::sim;

namespace {

double value_of(const QuantityResult& r) {
    EXPECT_TRUE(std::holds_alternative<double>(r))
        << (std::holds_alternative<QuantityError>(r) ? std::get<QuantityError>(r).message : "");
    return std::holds_alternative<double>(r) ? std::get<double>(r) : -1.0;
}

std::string error_of(const QuantityResult& r) {
    return std::holds_alternative<QuantityError>(r) ? std::get<QuantityError>(r).message : "";
}

TEST(Units, quantities_are_stored_in_their_base_unit) {
    EXPECT_EQ(value_of(parse_quantity("6KiB", Unit::bytes)), 6144.0);
    EXPECT_EQ(value_of(parse_quantity("6 kB", Unit::bytes)), 6000.0);
    EXPECT_EQ(value_of(parse_quantity("125us", Unit::time)), 125e6);
    EXPECT_EQ(value_of(parse_quantity("0.1us", Unit::time)), 100000.0);
    EXPECT_EQ(value_of(parse_quantity("1e-3s", Unit::time)), 1e9);
    EXPECT_EQ(value_of(parse_quantity("1Gbit/s", Unit::bit_rate)), 1e9);
    EXPECT_EQ(value_of(parse_quantity("2.5GT/s", Unit::transfer_rate)), 2.5e9);
    EXPECT_EQ(value_of(parse_quantity("61%", Unit::ratio)), 0.61);
    EXPECT_EQ(value_of(parse_quantity("0.61", Unit::ratio)), 0.61);
    EXPECT_EQ(value_of(parse_quantity("14.88Mpps", Unit::packet_rate)), 14.88e6);
    EXPECT_EQ(value_of(parse_quantity("0xf", Unit::none)), 15.0);
    EXPECT_EQ(value_of(parse_quantity(" -3 ", Unit::none)), -3.0);
}

TEST(Units, a_bare_number_is_refused_where_a_unit_is_needed_but_zero_is_zero) {
    EXPECT_EQ(value_of(parse_quantity("0", Unit::time)), 0.0);
    EXPECT_NE(error_of(parse_quantity("125", Unit::time)).find("ps, ns, us, ms, s"),
              std::string::npos);
}

TEST(Units, a_wrong_unit_is_named_with_those_allowed) {
    const std::string e = error_of(parse_quantity("6KB", Unit::bytes));
    EXPECT_NE(e.find("'KB'"), std::string::npos);
    EXPECT_NE(e.find("KiB"), std::string::npos);
    EXPECT_FALSE(error_of(parse_quantity("6us", Unit::bytes)).empty());
    EXPECT_FALSE(error_of(parse_quantity("6KiB", Unit::none)).empty());
}

TEST(Units, what_is_no_finite_number_is_refused) {
    for (const char* text : {"", "nan", "inf", "-inf", "1e999", "abc", "us", "0x", "--1", "1.2.3us",
                             "1us1us", "\xff\xfe"})
        EXPECT_FALSE(error_of(parse_quantity(text, Unit::time)).empty()) << text;
}

TEST(Units, formatting_picks_the_largest_exact_suffix) {
    EXPECT_EQ(format_quantity(6144, Unit::bytes), "6KiB");
    EXPECT_EQ(format_quantity(1500, Unit::bytes), "1500B");
    EXPECT_EQ(format_quantity(2.5e9, Unit::transfer_rate), "2.5GT/s");
    EXPECT_EQ(format_quantity(125e6, Unit::time), "125us");
    EXPECT_EQ(format_quantity(12304, Unit::time), "12.304ns");
    EXPECT_EQ(format_quantity(0, Unit::time), "0");
    EXPECT_EQ(format_quantity(0.25, Unit::ratio), "0.25");
}

TEST(Units, what_is_formatted_parses_back_to_the_same_value) {
    for (const double v : {1.0, 999.0, 1000.0, 1001.0, 1024.0, 123456789.0, 1e12, 4032.0, 7.0e5})
        for (const Unit u : {Unit::bytes, Unit::time, Unit::bit_rate, Unit::transfer_rate,
                             Unit::frequency, Unit::packet_rate, Unit::none, Unit::ratio})
            EXPECT_EQ(value_of(parse_quantity(format_quantity(v, u), u)), v);
}

enum class Mode { slow, fast };
struct Config {
    std::uint64_t size = 6144;
    std::vector<std::uint64_t> split = {8192, 4096};
    Mode mode = Mode::fast;
    bool on = true;
    double share = 0.5;
    std::uint64_t width = 1;
    static ParamTable table() {
        return ParamTableBuilder<Config>()
            .add("size", &Config::size,
                 {.unit = Unit::bytes, .min = 64, .max = 8192, .sentence = "Size."})
            .add("split", &Config::split,
                 {.unit = Unit::bytes,
                  .min = 0,
                  .max = 8192,
                  .min_items = 2,
                  .max_items = 2,
                  .sentence = "Split."})
            .add_choice("mode", &Config::mode, {{Mode::slow, "slow"}, {Mode::fast, "fast"}},
                        {.sentence = "Mode."})
            .add("on", &Config::on, {.sentence = "On."})
            .add("share", &Config::share,
                 {.unit = Unit::ratio, .min = 0, .max = 1, .sentence = "Share."})
            .add("width", &Config::width, {.allowed = {1, 2, 4}, .sentence = "Lanes."})
            .build();
    }
};

TEST(Params, a_table_reads_and_writes_the_members) {
    const ParamTable table = Config::table();
    Config c;
    find_param(table, "mode")->set(&c, ParamValue(std::string("slow")));
    find_param(table, "size")->set(&c, ParamValue(std::uint64_t{128}));
    EXPECT_EQ(c.mode, Mode::slow);
    EXPECT_EQ(c.size, 128U);
    EXPECT_EQ(std::get<std::string>(find_param(table, "mode")->default_value), "fast");
    EXPECT_EQ(find_param(table, "nothing"), nullptr);
}

TEST(Params, values_are_written_as_users_write_them) {
    const ParamTable table = Config::table();
    EXPECT_EQ(format_value(table[0], table[0].default_value), "6KiB");
    EXPECT_EQ(format_value(table[1], table[1].default_value), "[8KiB, 4KiB]");
    EXPECT_EQ(format_value(table[2], table[2].default_value), "fast");
    EXPECT_EQ(format_value(table[3], table[3].default_value), "true");
}

TEST(Params, checks_say_what_is_allowed) {
    const ParamTable table = Config::table();
    EXPECT_EQ(check_value(table[0], ParamValue(std::uint64_t{8192})), "");
    EXPECT_EQ(check_value(table[0], ParamValue(std::uint64_t{8193})),
              "8193B is not allowed (allowed: 64B to 8KiB)");
    EXPECT_EQ(check_value(table[1], ParamValue(std::vector<std::uint64_t>{1})),
              "the list has 1 items (exactly 2 are allowed)");
    EXPECT_EQ(check_value(table[2], ParamValue(std::string("medium"))),
              "'medium' is not one of slow, fast");
    EXPECT_EQ(check_value(table[5], ParamValue(std::uint64_t{3})),
              "3 is not allowed (allowed: 1, 2, 4)");
    EXPECT_EQ(check_value(table[4], ParamValue(1.5)), "1.5 is not allowed (allowed: 0 to 1)");
    EXPECT_EQ(check_value(table[3], ParamValue(1.5)), "the value has the wrong type");
}

}  // namespace
