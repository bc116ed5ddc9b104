// SPDX-License-Identifier: Apache-2.0
#include "scenarios/scenario_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host_driver/host.h"
#include "host_driver/net/ip_stack.h"
#include "scenarios/device_bounds.h"
#include "scenarios/kinds.h"
#include "scenarios/kinds_dma_bench.h"
#include "scenarios/pause_rules.h"
#include "scenarios/pcie_faults.h"
#include "scenarios/port_rules.h"
#include "scenarios/run_config.h"

namespace nicsim::scenarios {
namespace {

/// The links of the scenario's devices, by the names that faults of the bus use.
std::vector<std::string> device_links(const BoundBlock& scenario) {
    if (kind_named(nic_kinds(), scenario.child("nic")->type).machine)
        return exerciser_links(scenario);
    std::vector<std::string> out;
    for (const BoundBlock& port : scenario.list("ports"))
        out.push_back(device_link(port.as<PortConfig>().name));
    if (out.empty()) out.push_back(device_link({}));
    return out;
}

class WorkloadRules {
public:
    explicit WorkloadRules(const BoundBlock& scenario)
        : scenario_(scenario), nic_(scenario.child("nic")->type) {}

    std::vector<Fault> faults() {
        bool any = false;
        for (const BoundBlock& w : scenario_.list("workloads")) {
            if (!w.as<WorkloadConfig>().enabled) continue;
            any = true;
            device(w);
            name(w);
            port(w);
            core(w);
            size(w);
        }
        if (!any) faults_.push_back({"workloads", "no workload is enabled"});
        return std::move(faults_);
    }

private:
    void fault(const BoundBlock& w, const std::string& key, std::string message) {
        faults_.push_back(fault_at(w, key, std::move(message)));
    }

    void device(const BoundBlock& w) {
        const std::vector<std::string>& needs = kind_named(workload_kinds(), w.type).nics;
        const bool network_card = !kind_named(nic_kinds(), nic_).machine;
        if (needs.empty() ? network_card
                          : std::find(needs.begin(), needs.end(), nic_) != needs.end())
            return;
        fault(w, "",
              fmt::format("'{}' does not run on '{}' (it needs {})", w.type, nic_,
                          needs.empty() ? "a network card" : joined(needs)));
    }

    void name(const BoundBlock& w) {
        const std::string own = w.as<WorkloadConfig>().name;
        if (own.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_-") != std::string::npos)
            fault(w, "name",
                  "the name '" + printable(own) + "' may hold letters, digits, _ and - only");
    }

    void port(const BoundBlock& w) {
        const BoundValue* own = w.find("port");
        if (own == nullptr) return;
        const std::pair port{kind_named(workload_kinds(), w.type).sink == host::SinkKind::tcp,
                             std::get<std::uint64_t>(own->value)};
        if (std::find(ports_.begin(), ports_.end(), port) != ports_.end())
            fault(w, "port", fmt::format("uses the port of another one ({})", port.second));
        ports_.push_back(port);
    }

    void core(const BoundBlock& w) {
        const std::uint64_t cores = scenario_.child("host")->as<host::HostConfig>().cores;
        const std::uint64_t own = w.as<WorkloadConfig>().core;
        if (own >= cores)
            fault(w, "core", fmt::format("is on core {} of {} (the first is 0)", own, cores));
    }

    void size(const BoundBlock& w) {
        const auto& check = kind_named(workload_kinds(), w.type).check;
        if (!check) return;
        const BoundBlock& ip = *scenario_.child("host")->child("ip");
        const std::string bad = check(w, ip.as<host::IpConfig>().mtu);
        if (const std::size_t colon = bad.find(": "); colon != std::string::npos)
            fault(w, bad.substr(0, colon), bad.substr(colon + 2));
    }

    const BoundBlock& scenario_;
    const std::string nic_;
    std::vector<std::pair<bool, std::uint64_t>> ports_;  ///< TCP or not, port
    std::vector<Fault> faults_;
};

}  // namespace

std::vector<Fault> scenario_faults(const BoundBlock& scenario) {
    std::vector<Fault> faults;
    const std::string nic = scenario.child("nic")->type;
    const std::string driver = scenario.child("driver")->type;
    const auto& driven = kind_named(driver_kinds(), driver).nics;
    if (std::find(driven.begin(), driven.end(), nic) == driven.end())
        faults.push_back({"driver", fmt::format("'{}' does not drive '{}' (it drives {})", driver,
                                                nic, joined(driven))});
    const auto add = [&faults](std::vector<Fault> more) {
        for (Fault& f : more) faults.push_back(std::move(f));
    };
    if (faults.empty()) add(device_bound_faults(scenario));
    add(WorkloadRules(scenario).faults());
    add(port_faults(scenario));
    add(pause_faults(scenario));
    add(dma_bench_faults(scenario));
    add(pcie_fault_links(scenario, device_links(scenario)));
    return faults;
}

}  // namespace nicsim::scenarios
