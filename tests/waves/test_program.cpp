// SPDX-License-Identifier: Apache-2.0
// `nicsim run --wave ...` and `nicsim waves` from the outside: files, messages, exit codes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "support.h"
#include "trace_format.h"
#include "waves/inspect.h"

namespace nicsim::waves {
namespace {

using test::Folder;
using testing::HasSubstr;

struct Outcome {
    int code = -1;
    std::string text;
};

Outcome nicsim(const std::string& arguments) {
    Outcome outcome;
    std::FILE* pipe =
        ::popen((std::string(NICSIM_PROGRAM) + " " + arguments + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return outcome;
    char buffer[4096];
    for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
        outcome.text.append(buffer, n);
    const int status = ::pclose(pipe);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return outcome;
}

const std::string short_run = "run i210/qav_8844 --quiet --set expect=[] --set duration=1ms ";

TEST(Program, a_run_leaves_waves_a_capture_and_packet_lives) {
    const Folder folder;
    const Outcome run =
        nicsim(short_run + fmt::format("--wave {} --pcapng {} --timeline {}", folder.file("w.fst"),
                                       folder.file("c.pcapng"), folder.file("t.json")));
    ASSERT_EQ(run.code, 0) << run.text;
    EXPECT_EQ(folder.entries(), 4U);  // with the save file for GTKWave
    const Listing listing = list_signals(folder.file("w.fst"), "nic.tx.mac.wire_busy");
    EXPECT_GT(listing.signals.at(0).changes, 1000U);
    const std::string timeline = test::read_file(folder.file("t.json"));
    EXPECT_GT(timeline.size(), 100'000U);
    EXPECT_THAT(test::TraceFormat::faults_of(timeline), testing::IsEmpty());
    if (test::have_program("tshark")) {
        EXPECT_THAT(test::output_of("tshark -n -c 1 -r " + folder.file("c.pcapng")),
                    HasSubstr("[SYN]"));
    }
}

TEST(Program, tracing_changes_no_result) {
    const Folder folder;
    const std::string run = "run i210/qav_8844 --quiet --json --set expect=[] --set duration=1ms ";
    const Outcome without = nicsim(run);
    const Outcome with = nicsim(
        run + fmt::format("--wave {} --pcapng {}", folder.file("w.vcd"), folder.file("c.pcapng")));
    EXPECT_EQ(without.code, 0) << without.text;
    EXPECT_EQ(without.text, with.text);
}

TEST(Program, equal_runs_have_equal_waves_and_other_settings_show) {
    const Folder folder;
    const std::string a = folder.file("a.fst");
    const std::string b = folder.file("b.vcd");
    const std::string c = folder.file("c.fst");
    ASSERT_EQ(nicsim(short_run + "--wave-scope nic.tx --wave " + a).code, 0);
    ASSERT_EQ(nicsim(short_run + "--wave-scope nic.tx --wave " + b).code, 0);
    std::string other_split = short_run;
    other_split.replace(other_split.find("8844"), 4, "6666");
    ASSERT_EQ(nicsim(other_split + "--wave-scope nic.tx --wave " + c).code, 0);
    EXPECT_EQ(nicsim("waves diff " + a + " " + b).code, 0);
    const Outcome other = nicsim("waves diff " + a + " " + c);
    EXPECT_EQ(other.code, 1);
    EXPECT_THAT(other.text, HasSubstr("  1. "));
    EXPECT_EQ(nicsim("waves diff --quiet " + a + " " + c).text, "");
}

TEST(Program, what_users_can_get_wrong_ends_with_2_and_a_sentence) {
    const Folder folder;
    test::write_file(folder.file("bad.vcd"),
                     "$timescale 1ns $end\n$var wire 1 ! a $end $enddefinitions $end\n#1\n?\n");
    const std::string file = folder.file("bad.vcd");
    const std::pair<std::string, const char*> cases[] = {
        {short_run + "--wave /no/such/folder/w.fst", "cannot write /no/such/folder/w.fst"},
        {short_run + "--wave w.wav", "ends with .fst or .vcd"},
        {short_run + "--wave-scope nic", "need --wave FILE"},
        {short_run + "--wave " + folder.file("w.fst") + " --wave-scope nic.tx.mca",
         "no signal matches the scope 'nic.tx.mca'; the nearest are: "},
        {short_run + "--wave " + folder.file("w.fst") + " --wave-from 5", "the unit is missing"},
        {short_run + "--wave " + folder.file("w.fst") + " --wave-from 2us --wave-to 1us",
         "nothing to trace"},
        {short_run + "--wave " + folder.file("w.fst") + " --wave-from 9s",
         "after the end of the run"},
        {short_run + "--pcapng /no/such/folder/c", "cannot write /no/such/folder/c"},
        {"waves", "A subcommand is required"},
        {"waves ls /no/such/file", "cannot read /no/such/file"},
        {"waves ls " + file, "bad.vcd:4: '?' is neither a value"},
        {"waves show " + file + " --around x", "is not an event"},
        {"waves diff " + file, "B is required"},
        {"waves diff " + file + " " + file + " --signals b", "no signal to compare"},
    };
    for (const auto& [arguments, message] : cases) {
        const Outcome outcome = nicsim(arguments);
        EXPECT_EQ(outcome.code, 2) << arguments << "\n" << outcome.text;
        EXPECT_THAT(outcome.text, HasSubstr(message)) << arguments;
    }
    EXPECT_EQ(folder.entries(), 1U);
}

}  // namespace
}  // namespace nicsim::waves
