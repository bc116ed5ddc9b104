// SPDX-License-Identifier: Apache-2.0
// Faults of the bus and captures of it from the command line, with a whole I210 machine attached.
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/system/program.h"

using namespace nicsim::test;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::ordered_json;

namespace {

std::vector<std::string> run_of(const std::string& duration, const std::vector<std::string>& more) {
    return with({"run", "i210/qav_8844", "--quiet", "--json", "--set", "warmup=200ms", "--set",
                 "duration=" + duration},
                more);
}

std::uint64_t count(const Json& result, const std::string& stat) {
    return result["statistics"]["pcie." + stat]["whole_run"];
}

struct Case {
    std::string fault;
    std::vector<std::string> counted;  ///< statistics that must have seen it
    bool goes_on = true;               ///< traffic comes back within the run

    /// Names the test: bytes of the object would differ from build to build.
    friend void PrintTo(const Case& c, std::ostream* out) { *out << c.fault; }
};

class BusFault : public testing::TestWithParam<Case> {};

TEST_P(BusFault, ends_as_the_standard_says_with_the_i210_attached) {
    const Case& c = GetParam();
    const auto run = nicsim::test::nicsim(run_of(
        "100ms", {"--set", "pcie.link.ecrc=true", "--set", "pcie.faults=[{" + c.fault + "}]"}));
    ASSERT_EQ(run.code, 0) << run.errors;
    const Json result = Json::parse(run.output);
    // A function that lost its link is set up by nobody again, of which the result warns.
    EXPECT_EQ(result["warnings"].size(), c.fault.starts_with("type: link_down") ? 1U : 0U)
        << result["warnings"].dump();
    for (const std::string& stat : c.counted) EXPECT_GE(count(result, stat), 1U) << stat;
    const Json& flow = result["headline"]["workloads"][0];
    EXPECT_EQ(flow["wrong"], 0);
    if (c.goes_on) {
        EXPECT_GT(flow["packets"], 2000);
    }
}

const std::vector<Case> cases{
    {"type: drop, direction: up, tlp: MRd, nth: 50, after: 200ms", {"link.up.replays"}},
    {"type: drop, direction: down, tlp: CplD, nth: 50, after: 200ms", {"link.down.replays"}},
    {"type: drop, direction: up, tlp: MWr, nth: 20, after: 200ms", {"link.up.replays"}},
    {"type: drop, direction: down, tlp: MWr, nth: 20, after: 200ms", {"link.down.replays"}},
    {"type: corrupt, direction: up, nth: 50, after: 200ms",
     {"link.up.replays", "link.down.naks", "root_complex.aer.bad_tlp"}},
    {"type: corrupt, direction: down, nth: 50, count: 5, after: 200ms",
     {"link.down.retrains", "endpoint.aer.bad_tlp", "root_complex.aer.replay_rollover"}},
    {"type: poison, direction: down, tlp: CplD, nth: 50, after: 200ms",
     {"endpoint.aer.poisoned_tlp", "endpoint.failed_reads", "root_complex.err_nonfatal"}},
    {"type: poison, direction: up, tlp: MWr, nth: 5, after: 200ms",
     {"root_complex.aer.poisoned_tlp"},
     false},
    {"type: delay, direction: down, tlp: CplD, nth: 50, after: 200ms, duration: 200us", {}},
    {"type: lose, direction: down, tlp: CplD, nth: 50, after: 200ms",
     {"endpoint.aer.completion_timeout", "endpoint.failed_reads", "root_complex.err_nonfatal"}},
    {"type: lose, direction: up, tlp: MRd, nth: 50, after: 200ms",
     {"endpoint.aer.completion_timeout", "endpoint.failed_reads"}},
    {"type: corrupt_payload, direction: down, tlp: CplD, nth: 50, after: 200ms",
     {"endpoint.aer.ecrc", "endpoint.aer.completion_timeout"}},
    {"type: stall_credits, direction: up, credits: nonposted, at: 201ms, duration: 500us", {}},
    {"type: link_down, at: 210ms, duration: 100us",
     {"root_complex.aer.surprise_down", "root_complex.err_fatal", "endpoint.link_losses"},
     false},
    {"type: link_down, at: 210ms", {"root_complex.aer.surprise_down"}, false},
};
INSTANTIATE_TEST_SUITE_P(Kinds, BusFault, testing::ValuesIn(cases));

TEST(BusFaults, one_that_never_comes_is_a_warning_that_names_it) {
    const auto run = nicsim::test::nicsim(
        run_of("2ms", {"--set", "pcie.faults=[{type: drop, name: mine, nth: 1000000000}]"}));
    ASSERT_EQ(run.code, 0) << run.errors;
    EXPECT_THAT(Json::parse(run.output)["warnings"][0].get<std::string>(),
                HasSubstr("fault drop 'mine' (1000000000th any up): never came to pass"));
    const auto table = nicsim::test::nicsim(
        {"run", "i210/qav_8844", "--set", "warmup=200ms", "--set", "duration=2ms", "--set",
         "pcie.faults=[{type: drop, name: mine, nth: 1000000000}]"});
    EXPECT_THAT(table.output, HasSubstr("warning  fault drop 'mine'"));
}

TEST(BusFaults, one_hits_the_link_that_it_names_and_no_other) {
    const auto replays_with = [](const std::string& link) {
        const auto run = nicsim::test::nicsim(
            {"run", "pcie/two_cards_behind_a_switch", "--quiet", "--json", "--set", "duration=50us",
             "--set", "pcie.faults=[{type: drop, direction: up, after: 310us" + link + "}]"});
        EXPECT_EQ(run.code, 0) << run.errors;
        const Json result = Json::parse(run.output);
        EXPECT_TRUE(result["warnings"].empty()) << result["warnings"].dump();
        return std::vector<std::uint64_t>{count(result, "link0.up.replays"),
                                          count(result, "link1.up.replays"),
                                          count(result, "link_to_switch.up.replays")};
    };
    using Replays = std::vector<std::uint64_t>;
    EXPECT_EQ(replays_with(""), (Replays{1, 0, 0})) << "the first device's";
    EXPECT_EQ(replays_with(", link: link0"), (Replays{1, 0, 0}));
    EXPECT_EQ(replays_with(", link: link1"), (Replays{0, 1, 0}));
    EXPECT_EQ(replays_with(", link: link_to_switch"), (Replays{0, 0, 1}));
}

TEST(BusFaults, one_that_keeps_the_machine_from_coming_up_is_named_with_what_the_driver_saw) {
    for (const std::string type : {"poison", "lose"}) {
        const auto run = nicsim::test::nicsim(
            {"run", "i210/legacy", "--set",
             "pcie.faults=[{type: " + type +
                 ", name: bad, direction: up, tlp: CplD, nth: 50}, "
                 "{type: drop, name: late, direction: up, tlp: CplD, nth: 100000}]"});
        EXPECT_EQ(run.code, 2);
        EXPECT_THAT(run.errors, HasSubstr("igb: the NVM checksum is not valid"));
        EXPECT_THAT(run.errors, HasSubstr("(faults of the bus that had come to pass: " + type +
                                          " 'bad' (50th CplD up))"));
    }
}

TEST(Bus, read_requests_below_the_payload_are_a_warning_where_they_stay_so) {
    const auto warnings = [](const std::string& scenario, const std::string& bytes) {
        const auto run = nicsim::test::nicsim(
            {"run", scenario, "--json", "--quiet", "--set", "duration=1ms", "--set",
             "pcie.link.max_payload=256B", "--set", "pcie.link.max_read_request=" + bytes});
        EXPECT_EQ(run.code, 0) << run.errors;
        return Json::parse(run.output)["warnings"].dump();
    };
    const std::string small = "small read requests: the device at `link` reads 128 bytes at once";
    EXPECT_THAT(warnings("i82599/ring", "128B"), HasSubstr(small));
    EXPECT_THAT(warnings("i82599/ring", "256B"), Not(HasSubstr("small read requests")));
    // This driver raises it to 512.
    EXPECT_THAT(warnings("ar8151/tcp", "128B"), Not(HasSubstr("small read requests")));
}

TEST(BusFaults, one_that_never_comes_is_a_warning_on_any_link) {
    for (const char* link : {"link_a", "link_b", "link_to_switch"}) {
        const std::string fault = std::string("link: ") + link + ", nth: 1000000000";
        const auto run = nicsim::test::nicsim({"run", "forward/i210", "--quiet", "--json", "--set",
                                               "duration=500us", "--set",
                                               "pcie.faults=[{type: drop, " + fault + "}]"});
        EXPECT_EQ(run.code, 0) << run.errors;
        EXPECT_EQ(Json::parse(run.output)["warnings"].size(), 1U) << link;
    }
}

TEST(BusFaults, a_function_that_nobody_sets_up_again_is_what_the_result_speaks_of) {
    const auto result_of = [](const std::string& scenario, const std::string& fault) {
        const auto run = nicsim::test::nicsim({"run", scenario, "--quiet", "--json", "--set",
                                               "pcie.faults=[{type: link_down, " + fault + "}]"});
        EXPECT_EQ(run.code, 0) << run.errors;
        return Json::parse(run.output);
    };
    const std::string what = "its function was reset and nobody set it up again";
    for (const char* again : {"", ", duration: 20us"}) {
        const Json r = result_of("pcie/read_bandwidth", std::string("at: 350us") + again);
        const std::string text = "the PCIe link `link` was lost at 350us: " + what;
        EXPECT_THAT(r["why"]["sentence"].get<std::string>(), testing::StartsWith(text));
        ASSERT_EQ(r["warnings"].size(), 1U) << r["warnings"].dump();
        EXPECT_THAT(r["warnings"][0].get<std::string>(), testing::StartsWith(text));
    }
    const Json ports = result_of("forward/i210", "link: link_b, at: 305ms");
    const std::string text = "the PCIe link `link_b` was lost at 305ms: " + what;
    EXPECT_THAT(ports["why"]["sentence"].get<std::string>(), HasSubstr(text));
    ASSERT_EQ(ports["ports"].size(), 2U);
    EXPECT_THAT(ports["ports"][0]["why"]["sentence"].get<std::string>(),
                testing::Not(HasSubstr("was lost")));
    EXPECT_THAT(ports["ports"][1]["why"]["sentence"].get<std::string>(), testing::StartsWith(text));
    // With the switch goes everything behind it.
    for (const char* again : {"", ", duration: 20us"}) {
        const Json all =
            result_of("forward/i210", std::string("link: link_to_switch, at: 305ms") + again);
        const std::string with_all =
            "the PCIe link `link_to_switch` was lost at 305ms: the switch and the functions behind "
            "it were reset and nobody set them up again";
        EXPECT_THAT(all["why"]["sentence"].get<std::string>(), testing::StartsWith(with_all));
        EXPECT_EQ(all["warnings"].size(), 1U) << "said once: " << all["warnings"].dump();
        for (const auto& port : all["ports"])
            EXPECT_THAT(port["why"]["sentence"].get<std::string>(), testing::StartsWith(with_all));
        EXPECT_EQ(count(all, "switch.resets"), 1U);
        for (const char* nic : {"ports.a.nic.resets", "ports.b.nic.resets"})
            EXPECT_EQ(all["statistics"][nic]["whole_run"], 2) << "of the driver and of the link";
    }
    // Lost before the operating system looks for functions, it is found and set up as ever.
    const Json early = result_of("pcie/read_bandwidth", "at: 1ns, duration: 1ns");
    EXPECT_TRUE(early["warnings"].empty()) << early["warnings"].dump();
    EXPECT_THAT(early["why"]["sentence"].get<std::string>(), testing::Not(HasSubstr("was lost")));
}

TEST(BusFaults, one_on_a_link_that_is_not_there_is_refused_where_it_says_so) {
    const Folder folder;
    const std::string file = folder / "wrong.yaml";
    std::ofstream(file)
        << "nic: {type: dma_bench}\n"
           "driver: {type: dma_bench}\n"
           "workloads: [{name: a, type: dma_transfer}, {name: b, type: dma_transfer}]\n"
           "pcie:\n"
           "  switch: {ports: 2}\n"
           "  faults:\n"
           "    - {type: drop, link: link1}\n"
           "    - type: link_down\n"
           "      link: link2\n";
    const auto run = nicsim::test::nicsim({"run", file});
    EXPECT_EQ(run.code, 2);
    EXPECT_THAT(run.errors, HasSubstr("wrong.yaml:9:13"));
    EXPECT_THAT(run.errors, HasSubstr("there is no link 'link2'; did you mean 'link0'?; the "
                                      "links are link0, link1, link_to_switch"));
    const auto plain = nicsim::test::nicsim(
        {"run", "i210/qav_8844", "--set", "pcie.faults=[{type: drop, link: link_to_switch}]"});
    EXPECT_EQ(plain.code, 2);
    EXPECT_THAT(plain.errors, HasSubstr("the links are link"));
}

TEST(BusFaults, wrong_ones_are_refused_before_the_run) {
    const std::vector<std::pair<std::string, std::string>> wrong{
        {"pcie.faults=[{type: drpo}]", "did you mean 'drop'?"},
        {"pcie.faults=[{type: drop, at: 1ms}]", "'drop' has no 'at'; 'stall_credits' has it"},
        {"pcie.faults=[{type: lose, direction: down}]", "tlp: is needed"},
        {"pcie.faults=[{type: lose, tlp: MWr}]", "MWr"},
        {"pcie.faults=[{type: delay, tlp: CplD, direction: down}]", "must be more than 0"},
        {"pcie.faults=[{type: drop, nth: 0}]", "nth"},
        {"pcie.faults=[{type: drop, tlp: CfgRd0}]", "only goes down"},
        {"pcie.faults=[{type: link_down, at: 5}]", "has no unit"},
        {"pcie.link.bit_error_rate=0.1", "bit_error_rate"},
        {"pcie.link.replay_buffer=64B", "replay_buffer is 64"},
        {"pcie.endpoint.tag_bits=7", "allowed: 5, 8, 10"},
        {"pcie.endpoint.tags=700", "tags is 700; the device has"},
    };
    for (const auto& [setting, message] : wrong) {
        const auto run = nicsim::test::nicsim({"run", "i210/qav_8844", "--set", setting});
        EXPECT_EQ(run.code, 2) << setting;
        EXPECT_THAT(run.errors, HasSubstr(message)) << setting;
    }
}

TEST(BusCapture, changes_nothing_and_is_there_whole) {
    const Folder folder;
    const std::string file = folder / "bus.jsonl";
    const auto with_capture = nicsim::test::nicsim(
        run_of("2ms", {"--tlp", file, "--tlp-filter", "time=200ms-201ms dllp=yes"}));
    const auto without = nicsim::test::nicsim(run_of("2ms", {}));
    ASSERT_EQ(with_capture.code, 0) << with_capture.errors;
    EXPECT_EQ(with_capture.output, without.output);
    std::istringstream lines(contents(file));
    std::size_t tlps = 0;
    std::size_t dllps = 0;
    std::uint64_t last = 0;
    for (std::string line; std::getline(lines, line);) {
        const Json l = Json::parse(line);
        const std::uint64_t t = l["t_ps"];
        EXPECT_GE(t, last);
        EXPECT_GE(t, 200'000'000'000U);
        EXPECT_LE(t, 201'000'000'000U);
        last = t;
        ++(l["event"] == "dllp" ? dllps : tlps);
    }
    EXPECT_GT(tlps, 100U);
    EXPECT_GT(dllps, 100U);
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder / ".")) {
        (void)entry;
        ++files;
    }
    EXPECT_EQ(files, 1U) << "no temporary file is left";
}

TEST(BusCapture, shows_the_link_of_a_switch_and_a_chosen_link) {
    const Folder folder;
    const std::string file = folder / "bus.jsonl";
    const auto seen = [&file](const std::string& filter) {
        const auto run =
            nicsim::test::nicsim({"run", "pcie/two_cards_behind_a_switch", "--quiet", "--tlp", file,
                                  "--tlp-filter", "time=300us-310us type=MRd,CplD,MWr " + filter});
        EXPECT_EQ(run.code, 0) << run.errors;
        std::map<std::string, std::size_t> lines;
        std::istringstream in(contents(file));
        for (std::string line; std::getline(in, line);)
            ++lines[Json::parse(line)["direction"].get<std::string>()];
        return lines;
    };
    auto all = seen("");
    for (const char* link : {"link0.up", "link0.down", "link1.up", "link_to_switch.down"})
        EXPECT_GT(all[link], 50U) << link;
    const std::size_t through = all["link0.up"] + all["link1.up"];
    EXPECT_GT(through, 100U);
    EXPECT_NEAR(static_cast<double>(all["link_to_switch.up"]), static_cast<double>(through), 50)
        << "but for those inside of the switch at the ends of the time";
    auto one = seen("link=link_to_switch direction=up");
    EXPECT_EQ(one.size(), 1U);
    EXPECT_EQ(one["link_to_switch.up"], all["link_to_switch.up"]);
    const auto none = nicsim::test::nicsim({"run", "pcie/two_cards_behind_a_switch", "--tlp", file,
                                            "--tlp-filter", "link=link0,link2"});
    EXPECT_EQ(none.code, 2);
    EXPECT_THAT(none.errors, HasSubstr("there is no link 'link2'; the links are link_to_switch, "
                                       "link0, link1"));
}

TEST(BusCapture, what_cannot_be_written_or_understood_is_refused_before_the_run) {
    const Folder folder;
    const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
        {{"--tlp", folder / "bus.bin"}, "must end in .txt (text) or .jsonl"},
        {{"--tlp", folder / "none/bus.txt"}, "cannot be written"},
        {{"--tlp", "/proc/bus.txt"}, "cannot be written"},
        {{"--tlp", folder / "bus.txt", "--tlp-filter", "type=foo"}, "unknown 'foo' (allowed: MRd"},
        {{"--tlp-filter", "type=MRd"}, "needs --tlp FILE"},
    };
    for (const auto& [arguments, message] : wrong) {
        const auto run = nicsim::test::nicsim(with({"run", "i210/qav_8844"}, arguments));
        EXPECT_EQ(run.code, 2) << message;
        EXPECT_THAT(run.errors, HasSubstr(message));
    }
}

}  // namespace
