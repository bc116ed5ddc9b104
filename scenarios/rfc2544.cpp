// SPDX-License-Identifier: Apache-2.0
#include "scenarios/rfc2544.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "scenarios/child.h"
#include "scenarios/data_folder.h"
#include "scenarios/language.h"
#include "scenarios/port_rules.h"
#include "scenarios/run_config.h"
#include "scenarios/runner.h"
#include "sim/units.h"

namespace nicsim::scenarios {
namespace {

using Json = nlohmann::ordered_json;

std::uint64_t quantity(const std::string& option, const std::string& text, sim::Unit unit) {
    const sim::QuantityResult result = sim::parse_quantity(text, unit);
    if (const auto* bad = std::get_if<sim::QuantityError>(&result))
        throw InputError(fmt::format("{}: {}\n", option, bad->message));
    const double value = std::get<double>(result);
    if (!(value >= 1.0 && value <= 9e18))
        throw InputError(
            fmt::format("{}: '{}' is out of range (allowed: above 0)\n", option, printable(text)));
    return static_cast<std::uint64_t>(std::llround(value));
}

/// The scenario as it stands, and which of its generators is meant.
struct Setup {
    std::string generator;
    std::uint64_t line_rate = 0;  ///< frames per second
};

Setup look_at(const SearchOptions& options) {
    const BoundBlock scenario = load_scenario(find_scenario(options.scenario), options.sets);
    std::vector<std::string> names;
    Setup setup;
    std::size_t index = 0;
    for (const BoundBlock& block : scenario.list("generators")) {
        const auto places = block.as<GeneratorPlaces>();
        const std::string name = places.name.empty() ? fmt::format("{}", index) : places.name;
        ++index;
        if (!places.enabled) continue;
        names.push_back(name);
        if (!options.generator.empty() && options.generator != name) continue;
        const host::TrafficGeneratorConfig config = generator_config(scenario, block);
        if (config.flow_control)
            throw InputError(fmt::format(
                "{}.flow_control: a generator that obeys pause frames slows down instead of "
                "losing frames; a search for the highest rate without loss needs it off\n",
                block.path));
        setup = {name, sim::ps_per_s / config.frame_time()};
    }
    if (names.empty())
        throw InputError(fmt::format("{}: the scenario has no generator (`generators`)\n",
                                     printable(options.scenario, 200)));
    if (options.generator.empty() && names.size() > 1)
        throw InputError(fmt::format(
            "--generator is needed: the scenario has several (known: {})\n", joined(names)));
    if (setup.generator.empty()) {
        const std::string near = nearest_name(options.generator, names);
        throw InputError(fmt::format(
            "--generator: no generator '{}'{} (known: {})\n", printable(options.generator),
            near.empty() ? "" : "; did you mean '" + near + "'?", joined(names)));
    }
    return setup;
}

double value_of(const Json& statistics, const std::string& path, const char* part) {
    return statistics.at(path).at(part).get<double>();
}

struct Interrupted {};

class Search {
public:
    Search(const SearchOptions& options, const Setup& setup)
        : options_(options), setup_(setup), program_(program_path()) {
        trial_ = quantity("--trial", options.trial, sim::Unit::time);
        drain_ = quantity("--drain", options.drain, sim::Unit::time);
        resolution_ = quantity("--resolution", options.resolution, sim::Unit::packet_rate);
        lowest_ = quantity("--min", options.lowest, sim::Unit::packet_rate);
        highest_ = options.highest.empty()
                       ? setup.line_rate
                       : quantity("--max", options.highest, sim::Unit::packet_rate);
        if (highest_ > setup.line_rate)
            throw InputError(
                fmt::format("--max: the wire takes {} frames per second\n", setup.line_rate));
        if (lowest_ >= highest_)
            throw InputError(
                fmt::format("--min: {} is not below the highest rate, {}\n", lowest_, highest_));
    }

