// SPDX-License-Identifier: Apache-2.0
// The scenario language on a small grammar of its own: every way to get a file wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "scenarios/bound.h"
#include "scenarios/schema.h"

using namespace nicsim;
using namespace nicsim::scenarios;
using testing::HasSubstr;

namespace {

enum class Mode { slow, fast };
struct TopConfig {
    std::string name;
    std::uint64_t seed = 1;
    std::uint64_t duration = 1'000'000;
    static const sim::ParamTable& params() {
        static const sim::ParamTable table =
            sim::ParamTableBuilder<TopConfig>()
                .add("name", &TopConfig::name, {.sentence = "Name."})
                .add("seed", &TopConfig::seed, {.sentence = "Seed."})
                .add("duration", &TopConfig::duration,
                     {.unit = sim::Unit::time, .min = 1e6, .max = 1e15, .sentence = "Length."})
                .build();
        return table;
    }
};
struct NicConfig {
    std::vector<std::uint64_t> split = {8192, 8192, 4096, 4096};
    std::uint64_t rate = 1'000'000'000;
    Mode mode = Mode::fast;
    bool enabled = true;
    double share = 0.5;
    static const sim::ParamTable& params() {
        static const sim::ParamTable table =
            sim::ParamTableBuilder<NicConfig>()
                .add("split", &NicConfig::split,
                     {.unit = sim::Unit::bytes,
                      .min = 0,
                      .max = 24576,
                      .min_items = 4,
                      .max_items = 4,
                      .sentence = "Split."})
                .add("rate", &NicConfig::rate,
                     {.unit = sim::Unit::bit_rate, .allowed = {1e8, 1e9}, .sentence = "Rate."})
                .add_choice("mode", &NicConfig::mode, {{Mode::slow, "slow"}, {Mode::fast, "fast"}},
                            {.sentence = "Mode."})
                .add("enabled", &NicConfig::enabled, {.sentence = "On."})
                .add("share", &NicConfig::share,
                     {.unit = sim::Unit::ratio, .min = 0, .max = 1, .sentence = "Share."})
                .build();
        return table;
    }
};
struct LoadConfig {
    std::string name;
    std::uint64_t message = 1024;
    static const sim::ParamTable& params() {
        static const sim::ParamTable table =
            sim::ParamTableBuilder<LoadConfig>()
                .add("name", &LoadConfig::name, {.sentence = "Name."})
                .add("message", &LoadConfig::message,
                     {.unit = sim::Unit::bytes, .min = 1, .max = 65536, .sentence = "Size."})
                .build();
        return table;
    }
};

const Block& grammar() {
    static const Block nic{{&NicConfig::params()}, {}, [](const BoundBlock& b) {
                               std::uint64_t sum = 0;
                               for (const auto part : b.as<NicConfig>().split) sum += part;
                               std::vector<Fault> faults;
                               if (sum > 24576)
                                   faults.push_back({"split", "the parts exceed 24KiB"});
                               return faults;
                           }};
    static const Block load{{&LoadConfig::params()}, {}, {}};
    static const Block top{
        {&TopConfig::params()},
        {{"nic",
          "The device.",
          Field::Kind::choice,
          nullptr,
          {{"i210", "A NIC.", &nic}},
          true,
          64,
          ""},
         {"loads",
          "What runs.",
          Field::Kind::choices,
          nullptr,
          {{"tcp", "TCP.", &load}, {"udp", "UDP.", &load}},
          false,
          4,
          ""},
         {"host", "The host.", Field::Kind::block, &load, {}, false, 64, "host"}},
        {}};
    return top;
}

std::string problems_of(const std::string& yaml, const std::vector<std::string>& sets = {}) {
    Problems problems;
    Value document = parse_yaml(yaml, "s.yaml", Origin::file, problems);
    for (const std::string& s : sets) apply_set(document, s, problems);
    if (problems.empty()) bind_document(document, grammar(), "/nowhere", problems);
    return problems.text();
}

struct Case {
    const char* title;
    std::string yaml;
    std::vector<std::string> expected;
    std::vector<std::string> sets = {};
};

std::string nested(int depth) {
    return "nic: " + std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']') + "\n";
}

const std::string good = "name: x\nnic:\n  type: i210\n";

