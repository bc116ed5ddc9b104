// SPDX-License-Identifier: Apache-2.0
#include "scenarios/pause_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "host_driver/far_end/far_port.h"
#include "host_driver/far_end/traffic_generator.h"
#include "scenarios/kinds.h"
#include "scenarios/run_config.h"

namespace nicsim::scenarios {
namespace {

/// Devices that obey and send pause frames.
std::vector<std::string> pausing_nics() {
    std::vector<std::string> out;
    for (const NicKind& k : nic_kinds())
        if (k.pause) out.push_back(k.name);
    return out;
}

/// Whether any cable leads to a far end: out of the device, and if `both` back from it, too.
bool reaches_far_end(const BoundBlock& scenario, bool both) {
    const auto& ports = scenario.list("ports");
    if (ports.empty()) return true;
    return std::any_of(ports.begin(), ports.end(), [&](const BoundBlock& p) {
        const std::string name = p.as<PortConfig>().name;
        const auto& generators = scenario.list("generators");
        return std::none_of(generators.begin(), generators.end(), [&](const BoundBlock& g) {
            const auto places = g.as<GeneratorPlaces>();
            return places.enabled && (places.out_of == name || (both && places.into == name));
        });
    });
}

}  // namespace

std::vector<Fault> far_end_faults(const BoundBlock& far_end) {
    std::vector<Fault> faults = faults_of<host::FarPortConfig>(far_end);
    const auto config = far_end.as<host::FarPortConfig>();
    const auto idle = [&](const char* key, const char* needs) {
        if (far_end.find(key)->given)
            faults.push_back({key, fmt::format("has no effect without `{}`", needs)});
    };
    if (config.drain_rate == 0) idle("buffer", "drain_rate");
    if (config.drain_rate == 0 && far_end.find("drain_rate")->given)
        faults.push_back({"drain_rate",
                          "a switch of this rate sends nothing on; without the key the far end "
                          "takes whatever comes"});
    if (config.sends()) return faults;
    for (const char* key : {"xoff_above", "xon_below", "pause_time"})
        idle(key, "flow_control: tx_pause` or `full");
    return faults;
}

std::vector<Fault> pause_faults(const BoundBlock& scenario) {
    std::vector<Fault> faults;
    const std::string nic = scenario.child("nic")->type;
    const NicKind& kind = kind_named(nic_kinds(), nic);
    const BoundBlock& far_end = *scenario.child("far_end");
    const auto config = far_end.as<host::FarPortConfig>();
    const std::string no_pause =
        fmt::format("the model of '{}' neither obeys nor sends pause frames ({} does)", nic,
                    joined(pausing_nics()));
    const bool pauses = config.flow_control != host::FarFlowControl::none;
    if (pauses && !kind.pause)
        faults.push_back(fault_at(far_end, "flow_control", no_pause));
    else if (pauses && !reaches_far_end(scenario, true))
        faults.push_back(
            fault_at(far_end, "flow_control", "has no effect: every cable leads to a generator"));
    if (config.drain_rate != 0 && kind.machine)
        faults.push_back(
            fault_at(far_end, "drain_rate", fmt::format("has no effect: '{}' has no cable", nic)));
    else if (config.drain_rate != 0 && !reaches_far_end(scenario, false))
        faults.push_back(
            fault_at(far_end, "drain_rate", "has no effect: every cable leads to a generator"));
    for (const BoundBlock& g : scenario.list("generators"))
        if (g.as<host::TrafficGeneratorConfig>().flow_control && !kind.pause)
            faults.push_back(fault_at(g, "flow_control", no_pause));
    return faults;
}

}  // namespace nicsim::scenarios
