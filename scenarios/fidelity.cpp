// SPDX-License-Identifier: Apache-2.0
#include "scenarios/fidelity.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "scenarios/child.h"
#include "scenarios/data_folder.h"
#include "scenarios/expectation.h"
#include "scenarios/runner.h"

namespace nicsim::scenarios {
namespace {

using Json = nlohmann::ordered_json;

/// One simulation and the records that are read from it.
struct Job {
    std::vector<std::string> arguments;
    std::vector<Measurement*> records;
};

std::vector<Job> jobs_for(std::vector<Measurement>& records) {
    std::vector<Job> jobs;
    for (Measurement& m : records) {
        if (m.scenario.empty()) continue;
        std::vector<std::string> arguments{"run", m.scenario, "--json", "--quiet"};
        for (const std::string& s : m.sets) {
            arguments.emplace_back("--set");
            arguments.push_back(s);
        }
        const auto same = std::find_if(jobs.begin(), jobs.end(),
                                       [&](const Job& j) { return j.arguments == arguments; });
        if (same != jobs.end())
            same->records.push_back(&m);
        else
            jobs.push_back({std::move(arguments), {&m}});
    }
    return jobs;
}

/// The figure at `path` of a result; whole records are figures or counters, parts are named.
std::optional<double> figure(const Json& result, const std::string& path) {
    const Json& all = result.at("statistics");
    std::string name = path;
    std::string part;
    if (!all.contains(name)) {
        const std::size_t dot = name.rfind('.');
        if (dot == std::string::npos) return std::nullopt;
        part = name.substr(dot + 1);
        name.resize(dot);
        if (!all.contains(name)) return std::nullopt;
    }
    const Json& stat = all.at(name);
    if (part.empty()) part = stat.at("kind") == "counter" ? "measured" : "value";
    if (!stat.contains(part) || !stat.at(part).is_number()) return std::nullopt;
    return stat.at(part).get<double>();
}

/// What a record in units per second means by a counter: its growth over the measured time.
double per_second(const Json& result, const Measurement& m, double value) {
    const Json& all = result.at("statistics");
    const bool counter = all.contains(m.stat) && all.at(m.stat).at("kind") == "counter";
    if (!counter || !m.unit.ends_with("/s")) return value;
    return value * static_cast<double>(sim::ps_per_s) / result.at("measured_ps").get<double>();
}

/// How many base units of a statistic one unit of the record is (1 Mbit/s = 1e6 bit/s).
double base_units(const std::string& unit) {
    for (const sim::Unit u : {sim::Unit::bit_rate, sim::Unit::packet_rate, sim::Unit::time}) {
        const sim::QuantityResult r = sim::parse_quantity("1" + unit, u);
        if (!unit.empty() && std::holds_alternative<double>(r)) return std::get<double>(r);
    }
    return 1.0;
}

void simulate(const Job& job, const std::string& program) {
    const ChildResult child = run_child(program, job.arguments);
    std::string failure;
    Json result;
    if (child.code != exit_ok && child.code != exit_missed)
        failure = child.errors.empty() ? fmt::format("the run ended with code {}", child.code)
                                       : child.errors;
    else if (result = Json::parse(child.output, nullptr, false); result.is_discarded())
        failure = "the run's result is not JSON";
    for (Measurement* m : job.records) {
        m->failure = failure;
        if (!failure.empty()) continue;
        if (const std::optional<double> value = figure(result, m->stat))
            m->simulated = per_second(result, *m, *value) / base_units(m->unit);
        else
            m->failure = fmt::format("no statistic '{}' in the result", m->stat);
    }
}

void simulate_all(const std::vector<Job>& jobs, const FidelityOptions& options) {
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t workers = std::min<std::size_t>(options.jobs == 0 ? cores : options.jobs,
                                                      std::max<std::size_t>(1, jobs.size()));
    const bool show = !options.quiet && isatty(STDERR_FILENO) != 0;
    const std::string program = program_path();
    std::atomic<std::size_t> next{0}, done{0};
    std::vector<std::thread> threads;
    for (std::size_t w = 0; w < workers; ++w)
        threads.emplace_back([&] {
            for (std::size_t i = next++; i < jobs.size() && interrupted() == 0; i = next++) {
                simulate(jobs[i], program);
                if (show) say(fmt::format("\r{} of {} runs\x1b[K", ++done, jobs.size()));
            }
        });
    for (std::thread& t : threads) t.join();
    if (show) say("\r\x1b[K");
}

/// Case does not matter, nor whether an Intel part has its i (`nic.type: i82599`, but "82599" in
/// the published record).
std::string folded(std::string name) {
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (name.size() > 1 && name[0] == 'i' && name[1] >= '0' && name[1] <= '9') name.erase(0, 1);
    return name;
}

std::vector<Measurement> chosen(std::vector<Measurement> all, const std::string& device) {
    if (device.empty()) return all;
    std::vector<std::string> devices;
    std::vector<Measurement> out;
    for (Measurement& m : all) {
        if (std::find(devices.begin(), devices.end(), m.device) == devices.end())
            devices.push_back(m.device);
        if (folded(m.device) == folded(device)) out.push_back(std::move(m));
    }
    if (out.empty()) {
        const std::string near = nearest_name(device, devices);
        throw InputError(fmt::format("no measurements of '{}'{} (known: {})\n", printable(device),
                                     near.empty() ? "" : "; did you mean '" + near + "'?",
                                     joined(devices)));
    }
    return out;
}

}  // namespace

int run_fidelity(const FidelityOptions& options) {
    const std::string path = options.reference.empty()
                                 ? data_folder() + "/reference/measurements.yaml"
                                 : options.reference;
    std::vector<Measurement> records = chosen(load_measurements(path), options.device);
    const std::vector<Job> jobs = jobs_for(records);
    note_interrupts();
    simulate_all(jobs, options);
    if (interrupted() != 0) return 128 + interrupted();
    fmt::print("{}", options.json       ? fidelity_json(records)
                     : options.markdown ? fidelity_markdown(records)
                                        : fidelity_table(records));
    const bool missed = std::any_of(records.begin(), records.end(),
                                    [](const Measurement& m) { return m.pass() == false; });
    return missed ? exit_missed : exit_ok;
}

}  // namespace nicsim::scenarios
