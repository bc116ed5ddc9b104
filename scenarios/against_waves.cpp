// SPDX-License-Identifier: Apache-2.0
#include "scenarios/against_waves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>

#include "waves/diff.h"
#include "waves/wave.h"

namespace nicsim::scenarios {
namespace {

constexpr double cycle_ps = 8000.0;  ///< of every RTL block
constexpr std::size_t shown = 3;

std::string cycles_text(unsigned n) {
    return fmt::format("{} cycle{}", n, n == 1 ? "" : "s");
}

std::string what_of(const waves::Difference& d, double cycles) {
    using What = waves::Difference::What;
    const std::string &model = d.at[0].value, &rtl = d.at[1].value;
    if (d.what == What::initial)
        return fmt::format("the model begins with {}, RTL with {}", model, rtl);
    if (d.what == What::value) return fmt::format("the model goes to {}, RTL to {}", model, rtl);
    const char* first = d.side == 0 ? "the model" : "RTL";
    const char* other = d.side == 0 ? "RTL" : "the model";
    if (d.late)
        return fmt::format("{} goes to {}, {} {:.2f} cycles later", first, d.at[d.side].value,
                           other, cycles);
    return fmt::format("{} goes to {}, {} stays at {}", first, d.at[d.side].value, other,
                       d.at[1 - d.side].value);
}

LeavingSignal leaving(const waves::Difference& d, double tick_ps) {
    LeavingSignal out;
    out.signal = d.signal;
    out.at_ps = static_cast<std::uint64_t>(std::llround(static_cast<double>(d.axis) * tick_ps));
    const double cycles = static_cast<double>(d.lateness) * tick_ps / cycle_ps;
    out.what = what_of(d, cycles);
    out.changes_before = d.matched;
    if (d.what == waves::Difference::What::missing && d.late)
        out.cycles = d.side == 0 ? cycles : -cycles;
    return out;
}

/// Safe to paste into a shell.
std::string quoted(const std::string& text) {
    const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 ||
               std::string_view("_-./=:,%+@").find(static_cast<char>(c)) != std::string_view::npos;
    });
    if (plain) return text;
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

std::string line_of(const LeavingSignal& s) {
    return fmt::format("  {:.6f} us  {}: {}; {} changes agreed before\n",
                       static_cast<double>(s.at_ps) / 1e6, s.signal, s.what, s.changes_before);
}

}  // namespace

unsigned rtl_bound_cycles(const std::vector<std::string>& blocks) {
    const bool prefetcher =
        std::find(blocks.begin(), blocks.end(), "descriptor_prefetcher") != blocks.end();
    return prefetcher ? 2 : 0;
}

ComparedWaves compare_waves(const std::string& model_file, const std::string& rtl_file,
                            unsigned bound_cycles) {
    waves::DiffOptions options;
    options.a = model_file;
    options.b = rtl_file;
    options.cycle = "8ns";
    options.tolerance = {fmt::format("{}c", bound_cycles)};
    options.common_time = true;
    const waves::DiffResult diff = waves::diff_waves(options);
    const double tick_ps = std::pow(10.0, diff.exponent + 12);
    ComparedWaves out;
    out.signals = diff.compared;
    out.agreeing = diff.compared - diff.differences.size();
    out.changes = diff.matched;
    out.bound_cycles = bound_cycles;
    for (const waves::Difference& d : diff.differences) out.leaving.push_back(leaving(d, tick_ps));
    return out;
}

std::vector<std::string> against_trace_arguments(const RunTraceOptions& traces) {
    std::vector<std::string> out = {"--wave-from",
                                    traces.wave_from.empty() ? "0" : traces.wave_from};
    if (!traces.wave_to.empty()) out.insert(out.end(), {"--wave-to", traces.wave_to});
    if (!traces.wave_scope.empty()) out.insert(out.end(), {"--wave-scope", traces.wave_scope});
    return out;
}

std::string waves_text(const ComparedWaves& waves, const RunOptions& options,
                       const std::vector<std::string>& blocks) {
    std::string out = fmt::format(
        "waves: of {} of {} signals every change agrees within {}, the bound of these blocks; {} "
        "changes agree\n",
        waves.agreeing, waves.signals, cycles_text(waves.bound_cycles), waves.changes);
    if (waves.leaving.empty()) return out;
    const std::size_t n = std::min(shown, waves.leaving.size());
    out += n == 1 ? "the one that leaves it:\n"
                  : fmt::format("the first {} that leave it, in order of time:\n", n);
    for (std::size_t i = 0; i < n; ++i) out += line_of(waves.leaving[i]);
    std::string run = "nicsim run " + quoted(options.scenario) + " --quiet";
    for (const std::string& set : options.sets) run += " --set " + quoted(set);
    for (const std::string& argument : against_trace_arguments(options.traces))
        run += " " + quoted(argument);
    out += fmt::format(
        "to see more:\n  {0} --wave model.fst\n  {0} --set {1} --wave rtl.fst\n"
        "  nicsim waves diff model.fst rtl.fst --common-time --cycle 8ns --tolerance {2}c\n",
        run, quoted(fmt::format("nic.rtl=[{}]", fmt::join(blocks, ","))), waves.bound_cycles);
    return out;
}

}  // namespace nicsim::scenarios
