// SPDX-License-Identifier: Apache-2.0
// `nicsim run --wave ...` and `nicsim waves` from the outside: files, messages, exit codes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

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

/// Slices of a stage that end between `from` and `to` (microseconds), over all queues of a
/// direction.
double slices(const nlohmann::json& trace, const std::string& queues, const std::string& stage,
              double from, double to) {
    std::map<int, bool> counted;
    double n = 0;
    for (const auto& e : trace.at("traceEvents")) {
        if (e["name"] == "process_name")
            counted[e["pid"]] = e["args"]["name"].get<std::string>().starts_with(queues);
        if (e["ph"] == "e" && e["name"] == stage && counted[e["pid"]] && e["ts"] >= from &&
            e["ts"] < to)
            ++n;
    }
    return n;
}

double measured(const nlohmann::json& result, const std::string& path) {
    return result.at("statistics").at(path).at("measured").get<double>();
}

TEST(Program, the_timeline_shows_the_measured_packets_of_both_directions) {
    const Folder folder;
    struct Case {
        const char *scenario, *receiver, *sender;
    };
    const Case cases[] = {{"forward/i210", "a", "b"},
                          {"forward/i82599", "a", "b"},
                          {"ar8151/forward", "a", "b"},
                          {"i210/qav_6666", "", ""}};
    for (const Case& c : cases) {
        SCOPED_TRACE(c.scenario);
        const Outcome run = nicsim(
            fmt::format("run {} --json --quiet --set expect=[] --set duration=1ms --timeline {}",
                        c.scenario, folder.file("t.json")));
        ASSERT_EQ(run.code, 0) << run.text;
        const auto result = nlohmann::json::parse(run.text);
        const std::string text = test::read_file(folder.file("t.json"));
        EXPECT_THAT(test::TraceFormat::faults_of(text), testing::IsEmpty());
        const auto trace = nlohmann::json::parse(text);
        const double from = result["warmup_ps"].get<double>() / 1e6;
        const double to = from + result["measured_ps"].get<double>() / 1e6;
        const std::string in = c.receiver, out = c.sender;
        const std::string in_path = in.empty() ? in : "ports." + in + ".";
        const std::string out_path = out.empty() ? out : "ports." + out + ".";
        const double got = slices(trace, in + (in.empty() ? "" : " ") + "RX", "stack", from, to);
        // A core is a little ahead of the time at which its counters are read.
        EXPECT_NEAR(got, measured(result, in_path + "driver.rx_ring0.packets"), 2);
        EXPECT_GT(got, 5);
        EXPECT_EQ(slices(trace, in + (in.empty() ? "" : " ") + "RX", "dma_end", from, to),
                  measured(result, in_path + "nic.rx.queue0.packets"));
        // A frame counts when it begins.
        EXPECT_NEAR(slices(trace, out + (out.empty() ? "" : " ") + "TX", "wire_end", from, to),
                    measured(result, out_path + "nic.tx.mac.frames"), 1);
    }
}

TEST(Program, a_timeline_can_be_limited_and_says_if_that_leaves_nothing) {
    const Folder folder;
    const std::string file = folder.file("t.json");
    const std::string run = short_run + "--timeline " + file + " ";  // warm-up of 300 ms
    const auto first_and_last = [&] {
        const auto trace = nlohmann::json::parse(test::read_file(file));
        std::pair<double, double> out{1e18, 0};
        for (const auto& e : trace.at("traceEvents")) {
            if (e["ph"] != "b" && e["ph"] != "e") continue;
            const auto t = e["ts"].get<double>();
            out = {std::min(out.first, t), std::max(out.second, t)};
        }
        return out;
    };
    const auto sent_between = [&](double from, double to) {
        return slices(nlohmann::json::parse(test::read_file(file)), "TX", "wire_end", from, to);
    };
    ASSERT_EQ(nicsim(run + "--timeline-from 299.5ms --timeline-to 299.6ms").code, 0);
    const auto part = first_and_last();  // of packets: some waited for long in the socket
    EXPECT_LT(part.first, 299'600);
    EXPECT_GT(part.second, 299'500);
    EXPECT_LT(part.second, 301'000);
    EXPECT_LT(sent_between(0, 1e9), 200) << "what waited then went later";
    EXPECT_NEAR(sent_between(299'500, 299'600), 5, 2) << "1538 bytes with 577 Mbit/s";
    ASSERT_EQ(nicsim(run + "--timeline-from 0").code, 0);
    EXPECT_LT(first_and_last().first, 200'000);

    const Outcome early = nicsim(run + "--timeline-from 0 --timeline-to 1us");
    EXPECT_EQ(early.code, 0);
    EXPECT_THAT(early.text, HasSubstr("no packet was alive between 0 s and 1 us"));
    const std::string before = test::read_file(file);
    for (const auto& [limits, message] :
         {std::pair{"--timeline-from 2ms --timeline-to 1ms", "begin at 2 ms and end at 1 ms"},
          std::pair{"--timeline-from 5s", "after the end of the run at 301 ms"},
          std::pair{"--timeline-to 1us", "begin at 300 ms and end at 1 us"},
          std::pair{"--timeline-to soon", "soon"}}) {
        const Outcome bad = nicsim(run + limits);
        EXPECT_EQ(bad.code, 2) << limits;
        EXPECT_THAT(bad.text, HasSubstr(message)) << limits;
    }
    EXPECT_EQ(test::read_file(file), before) << "as it was";
    const Outcome none = nicsim(short_run + "--timeline-to 1s");
    EXPECT_EQ(none.code, 2);
    EXPECT_THAT(none.text, HasSubstr("--timeline-from and --timeline-to need --timeline FILE"));
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
