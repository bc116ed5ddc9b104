// SPDX-License-Identifier: Apache-2.0
#include "scenarios/runner.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <systemc>
#include <utility>

#include "pcie/link.h"
#include "scenarios/bus_capture.h"
#include "scenarios/bus_check.h"
#include "scenarios/data_folder.h"
#include "scenarios/diagnostics.h"
#include "scenarios/expectation.h"
#include "scenarios/language.h"
#include "scenarios/machine.h"
#include "scenarios/progress.h"
#include "scenarios/result_json.h"
#include "scenarios/run_config.h"
#include "sim/kernel.h"
#include "sim/sanitizer_stack.h"

namespace nicsim::scenarios {
namespace {

volatile std::sig_atomic_t noted_signal = 0;

extern "C" void note_signal(int signal) {
    noted_signal = signal;
}

/// The folder for results: made if it is not there, and taken away again if nothing came of it.
class OutputFolder {
public:
    explicit OutputFolder(std::string path) : path_(std::move(path)) {
        if (path_.empty()) return;
        std::error_code error;
        made_ = std::filesystem::create_directories(path_, error);
        if (error || !std::filesystem::is_directory(path_, error))
            throw InputError(fmt::format("--out {}: cannot be made a folder: {}\n",
                                         printable(path_, 200),
                                         error ? error.message() : "a file of that name exists"));
        if (access(path_.c_str(), W_OK | X_OK) != 0)
            throw InputError(
                fmt::format("--out {}: the folder cannot be written to\n", printable(path_, 200)));
    }
    ~OutputFolder() {
        std::error_code error;
        if (made_ && !written_) std::filesystem::remove(path_, error);
    }
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;

    void write(const std::string& text) {
        if (path_.empty()) return;
        write_atomically(path_, "result.json", text);
        written_ = true;
    }

private:
    std::string path_;
    bool made_ = false;
    bool written_ = false;
};

class Simulation {
public:
    Simulation(Machine& machine, const BusCheck& check, const RunConfig& run, bool show_progress)
        : machine_(machine),
          check_(check),
          total_(run.warmup + run.duration),
          progress_(total_, show_progress) {}

    /// Runs up to the absolute time `end`; false if the user interrupted. Slices depend on nothing
    /// but the scenario, so that a run is the same however often it is looked at.
    bool run_until(sim::Ps end, bool until_running = false) {
        const sim::Ps slice = std::clamp<sim::Ps>(total_ / 400, sim::ps_per_us, sim::ps_per_ms);
        while (sim::now() < end && !(until_running && machine_.running())) {
            advance(std::min(slice, end - sim::now()));
            check_.verify();  // before failures: it may be why
            if (interrupted() != 0) return false;
            if (const std::string bad = machine_.failure(); !bad.empty())
                throw InputError("the machine does not come up: " + bad + bus_faults() + "\n");
            progress_.update(sim::now());
        }
        return true;
    }
    void finish() { progress_.clear(); }

private:
    /// What the scenario asked to go wrong and did: a driver only sees what became of it.
    [[nodiscard]] std::string bus_faults() const {
        std::vector<std::string> came;
        for (const pcie::Link* link : machine_.links())
            for (std::string& text : link->faults().came()) came.push_back(std::move(text));
        if (came.empty()) return {};
        return fmt::format(" (faults of the bus that had come to pass: {})", joined(came, "; "));
    }

    /// The kernel wraps what code on a core throws; a full host memory is the scenario's doing.
    static void advance(sim::Ps slice) {
        try {
            sc_core::sc_start(sim::to_sc_time(slice));
            sim::name_main_stack_to_sanitizer();
        } catch (const sc_core::sc_report& report) {
            sim::name_main_stack_to_sanitizer();
            if (std::string(report.what()).find("bad_alloc") == std::string::npos) throw;
            throw InputError(
                "the host's memory is full: make `host.memory` larger, or buffers and "
                "rings smaller\n");
        }
    }

