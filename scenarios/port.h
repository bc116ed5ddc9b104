// SPDX-License-Identifier: Apache-2.0
// One port of the machine: a device on its link of the bus, its driver with network device and
// discipline, and what its cable leads to - the far end, unless a generator is plugged in.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host_driver/far_end/far_end.h"
#include "host_driver/far_end/pause_tap.h"
#include "host_driver/far_end/traffic_generator.h"
#include "host_driver/host.h"
#include "host_driver/net/ip_stack.h"
#include "pcie/endpoint.h"
#include "pcie/link.h"
#include "scenarios/kinds.h"
#include "waves/ethernet_tap.h"

namespace nicsim::scenarios {

class Port {
public:
    /// A machine that names no ports has one, whose `name` is empty.
    Port(const BoundBlock& scenario, const std::string& name, unsigned index, host::Host& host,
         std::unique_ptr<Nic> nic, pcie::LinkPartner& slot);

    /// The generator that sends into this port, and the one that takes its frames; or null.
    void connect_cable(host::TrafficGenerator* sends, host::TrafficGenerator* takes,
                       waves::PcapngWriter* capture);
    /// Interrupts go to these cores; empty: to the host's.
    void set_interrupt_affinity(std::vector<std::uint64_t> cores) { affinity_ = std::move(cores); }
    void begin_measurement();
    /// All but the discipline's, which is not there yet. `bus` is the group of this port's link.
    void register_stats(sim::StatGroup& group);

    // ---- code that runs on core 0 ----
    void bring_up(host::Core& core);
    void wait_for_carrier(host::Core& core);
    void set_disciplines(host::Core& core);
    /// Disciplines have their statistics once they are in place.
    void register_driver_stats() { driver_->register_stats(stats_->group("driver")); }

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] Nic& nic() { return *nic_; }
    [[nodiscard]] const Nic& nic() const { return *nic_; }
    [[nodiscard]] pcie::Link& link() { return link_; }
    [[nodiscard]] const pcie::Link& link() const { return link_; }
    [[nodiscard]] const pcie::Endpoint& endpoint() const { return endpoint_; }
    [[nodiscard]] host::FarEnd& far_end() { return far_end_; }
    [[nodiscard]] host::IpStack& stack() { return *stack_; }
    [[nodiscard]] host::NetDevice& device() { return driver_->device(); }
    [[nodiscard]] host::MacAddress driver_mac() const { return driver_->mac(); }
    [[nodiscard]] sim::LifeCycle& life_cycle() { return life_cycle_; }
    /// Packets put on the wire while measured.
    [[nodiscard]] std::uint64_t packets() const { return nic_->packets_sent() - packets_before_; }

private:
    const BoundBlock& scenario_;
    std::string name_;
    host::Host& host_;
    sim::LifeCycle life_cycle_;
    std::unique_ptr<Nic> nic_;
    pcie::Endpoint endpoint_;
    pcie::Link link_;
    host::FarEnd far_end_;
    std::unique_ptr<waves::EthernetTap> tx_tap_, rx_tap_;
    std::unique_ptr<host::PauseTap> pause_tap_;
    std::unique_ptr<Driver> driver_;
    std::unique_ptr<host::IpStack> stack_;
    std::vector<std::uint64_t> affinity_;
    sim::StatGroup* stats_ = nullptr;
    std::uint64_t packets_before_ = 0;
};

/// The module name of a part of a port: `nic`, or `nic_<port>`.
std::string part_name(const std::string& part, const std::string& port);

}  // namespace nicsim::scenarios
