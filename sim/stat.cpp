// SPDX-License-Identifier: Apache-2.0
#include "sim/stat.h"

namespace nicsim::sim {

StatGroup& StatGroup::group(const std::string& name) {
    for (StatGroup& g : groups_)
        if (g.name_ == name) return g;
    return groups_.emplace_back(name);
}

void StatGroup::counter(std::string name, std::string unit, std::string sentence,
                        const std::uint64_t& value) {
    stats_.push_back({std::move(name), std::move(unit), std::move(sentence), CounterStat{&value}});
}

void StatGroup::loss(std::string name, std::string unit, std::string sentence,
                     const std::uint64_t& value) {
    stats_.push_back(
        {std::move(name), std::move(unit), std::move(sentence), CounterStat{&value, 0, true}});
}

void StatGroup::formula(std::string name, std::string unit, std::string sentence,
                        std::function<double()> value) {
    stats_.push_back(
        {std::move(name), std::move(unit), std::move(sentence), FormulaStat{std::move(value)}});
}

void StatGroup::distribution(std::string name, std::string unit, std::string sentence,
                             Histogram& histogram) {
    stats_.push_back(
        {std::move(name), std::move(unit), std::move(sentence), DistributionStat{&histogram}});
}

void StatGroup::activity(std::string name, std::string sentence, Activity& activity) {
    stats_.push_back({std::move(name), "ps", std::move(sentence), ActivityStat{&activity}});
}

void StatGroup::begin_measurement() {
    for (Stat& stat : stats_) {
        if (auto* c = std::get_if<CounterStat>(&stat.value)) c->at_start = *c->value;
        if (auto* d = std::get_if<DistributionStat>(&stat.value)) d->histogram->reset();
        if (auto* a = std::get_if<ActivityStat>(&stat.value)) a->activity->reset();
    }
    for (StatGroup& g : groups_) g.begin_measurement();
}

const Stat* StatGroup::find(const std::string& path) const {
    const std::size_t dot = path.find('.');
    if (dot == std::string::npos) {
        for (const Stat& s : stats_)
            if (s.name == path) return &s;
        return nullptr;
    }
    const std::string head = path.substr(0, dot);
    for (const StatGroup& g : groups_)
        if (g.name_ == head) return g.find(path.substr(dot + 1));
    return nullptr;
}

}  // namespace nicsim::sim