    Machine& machine_;
    const BusCheck& check_;
    sim::Ps total_;
    Progress progress_;
};

RunResult gather(const BoundBlock& scenario, Machine& machine, std::uint64_t wakeups,
                 std::vector<Expectation> expectations) {
    RunResult r;
    r.scenario = &scenario;
    r.flows = machine.flows();
    r.losses = machine.losses();
    r.unmodelled = machine.unmodelled();
    r.warnings = machine.warnings();
    r.why = explain(machine.stats(), machine.chain());
    const std::vector<DeadFunction> dead = machine.dead_functions();
    for (std::string& text : texts_of(dead)) r.warnings.push_back(std::move(text));
    put_dead_functions_first(r.why, dead);
    for (const PortReport& p : machine.ports()) {
        r.ports.emplace_back(p, explain(machine.stats(), *p.chain));
        put_dead_functions_first(r.ports.back().second, of_port(dead, p.name));
    }
    r.wakeups = wakeups;
    r.packets = machine.packets();
    r.wakeups_per_packet =
        r.packets == 0 ? 0.0 : static_cast<double>(wakeups) / static_cast<double>(r.packets);
    judge(expectations, StatReader(machine.stats()));
    r.expectations = std::move(expectations);
    return r;
}

/// Two outputs of one name would leave only one of them, and one with the scenario's name none.
void refuse_equal_names(const RunOptions& o, const std::string& scenario) {
    const std::pair<const char*, const std::string*> files[] = {
        {"SCENARIO", &scenario},
        {"--tlp", &o.tlp},
        {"--wave", &o.traces.wave},
        {"--pcapng", &o.traces.pcapng},
        {"--timeline", &o.traces.timeline},
        {"--decisions", &o.traces.decisions}};
    std::map<std::string, const char*> seen;
    for (const auto& [option, name] : files) {
        if (name->empty()) continue;
        std::error_code error;
        const std::string path =
            std::filesystem::weakly_canonical(std::filesystem::absolute(*name, error), error)
                .string();
        const auto [before, is_new] = seen.emplace(path, option);
        if (!is_new)
            throw InputError(fmt::format("{} and {} both name {}\n", before->second, option,
                                         printable(*name, 200)));
    }
}

int report_interrupt() {
    say(fmt::format("interrupted at {} of simulated time; nothing was written\n",
                    sim::format_quantity(static_cast<double>(sim::now()), sim::Unit::time)));
    return 128 + interrupted();
}

}  // namespace

void note_interrupts() {
    struct sigaction action {};
    action.sa_handler = note_signal;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    struct sigaction before {};
    sigaction(SIGHUP, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // not under nohup
}

int interrupted() {
    return noted_signal;
}

int run_scenario(const RunOptions& options) {
    const std::string file = find_scenario(options.scenario);
    refuse_equal_names(options, file);
    const BoundBlock scenario = load_scenario(file, options.sets);
    const auto run = scenario.as<RunConfig>();
    OutputFolder folder(options.out);
    BusCapture capture(options.tlp, options.tlp_filter);
    RunTraces traces(options.traces, {run.warmup, run.warmup + run.duration});
    // Never taken apart: packets on their way refer to what is around them, and the program ends
    // with the run.
    static Machine* machine = nullptr;
    static BusCheck check;
    machine = assemble(scenario, traces.capture()).release();
    traces.built(*machine);
    capture.attach(*machine);
    check.attach(machine->links());
    note_interrupts();
    Simulation simulation(*machine, check, run, !options.quiet);
    if (!simulation.run_until(run.warmup, true)) return report_interrupt();
    if (!machine->running())
        throw InputError(fmt::format(
            "the driver was not up when the warm-up of {} ended; make `warmup` longer\n",
            sim::format_quantity(static_cast<double>(run.warmup), sim::Unit::time)));
    traces.running();
    std::vector<Expectation> expectations =
        read_expectations(scenario, StatReader(machine->stats()));
    if (!simulation.run_until(run.warmup)) return report_interrupt();
    machine->begin_measurement();
    const std::uint64_t wakeups_before = sim::kernel_cost.wakeups;
    if (!simulation.run_until(run.warmup + run.duration)) return report_interrupt();
    simulation.finish();
    for (const std::string& warning : traces.close()) say(fmt::format("warning: {}\n", warning));

    const RunResult result = gather(scenario, *machine, sim::kernel_cost.wakeups - wakeups_before,
                                    std::move(expectations));
    const std::string json = result_json(result, machine->stats()).dump(1) + "\n";
    capture.finish(*machine);
    folder.write(json);
    if (options.json)
        fmt::print("{}", json);
    else if (!options.quiet)
        fmt::print("{}", result_table(result, machine->stats()));
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
        throw InputError("standard output cannot be written\n");
    return result.as_expected() ? exit_ok : exit_missed;
}

}  // namespace nicsim::scenarios