std::vector<Case> cases() {
    return {
        {"unknown key at the top",
         good + "durration: 5us\n",
         {"s.yaml:4:1: durration: unknown key; did you mean 'duration'? (known: name, seed"}},
        {"unknown key in a block",
         "nic:\n  type: i210\n  splitt: [1]\n",
         {"s.yaml:3:3: nic.splitt: unknown key; did you mean 'split'?"}},
        {"unknown key like nothing known", good + "zzzzzzzzzz: 1\n", {"unknown key (known: "}},
        {"missing required block", "name: x\n", {"nic: is missing: The device."}},
        {"no type", "nic: {rate: 1Gbit/s}\n", {"s.yaml:1:6: nic: needs a map with the key 'type'"}},
        {"wrong type name",
         "nic: {type: i211}\n",
         {"s.yaml:1:13: nic.type: 'i211' is not one of i210; did you mean 'i210'?"}},
        {"scalar for a block", "nic: 5\n", {"nic: needs a map"}},
        {"scalar for a plain block", good + "host: 5\n", {"host: needs a map of keys, not '5'"}},
        {"list for a scalar",
         good + "duration: [1us]\n",
         {"duration: needs a number, not a list (allowed: 1us to 1000s)"}},
        {"map for a choice",
         "nic: {type: i210, mode: {a: 1}}\n",
         {"needs one of slow, fast, not a map"}},
        {"wrong unit",
         good + "duration: 5KiB\n",
         {"4:11", "'KiB', which is not one of ps, ns, us, ms, s"}},
        {"no unit", good + "duration: 5\n", {"'5' has no unit (allowed: ps, ns, us, ms, s)"}},
        {"no number", good + "duration: soon\n", {"'soon' is not a number with a unit"}},
        {"not a number", good + "duration: .nan\n", {"is not a number"}},
        {"nan", good + "duration: nan\n", {"is not a number"}},
        {"infinite", good + "duration: infs\n", {"is not a number"}},
        {"negative", good + "duration: -5us\n", {"'-5us' is out of range (allowed: 1us to 1000s)"}},
        {"absurd", good + "duration: 1e300s\n", {"is out of range"}},
        {"overflow", good + "duration: 1e999s\n", {"is not a number"}},
        {"fraction of a picosecond", good + "duration: 1.5ps\n", {"is not a whole number of ps"}},
        {"above the range",
         good + "duration: 1001s\n",
         {"1001s is not allowed (allowed: 1us to 1000s)"}},
        {"below the range", good + "duration: 0\n", {"0 is not allowed (allowed: 1us to 1000s)"}},
        {"negative seed", good + "seed: -1\n", {"is out of range (allowed: 0 or more)"}},
        {"fractional seed", good + "seed: 1.5\n", {"is not a whole number"}},
        {"unit on a plain number", good + "seed: 5us\n", {"no unit is allowed here"}},
        {"number not in the list of allowed",
         "nic: {type: i210, rate: 3Gbit/s}\n",
         {"3Gbit/s is not allowed (allowed: 100Mbit/s, 1Gbit/s)"}},
        {"not a boolean", "nic: {type: i210, enabled: yes}\n", {"needs true or false, not 'yes'"}},
        {"not a choice",
         "nic: {type: i210, mode: fats}\n",
         {"'fats' is not one of slow, fast; did you mean 'fast'?"}},
        {"ratio above one",
         "nic: {type: i210, share: 120%}\n",
         {"1.2 is not allowed (allowed: 0 to 1)"}},
        {"scalar for a list",
         "nic: {type: i210, split: 8KiB}\n",
         {"needs a list of 4 values such as [8KiB, 8KiB, 4KiB, 4KiB], not '8KiB'"}},
        {"list too short",
         "nic: {type: i210, split: [8KiB]}\n",
         {"1 items (exactly 4 are allowed)"}},
        {"list too long", "nic: {type: i210, split: [0, 0, 0, 0, 0]}\n", {"5 items"}},
        {"bad list item", "nic: {type: i210, split: [8KiB, 8us, 4KiB, 4KiB]}\n", {"item 1: '8us'"}},
        {"list item out of range",
         "nic: {type: i210, split: [25KiB, 0, 0, 0]}\n",
         {"item 0: 25KiB"}},
        {"rule over a block",
         "nic: {type: i210, split: [8KiB, 8KiB, 8KiB, 4KiB]}\n",
         {"s.yaml:1:26: nic.split: the parts exceed 24KiB"}},
        {"value missing", "name:\nnic: {type: i210}\n", {"name: has no value"}},
        {"duplicate key",
         good + "seed: 1\nseed: 2\n",
         {"5:1: seed: the key appears twice (first at line 4)"}},
        {"list name used twice",
         good + "loads:\n  - {type: tcp, name: a}\n  - {type: udp, name: a}\n",
         {"6:23: loads.a: the name is used twice"}},
        {"map for a list", good + "loads: {type: tcp}\n", {"loads: needs a list, not a map"}},
        {"too many items",
         good + "loads: [{type: tcp},{type: tcp},{type: tcp},{type: tcp},{type: tcp}]\n",
         {"has 5 items; at most 4"}},
        {"scalar for a list item",
         good + "loads: [5]\n",
         {"loads.0: needs a map with the key 'type'"}},
        {"syntax error", "nic: {type: i210\nname: x\n", {"not valid YAML"}},
        {"bad indentation", "nic:\n  type: i210\n name: x\n", {"s.yaml:3:", "not valid YAML"}},
        {"tab as indentation", "nic:\n\ttype: i210\n", {"s.yaml:2:", "not valid YAML"}},
        {"anchor", "nic: &a {type: i210}\n", {"anchors (&name) are not part"}},
        {"alias bomb", "a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n", {"anchors"}},
        {"alias of nothing", "a: *b\n", {"s.yaml:1:"}},
        {"tag", "nic: !!python/object {type: i210}\n", {"tags (!name) are not part"}},
        {"too deep", nested(40), {"nested deeper than 16 levels"}},
        {"far too deep", nested(20000), {"nested deeper than 16 levels"}},
        {"map as key", "{a: 1}: 2\n", {"a key must be plain text"}},
        {"two documents", good + "---\n" + good, {"more than one YAML document"}},
        {"only a comment", "# nothing\n", {"s.yaml: "}},
        {"only a number", "5\n", {"needs a map of keys, not '5'"}},
        {"unknown profile", good + "host: {profile: desk}\n", {"host.profile: no profile 'desk'"}},
        {"set without equals", good, {"--set seed: needs the form key.path=value"}, {"seed"}},
        {"set without key", good, {"--set =5: needs the form"}, {"=5"}},
        {"set with an empty segment",
         good,
         {"'nic..rate' is not a key path"},
         {"nic..rate=1Gbit/s"}},
        {"set of an unknown key",
         good,
         {"--set nic.ratte=1Gbit/s: nic.ratte: unknown key; did you mean 'rate'?"},
         {"nic.ratte=1Gbit/s"}},
        {"set out of range",
         good,
         {"--set duration=1ps: duration: 1ps is not allowed"},
         {"duration=1ps"}},
        {"set below a scalar", good, {"there are no keys below 'name'"}, {"name.x=1"}},
        {"set of a missing item",
         good + "loads: [{type: tcp, name: a}]\n",
         {"no item 'b' in the list (there are: a)"},
         {"loads.b.message=5B"}},
        {"set with bad YAML", good, {"--set seed=[1:", "is a bracket left open?"}, {"seed=[1"}},
        {"set to nothing", good, {"seed: has no value"}, {"seed="}},
    };
}

