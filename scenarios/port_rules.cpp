// SPDX-License-Identifier: Apache-2.0
#include "scenarios/port_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "host_driver/host.h"
#include "host_driver/net/ip_stack.h"
#include "host_driver/workloads/forwarder.h"
#include "scenarios/kinds.h"
#include "scenarios/run_config.h"

namespace nicsim::scenarios {
namespace {

constexpr std::size_t most_ports = 16;

class Rules {
public:
    explicit Rules(const BoundBlock& scenario) : scenario_(scenario) {}

    std::vector<Fault> faults() {
        for (const BoundBlock& p : scenario_.list("ports")) port(p);
        slots();
        for (const BoundBlock& g : scenario_.list("generators")) generator(g);
        for (const BoundBlock& w : scenario_.list("workloads")) workload(w);
        return std::move(faults_);
    }

private:
    void fault(const BoundBlock& block, const std::string& key, std::string message) {
        faults_.push_back(fault_at(block, key, std::move(message)));
    }

    void port(const BoundBlock& block) {
        const auto config = block.as<PortConfig>();
        if (config.name.empty() ||
            config.name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_") != std::string::npos)
            fault(block, "name",
                  fmt::format("'{}': a port needs a name of letters, digits and _",
                              printable(config.name)));
        names_.push_back(config.name);
        const std::uint64_t cores = scenario_.child("host")->as<host::HostConfig>().cores;
        for (const std::uint64_t core : config.interrupt_affinity)
            if (core >= cores)
                fault(block, "interrupt_affinity",
                      fmt::format("names core {} of {} (the first is 0)", core, cores));
    }

    /// Every port needs a place on the bus.
    void slots() {
        if (names_.empty()) return;
        const BoundBlock& first = scenario_.list("ports").front();
        const std::string nic = scenario_.child("nic")->type;
        if (kind_named(nic_kinds(), nic).machine)
            return fault(first, "", fmt::format("'{}' has no ports (it has no cable)", nic));
        const auto in_switch =
            std::get<std::uint64_t>(scenario_.child("pcie")->child("switch")->find("ports")->value);
        const std::uint64_t roots =
            scenario_.child("host")->child("pci")->as<host::PciConfig>().buses;
        if (in_switch != 0 && names_.size() > in_switch)
            fault(first, "",
                  fmt::format("there are {} ports, but the switch has {} (pcie.switch.ports)",
                              names_.size(), in_switch));
        if (in_switch == 0 && names_.size() > roots)
            fault(
                first, "",
                fmt::format("there are {} ports, but {} root ports (host.pci.buses) and no switch "
                            "(pcie.switch.ports)",
                            names_.size(), roots));
    }

    /// True if `block` names a port under `key`.
    bool names_port(const BoundBlock& block, const std::string& key) {
        const std::string name = std::get<std::string>(block.find(key)->value);
        if (std::find(names_.begin(), names_.end(), name) != names_.end()) return true;
        if (names_.empty())
            fault(block, key, "needs a port, but the scenario has no list `ports`");
        else if (name.empty())
            fault(block, key, fmt::format("is missing: a port (known: {})", joined(names_)));
        else
            fault(block, key,
                  fmt::format("no port '{}'{} (known: {})", printable(name),
                              nearest_name(name, names_).empty()
                                  ? ""
                                  : "; did you mean '" + nearest_name(name, names_) + "'?",
                              joined(names_)));
        return false;
    }

    void generator(const BoundBlock& block) {
        const auto places = block.as<GeneratorPlaces>();
        if (!places.enabled) return;
        const bool both = names_port(block, "into") && names_port(block, "out_of");
        if (!both || kind_named(nic_kinds(), scenario_.child("nic")->type).machine) return;
        if (places.into == places.out_of)
            fault(block, "out_of", "is the port that it sends into; it needs another one");
        taken(block, "into", places.into, fed_);
        taken(block, "out_of", places.out_of, drained_);
        const host::TrafficGeneratorConfig config = generator_config(scenario_, block);
        frame_length(block, config.frame_bytes);
        if (config.rate * config.frame_time() > sim::ps_per_s)
            fault(
                block, "rate",
                fmt::format("{} frames per second of {} bytes are more than a wire of {} takes: {}",
                            config.rate, config.frame_bytes,
                            sim::format_quantity(static_cast<double>(config.link_rate),
                                                 sim::Unit::bit_rate),
                            sim::ps_per_s / config.frame_time()));
    }

    /// What is longer than Ethernet's largest frame needs an MTU, and a driver that heeds it.
    void frame_length(const BoundBlock& block, std::uint64_t bytes) {
        constexpr std::uint64_t header_and_fcs = 18, ethernet = 1518;
        if (bytes <= ethernet) return;
        const std::string driver = scenario_.child("driver")->type;
        const std::uint64_t mtu = scenario_.child("host")->child("ip")->as<host::IpConfig>().mtu;
        if (!kind_named(driver_kinds(), driver).jumbo_receive)
            fault(block, "frame_bytes",
                  fmt::format("{}B is more than '{}' receives: at most {}B", bytes, driver,
                              ethernet));
        else if (bytes > mtu + header_and_fcs)
            fault(block, "frame_bytes",
                  fmt::format("{}B is more than a frame of the MTU ({}B, host.ip.mtu): at most {}B",
                              bytes, mtu, mtu + header_and_fcs));
    }

    /// One cable end takes one plug.
    void taken(const BoundBlock& block, const std::string& key, const std::string& port,
               std::vector<std::string>& used) {
        if (std::find(used.begin(), used.end(), port) != used.end())
            fault(block, key, fmt::format("port '{}' is taken by another generator", port));
        used.push_back(port);
    }

    void workload(const BoundBlock& block) {
        const auto common = block.as<WorkloadConfig>();
        if (!common.enabled) return;
        if (!kind_named(workload_kinds(), block.type).between_ports) {
            if (!common.nic_port.empty()) (void)names_port(block, "nic_port");
            return;
        }
        for (const char* key : {"core", "nic_port"})
            if (block.find(key)->given)
                fault(block, key,
                      "has no effect on '" + block.type +
                          "', which runs on the core that takes the interrupts of `from` "
                          "(interrupt_affinity)");
        const auto ends = block.as<host::ForwardConfig>();
        const bool both = names_port(block, "from") && names_port(block, "to");
        if (both && ends.from == ends.to)
            fault(block, "to", "is the port that frames come from; it needs another one");
        if (both && std::find(forwarded_.begin(), forwarded_.end(), ends.from) != forwarded_.end())
            fault(block, "from",
                  fmt::format("what port '{}' receives is forwarded already", ends.from));
        forwarded_.push_back(ends.from);
    }

    const BoundBlock& scenario_;
    std::vector<std::string> names_, fed_, drained_, forwarded_;
    std::vector<Fault> faults_;
};

}  // namespace

Field ports_field() {
    static const Block port{{&PortConfig::params()}, {}, {}};
    Field f;
    f.name = "ports";
    f.sentence =
        "Ports of the machine, each with a device like `nic`, a driver, a cable and a far end: "
        "behind the switch of `pcie`, or else on root ports. Without it there is one, without "
        "name.";
    f.kind = Field::Kind::list;
    f.block = &port;
    f.max_items = most_ports;
    return f;
}

Field generators_field() {
    static const Block generator{
        {&GeneratorPlaces::params(), &host::TrafficGeneratorConfig::params()}, {}, {}};
    Field f;
    f.name = "generators";
    f.sentence =
        "External traffic generators, each plugged into two ports in place of their far ends.";
    f.kind = Field::Kind::list;
    f.block = &generator;
    f.max_items = most_ports;
    return f;
}

std::vector<Fault> port_faults(const BoundBlock& scenario) {
    return Rules(scenario).faults();
}

std::uint64_t cable_rate(const BoundBlock& scenario) {
    return std::get<std::uint64_t>(scenario.child("nic")->find("link_speed")->value);
}

host::TrafficGeneratorConfig generator_config(const BoundBlock& scenario,
                                              const BoundBlock& generator) {
    auto config = generator.as<host::TrafficGeneratorConfig>();
    config.link_rate = cable_rate(scenario);
    return config;
}

}  // namespace nicsim::scenarios
