// SPDX-License-Identifier: Apache-2.0
// Puts a scenario's parts together: host, root complex, links, devices and what their cables lead
// to before the simulation starts; enumeration, drivers, disciplines and workloads as code that
// runs on core 0. A scenario without `ports` has one; its statistics stand at the root (`nic.`,
// `driver.`,
// ...), those of named ports below `ports.<name>`.
#include <fmt/format.h>

#include <stdexcept>

#include "host_driver/host.h"
#include "pcie/root_complex.h"
#include "scenarios/bus_switch.h"
#include "scenarios/host_config.h"
#include "scenarios/kinds.h"
#include "scenarios/machine.h"
#include "scenarios/pcie_faults.h"
#include "scenarios/port.h"
#include "scenarios/port_rules.h"
#include "scenarios/run_config.h"
#include "sim/setting_error.h"

namespace nicsim::scenarios {
namespace {

/// An external generator and the ports it is plugged into.
struct Generator {
    std::string name;
    std::size_t into = 0;
    std::size_t out_of = 0;
    std::unique_ptr<host::TrafficGenerator> box;
};

/// A workload with its receiver, if that is a far end.
struct Stream {
    std::string name;
    const BoundBlock* block = nullptr;
    const WorkloadKind* kind = nullptr;
    Port* port = nullptr;
    host::Sink* sink = nullptr;
    std::unique_ptr<Workload> load;
    std::uint64_t packets_before = 0;
    std::uint64_t lost_before = 0;
    std::uint64_t wrong_before = 0;
};

class Assembled final : public Machine {
public:
    Assembled(const BoundBlock& scenario, waves::PcapngWriter* capture)
        : scenario_(scenario),
          nic_kind_(kind_named(nic_kinds(), scenario.child("nic")->type)),
          tcp_(scenario.child("host")->child("tcp")->as<host::TcpConfig>()),
          host_("host", host_config(scenario)),
          root_complex_("root_complex", root_complex_config(*scenario.child("pcie")),
                        host_.memory(), host_.interrupts(), scenario.as<RunConfig>().seed) {
        host_.attach(root_complex_);
        add_ports();
        add_generators();
        for (std::size_t i = 0; i < ports_.size(); ++i)
            ports_[i]->connect_cable(generator(i, &Generator::into),
                                     generator(i, &Generator::out_of), capture);
        add_workloads();
        register_stats();
        make_chains();
        script_.then([this](host::Core& core) { host_.pci().enumerate(core); })
            .then([this](host::Core& core) {
                for (auto& p : ports_) p->bring_up(core);
                for (auto& p : ports_) p->wait_for_carrier(core);
            })
            .then([this](host::Core& core) {
                for (auto& p : ports_) p->set_disciplines(core);
            })
            .then([this](host::Core& core) { start_workloads(core); });
    }

    [[nodiscard]] std::vector<PortLives> lives() override {
        std::vector<PortLives> out;
        for (auto& p : ports_) out.push_back({p->name(), &p->life_cycle()});
        return out;
    }
    sim::StatGroup& stats() override { return stats_; }
    [[nodiscard]] bool running() const override { return started_; }
    [[nodiscard]] std::string failure() const override {
        try {
            if (const std::exception_ptr error = script_.error()) std::rethrow_exception(error);
        } catch (const std::exception& e) {
            return e.what();
        }
        return {};
    }
    void begin_measurement() override {
        stats_.begin_measurement();
        for (auto& p : ports_) p->begin_measurement();
        for (Generator& g : generators_) g.box->begin_measurement();
        for (Stream& s : streams_) {
            s.load->begin_measurement();
            if (s.sink == nullptr) continue;
            s.packets_before = s.sink->packets;
            s.lost_before = s.sink->lost;
            s.wrong_before = s.sink->wrong_payloads;
        }
    }

