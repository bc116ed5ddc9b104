// SPDX-License-Identifier: Apache-2.0
#include "scenarios/stat_view.h"

#include <fmt/format.h>

#include "scenarios/diagnostics.h"

namespace nicsim::scenarios {
namespace {

void collect(const sim::StatGroup& group, const std::string& prefix, std::vector<StatView>& out) {
    for (const sim::Stat& s : group.stats()) out.push_back({prefix + s.name, &s});
    for (const sim::StatGroup& g : group.groups()) collect(g, prefix + g.name() + ".", out);
}

std::optional<double> read_distribution(const sim::Histogram& h, const std::string& part) {
    if (part == "count") return static_cast<double>(h.count());
    if (part == "min") return static_cast<double>(h.min());
    if (part == "mean") return h.mean();
    if (part == "max") return static_cast<double>(h.max());
    for (const auto& [name, q] : percentiles())
        if (name == part) return static_cast<double>(h.percentile(q));
    return std::nullopt;
}

std::optional<double> read_activity(const sim::Activity& a, const std::string& part) {
    if (part == "busy") return share_of(a, sim::ActivityKind::busy);
    if (part == "starved") return share_of(a, sim::ActivityKind::starved);
    if (part == "blocked") return share_of(a, sim::ActivityKind::blocked);
    for (const StateShare& s : shares(a))
        if (s.state->name == part) return s.share;
    return std::nullopt;
}

std::vector<std::string> parts_of(const sim::Stat& stat) {
    if (std::holds_alternative<sim::CounterStat>(stat.value)) return {"whole_run"};
    if (std::holds_alternative<sim::DistributionStat>(stat.value)) {
        std::vector<std::string> out{"count", "min", "mean", "max"};
        for (const auto& [name, q] : percentiles()) out.push_back(name);
        return out;
    }
    if (const auto* a = std::get_if<sim::ActivityStat>(&stat.value)) {
        std::vector<std::string> out{"busy", "starved", "blocked"};
        for (const sim::ActivityState& s : a->activity->states()) out.push_back(s.name);
        return out;
    }
    return {};
}

std::optional<double> read_part(const sim::Stat& stat, const std::string& part) {
    if (const auto* c = std::get_if<sim::CounterStat>(&stat.value)) {
        if (part.empty()) return static_cast<double>(c->measured());
        if (part == "whole_run") return static_cast<double>(c->whole_run());
        return std::nullopt;
    }
    if (const auto* f = std::get_if<sim::FormulaStat>(&stat.value))
        return part.empty() ? std::optional<double>(f->value()) : std::nullopt;
    if (const auto* d = std::get_if<sim::DistributionStat>(&stat.value))
        return read_distribution(*d->histogram, part);
    return read_activity(*std::get<sim::ActivityStat>(stat.value).activity, part);
}

}  // namespace

const std::vector<std::pair<std::string, double>>& percentiles() {
    static const std::vector<std::pair<std::string, double>> list{
        {"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99_9", 0.999}};
    return list;
}

std::vector<StatView> flatten(const sim::StatGroup& root) {
    std::vector<StatView> out;
    collect(root, "", out);
    return out;
}

std::vector<StateShare> shares(const sim::Activity& activity) {
    std::vector<StateShare> out;
    double total = 0.0;
    for (std::size_t i = 0; i < activity.states().size(); ++i) {
        out.push_back({&activity.states()[i], static_cast<double>(activity.spent(i))});
        total += out.back().share;
    }
    for (StateShare& s : out) s.share = total > 0.0 ? s.share / total : 0.0;
    return out;
}

double share_of(const sim::Activity& activity, sim::ActivityKind kind) {
    double sum = 0.0;
    for (const StateShare& s : shares(activity))
        if (s.state->kind == kind) sum += s.share;
    return sum;
}

StatReader::Found StatReader::find(const std::string& path) const {
    for (const StatView& v : stats_) {
        if (v.path == path) return {v.stat, ""};
        if (path.size() > v.path.size() + 1 && path.compare(0, v.path.size(), v.path) == 0 &&
            path[v.path.size()] == '.')
            return {v.stat, path.substr(v.path.size() + 1)};
    }
    return {};
}

std::optional<double> StatReader::read(const std::string& path) const {
    const Found found = find(path);
    return found.stat == nullptr ? std::nullopt : read_part(*found.stat, found.part);
}

std::string StatReader::complaint(const std::string& path) const {
    const Found found = find(path);
    if (found.stat == nullptr) {
        std::vector<std::string> known;
        for (const StatView& v : stats_) known.push_back(v.path);
        const std::string near = nearest_name(path, known);
        return fmt::format("no statistic '{}'{}", printable(path),
                           near.empty() ? "" : "; did you mean '" + near + "'?");
    }
    if (read_part(*found.stat, found.part)) return {};
    return fmt::format("'{}' needs one of its parts: {}", printable(path),
                       joined(parts_of(*found.stat)));
}

std::string StatReader::unit(const std::string& path) const {
    const Found found = find(path);
    if (found.stat == nullptr) return "";
    if (std::holds_alternative<sim::ActivityStat>(found.stat->value)) return "1";
    if (found.part == "count") return "";
    return found.stat->unit;
}

}  // namespace nicsim::scenarios
