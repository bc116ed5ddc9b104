// SPDX-License-Identifier: Apache-2.0
// The machine of DMA exercisers: a host with one card per workload, each on a root port of its own
// or all behind one switch. There is no cable and no network stack.
#include <fmt/format.h>

#include "host_driver/drivers/dma_bench.h"
#include "host_driver/host.h"
#include "models/dma_bench/dma_bench.h"
#include "pcie/endpoint.h"
#include "pcie/link.h"
#include "pcie/root_complex.h"
#include "scenarios/bus_switch.h"
#include "scenarios/host_config.h"
#include "scenarios/kinds.h"
#include "scenarios/kinds_dma_bench.h"
#include "scenarios/machine.h"
#include "scenarios/pcie_faults.h"
#include "scenarios/run_config.h"

namespace nicsim::scenarios {
namespace {

using models::dma_bench::DmaBench;
using models::dma_bench::DmaBenchConfig;

/// One card with its program.
struct Card {
    std::string name;
    std::string type;
    host::DmaTransferConfig transfer;
    std::unique_ptr<DmaBench> device;
    std::unique_ptr<pcie::Endpoint> endpoint;
    std::unique_ptr<pcie::Link> link;
    std::unique_ptr<host::DmaBenchDriver> driver;
    std::uint64_t bytes_before = 0;
    std::uint64_t transactions_before = 0;
    std::uint64_t errors_before = 0;
    sim::Ps measured_from = 0;
};

class Exerciser final : public Machine {
public:
    explicit Exerciser(const BoundBlock& scenario)
        : scenario_(scenario),
          pcie_(*scenario.child("pcie")),
          host_("host", host_config(scenario)),
          root_complex_("root_complex", root_complex_config(pcie_), host_.memory(),
                        host_.interrupts(), scenario.as<RunConfig>().seed),
          bus_switch_(pcie_, root_complex_, link_config().max_payload,
                      scenario.as<RunConfig>().seed) {
        host_.attach(root_complex_);
        link_names_ = exerciser_links(scenario);
        for (const BoundBlock& block : scenario.list("workloads")) add_card(block);
        register_all();
        host_.script()
            .then([this](host::Core& core) { host_.pci().enumerate(core); })
            .then([this](host::Core& core) {
                for (Card& c : cards_) c.driver->probe(core);
            })
            .then([this](host::Core& core) {
                for (Card& c : cards_) c.driver->start(core, c.transfer);
                core.sync();
                started_ = true;
            });
    }

    [[nodiscard]] std::vector<PortLives> lives() override { return {}; }  // there are no packets
    sim::StatGroup& stats() override { return stats_; }
    [[nodiscard]] bool running() const override { return started_; }
    [[nodiscard]] std::string failure() const override {
        try {
            if (const std::exception_ptr error = host_script().error())
                std::rethrow_exception(error);
        } catch (const std::exception& e) {
            return e.what();
        }
        return {};
    }
    void begin_measurement() override {
        stats_.begin_measurement();
        for (Card& c : cards_) {
            c.device->begin_measurement();
            c.bytes_before = bytes(c);
            c.transactions_before = c.device->transactions();
            c.errors_before = c.device->errors();
            c.measured_from = sim::now();
        }
    }
    [[nodiscard]] std::vector<Flow> flows() const override {
        std::vector<Flow> out;
        for (const Card& c : cards_) {
            const sim::Ps span = sim::now() - c.measured_from;
            const double rate = span == 0 ? 0.0
                                          : static_cast<double>(bytes(c) - c.bytes_before) * 8.0 /
                                                sim::to_seconds(span);
            out.push_back({c.name, c.type, rate, c.device->transactions() - c.transactions_before,
                           c.device->errors() - c.errors_before, 0});
        }
        return out;
    }
    [[nodiscard]] std::vector<Loss> losses() const override { return {}; }
    [[nodiscard]] std::vector<UnmodelledRegister> unmodelled() const override { return {}; }
    [[nodiscard]] std::vector<std::string> warnings() const override {
        std::vector<std::string> out = bus_switch_.warnings();
        for (const Card& c : cards_)
            for (std::string& w : c.link->faults().never_came()) out.push_back(std::move(w));
        for (std::size_t i = 0; i < cards_.size(); ++i)
            add_read_request_warning(out, link_names_[i], cards_[i].endpoint->limits());
        return out;
    }
    [[nodiscard]] std::vector<DeadFunction> dead_functions() const override {
        std::vector<DeadFunction> out;
        for (std::size_t i = 0; i < cards_.size(); ++i)
            if (const sim::Ps since = cards_[i].endpoint->down_since(); since != sim::never)
                out.push_back(bus_switch_.dead_function(link_names_[i], "", since));
        return out;
    }
    [[nodiscard]] std::vector<pcie::Link*> links() override {
        std::vector<pcie::Link*> out;
        if (pcie::Link* to_switch = bus_switch_.link()) out.push_back(to_switch);
        for (Card& c : cards_) out.push_back(c.link.get());
        return out;
    }
    [[nodiscard]] const std::vector<ChainLink>& chain() const override {
        static const std::vector<ChainLink> links{
            {"pcie.link_to_switch.up.wire", "PCIe link from the switch to the host"},
            {"pcie.link_to_switch.down.wire", "PCIe link from the host to the switch"},
            {"pcie.link*.up.wire", "PCIe link {} to the host"},
            {"pcie.link*.down.wire", "PCIe link {} to the device"},
            {"pcie.root_complex.iommu.walkers", "IOMMU"},
            {"pcie.endpoint*.requests", "bus interface {}"},
            {"nic*.engine", "DMA engine {}"}};
        return links;
    }
    [[nodiscard]] std::uint64_t packets() const override {
        std::uint64_t n = 0;
        for (const Card& c : cards_) n += c.device->transactions() - c.transactions_before;
        return n;
    }

private:
    static std::uint64_t bytes(const Card& c) {
        return c.device->read_bytes() + c.device->write_bytes();
    }
    [[nodiscard]] const host::Script& host_script() const {
        return const_cast<host::Host&>(host_).script();
    }

