// SPDX-License-Identifier: Apache-2.0
#include "scenarios/against.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "models/rtl/blocks.h"
#include "scenarios/child.h"
#include "scenarios/data_folder.h"
#include "scenarios/decision_log.h"
#include "scenarios/language.h"
#include "scenarios/run_config.h"

namespace nicsim::scenarios {
namespace {

using Json = nlohmann::ordered_json;

constexpr double cycle_ps = 8000.0;            ///< of every RTL block
constexpr sim::Ps tail = sim::ps_per_us;       ///< at the end of a run
constexpr double goodput_limit_percent = 0.1;  ///< above it the runs are different
constexpr double count_limit_percent = 1.0;    ///< the same for the number of reads of a ring

/// A folder for the two runs that goes away.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name =
            (std::filesystem::temp_directory_path() / "nicsim-against-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr)
            throw InputError("no temporary folder can be made (TMPDIR)\n");
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    [[nodiscard]] std::string operator/(const char* name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> out;
    std::size_t begin = 0;
    for (std::size_t comma = 0; comma != std::string::npos; begin = comma + 1) {
        comma = text.find(',', begin);
        out.push_back(text.substr(begin, comma == std::string::npos ? comma : comma - begin));
    }
    return out;
}

/// The blocks of `rtl:a,b`; of `rtl` those that the scenario names, or all of the device.
std::vector<std::string> blocks_of(const std::string& against, const BoundBlock& scenario) {
    const BoundBlock& nic = *scenario.child("nic");
    const BoundValue* rtl = nic.find("rtl");
    if (against.starts_with("rtl:")) return split(against.substr(4));
    if (against != "rtl")
        throw InputError(
            fmt::format("--against {}: needs `rtl` or `rtl:BLOCK,BLOCK`{}\n", printable(against),
                        nearest_name(against, {"rtl"}).empty() ? "" : "; did you mean 'rtl'?"));
    if (rtl == nullptr || rtl->decl->choices.empty())
        throw InputError(
            fmt::format("--against rtl: '{}' has no parts in RTL (the i210 has)\n", nic.type));
    const auto& named = std::get<std::vector<std::string>>(rtl->value);
    return named.empty() ? rtl->decl->choices : named;
}

Json run_one(const RunOptions& options, const std::string& rtl, const TemporaryFolder& folder,
             const char* name) {
    std::vector<std::string> arguments = {"run", options.scenario, "--quiet"};
    for (const std::string& set : options.sets) arguments.insert(arguments.end(), {"--set", set});
    const std::string out = folder / name;
    arguments.insert(arguments.end(), {"--set", "nic.rtl=[" + rtl + "]", "--out", out,
                                       "--decisions", out + ".log", "--wave", out + ".fst"});
    for (std::string& argument : against_trace_arguments(options.traces))
        arguments.push_back(std::move(argument));
    const ChildResult child = run_child(program_path(), arguments);
    if (child.code != exit_ok && child.code != exit_missed)
        throw InputError(
            child.errors.empty()
                ? fmt::format("the run with rtl=[{}] ended with code {}\n", rtl, child.code)
                : child.errors.substr(child.errors.starts_with("nicsim: ") ? 8 : 0));
    std::ifstream in(out + "/result.json");
    return Json::parse(in);
}

double error_percent(double model, double rtl) {
    if (model == rtl) return 0.0;
    return model == 0.0 ? std::copysign(100.0, rtl) : 100.0 * (rtl - model) / std::abs(model);
}

/// Every number below `value`, by its path.
void numbers(const Json& value, const std::string& path, std::map<std::string, double>& out) {
    if (value.is_number()) out[path] = value.get<double>();
    if (!value.is_object()) return;
    for (const auto& [key, below] : value.items())
        numbers(below, fmt::format("{}.{}", path, key), out);
}

void compare_results(const Json& model, const Json& rtl, Against& result) {
    const Json& flows = model["headline"]["workloads"];
    for (std::size_t i = 0; i < flows.size(); ++i) {
        const double a = flows[i]["goodput_bit_per_s"].get<double>();
        const double b = rtl["headline"]["workloads"][i]["goodput_bit_per_s"].get<double>();
        result.goodput.push_back({flows[i]["name"].get<std::string>(), a, b, error_percent(a, b)});
    }
    for (const auto& [name, stat] : model["statistics"].items()) {
        std::map<std::string, double> a, b;
        numbers(stat, name, a);
        numbers(rtl["statistics"][name], name, b);
        for (const auto& [path, value] : a) {
            ++result.statistics;
            if (value != b[path])
                result.differing.push_back({path, value, b[path], error_percent(value, b[path])});
        }
    }
    std::stable_sort(result.differing.begin(), result.differing.end(),
                     [](const ComparedFigure& x, const ComparedFigure& y) {
                         return std::abs(x.percent) > std::abs(y.percent);
                     });
}

std::string text_of(const LoggedDecision& d) {
    return fmt::format("{} at {} ps", d.value, d.time);
}

/// Whether the decisions of this path are taken by one of the blocks.
bool taken_by(const std::string& path, const std::vector<std::string>& blocks) {
    const bool transmit = path.ends_with(".fetch.grant") || path.ends_with(".arbiter.send");
    const std::string block = transmit                   ? "tx_packet_buffer"
                              : path.ends_with(".issue") ? "interrupt_throttle"
                                                         : "descriptor_prefetcher";
    return std::find(blocks.begin(), blocks.end(), block) != blocks.end();
}

ComparedDecisions compare_one(const std::string& path, const std::vector<LoggedDecision>& model,
                              const std::vector<LoggedDecision>& rtl, sim::Ps end) {
    ComparedDecisions out;
    out.path = path;
    out.model = model.size();
    out.rtl = rtl.size();
    const std::size_t common = std::min(model.size(), rtl.size());
    double sum = 0.0;
    for (std::size_t i = 0; i < common; ++i) {
        if (model[i].value != rtl[i].value) {
            out.same = false;
            out.first_difference = i;
            break;
        }
        const double apart =
            std::abs(static_cast<double>(model[i].time) - static_cast<double>(rtl[i].time));
        out.largest_cycles = std::max(out.largest_cycles, apart / cycle_ps);
        sum += apart / cycle_ps;
        out.first_difference = i + 1;
    }
    if (out.first_difference != 0)
        out.mean_cycles = sum / static_cast<double>(out.first_difference);
    // One run may just have had the time for one more: as much as they are apart anyway.
    const auto drift = std::max(tail, static_cast<sim::Ps>(out.largest_cycles * cycle_ps));
    for (const auto* longer : {&model, &rtl})
        if (longer->size() > common && (*longer)[common].time + drift < end) out.same = false;
    if (out.same) return out;
    const std::size_t at = out.first_difference;
    out.model_text = at < model.size() ? text_of(model[at]) : "none";
    out.rtl_text = at < rtl.size() ? text_of(rtl[at]) : "none";
    return out;
}

bool counts_descriptors(const std::string& path) {
    return path.ends_with(".ring.fetch") || path.ends_with(".ring.write_back");
}

/// The values are numbers of descriptors: the n-th descriptor of one run belongs to the n-th of the
/// other. The same means: as many descriptors, in nearly as many reads or write-backs.
ComparedDecisions compare_descriptors(const std::string& path,
                                      const std::vector<LoggedDecision>& model,
                                      const std::vector<LoggedDecision>& rtl, sim::Ps end) {
    ComparedDecisions out;
    out.path = path;
    out.by_descriptor = true;
    out.model = model.size();
    out.rtl = rtl.size();
    double sum = 0.0;
    std::uint64_t at = 0, model_end = 0, rtl_end = 0;  // descriptors
    std::size_t i = 0, j = 0;
    while (i < model.size() && j < rtl.size()) {
        const std::uint64_t model_next = model_end + model[i].value;
        const std::uint64_t rtl_next = rtl_end + rtl[j].value;
        const std::uint64_t next = std::min(model_next, rtl_next);
        const double apart =
            std::abs(static_cast<double>(model[i].time) - static_cast<double>(rtl[j].time)) /
            cycle_ps;
        out.largest_cycles = std::max(out.largest_cycles, apart);
        sum += apart * static_cast<double>(next - at);
        if (model_next == rtl_next && model_end == rtl_end) ++out.of_one_size;
        at = next;
        if (next == model_next) model_end = model_next, ++i;
        if (next == rtl_next) rtl_end = rtl_next, ++j;
    }
    if (at != 0) out.mean_cycles = sum / static_cast<double>(at);
    const auto drift = std::max(tail, static_cast<sim::Ps>(out.largest_cycles * cycle_ps));
    const bool model_has_more = i < model.size() && model[i].time + drift < end;
    const bool rtl_has_more = j < rtl.size() && rtl[j].time + drift < end;
    const std::uint64_t most = std::max(out.model, out.rtl);
    const std::uint64_t differ = most - std::min(out.model, out.rtl);
    out.same = !model_has_more && !rtl_has_more &&
               static_cast<double>(differ) <=
                   std::max(1.0, count_limit_percent / 100.0 * static_cast<double>(most));
    if (out.same) return out;
    out.first_difference = std::min(i, j);
    const auto total = [](const std::vector<LoggedDecision>& log) {
        std::uint64_t descriptors = 0;
        for (const LoggedDecision& d : log) descriptors += d.value;
        return fmt::format("{} descriptors in {}", descriptors, log.size());
    };
    out.model_text = total(model);
    out.rtl_text = total(rtl);
    return out;
}

template <class... Args>
void add(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
}

}  // namespace

bool Against::same() const {
    return std::all_of(decisions.begin(), decisions.end(),
                       [](const auto& d) { return d.same || !d.of_rtl; }) &&
           std::all_of(goodput.begin(), goodput.end(),
                       [](const auto& g) { return std::abs(g.percent) <= goodput_limit_percent; });
}

std::vector<ComparedDecisions> compare_decisions(const std::string& model_log,
                                                 const std::string& rtl_log, sim::Ps end) {
    const auto model = read_decisions(model_log);
    const auto rtl = read_decisions(rtl_log);
    std::vector<std::string> paths;
    for (const auto& side : {model, rtl})
        for (const auto& [path, list] : side) paths.push_back(path);
    std::sort(paths.begin(), paths.end());
    paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
    static const std::vector<LoggedDecision> none;
    const auto of = [](const auto& side, const std::string& path) -> const auto& {
        const auto found = side.find(path);
        return found == side.end() ? none : found->second;
    };
    std::vector<ComparedDecisions> out;
    out.reserve(paths.size());
    for (const std::string& path : paths)
        out.push_back((counts_descriptors(path) ? compare_descriptors : compare_one)(
            path, of(model, path), of(rtl, path), end));
    return out;
}

int run_against(const RunOptions& options, const std::string& against) {
    const BoundBlock scenario = load_scenario(find_scenario(options.scenario), options.sets);
    Against result;
    result.blocks = blocks_of(against, scenario);
    const std::string names = fmt::format("{}", fmt::join(result.blocks, ", "));
    std::vector<std::string> sets = options.sets;
    sets.push_back("nic.rtl=[" + names + "]");
    load_scenario(find_scenario(options.scenario), sets);  // names what is wrong before any run
    const auto run = scenario.as<RunConfig>();

    const TemporaryFolder folder;
    const Json model = run_one(options, "", folder, "model");
    const Json rtl = run_one(options, names, folder, "rtl");
    result.decisions =
        compare_decisions(folder / "model.log", folder / "rtl.log", run.warmup + run.duration);
    for (ComparedDecisions& d : result.decisions) d.of_rtl = taken_by(d.path, result.blocks);
    compare_results(model, rtl, result);
    result.waves =
        compare_waves(folder / "model.fst", folder / "rtl.fst", rtl_bound_cycles(result.blocks));
    result.more = waves_text(result.waves, options, result.blocks);

    fmt::print("{}", options.json ? to_json(result) : options.quiet ? "" : to_text(result));
    return result.same() ? exit_ok : exit_missed;
}

std::string to_text(const Against& r) {
    std::string out =
        fmt::format("models against RTL: {}\n\n{:<34} {:>9} {:>9}  {}\n", fmt::join(r.blocks, ", "),
                    "decisions", "model", "RTL", "apart (cycles of 8 ns): largest, mean");
    for (const ComparedDecisions& d : r.decisions) {
        add(out, "{:<34} {:>9} {:>9}  {:.2f}, {:.3f}{}{}\n", d.path, d.model, d.rtl,
            d.largest_cycles, d.mean_cycles,
            d.by_descriptor && d.of_one_size != std::max(d.model, d.rtl)
                ? fmt::format("; {} about the same descriptors", d.of_one_size)
                : "",
            d.same     ? ""
            : d.of_rtl ? "  DIFFERENT"
                       : "  differs, of a model on both sides");
        if (!d.same)
            add(out, "  decision {}: model {}, RTL {}\n", d.first_difference, d.model_text,
                d.rtl_text);
    }
    add(out, "\n{:<34} {:>14} {:>14}  {}\n", "goodput (bit/s)", "model", "RTL", "error");
    for (const ComparedFigure& g : r.goodput)
        add(out, "{:<34} {:>14.0f} {:>14.0f}  {:+.4f} %{}\n", g.path, g.model, g.rtl, g.percent,
            std::abs(g.percent) > goodput_limit_percent ? "  DIFFERENT" : "");
    constexpr std::size_t shown = 10;
    add(out, "\nstatistics: {} of {} numbers differ{}\n", r.differing.size(), r.statistics,
        r.differing.size() > shown ? fmt::format(", the {} that differ most:", shown) : "");
    for (std::size_t i = 0; i < std::min(shown, r.differing.size()); ++i)
        add(out, "  {:<52} {:>12.6g} {:>12.6g}  {:+.4f} %\n", r.differing[i].path,
            r.differing[i].model, r.differing[i].rtl, r.differing[i].percent);
    add(out, "\n{}", r.more);
    add(out, "\n{}\n",
        r.same() ? "the same: every decision of these blocks, and goodput within 0.1 %"
                 : "different");
    return out;
}

std::string to_json(const Against& r) {
    Json decisions = Json::array();
    for (const ComparedDecisions& d : r.decisions) {
        Json one{{"path", d.path},
                 {"model", d.model},
                 {"rtl", d.rtl},
                 {"of_rtl_block", d.of_rtl},
                 {"same", d.same},
                 {"largest_cycles", d.largest_cycles},
                 {"mean_cycles", d.mean_cycles}};
        if (d.by_descriptor) one["about_the_same_descriptors"] = d.of_one_size;
        if (!d.same)
            one["first_difference"] =
                Json{{"index", d.first_difference}, {"model", d.model_text}, {"rtl", d.rtl_text}};
        decisions.push_back(std::move(one));
    }
    const auto figures = [](const std::vector<ComparedFigure>& list) {
        Json out = Json::array();
        for (const ComparedFigure& f : list)
            out.push_back(Json{{"path", f.path},
                               {"model", f.model},
                               {"rtl", f.rtl},
                               {"error_percent", f.percent}});
        return out;
    };
    Json signals = Json::array();
    for (const LeavingSignal& s : r.waves.leaving)
        signals.push_back(Json{{"signal", s.signal},
                               {"at_ps", s.at_ps},
                               {"what", s.what},
                               {"cycles_behind", s.cycles ? Json(*s.cycles) : Json()},
                               {"changes_before", s.changes_before}});
    const Json out{
        {"schema", "nicsim-against/1"},
        {"rtl", r.blocks},
        {"cycle_ps", cycle_ps},
        {"same", r.same()},
        {"decisions", decisions},
        {"goodput", figures(r.goodput)},
        {"statistics", Json{{"compared", r.statistics}, {"differing", figures(r.differing)}}},
        {"waves", Json{{"signals", r.waves.signals},
                       {"signals_that_agree", r.waves.agreeing},
                       {"changes_that_agree", r.waves.changes},
                       {"tolerance_cycles", r.waves.bound_cycles},
                       {"differing", signals}}}};
    return out.dump(1) + "\n";
}

}  // namespace nicsim::scenarios