TEST(Language, every_mistake_is_named_with_place_and_remedy) {
    EXPECT_EQ(problems_of(good), "");
    for (const Case& c : cases()) {
        const std::string text = problems_of(c.yaml, c.sets);
        EXPECT_NE(text, "") << c.title;
        for (const std::string& e : c.expected) EXPECT_THAT(text, HasSubstr(e)) << c.title;
    }
}

TEST(Language, several_problems_are_reported_at_once) {
    const std::string text =
        problems_of("durration: 1us\nseed: x\nnic: {type: i210, rate: 5, mode: quick}\n");
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4) << text;
}

TEST(Language, a_flood_of_problems_is_cut) {
    std::string yaml = good;
    for (int i = 0; i < 500; ++i) yaml += "k" + std::to_string(i) + ": 1\n";
    EXPECT_THAT(problems_of(yaml), HasSubstr("... and 480 more"));
}

TEST(Language, values_know_who_gave_them) {
    Problems problems;
    Value document = parse_yaml(good + "seed: 3\n", "s.yaml", Origin::file, problems);
    apply_set(document, "duration=5us", problems);
    const BoundBlock bound = bind_document(document, grammar(), "", problems);
    EXPECT_TRUE(problems.empty()) << problems.text();
    EXPECT_STREQ(provenance(*bound.find("seed")), "file");
    EXPECT_EQ(text_of(bound.find("seed")->place), "s.yaml:4:7");
    EXPECT_STREQ(provenance(*bound.find("duration")), "set");
    EXPECT_STREQ(provenance(*bound.child("nic")->find("rate")), "default");
    EXPECT_EQ(bound.as<TopConfig>().seed, 3U);
    EXPECT_EQ(bound.as<TopConfig>().duration, 5'000'000U);
    EXPECT_EQ(bound.child("nic")->type, "i210");
}

