// SPDX-License-Identifier: Apache-2.0
// Puts a scenario's parts together: host, root complex, link, endpoint, device and far end before
// the simulation starts; enumeration, driver, disciplines and workloads as code that runs on core
// 0.
#include <fmt/format.h>

#include <stdexcept>

#include "host_driver/far_end/far_end.h"
#include "host_driver/host.h"
#include "pcie/endpoint.h"
#include "pcie/link.h"
#include "pcie/root_complex.h"
#include "scenarios/bus_switch.h"
#include "scenarios/host_config.h"
#include "scenarios/kinds.h"
#include "scenarios/machine.h"
#include "scenarios/pcie_faults.h"
#include "scenarios/run_config.h"
#include "waves/ethernet_tap.h"

namespace nicsim::scenarios {
namespace {

constexpr sim::Ps carrier_poll = 100 * sim::ps_per_us;
constexpr unsigned carrier_polls = 100'000;  ///< ten seconds, as long as people wait

class Assembled final : public Machine {
public:
    Assembled(const BoundBlock& scenario, waves::PcapngWriter* capture)
        : scenario_(scenario),
          nic_kind_(kind_named(nic_kinds(), scenario.child("nic")->type)),
          tcp_(scenario.child("host")->child("tcp")->as<host::TcpConfig>()),
          life_cycle_(nic_kind_.tx_queues),
          host_("host", host_config(scenario)),
          root_complex_("root_complex", root_complex_config(*scenario.child("pcie")),
                        host_.memory(), host_.interrupts(), scenario.as<RunConfig>().seed),
          nic_(nic_kind_.make(*scenario.child("nic"))),
          endpoint_("endpoint", nic_->identity(),
                    scenario.child("pcie")->child("endpoint")->as<pcie::EndpointConfig>()),
          bus_switch_(*scenario.child("pcie"), root_complex_,
                      nic_->identity().max_payload_supported),
          link_("link", bus_link(*scenario.child("pcie"), nic_->identity().max_payload_supported),
                bus_switch_.port(0), endpoint_, scenario.as<RunConfig>().seed,
                pcie_faults(*scenario.child("pcie"))),
          far_end_("far_end", scenario.child("far_end")->as<host::FarEndConfig>()) {
        host_.attach(root_complex_);
        nic_->connect(endpoint_);
        if (capture == nullptr)
            nic_->connect(far_end_);
        else
            tap(*capture);
        nic_->set_life_cycle(life_cycle_);
        add_sinks();
        add_software();
        register_hardware();
        script_.then([this](host::Core& core) { host_.pci().enumerate(core); })
            .then([this](host::Core& core) { bring_up(core); })
            .then([this](host::Core& core) { set_disciplines(core); })
            .then([this](host::Core& core) { start_workloads(core); });
    }

    sim::LifeCycle& life_cycle() override { return life_cycle_; }
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
        far_end_.begin_measurement();
        packets_before_ = nic_->packets_sent();
        for (Stream& s : streams_) {
            s.packets_before = s.sink->packets;
            s.lost_before = s.sink->lost;
            s.wrong_before = s.sink->wrong_payloads;
        }
    }

    [[nodiscard]] std::vector<Flow> flows() const override {
        std::vector<Flow> out;
        for (const Stream& s : streams_)
            out.push_back({s.name, s.block->type, s.sink->goodput(),
                           s.sink->packets - s.packets_before, s.sink->lost - s.lost_before,
                           s.sink->wrong_payloads - s.wrong_before});
        return out;
    }
    /// Every counter whose name says that packets were dropped, lost or missed, where it happened:
    /// what the workloads and the far end notice of it is the same loss again.
    [[nodiscard]] std::vector<Loss> losses() const override {
        std::vector<Loss> out;
        for (const StatView& v : flatten(stats_)) {
            const auto* counter = std::get_if<sim::CounterStat>(&v.stat->value);
            if (counter == nullptr || v.path.starts_with("workloads.") ||
                v.path.starts_with("far_end."))
                continue;
            for (const char* word : {"drop", "lost", "missed"})
                if (v.stat->name.find(word) != std::string::npos) {
                    out.push_back({v.path, v.stat->sentence, counter->measured()});
                    break;
                }
        }
        return out;
    }
    [[nodiscard]] std::vector<UnmodelledRegister> unmodelled() const override {
        return nic_->unmodelled();
    }
    [[nodiscard]] std::vector<std::string> warnings() const override {
        return link_.faults().never_came();
    }
    void observe_bus(pcie::LinkObserver& observer) override { link_.observe(observer); }
    void settle_bus() override { link_.settle(); }
    [[nodiscard]] const std::vector<ChainLink>& chain() const override { return nic_kind_.chain; }
    [[nodiscard]] std::uint64_t packets() const override {
        return nic_->packets_sent() - packets_before_;
    }

private:
    /// A workload with its receiver.
    struct Stream {
        std::string name;
        const BoundBlock* block = nullptr;
        const WorkloadKind* kind = nullptr;
        host::Sink* sink = nullptr;
        std::unique_ptr<Workload> load;
        std::uint64_t packets_before = 0;
        std::uint64_t lost_before = 0;
        std::uint64_t wrong_before = 0;
    };

