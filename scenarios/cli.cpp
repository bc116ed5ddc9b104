// SPDX-License-Identifier: Apache-2.0
#include "scenarios/cli.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <system_error>

#include "scenarios/against.h"
#include "scenarios/cli_budget.h"
#include "scenarios/cli_waves.h"
#include "scenarios/data_folder.h"
#include "scenarios/diagnostics.h"
#include "scenarios/fidelity.h"
#include "scenarios/language.h"
#include "scenarios/result_json.h"
#include "scenarios/rfc2544.h"
#include "scenarios/runner.h"
#include "scenarios/schema.h"

namespace nicsim::scenarios {
namespace {

struct Commands {
    CLI::App app{"Simulates network cards: their drivers, the bus, and what limits them.",
                 "nicsim"};
    RunOptions run;
    FidelityOptions fidelity;
    BudgetOptions budget;
    SearchOptions search;
    std::string against;
    std::string part = "all";
    bool markdown = false;

    CLI::App* run_command = nullptr;
    CLI::App* list_command = nullptr;
    CLI::App* params_command = nullptr;
    CLI::App* schema_command = nullptr;
    CLI::App* fidelity_command = nullptr;
    std::unique_ptr<WavesCommand> waves;
    CLI::App* budget_command = nullptr;
    CLI::App* search_command = nullptr;