    Bracket run() {
        const bool show = !options_.quiet && isatty(STDERR_FILENO) != 0;
        unsigned n = 0;
        Bracket bracket = bisect(lowest_, highest_, resolution_, [&](std::uint64_t rate) {
            if (show) say(fmt::format("\rtrial {} at {} frames/s\x1b[K", ++n, rate));
            return trial(rate);
        });
        if (show) say("\r\x1b[K");
        return bracket;
    }
    [[nodiscard]] std::uint64_t resolution() const { return resolution_; }
    [[nodiscard]] std::uint64_t trial_time() const { return trial_; }
    [[nodiscard]] std::uint64_t drain_time() const { return drain_; }

private:
    Trial trial(std::uint64_t rate) {
        if (interrupted() != 0) throw Interrupted{};
        const std::string here = "generators." + setup_.generator;
        std::vector<std::string> arguments{"run", options_.scenario, "--json", "--quiet"};
        std::vector<std::string> sets = options_.sets;
        sets.push_back(fmt::format("{}.rate={}pps", here, rate));
        sets.push_back(fmt::format("{}.drain={}ps", here, drain_));
        sets.push_back(fmt::format("duration={}ps", trial_ + drain_));
        for (const std::string& s : sets) {
            arguments.emplace_back("--set");
            arguments.push_back(s);
        }
        const ChildResult child = run_child(program_, arguments);
        if (interrupted() != 0) throw Interrupted{};
        if (child.code != exit_ok && child.code != exit_missed)
            throw InputError(fmt::format("the trial at {} frames per second ended with code {}: {}",
                                         rate, child.code, child.errors));
        const Json result = Json::parse(child.output, nullptr, false);
        if (result.is_discarded()) throw InputError("a trial's result is not JSON\n");
        const Json& s = result.at("statistics");
        Trial t;
        t.rate = rate;
        t.offered = s.at(here + ".offered").at("measured").get<std::uint64_t>();
        t.lost = static_cast<std::uint64_t>(value_of(s, here + ".lost", "value"));
        t.wrong = s.at(here + ".wrong").at("measured").get<std::uint64_t>();
        t.latency_mean = value_of(s, here + ".latency", "mean");
        t.latency_p99 = value_of(s, here + ".latency", "p99");
        return t;
    }

    const SearchOptions& options_;
    Setup setup_;
    std::string program_;
    std::uint64_t trial_ = 0, drain_ = 0, resolution_ = 0, lowest_ = 0, highest_ = 0;
};

Json bracket_json(const SearchOptions& options, const Setup& setup, const Search& search,
                  const Bracket& b) {
    Json trials = Json::array();
    for (const Trial& t : b.trials)
        trials.push_back(Json{{"rate_pps", t.rate},
                              {"offered", t.offered},
                              {"lost", t.lost},
                              {"wrong", t.wrong},
                              {"latency_mean_ps", t.latency_mean},
                              {"latency_p99_ps", t.latency_p99},
                              {"passed", t.passed()}});
    return Json{{"schema", "nicsim-rfc2544/1"},
                {"scenario", options.scenario},
                {"set", options.sets},
                {"generator", setup.generator},
                {"trial_ps", search.trial_time()},
                {"drain_ps", search.drain_time()},
                {"resolution_pps", search.resolution()},
                {"line_rate_pps", setup.line_rate},
                {"throughput_pps", b.passed == 0 ? Json(nullptr) : Json(b.passed)},
                {"lowest_failed_pps", b.failed == 0 ? Json(nullptr) : Json(b.failed)},
                {"trials", trials}};
}

std::string bracket_text(const Setup& setup, const Bracket& b) {
    std::string out = fmt::format("{:>12}  {:>10}  {:>10}  {:>12}  {:>12}\n", "frames/s", "sent",
                                  "lost", "mean us", "p99 us");
    for (const Trial& t : b.trials)
        out += fmt::format("{:>12}  {:>10}  {:>10}  {:>12.1f}  {:>12.1f}{}\n", t.rate, t.offered,
                           t.lost + t.wrong, t.latency_mean / 1e6, t.latency_p99 / 1e6,
                           t.passed() ? "" : "  loss");
    if (b.passed == 0)
        out += fmt::format("\nno rate without loss: {} frames/s loses some\n", b.failed);
    else
        out += fmt::format(
            "\nthroughput {} frames/s without loss ({:.2f} % of the wire's {}){}\n", b.passed,
            100.0 * static_cast<double>(b.passed) / static_cast<double>(setup.line_rate),
            setup.line_rate, b.failed == 0 ? "" : fmt::format("; loss at {} frames/s", b.failed));
    return out;
}

}  // namespace

Bracket bisect(std::uint64_t lowest, std::uint64_t highest, std::uint64_t resolution,
               const std::function<Trial(std::uint64_t rate)>& run) {
    Bracket b;
    const auto passes = [&](std::uint64_t rate) {
        b.trials.push_back(run(rate));
        return b.trials.back().passed();
    };
    if (passes(highest)) {
        b.passed = highest;
        return b;
    }
    b.failed = highest;
    if (!passes(lowest)) {
        b.failed = lowest;
        return b;
    }
    b.passed = lowest;
    while (b.failed - b.passed > std::max<std::uint64_t>(resolution, 1)) {
        const std::uint64_t middle = b.passed + (b.failed - b.passed) / 2;
        (passes(middle) ? b.passed : b.failed) = middle;
    }
    return b;
}

int run_rfc2544(const SearchOptions& options) {
    const Setup setup = look_at(options);
    Search search(options, setup);
    note_interrupts();
    Bracket bracket;
    try {
        bracket = search.run();
    } catch (const Interrupted&) {
        say("interrupted; there is no result\n");
        return 128 + interrupted();
    }
    if (options.json)
        fmt::print("{}\n", bracket_json(options, setup, search, bracket).dump(1));
    else
        fmt::print("{}", bracket_text(setup, bracket));
    return bracket.passed == 0 ? exit_missed : exit_ok;
}

}  // namespace nicsim::scenarios