    void add_sinks() {
        std::size_t index = 0;
        for (const BoundBlock& block : scenario_.list("workloads")) {
            const auto common = block.as<WorkloadConfig>();
            const std::string name = common.name.empty() ? fmt::format("{}", index) : common.name;
            ++index;
            if (!common.enabled) continue;
            const WorkloadKind& kind = kind_named(workload_kinds(), block.type);
            const auto port =
                static_cast<std::uint16_t>(std::get<std::uint64_t>(block.find("port")->value));
            Stream stream;
            stream.name = name;
            stream.block = &block;
            stream.kind = &kind;
            stream.sink = &far_end_.add_sink(name, kind.sink, port);
            streams_.push_back(std::move(stream));
        }
    }

    void register_hardware() {
        nic_->register_stats(stats_.group("nic"));
        sim::StatGroup& bus = stats_.group("pcie");
        link_.register_stats(bus.group("link"));
        bus_switch_.register_stats(bus);
        root_complex_.register_stats(bus.group("root_complex"));
        endpoint_.register_stats(bus.group("endpoint"));
        host_.register_stats(stats_.group("host"));
        far_end_.register_stats(stats_.group("far_end"));
        life_cycle_.register_stats(stats_.group("latency"));
    }

    /// Nothing of this moves before the driver is up.
    void add_software() {
        const BoundBlock& block = *scenario_.child("driver");
        driver_ = kind_named(driver_kinds(), block.type).make(host_, block);
        driver_->set_life_cycle(life_cycle_);
        stack_ = std::make_unique<host::IpStack>(
            driver_->device(), host_.memory(),
            scenario_.child("host")->child("ip")->as<host::IpConfig>());
        stack_->register_stats(stats_.group("stack"));
        for (Stream& s : streams_) {
            const auto common = s.block->as<WorkloadConfig>();
            const WorkloadContext context{*stack_, host_.core(static_cast<unsigned>(common.core)),
                                          tcp_};
            s.load = s.kind->make(s.name, *s.block, context);
            s.load->register_stats(stats_.group("workloads").group(s.name));
        }
    }

    // ---- what runs on core 0 ----
    void bring_up(host::Core& core) {
        driver_->probe(core);
        stack_->set_mac(driver_->mac());
        driver_->open(core);
        for (unsigned i = 0; i < carrier_polls && !driver_->device().carrier(); ++i)
            core.delay(carrier_poll);
    }

    void set_disciplines(host::Core& core) {
        const BoundBlock* root = scenario_.child("qdisc");
        if (root == nullptr) return;
        host::NetDevice& device = driver_->device();
        const unsigned queues = device.tx_queues();
        refuse(*root,
               device.set_qdisc(core, kind_named(qdisc_kinds(), root->type).make(*root, queues)));
        for (const BoundBlock& child : root->list("children")) {
            const auto queue =
                static_cast<unsigned>(std::get<std::uint64_t>(child.find("queue")->value));
            if (queue >= queues)
                refuse(child, fmt::format("queue {} of {} (the first is 0)", queue, queues));
            refuse(child,
                   device.graft(core, queue,
                                kind_named(child_qdisc_kinds(), child.type).make(child, queues)));
        }
    }
    static void refuse(const BoundBlock& block, const std::string& error) {
        if (error.empty()) return;
        throw std::runtime_error(
            fmt::format("{}: {}: {}", text_of(block.place), block.path, error));
    }

    void start_workloads(host::Core& core) {
        // Disciplines have their statistics once they are in place.
        driver_->register_stats(stats_.group("driver"));
        core.sync();
        for (Stream& s : streams_) s.load->start();
        started_ = true;
    }

    /// A tap per direction, both seen from the device.
    void tap(waves::PcapngWriter& capture) {
        const std::uint32_t port = capture.add_interface("nic", 0);
        tx_tap_ = std::make_unique<waves::EthernetTap>("tx_tap", capture, port,
                                                       waves::Direction::outbound);
        rx_tap_ = std::make_unique<waves::EthernetTap>("rx_tap", capture, port,
                                                       waves::Direction::inbound);
        nic_->connect(*tx_tap_, rx_tap_->out);
        tx_tap_->out.bind(far_end_.in);
        far_end_.out.bind(rx_tap_->in);
    }

    const BoundBlock& scenario_;
    const NicKind& nic_kind_;
    host::TcpConfig tcp_;
    sim::StatGroup stats_{"run"};
    sim::LifeCycle life_cycle_;
    host::Host host_;
    host::Script& script_ = host_.script();
    pcie::RootComplex root_complex_;
    std::unique_ptr<Nic> nic_;
    pcie::Endpoint endpoint_;
    BusSwitch bus_switch_;
    pcie::Link link_;
    host::FarEnd far_end_;
    std::unique_ptr<waves::EthernetTap> tx_tap_, rx_tap_;
    std::vector<Stream> streams_;
    std::unique_ptr<Driver> driver_;
    std::unique_ptr<host::IpStack> stack_;
    bool started_ = false;
    std::uint64_t packets_before_ = 0;
};

}  // namespace

std::unique_ptr<Machine> assemble(const BoundBlock& scenario, waves::PcapngWriter* capture) {
    try {
        const NicKind& kind = kind_named(nic_kinds(), scenario.child("nic")->type);
        if (kind.machine && capture != nullptr)
            throw InputError("'" + kind.name + "' has no cable: there are no frames to capture");
        if (kind.machine) return kind.machine(scenario);
        return std::make_unique<Assembled>(scenario, capture);
    } catch (const std::invalid_argument& e) {  // parts that do not fit together
        throw InputError(std::string("the machine cannot be built: ") + e.what());
    }
}

}  // namespace nicsim::scenarios