    Commands() {
        app.set_version_flag("--version", fmt::format("nicsim {}", nicsim_version));
        app.require_subcommand(1);
        app.footer(
            "Exit codes: 0 done, 1 an expectation or goal was missed, 2 bad input,\n"
            "3 internal error, 130 interrupted.");
        add_run();
        list_command = app.add_subcommand("list", "Show the shipped scenarios.");
        params_command = app.add_subcommand(
            "params", "Show parameters with unit, default, range, meaning and source.");
        params_command->add_option("PART", part,
                                   "i210, igb, host, pcie, a qdisc, a workload, ... or all");
        params_command->add_flag("--markdown", markdown, "the reference page of all parameters");
        schema_command =
            app.add_subcommand("schema", "Print the JSON Schema of scenario files, for editors.");
        add_fidelity();
        add_search();
        waves = std::make_unique<WavesCommand>(app);
        budget_command = add_budget_command(app, budget);
    }

private:
    void add_run() {
        run_command = app.add_subcommand("run", "Simulate a scenario.");
        run_command
            ->add_option("SCENARIO", run.scenario, "a file, or a name that `nicsim list` shows")
            ->required();
        run_command
            ->add_option("--set", run.sets,
                         "override a value: key.path=value; items of lists by name or index")
            ->type_name("KEY=VALUE")
            ->take_all()
            ->allow_extra_args(false);
        run_command->add_option("--out", run.out, "write result.json into this folder")
            ->type_name("DIR")
            ->check([](const std::string& folder) {
                return folder.empty() ? "the name is empty" : "";
            });
        run_command->add_option("--tlp", run.tlp, "write every TLP to this file (.txt or .jsonl)")
            ->type_name("FILE");
        run_command
            ->add_option("--tlp-filter", run.tlp_filter,
                         "which TLPs: terms such as type=MWr,CplD direction=up "
                         "address=0x1000-0x1fff time=1ms-2ms dllp=yes")
            ->type_name("EXPR");
        run_command->add_flag("--json", run.json, "print result.json instead of the table");
        run_command->add_flag("--quiet", run.quiet, "no table and no progress bar");
        run_command
            ->add_option("--against", against,
                         "`rtl` or `rtl:BLOCK,BLOCK`: run it with models and with RTL, and compare "
                         "decisions, figures and waves")
            ->type_name("WHAT");
        add_trace_options(*run_command, run.traces);
    }
    void add_search() {
        search_command = app.add_subcommand(
            "rfc2544", "Search the highest rate of a generator at which no frame is lost.");
        search_command->add_option("SCENARIO", search.scenario, "a scenario with a generator")
            ->required();
        search_command->add_option("--set", search.sets, "override a value: key.path=value")
            ->type_name("KEY=VALUE")
            ->take_all()
            ->allow_extra_args(false);
        search_command->add_option("--generator", search.generator, "which, if there are several")
            ->type_name("NAME");
        search_command->add_option("--min", search.lowest, "lowest rate tried (1kpps)")
            ->type_name("RATE");
        search_command->add_option("--max", search.highest, "highest rate (that of the wire)")
            ->type_name("RATE");
        search_command->add_option("--resolution", search.resolution, "when to stop (1kpps)")
            ->type_name("RATE");
        search_command->add_option("--trial", search.trial, "sending time of a trial (50ms)")
            ->type_name("TIME");
        search_command->add_option("--drain", search.drain, "waiting for the last frames (10ms)")
            ->type_name("TIME");
        search_command->add_flag("--json", search.json, "an object instead of a table");
        search_command->add_flag("--quiet", search.quiet, "no progress line");
    }
    void add_fidelity() {
        fidelity_command =
            app.add_subcommand("fidelity", "Simulate the published measurements and compare.");
        fidelity_command->add_option("--device", fidelity.device, "only those of one device")
            ->type_name("NAME");
        fidelity_command->add_flag("--json", fidelity.json,
                                   "an array of objects instead of a table");
        fidelity_command->add_flag("--markdown", fidelity.markdown, "the page docs/fidelity.md");
        fidelity_command->add_flag("--quiet", fidelity.quiet, "no progress line");
        fidelity_command->add_option("--jobs", fidelity.jobs, "runs at a time (default: all cores)")
            ->type_name("N")
            ->check(CLI::Range(1, 1024));
        fidelity_command->add_option("--reference", fidelity.reference, "another reference file")
            ->type_name("FILE");
    }
};

int list_scenarios() {
    const std::vector<ShippedScenario> all = shipped_scenarios();
    std::size_t width = 0;
    for (const ShippedScenario& s : all) width = std::max(width, s.name.size());
    for (const ShippedScenario& s : all)
        fmt::print("{:<{}}  {}\n", s.name, width, printable(s.description, 100));
    return exit_ok;
}

int dispatch(const Commands& c) {
    if (c.run_command->parsed() && !c.against.empty()) return run_against(c.run, c.against);
    if (c.run_command->parsed()) return run_scenario(c.run);
    if (c.list_command->parsed()) return list_scenarios();
    if (c.waves->parsed()) return c.waves->run();
    if (c.budget_command->parsed()) return print_budget(c.budget);
    if (c.search_command->parsed()) return run_rfc2544(c.search);
    if (c.fidelity_command->parsed()) return run_fidelity(c.fidelity);
    if (c.schema_command->parsed()) {
        fmt::print("{}", json_schema(scenario_grammar()));
    } else {
        fmt::print("{}", c.markdown ? markdown_reference(scenario_grammar())
                                    : params_text(scenario_grammar(), c.part));
    }
    return exit_ok;
}

/// CLI11 says only that arguments were not expected; a mistyped command deserves its nearest name.
std::string unknown_command(int argc, char** argv, const CLI::App& app) {
    if (argc < 2 || argv[1][0] == '-') return "";
    std::vector<std::string> names;
    for (const CLI::App* s : app.get_subcommands({})) names.push_back(s->get_name());
    if (std::find(names.begin(), names.end(), argv[1]) != names.end()) return "";
    const std::string near = nearest_name(argv[1], names);
    return fmt::format("unknown command '{}'{} (known: {})", printable(argv[1]),
                       near.empty() ? "" : "; did you mean '" + near + "'?", joined(names));
}

void complain(std::string text) {
    while (!text.empty() && text.back() == '\n') text.pop_back();
    say("nicsim: " + text + "\n");
}

}  // namespace

int command_line(int argc, char** argv) {
    std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is an error of write(), as a full disk is
    try {
        Commands commands;
        if (const std::string bad = unknown_command(argc, argv, commands.app); !bad.empty()) {
            complain(bad);
            return exit_bad_input;
        }
        try {
            commands.app.parse(argc, argv);
        } catch (const CLI::ParseError& e) {
            if (commands.app.exit(e) != 0) return exit_bad_input;
            std::cout.flush();
            if (!std::cout) throw InputError("standard output cannot be written");
            return exit_ok;
        }
        const int code = dispatch(commands);
        if (std::fflush(stdout) != 0) throw InputError("standard output cannot be written");
        return code;
    } catch (const InputError& e) {
        complain(e.what());
        return exit_bad_input;
    } catch (const waves::WaveError& e) {
        complain(e.what());
        return exit_bad_input;
    } catch (const std::system_error& e) {  // a full disk or a closed pipe behind an output
        complain(fmt::format("the output cannot be written: {}", e.code().message()));
        return exit_bad_input;
    } catch (const std::exception& e) {
        complain(fmt::format("internal error: {}", e.what()));
        return exit_internal;
    }
}

}  // namespace nicsim::scenarios