    [[nodiscard]] std::vector<Flow> flows() const override {
        std::vector<Flow> out;
        for (const Stream& s : streams_) {
            if (s.sink != nullptr)
                out.push_back({s.name, s.block->type, s.sink->goodput(),
                               s.sink->packets - s.packets_before, s.sink->lost - s.lost_before,
                               s.sink->wrong_payloads - s.wrong_before});
            else if (auto flow = s.load->flow())
                out.push_back(std::move(*flow));
        }
        for (const Generator& g : generators_)
            out.push_back({g.name, "generator", g.box->received_bit_rate(),
                           g.box->received_meanwhile(), g.box->measured_lost(),
                           g.box->measured_wrong()});
        return out;
    }
    [[nodiscard]] std::vector<Loss> losses() const override {
        std::vector<Loss> out;
        for (const StatView& v : flatten(stats_))
            if (const auto* counter = std::get_if<sim::CounterStat>(&v.stat->value);
                counter != nullptr && counter->loss)
                out.push_back({v.path, v.stat->sentence, counter->measured(), v.stat->unit});
        return out;
    }
    [[nodiscard]] std::vector<UnmodelledRegister> unmodelled() const override {
        std::vector<UnmodelledRegister> out;
        for (const auto& p : ports_)
            for (const UnmodelledRegister& u : p->nic().unmodelled()) out.push_back(u);
        return out;
    }
    [[nodiscard]] std::vector<std::string> warnings() const override {
        std::vector<std::string> out = bus_switch_->warnings();
        for (const auto& p : ports_)
            for (std::string& w : p->link().faults().never_came()) out.push_back(std::move(w));
        for (const auto& p : ports_)
            add_read_request_warning(out, device_link(p->name()), p->endpoint().limits());
        for (const Flow& f : flows())
            if (f.packets == 0)
                out.push_back(fmt::format("'{}' ({}) delivered nothing in the measured time",
                                          f.name, f.type));
        return out;
    }
    [[nodiscard]] std::vector<DeadFunction> dead_functions() const override {
        std::vector<DeadFunction> out;
        for (const auto& p : ports_)
            if (const sim::Ps since = p->endpoint().down_since(); since != sim::never)
                out.push_back(bus_switch_->dead_function(device_link(p->name()), p->name(), since));
        return out;
    }
    [[nodiscard]] std::vector<pcie::Link*> links() override {
        std::vector<pcie::Link*> out;
        if (pcie::Link* to_switch = bus_switch_->link()) out.push_back(to_switch);
        for (auto& p : ports_) out.push_back(&p->link());
        return out;
    }
    [[nodiscard]] const std::vector<ChainLink>& chain() const override {
        return chains_[main_port_].links;
    }
    [[nodiscard]] std::vector<PortReport> ports() const override {
        std::vector<PortReport> out;
        if (ports_.front()->name().empty()) return out;
        for (std::size_t i = 0; i < ports_.size(); ++i)
            out.push_back({ports_[i]->name(), ports_[i]->packets(), &chains_[i].links});
        return out;
    }
    [[nodiscard]] std::uint64_t packets() const override {
        std::uint64_t sum = 0;
        for (const auto& p : ports_) sum += p->packets();
        return sum;
    }

private:
    struct Chain {
        std::vector<ChainLink> links;
    };

    void add_ports() {
        std::vector<PortConfig> configs;
        for (const BoundBlock& p : scenario_.list("ports")) configs.push_back(p.as<PortConfig>());
        if (configs.empty()) configs.emplace_back();  // one, without a name
        for (unsigned i = 0; i < configs.size(); ++i) {
            auto nic = nic_kind_.make(*scenario_.child("nic"), part_name("nic", configs[i].name));
            if (!bus_switch_)
                bus_switch_ = std::make_unique<BusSwitch>(*scenario_.child("pcie"), root_complex_,
                                                          nic->identity().max_payload_supported);
            ports_.push_back(std::make_unique<Port>(scenario_, configs[i].name, i, host_,
                                                    std::move(nic), bus_switch_->port(i)));
            ports_.back()->set_interrupt_affinity(configs[i].interrupt_affinity);
        }
    }
    [[nodiscard]] std::size_t index_of(const std::string& name) const {
        for (std::size_t i = 0; i < ports_.size(); ++i)
            if (ports_[i]->name() == name) return i;
        return 0;
    }
    Port& port(const std::string& name) { return *ports_[index_of(name)]; }

    void add_generators() {
        for (const BoundBlock& block : scenario_.list("generators")) {
            const auto places = block.as<GeneratorPlaces>();
            if (!places.enabled) continue;
            Generator g;
            g.name = places.name.empty() ? fmt::format("{}", generators_.size()) : places.name;
            g.into = index_of(places.into);
            g.out_of = index_of(places.out_of);
            g.box = std::make_unique<host::TrafficGenerator>(("generator_" + g.name).c_str(),
                                                             generator_config(scenario_, block),
                                                             scenario_.as<RunConfig>().seed);
            generators_.push_back(std::move(g));
        }
    }
    /// The generator that has its `side` plugged into this port.
    [[nodiscard]] host::TrafficGenerator* generator(std::size_t port,
                                                    std::size_t Generator::*side) const {
        for (const Generator& g : generators_)
            if (g.*side == port) return g.box.get();
        return nullptr;
    }

