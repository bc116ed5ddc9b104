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

TEST(Program, a_comparison_of_nothing_is_bad_input_in_text_and_json) {
    const Folder folder;
    const std::string head =
        "$timescale 1ns $end\n$var wire 1 ! a $end\n$var wire 1 \" c $end\n"
        "$enddefinitions $end\n#1\n0\"\n";
    test::write_file(folder.file("a.vcd"), head + "1!\n#7\n0!\n");
    test::write_file(folder.file("b.vcd"), head + "0!\n#7\n1!\n");
    const std::string diff =
        "waves diff " + folder.file("a.vcd") + " " + folder.file("b.vcd") + " ";
    EXPECT_EQ(nicsim(diff).code, 1);
    const std::pair<const char*, const char*> cases[] = {
        {"--from 1s", "begins at 1 s, after the end of A and B"},
        {"--from 8ns", "begins at 8 ns, after the end of A and B"},
        {"--skew 1s", "begins at 1.000000001 s, after the end of A ("},
        {"--skew 1s --common-time", "begins at 1.000000001 s, after the end of A ("},
        {"--skew -1s --common-time", "begins at 1 ns, after the end of B ("},
        {"--clock c", "the clock 'c' of A has no rising edge, 'c' of B has no rising edge"},
    };
    for (const auto& [options, message] : cases) {
        for (const char* form : {"", " --json", " --quiet"}) {
            const Outcome outcome = nicsim(diff + options + form);
            EXPECT_EQ(outcome.code, 2) << options << form;
            EXPECT_THAT(outcome.text, HasSubstr(message)) << options << form;
            EXPECT_THAT(outcome.text, HasSubstr("A lasts from 1 ns to 7 ns")) << options << form;
            EXPECT_THAT(outcome.text, HasSubstr("B lasts from ")) << options << form;
            EXPECT_THAT(outcome.text, testing::Not(HasSubstr("same"))) << options << form;
        }
    }
}

/// What a shell makes of it; `$N` is the program, `$D` the folder.
Outcome in_shell(const Folder& folder, const std::string& script) {
    ::setenv("N", NICSIM_PROGRAM, 1);
    ::setenv("D", folder.file("").c_str(), 1);
    test::write_file(folder.file("script"), "cd $D\n" + script);
    Outcome outcome;
    outcome.text = test::output_of("sh " + folder.file("script"));
    return outcome;
}

const char* const small_vcd =
    "$timescale 1ns $end\n$var wire 1 ! a $end\n$enddefinitions $end\n#1\n1!\n#7\n0!\n";

TEST(Program, files_that_are_read_are_never_written_and_none_is_written_twice) {
    const Folder folder;
    const std::string a = folder.file("a.vcd");
    test::write_file(a, small_vcd);
    const Outcome over = nicsim("waves diff " + a + " " + a + " --write " + folder.file("./a.vcd"));
    EXPECT_EQ(over.code, 2);
    EXPECT_THAT(over.text, HasSubstr("would replace a file that is compared"));
    EXPECT_EQ(test::read_file(a), small_vcd);
    const Outcome twice = nicsim(short_run + "--wave " + folder.file("x.vcd") + " --timeline " +
                                 folder.file("./x.vcd"));
    EXPECT_EQ(twice.code, 2);
    EXPECT_THAT(twice.text, HasSubstr("--wave and --timeline both name"));
    EXPECT_EQ(folder.entries(), 1U);
}

TEST(Program, a_comparison_that_is_ended_leaves_no_half_of_its_output) {
    const Folder folder;
    std::string text = small_vcd;
    for (int i = 10; i < 500; ++i) text += fmt::format("#{}\n{}!\n", i, i % 2);
    test::write_file(folder.file("a.vcd"), text);
    // B comes through a pipe and stops in the middle, so the output has begun when the signal
    // comes.
    const Outcome ended = in_shell(folder,
                                   "mkfifo b\n"
                                   "( head -c 700 a.vcd; sleep 20 ) > b & writer=$!\n"
                                   "$N waves diff a.vcd b --write d.vcd & reader=$!\n"
                                   "n=0\n"
                                   "while [ $n -lt 200 ] && ! ls d.vcd.part-* >/dev/null 2>&1; do\n"
                                   "  sleep 0.05; n=$((n+1)); done\n"
                                   "ls d.vcd.part-* | wc -l\n"
                                   "kill -TERM $reader; wait $reader; echo code $?\n"
                                   "kill $writer\n"
                                   "ls | tr '\\n' ' '\n");
    EXPECT_EQ(ended.text.find("1\n"), 0U) << ended.text;
    EXPECT_THAT(ended.text, HasSubstr("code 143\na.vcd b script "));
}

TEST(Program, waves_come_through_pipes_too_but_events_need_a_file) {
    const Folder folder;
    test::write_file(folder.file("a.vcd"), small_vcd);
    EXPECT_THAT(in_shell(folder, "mkfifo p\ncat a.vcd > p & $N waves ls p; wait").text,
                HasSubstr("VCD, 1 signal"));
    EXPECT_THAT(in_shell(folder, "$N waves show p --around a:rise").text,
                HasSubstr("a pipe is read once"));
}

TEST(Program, shown_times_after_the_end_are_pointed_out) {
    const Folder folder;
    test::write_file(folder.file("a.vcd"), small_vcd);
    const std::string show = "waves show " + folder.file("a.vcd");
    const char* const note = "is after the end of the trace at 7 ns";
    EXPECT_THAT(nicsim(show + " --at 1ns,8ns").text, HasSubstr(std::string("8 ns ") + note));
    EXPECT_THAT(nicsim(show + " --from 9ns").text, HasSubstr(std::string("9 ns ") + note));
    EXPECT_THAT(nicsim(show + " --at 7ns").text, testing::Not(HasSubstr(note)));
    EXPECT_THAT(nicsim(show + " --from 7ns").text, testing::Not(HasSubstr(note)));
    EXPECT_EQ(nicsim(show + " --max -1").code, 2);
}

TEST(Program, shown_times_before_the_first_value_are_pointed_out) {
    const Folder folder;
    test::write_file(folder.file("a.vcd"),
                     "$timescale 1ns $end\n$var wire 1 ! a $end\n$enddefinitions $end\n"
                     "#5\n1!\n#7\n0!\n");
    const std::string show = "waves show " + folder.file("a.vcd");
    const char* const note = "is before the first value of these signals at 5 ns";
    EXPECT_THAT(nicsim(show + " --to 4ns").text, HasSubstr(std::string("4 ns ") + note));
    EXPECT_THAT(nicsim(show + " --at 1ns,2ns").text, HasSubstr(std::string("2 ns ") + note));
    EXPECT_EQ(nicsim(show + " --to 4ns").code, 0);
    for (const char* inside : {" --at 1ns,5ns", " --to 5ns", " --from 1ns", ""})
        EXPECT_THAT(nicsim(show + inside).text, testing::Not(HasSubstr(note))) << inside;
}

}  // namespace
}  // namespace nicsim::waves
