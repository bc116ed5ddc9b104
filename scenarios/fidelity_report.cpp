// SPDX-License-Identifier: Apache-2.0
// How simulated records are shown: JSON, a table, a page of the documentation.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "scenarios/fidelity.h"

namespace nicsim::scenarios {
namespace {

using Json = nlohmann::ordered_json;

Json rounded(const std::optional<double>& v) {
    if (!v || !std::isfinite(*v)) return nullptr;
    return std::strtod(fmt::format("{:.6g}", *v).c_str(), nullptr);
}

const char* verdict(const Measurement& m) {
    if (m.scenario.empty()) return "device not modelled yet";
    const std::optional<bool> pass = m.pass();
    return !pass ? "shape only" : *pass ? "yes" : "NO";
}

std::string cell(const std::optional<double>& v, const char* format) {
    return v ? fmt::format(fmt::runtime(format), *v) : std::string("-");
}

std::string percent(const std::optional<double>& v, const char* format) {
    return v ? fmt::format(fmt::runtime(format), *v * 100) : std::string("-");
}

/// `NOTE: ids` for each note of a record that missed its goal.
std::vector<std::pair<std::string, std::string>> misses(const std::vector<Measurement>& records) {
    std::vector<std::pair<std::string, std::string>> out;
    for (const Measurement& m : records) {
        if (m.pass().value_or(true)) continue;
        const std::string why = m.note.empty() ? "no reason is known" : m.note;
        const auto same = std::find_if(out.begin(), out.end(),
                                       [&why](const auto& entry) { return entry.second == why; });
        if (same == out.end()) {
            out.emplace_back(m.id, why);
        } else {
            same->first += ", " + m.id;
        }
    }
    return out;
}

std::string summary(const std::vector<Measurement>& records) {
    const auto count = [&records](auto what) {
        return std::count_if(records.begin(), records.end(), what);
    };
    std::string out =
        fmt::format("{} of {} records within their goal",
                    count([](const Measurement& m) { return m.pass().value_or(false); }),
                    count([](const Measurement& m) { return m.pass().has_value(); }));
    const auto unmodelled = count([](const Measurement& m) { return m.scenario.empty(); });
    if (unmodelled != 0)
        out += fmt::format("; {} of devices that are not modelled yet", unmodelled);
    return out;
}

/// How the record is repeated by hand.
std::string command(const Measurement& m) {
    if (m.scenario.empty()) return "";
    std::string out = "nicsim run " + m.scenario;
    for (const std::string& set : m.sets) out += " --set " + set;
    return out;
}

}  // namespace

std::string fidelity_json(const std::vector<Measurement>& records) {
    Json out = Json::array();
    for (const Measurement& m : records) {
        const std::optional<bool> pass = m.pass();
        out.push_back(Json{{"id", m.id},
                           {"unit", m.unit},
                           {"measured", rounded(m.measured)},
                           {"simulated", rounded(m.simulated)},
                           {"error", rounded(m.error())},
                           {"goal", rounded(m.goal)},
                           {"kind", m.kind},
                           {"pass", pass ? Json(*pass) : Json(nullptr)}});
    }
    return out.dump(1) + "\n";
}

std::string fidelity_table(const std::vector<Measurement>& records) {
    std::size_t id_width = 2;
    std::size_t unit_width = 4;
    for (const Measurement& m : records) {
        id_width = std::max(id_width, m.id.size());
        unit_width = std::max(unit_width, m.unit.size());
    }
    constexpr auto line = "{:<{}}  {:<{}}  {:>10}  {:>10}  {:>8}  {:>6}  {:<9}  {}\n";
    std::string out = fmt::format(line, "id", id_width, "unit", unit_width, "measured", "simulated",
                                  "error", "goal", "kind", "pass");
    for (const Measurement& m : records) {
        out += fmt::format(line, m.id, id_width, m.unit, unit_width, cell(m.measured, "{:.7g}"),
                           cell(m.simulated, "{:.1f}"), percent(m.error(), "{:+.2f} %"),
                           percent(m.goal, "{:.3g} %"), m.kind, verdict(m));
        if (!m.failure.empty()) out += "    " + printable(m.failure, 400) + "\n";
    }
    out += "\n" + summary(records) + "\n";
    for (const auto& [ids, why] : misses(records)) out += fmt::format("missed: {}: {}\n", ids, why);
    return out;
}

std::string fidelity_markdown(const std::vector<Measurement>& records) {
    std::string out =
        "# Fidelity\n\nPublished measurements and what the simulator makes of them. Written by "
        "`nicsim fidelity --markdown`;\nconditions and sources of the measurements stand in "
        "`scenarios/reference/measurements.yaml`. A `calibrate` record may\nhave one named "
        "parameter fitted to it, a `predict` record none.\n\n" +
        summary(records) + ".\n";
    for (const auto& [ids, why] : misses(records))
        out += fmt::format("\n**Missed**: {}: {}\n", ids, why);
    out +=
        "\n| record | unit | measured | simulated | error | goal | kind | pass | command |\n"
        "|---|---|---|---|---|---|---|---|---|\n";
    for (const Measurement& m : records) {
        const std::string repeat = command(m);
        out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", m.id, m.unit,
                           cell(m.measured, "{:.7g}"), cell(m.simulated, "{:.1f}"),
                           percent(m.error(), "{:+.2f} %"), percent(m.goal, "{:.3g} %"), m.kind,
                           verdict(m), repeat.empty() ? "" : "`" + repeat + "`");
    }
    return out;
}

}  // namespace nicsim::scenarios