    void add_workloads() {
        std::size_t index = 0;
        for (const BoundBlock& block : scenario_.list("workloads")) {
            const auto common = block.as<WorkloadConfig>();
            Stream s;
            s.name = common.name.empty() ? fmt::format("{}", index) : common.name;
            ++index;
            if (!common.enabled) continue;
            s.block = &block;
            s.kind = &kind_named(workload_kinds(), block.type);
            s.port = &port(common.nic_port);
            if (const BoundValue* number = block.find("port"))
                s.sink = &s.port->far_end().add_sink(
                    s.name, s.kind->sink,
                    static_cast<std::uint16_t>(std::get<std::uint64_t>(number->value)));
            const WorkloadContext context{s.port->stack(),
                                          host_.core(static_cast<unsigned>(common.core)), tcp_,
                                          [this](const std::string& name) -> host::NetDevice& {
                                              return port(name).device();
                                          }};
            s.load = s.kind->make(s.name, block, context);
            if (s.kind->between_ports)
                main_port_ = index_of(std::get<std::string>(block.find("to")->value));
            streams_.push_back(std::move(s));
        }
    }

    void register_stats() {
        const auto group_of = [this](const Port& p) -> sim::StatGroup& {
            return p.name().empty() ? stats_ : stats_.group("ports").group(p.name());
        };
        for (auto& p : ports_) p->register_stats(group_of(*p));
        sim::StatGroup& bus = stats_.group("pcie");
        bus_switch_->register_stats(bus);
        root_complex_.register_stats(bus.group("root_complex"));
        host_.register_stats(stats_.group("host"));
        for (Stream& s : streams_) s.load->register_stats(stats_.group("workloads").group(s.name));
        for (Generator& g : generators_)
            g.box->register_stats(stats_.group("generators").group(g.name));
    }

    /// The resources of a named port stand below its name; those of the host are everybody's.
    void make_chains() {
        for (const auto& p : ports_) {
            Chain chain;
            for (ChainLink link : nic_kind_.chain) {
                const bool shared = link.pattern.starts_with("host.") ||
                                    link.pattern.starts_with("workloads.") ||
                                    link.pattern.starts_with("pcie.link_to_switch.") ||
                                    link.pattern.starts_with("pcie.root_complex.");
                if (!p->name().empty() && !shared) {
                    link.pattern = "ports." + p->name() + "." + link.pattern;
                    link.label = p->name() + ": " + link.label;
                }
                chain.links.push_back(std::move(link));
            }
            chains_.push_back(std::move(chain));
        }
    }

    void start_workloads(host::Core& core) {
        for (auto& p : ports_) p->register_driver_stats();
        core.sync();
        for (Stream& s : streams_) try {
                s.load->start();
            } catch (const std::invalid_argument& e) {  // what only the open device can tell
                throw std::runtime_error(
                    fmt::format("{}: {}: {}", text_of(s.block->place), s.block->path, e.what()));
            }
        const auto run = scenario_.as<RunConfig>();
        for (Generator& g : generators_)
            g.box->start(ports_[g.into]->driver_mac(), run.warmup + run.duration);
        started_ = true;
    }

    const BoundBlock& scenario_;
    const NicKind& nic_kind_;
    host::TcpConfig tcp_;
    sim::StatGroup stats_{"run"};
    host::Host host_;
    host::Script& script_ = host_.script();
    pcie::RootComplex root_complex_;
    std::unique_ptr<BusSwitch> bus_switch_;
    std::vector<std::unique_ptr<Port>> ports_;
    std::vector<Generator> generators_;
    std::vector<Stream> streams_;
    std::vector<Chain> chains_;
    std::size_t main_port_ = 0;
    bool started_ = false;
};

}  // namespace

std::unique_ptr<Machine> assemble(const BoundBlock& scenario, waves::PcapngWriter* capture) {
    try {
        const NicKind& kind = kind_named(nic_kinds(), scenario.child("nic")->type);
        if (kind.machine && capture != nullptr)
            throw InputError("'" + kind.name + "' has no cable: there are no frames to capture");
        if (kind.machine) return kind.machine(scenario);
        return std::make_unique<Assembled>(scenario, capture);
    } catch (const sim::SettingError& e) {  // of a part that only another one can judge
        const Fault f = fault_of_value(scenario, e.parameter(), e.value(), e.what());
        Problems problems;
        problems.add(f.place, f.key, std::string("the machine cannot be built: ") + f.message);
        throw InputError(problems.text());
    } catch (const std::invalid_argument& e) {  // parts that do not fit together
        throw InputError(std::string("the machine cannot be built: ") + e.what());
    }
}

}  // namespace nicsim::scenarios
