// SPDX-License-Identifier: Apache-2.0
#include "scenarios/port.h"

#include <fmt/format.h>

#include <stdexcept>

#include "scenarios/host_config.h"
#include "scenarios/pcie_faults.h"
#include "scenarios/port_rules.h"
#include "scenarios/run_config.h"

namespace nicsim::scenarios {
namespace {

constexpr sim::Ps carrier_poll = 100 * sim::ps_per_us;
constexpr unsigned carrier_polls = 100'000;  ///< ten seconds, as long as people wait

void refuse(const BoundBlock& block, const std::string& error) {
    if (error.empty()) return;
    throw std::runtime_error(fmt::format("{}: {}: {}", text_of(block.place), block.path, error));
}

host::FarEndConfig far_end_config(const BoundBlock& scenario) {
    auto config = scenario.child("far_end")->as<host::FarEndConfig>();
    config.link_rate = cable_rate(scenario);
    return config;
}

}  // namespace

std::string part_name(const std::string& part, const std::string& port) {
    return port.empty() ? part : part + "_" + port;
}

Port::Port(const BoundBlock& scenario, const std::string& name, unsigned index, host::Host& host,
           std::unique_ptr<Nic> nic, pcie::LinkPartner& slot)
    : scenario_(scenario),
      name_(name),
      host_(host),
      life_cycle_(kind_named(nic_kinds(), scenario.child("nic")->type).tx_queues),
      nic_(std::move(nic)),
      endpoint_(part_name("endpoint", name).c_str(), nic_->identity(),
                scenario.child("pcie")->child("endpoint")->as<pcie::EndpointConfig>()),
      link_(part_name("link", name).c_str(),
            bus_link(*scenario.child("pcie"), nic_->identity().max_payload_supported), slot,
            endpoint_, scenario.as<RunConfig>().seed,
            pcie_faults(*scenario.child("pcie"), device_link(name), index == 0)),
      far_end_(part_name("far_end", name).c_str(), far_end_config(scenario),
               scenario.child("far_end")->as<host::FarPortConfig>()) {
    nic_->connect(endpoint_);
    nic_->set_life_cycle(life_cycle_);
    const BoundBlock& block = *scenario.child("driver");
    driver_ = kind_named(driver_kinds(), block.type)
                  .make(host, block, {name.empty() ? "eth0" : name, index});
    driver_->set_life_cycle(life_cycle_);
    stack_ =
        std::make_unique<host::IpStack>(driver_->device(), host.memory(),
                                        scenario.child("host")->child("ip")->as<host::IpConfig>());
}

void Port::connect_cable(host::TrafficGenerator* sends, host::TrafficGenerator* takes,
                         waves::PcapngWriter* capture) {
    sim::EthernetIf* towards = takes == nullptr ? &static_cast<sim::EthernetIf&>(far_end_.in)
                                                : &static_cast<sim::EthernetIf&>(takes->in);
    if (sends != nullptr) {
        pause_tap_ =
            std::make_unique<host::PauseTap>(part_name("pause_tap", name_).c_str(), *sends);
        pause_tap_->out.bind(*towards);
        towards = &static_cast<sim::EthernetIf&>(pause_tap_->in);
    }
    sc_core::sc_port_b<sim::EthernetIf>& from =
        sends == nullptr ? static_cast<sc_core::sc_port_b<sim::EthernetIf>&>(far_end_.out)
                         : static_cast<sc_core::sc_port_b<sim::EthernetIf>&>(sends->out);
    if (capture == nullptr) {
        nic_->connect(*towards, from);
        return;
    }
    // A tap per direction, both seen from the device.
    const std::uint32_t interface = capture->add_interface(name_.empty() ? "nic" : name_, 0);
    tx_tap_ = std::make_unique<waves::EthernetTap>(part_name("tx_tap", name_).c_str(), *capture,
                                                   interface, waves::Direction::outbound);
    rx_tap_ = std::make_unique<waves::EthernetTap>(part_name("rx_tap", name_).c_str(), *capture,
                                                   interface, waves::Direction::inbound);
    nic_->connect(*tx_tap_, rx_tap_->out);
    tx_tap_->out.bind(*towards);
    from.bind(rx_tap_->in);
}

void Port::begin_measurement() {
    far_end_.begin_measurement();
    packets_before_ = nic_->packets_sent();
}

void Port::register_stats(sim::StatGroup& group) {
    stats_ = &group;
    stack_->register_stats(group.group("stack"));
    nic_->register_stats(group.group("nic"));
    link_.register_stats(group.group("pcie").group("link"));
    endpoint_.register_stats(group.group("pcie").group("endpoint"));
    far_end_.register_stats(group.group("far_end"));
    life_cycle_.register_stats(group.group("latency"));
}

void Port::bring_up(host::Core& core) {
    host_.set_interrupt_affinity(affinity_);
    driver_->probe(core);
    stack_->set_mac(driver_->mac());
    driver_->open(core);
}

void Port::wait_for_carrier(host::Core& core) {
    for (unsigned i = 0; i < carrier_polls && !driver_->device().carrier(); ++i)
        core.delay(carrier_poll);
}

void Port::set_disciplines(host::Core& core) {
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

}  // namespace nicsim::scenarios