TEST(Language, set_reaches_list_items_by_index_and_by_name) {
    Problems problems;
    Value document =
        parse_yaml(good + "loads:\n  - {type: tcp, name: a}\n  - {type: udp, name: b}\n", "s.yaml",
                   Origin::file, problems);
    apply_set(document, "loads.b.message=192B", problems);
    apply_set(document, "loads.0.message=4KiB", problems);
    apply_set(document, "nic.split=[6KiB, 6KiB, 6KiB, 6KiB]", problems);
    apply_set(document, "nic.split.3=5KiB", problems);
    const BoundBlock bound = bind_document(document, grammar(), "", problems);
    EXPECT_TRUE(problems.empty()) << problems.text();
    EXPECT_EQ(bound.list("loads")[0].as<LoadConfig>().message, 4096U);
    EXPECT_EQ(bound.list("loads")[1].as<LoadConfig>().message, 192U);
    EXPECT_EQ(bound.child("nic")->as<NicConfig>().split.at(3), 5120U);
}

class Files : public testing::Test {
protected:
    void SetUp() override {
        char name[] = "/tmp/nicsim-test-XXXXXX";
        folder = mkdtemp(name);
    }
    void TearDown() override { std::filesystem::remove_all(folder); }
    std::string write(const std::string& name, const std::string& bytes) const {
        const auto path = folder / name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << bytes;
        return path.string();
    }
    static std::string problems_of_file(const std::string& path) {
        Problems problems;
        const Value document = load_with_bases(path, problems);
        if (problems.empty()) bind_document(document, grammar(), "", problems);
        return problems.text();
    }
    std::filesystem::path folder;
};

TEST_F(Files, what_is_not_a_scenario_file_is_refused) {
    EXPECT_THAT(problems_of_file((folder / "none.yaml").string()), HasSubstr("no such file"));
    EXPECT_THAT(problems_of_file(folder.string()), HasSubstr("is a directory"));
    EXPECT_THAT(problems_of_file("/dev/zero"), HasSubstr("is not a regular file"));
    EXPECT_THAT(problems_of_file(write("e.yaml", "")), HasSubstr("the file is empty"));
    EXPECT_THAT(problems_of_file(write("b.yaml", " \n\n")), HasSubstr("the file is empty"));
    EXPECT_THAT(problems_of_file(write("g.yaml", std::string("\x7f"
                                                             "ELF\0\1\2",
                                                             7))),
                HasSubstr("not a text file"));
    EXPECT_THAT(problems_of_file(write("l.yaml", "name: \xe9\xe8\n")),
                HasSubstr("not a text file"));
    EXPECT_THAT(problems_of_file(write("t.yaml", "name: \xe2\x82")), HasSubstr("not a text file"));
    EXPECT_THAT(problems_of_file(write("h.yaml", std::string(300 * 1024, '#'))),
                HasSubstr("is larger than 256 KiB"));
    EXPECT_THAT(problems_of_file(write(
                    "n.yaml", "a: [" +
                                  [] {
                                      std::string s;
                                      for (int i = 0; i < 30000; ++i) s += "1,";
                                      return s;
                                  }() +
                                  "]\n")),
                HasSubstr("more than 20000 values"));
    EXPECT_EQ(problems_of_file(write("u.yaml", "name: \xc3\xa9t\xc3\xa9\nnic: {type: i210}\n")),
              "");
}

TEST_F(Files, an_unreadable_file_is_said_to_be_so) {
    const std::string path = write("u.yaml", good);
    std::filesystem::permissions(folder, std::filesystem::perms::all);
    std::filesystem::permissions(path, std::filesystem::perms::none);
    const bool root = geteuid() == 0;
    ASSERT_EQ(root ? seteuid(65534) : 0, 0);
    const std::string text = problems_of_file(path);
    ASSERT_EQ(root ? seteuid(0) : 0, 0);
    EXPECT_THAT(text, HasSubstr("cannot be read: Permission denied"));
}

TEST_F(Files, a_base_lies_below) {
    write("base.yaml", "name: base\nseed: 7\nnic: {type: i210, rate: 100Mbit/s, mode: slow}\n");
    const std::string path =
        write("sub/s.yaml", "base: ../base.yaml\nname: mine\nnic: {mode: fast}\n");
    Problems problems;
    const BoundBlock bound =
        bind_document(load_with_bases(path, problems), grammar(), "", problems);
    EXPECT_TRUE(problems.empty()) << problems.text();
    EXPECT_EQ(bound.as<TopConfig>().name, "mine");
    EXPECT_EQ(bound.as<TopConfig>().seed, 7U);
    EXPECT_EQ(bound.child("nic")->as<NicConfig>().rate, 100'000'000U);
    EXPECT_EQ(bound.child("nic")->as<NicConfig>().mode, Mode::fast);
    EXPECT_THAT(bound.find("seed")->place.file, HasSubstr("base.yaml"));
}