    void add_card(const BoundBlock& block) {
        const auto common = block.as<WorkloadConfig>();
        const auto index = static_cast<unsigned>(cards_.size());
        if (!common.enabled) return;
        Card card;
        card.name = common.name.empty() ? fmt::format("{}", index) : common.name;
        card.type = block.type;
        card.transfer = block.as<host::DmaTransferConfig>();
        const auto config = scenario_.child("nic")->as<DmaBenchConfig>();
        card.device = std::make_unique<DmaBench>(fmt::format("nic{}", index).c_str(), config);
        card.endpoint = std::make_unique<pcie::Endpoint>(
            fmt::format("endpoint{}", index).c_str(), card.device->identity(),
            pcie_.child("endpoint")->as<pcie::EndpointConfig>());
        card.link = std::make_unique<pcie::Link>(
            fmt::format("link{}", index).c_str(), link_config(), bus_switch_.port(index),
            *card.endpoint, scenario_.as<RunConfig>().seed,
            pcie_faults(pcie_, link_names_[index], index == 0));
        card.device->dma().bind(card.endpoint->dma);
        card.endpoint->registers.bind(card.device->registers());
        card.device->interrupts.bind(card.endpoint->interrupts);
        card.endpoint->on_limits_changed(
            sim::Callback<const sim::BusLimits&>::to<&DmaBench::set_bus_limits>(card.device.get()));
        card.driver = std::make_unique<host::DmaBenchDriver>(host_, index);
        cards_.push_back(std::move(card));
    }

    [[nodiscard]] pcie::LinkConfig link_config() const {
        return bus_link(pcie_, scenario_.child("nic")->as<DmaBenchConfig>().max_payload);
    }

    void register_all() {
        sim::StatGroup& bus = stats_.group("pcie");
        for (std::size_t i = 0; i < cards_.size(); ++i) {
            Card& c = cards_[i];
            const std::string n = cards_.size() == 1 ? "" : fmt::format("{}", i);
            c.device->register_stats(stats_.group("nic" + n));
            c.link->register_stats(bus.group(link_names_[i]));
            c.endpoint->register_stats(bus.group("endpoint" + n));
            c.driver->register_stats(stats_.group("driver" + n));
        }
        bus_switch_.register_stats(bus);
        root_complex_.register_stats(bus.group("root_complex"));
        host_.register_stats(stats_.group("host"));
    }

    const BoundBlock& scenario_;
    const BoundBlock& pcie_;
    sim::StatGroup stats_{"run"};
    host::Host host_;
    pcie::RootComplex root_complex_;
    BusSwitch bus_switch_;
    std::vector<std::string> link_names_;
    std::vector<Card> cards_;
    bool started_ = false;
};

}  // namespace

std::vector<std::string> exerciser_links(const BoundBlock& scenario) {
    std::vector<std::string> out;
    for (const BoundBlock& w : scenario.list("workloads"))
        if (w.as<WorkloadConfig>().enabled) out.push_back(fmt::format("link{}", out.size()));
    if (out.size() == 1) out.front() = only_link;
    return out;
}

std::unique_ptr<Machine> make_exerciser(const BoundBlock& scenario) {
    return std::make_unique<Exerciser>(scenario);
}

}  // namespace nicsim::scenarios
