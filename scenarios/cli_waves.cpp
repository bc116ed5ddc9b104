// SPDX-License-Identifier: Apache-2.0
#include "scenarios/cli_waves.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "scenarios/diagnostics.h"
#include "waves/output_file.h"

namespace nicsim::scenarios {
namespace {

void print_warnings(const std::string& file, const std::vector<std::string>& warnings) {
    for (const auto& warning : warnings) say(fmt::format("note: {}: {}\n", file, warning));
}

/// A rule per line, `A-PATTERN=B-PATTERN`; blanks around it and lines that begin with # are
/// nothing.
std::vector<std::string> read_rules(const std::string& file) {
    std::ifstream in(file);
    if (!in) throw waves::WaveError(fmt::format("cannot read the name rules in {}", file));
    std::vector<std::string> rules;
    for (std::string line; std::getline(in, line);) {
        std::string rule;
        for (const char c : line)
            if (c != ' ' && c != '\t' && c != '\r') rule += c;
        if (!rule.empty() && rule[0] != '#') rules.push_back(rule);
    }
    return rules;
}

CLI::Option* list_option(CLI::App& app, const char* name, std::vector<std::string>& values,
                         const char* type, const char* help) {
    return app.add_option(name, values, help)->type_name(type)->take_all()->allow_extra_args(false);
}

}  // namespace

void add_trace_options(CLI::App& run, RunTraceOptions& options) {
    run.add_option("--wave", options.wave, "signals as a wave file (.fst, .vcd)")
        ->type_name("FILE");
    run.add_option("--wave-scope", options.wave_scope,
                   "only these: * within a level, ** over levels, a scope stands for all below it")
        ->type_name("PATTERN");
    run.add_option("--wave-from", options.wave_from,
                   "from this time; default: when the driver is up. 0 shows how it comes up, but "
                   "not the signals it makes then")
        ->type_name("TIME");
    run.add_option("--wave-to", options.wave_to, "up to this time")->type_name("TIME");
    run.add_option("--pcapng", options.pcapng, "frames on the wire, for Wireshark")
        ->type_name("FILE");
    run.add_option("--timeline", options.timeline,
                   "lives of the packets, for ui.perfetto.dev or chrome://tracing")
        ->type_name("FILE");
    run.add_option("--timeline-from", options.timeline_from,
                   "packets alive from this time; default: the end of the warm-up")
        ->type_name("TIME");
    run.add_option("--timeline-to", options.timeline_to, "up to this time")->type_name("TIME");
    run.add_option("--decisions", options.decisions,
                   "what the device decided (fetches, transmissions, interrupts), a line each")
        ->type_name("FILE");
}

WavesCommand::WavesCommand(CLI::App& app)
    : command_(app.add_subcommand("waves", "Look into wave files (FST, VCD) and compare them.")) {
    command_->require_subcommand(1);
    add_ls();
    add_show();
    add_diff();
    command_->footer(
        "Patterns: * within a level, ** over levels, ? one character; a scope stands for all\n"
        "below it. Events: SIGNAL:rise#3, :fall, :change, :VALUE. Times: 125ns, 3.2us.");
}

void WavesCommand::add_ls() {
    ls_ = command_->add_subcommand("ls", "List signals with kind, width and number of changes.");
    ls_->add_option("FILE", file_, "FST or VCD")->required();
    ls_->add_option("PATTERN", pattern_, "only these signals");
    ls_->add_flag("--json", json_, "JSON instead of text");
}

void WavesCommand::add_show() {
    show_ = command_->add_subcommand("show", "Show values at times, or changes in a window.");
    show_->add_option("FILE", show_options_.file, "FST or VCD")->required();
    show_->add_option("--signals", show_options_.pattern, "only these signals")
        ->type_name("PATTERN");
    show_->add_option("--at", show_options_.at, "a table of the values at these times")
        ->type_name("TIME")
        ->delimiter(',')
        ->take_all()
        ->allow_extra_args(false);
    show_->add_option("--from", show_options_.from, "changes from here")->type_name("TIME");
    show_->add_option("--to", show_options_.to, "to here")->type_name("TIME");
    show_->add_option("--around", show_options_.around, "changes around this event")
        ->type_name("EVENT");
    show_->add_option("--window", show_options_.window, "this far before and after the event")
        ->type_name("TIME")
        ->capture_default_str();
    show_->add_option("--max", show_options_.max_rows, "at most so many changes")
        ->type_name("N")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    show_->add_flag("--json", json_, "JSON instead of text");
}

void WavesCommand::add_diff() {
    diff_ = command_->add_subcommand("diff", "Compare two files signal by signal.");
    diff_->add_option("A", diff_options_.a, "FST or VCD")->required();
    diff_->add_option("B", diff_options_.b, "FST or VCD")->required();
    waves::NameRules& names = diff_options_.names;
    list_option(*diff_, "--strip-a", names.strip_a, "PREFIX", "take this from the names of A");
    list_option(*diff_, "--strip-b", names.strip_b, "PREFIX", "take this from the names of B");
    list_option(*diff_, "--map", names.map, "A=B", "the name A, with wildcards, is B in file B");
    diff_->add_option("--map-file", map_file_, "such rules, one a line")->type_name("FILE");
    list_option(*diff_, "--map-regex", names.map_regex, "REGEX=TEXT",
                "replace in the names of B; $1 is the first group");
    diff_->add_option("--signals", names.include, "only these")->type_name("PATTERN");
    diff_->add_option("--ignore", names.ignore, "not these")->type_name("PATTERN");
    add_diff_axis();
    list_option(*diff_, "--tolerance", diff_options_.tolerance, "[PATTERN=]AMOUNT",
                "how far apart the same change may be: 5ns, or cycles 2c; the last that fits");
    diff_
        ->add_option("--real-tolerance", diff_options_.real_tolerance,
                     "relative difference of reals that are equal")
        ->type_name("RATIO")
        ->check(CLI::Range(0.0, 1.0));
    diff_
        ->add_option("--ignore-x-until", diff_options_.ignore_x,
                     "do not compare unknown values before a time or an event, or `always`")
        ->type_name("WHEN");
    diff_->add_flag("--common-time", diff_options_.common_time,
                    "only as long as both files last; without it what one has more differs");
    diff_->add_flag("--strict-names", diff_options_.strict_names,
                    "signals that only one side has are a difference");
    diff_->add_option("--stop-after", diff_options_.stop_after, "read on until N signals differ")
        ->type_name("N")
        ->check(CLI::NonNegativeNumber);
    diff_
        ->add_option("--write", diff_options_.write,
                     "both sides and their difference as a wave file (.fst, .vcd)")
        ->type_name("FILE");
    diff_->add_option("--max", max_, "at most so many differences in the text; 0 for all")
        ->type_name("N")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    diff_->add_flag("--json", json_, "JSON instead of text");
    diff_->add_flag("--quiet", quiet_, "only the exit code");
    diff_->footer("Exit codes: 0 the same, 1 different, 2 bad input.");
}

void WavesCommand::add_diff_axis() {
    auto* clock = diff_->add_option("--clock", clock_, "compare by cycles of this clock");
    auto* event = diff_->add_option("--align", event_, "time begins at this event");
    clock->type_name("SIGNAL");
    event->type_name("EVENT");
    diff_->add_option("--clock-a", diff_options_.clock_a, "the clock of A")
        ->type_name("SIGNAL")
        ->excludes(clock);
    diff_->add_option("--clock-b", diff_options_.clock_b, "the clock of B")
        ->type_name("SIGNAL")
        ->excludes(clock);
    diff_->add_option("--align-a", diff_options_.event_a, "the event in A")
        ->type_name("EVENT")
        ->excludes(event);
    diff_->add_option("--align-b", diff_options_.event_b, "the event in B")
        ->type_name("EVENT")
        ->excludes(event);
    diff_->add_option("--skew", diff_options_.skew, "added to the times of B: 8ns, -8ns, 3c")
        ->type_name("AMOUNT");
    diff_->add_option("--cycle", diff_options_.cycle, "length of a cycle, for amounts like 2c")
        ->type_name("TIME");
    diff_->add_option("--from", diff_options_.from, "compare from here")->type_name("TIME");
    diff_->add_option("--to", diff_options_.to, "to here")->type_name("TIME");
}

int WavesCommand::run_ls() const {
    const waves::Listing listing = waves::list_signals(file_, pattern_);
    fmt::print("{}", json_ ? to_json(listing) : to_text(listing));
    if (!json_) print_warnings(file_, listing.warnings);
    return 0;
}

int WavesCommand::run_show() const {
    const waves::Shown shown = waves::show_signals(show_options_);
    fmt::print("{}", json_ ? to_json(shown) : to_text(shown));
    if (!json_) print_warnings(show_options_.file, shown.warnings);
    return 0;
}

int WavesCommand::run_diff() {
    if (!clock_.empty()) diff_options_.clock_a = diff_options_.clock_b = clock_;
    if (!event_.empty()) diff_options_.event_a = diff_options_.event_b = event_;
    if (!map_file_.empty())
        for (auto& rule : read_rules(map_file_)) diff_options_.names.map.push_back(std::move(rule));
    const waves::DiffResult result = waves::diff_waves(diff_options_);
    if (!quiet_)
        fmt::print("{}",
                   json_ ? to_json(result, diff_options_) : to_text(result, diff_options_, max_));
    return result.same ? 0 : 1;
}

int WavesCommand::run() {
    waves::remove_pending_files_on_signals();
    if (ls_->parsed()) return run_ls();
    if (show_->parsed()) return run_show();
    return run_diff();
}

}  // namespace nicsim::scenarios