TEST_F(Files, a_base_that_is_not_beside_the_file_is_a_shipped_scenario) {
    for (const char* base : {"i210/qav_6666.yaml", "i210/qav_6666"}) {
        Problems problems;
        const Value document =
            load_with_bases(write("mine.yaml", "base: " + std::string(base) + "\n"), problems);
        EXPECT_TRUE(problems.empty()) << problems.text();
        ASSERT_NE(document.find("qdisc"), nullptr) << base;
    }
    write("i210/qav_6666.yaml", "name: my own\n");
    Problems problems;
    const Value own = load_with_bases(write("m.yaml", "base: i210/qav_6666.yaml\n"), problems);
    ASSERT_NE(own.find("name"), nullptr);
    EXPECT_EQ(own.find("name")->text, "my own") << "what is beside the file goes before it";
}

TEST_F(Files, bases_that_cannot_be_are_refused) {
    EXPECT_THAT(problems_of_file(write("m.yaml", "base: gone.yaml\n" + good)),
                HasSubstr("m.yaml:1:7: base: no such file"));
    EXPECT_THAT(problems_of_file(write("n.yaml", "base: i210/qav_6667\n" + good)),
                HasSubstr("nor a shipped scenario of that name"));
    EXPECT_THAT(problems_of_file(write("c.yaml", "base: c.yaml\n" + good)),
                HasSubstr("in a circle"));
    EXPECT_THAT(problems_of_file(write("l.yaml", "base: [a]\n" + good)),
                HasSubstr("needs the path of a scenario file"));
    write("bad.yaml", "nic: [\n");
    EXPECT_THAT(problems_of_file(write("b.yaml", "base: bad.yaml\n" + good)),
                HasSubstr("bad.yaml:"));
    for (int i = 0; i < 20; ++i)
        write(std::to_string(i) + ".yaml", "base: " + std::to_string(i + 1) + ".yaml\n" + good);
    EXPECT_THAT(problems_of_file((folder / "0.yaml").string()), HasSubstr("more than 8 files"));
}

TEST_F(Files, a_profile_lies_below_the_inline_keys) {
    write("profiles/host/desk.yaml", "message: 77B\nname: desk\n");
    const std::string path = write("s.yaml", good + "host: {profile: desk, name: mine}\n");
    Problems problems;
    const BoundBlock bound =
        bind_document(load_with_bases(path, problems), grammar(), folder.string(), problems);
    EXPECT_TRUE(problems.empty()) << problems.text();
    EXPECT_EQ(bound.child("host")->as<LoadConfig>().message, 77U);
    EXPECT_EQ(bound.child("host")->as<LoadConfig>().name, "mine");
    EXPECT_STREQ(provenance(*bound.child("host")->find("message")), "profile");
    Problems wrong;
    const Value d = parse_yaml(good + "host: {profile: dekk}\n", "s.yaml", Origin::file, wrong);
    bind_document(d, grammar(), folder.string(), wrong);
    EXPECT_THAT(wrong.text(), HasSubstr("did you mean 'desk'? (known: desk)"));
}

TEST(Schema, names_keys_units_and_choices) {
    const std::string schema = json_schema(grammar());
    for (const char* part : {"\"duration\"", "ps|ns|us|ms|s", "\"slow\"", "\"const\": \"i210\"",
                             "\"minItems\": 4", "https://json-schema.org/draft/2020-12/schema"})
        EXPECT_THAT(schema, HasSubstr(part));
}

TEST(Reference, lists_every_parameter_and_offers_the_nearest_part) {
    const std::string page = markdown_reference(grammar());
    for (const char* part :
         {"`split`", "4 x 0 to 24KiB", "nic (type: i210)", "loads[] (type: tcp)"})
        EXPECT_THAT(page, HasSubstr(part));
    EXPECT_THAT(params_text(grammar(), "i210"), HasSubstr("default [8KiB, 8KiB, 4KiB, 4KiB]"));
    EXPECT_THAT(params_text(grammar(), "all"), HasSubstr("message"));
    EXPECT_THROW(params_text(grammar(), "i21"), InputError);
}

}  // namespace
