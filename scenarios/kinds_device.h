// SPDX-License-Identifier: Apache-2.0
// Devices and drivers of the usual shape as entries of the registry, and the entries themselves,
// by device.
#pragma once

#include <string>
#include <vector>

#include "scenarios/kinds.h"

namespace nicsim::scenarios {

/// A device with one port.
template <class Device>
class NicOf final : public Nic {
public:
    template <class Config>
    NicOf(const Config& config, const std::string& name) : nic_(name.c_str(), config) {}

    [[nodiscard]] const sim::DeviceIdentity& identity() const override { return nic_.identity(); }
    void connect(pcie::Endpoint& endpoint) override {
        nic_.dma.bind(endpoint.dma);
        endpoint.registers.bind(nic_.registers);
        nic_.interrupts.bind(endpoint.interrupts);
        endpoint.on_limits_changed(
            sim::Callback<const sim::BusLimits&>::to<&Device::set_bus_limits>(&nic_));
    }
    void connect(sim::EthernetIf& towards, sc_core::sc_port_b<sim::EthernetIf>& from) override {
        nic_.ethernet_out.bind(towards);
        from.bind(nic_.ethernet_in);
    }
    void register_stats(sim::StatGroup& group) override { nic_.register_stats(group); }
    void set_life_cycle(sim::LifeCycle& life_cycle) override { nic_.set_life_cycle(&life_cycle); }
    [[nodiscard]] std::vector<UnmodelledRegister> unmodelled() const override {
        std::vector<UnmodelledRegister> out;
        for (const auto& u : nic_.unmodelled()) out.push_back({u.offset, u.reads, u.writes});
        return out;
    }
    [[nodiscard]] std::uint64_t packets_sent() const override { return nic_.tx_counts().packets; }

private:
    Device nic_;
};

template <class HostDriver>
class DriverOf final : public Driver {
public:
    template <class Config>
    DriverOf(host::Host& host, const Config& config, const std::string& interface)
        : driver_(host, config, interface) {}

    void probe(host::Core& core) override { driver_.probe(core); }
    void open(host::Core& core) override { driver_.open(core); }
    [[nodiscard]] host::NetDevice& device() override { return driver_.device(); }
    [[nodiscard]] host::MacAddress mac() const override { return driver_.mac_address(); }
    void set_life_cycle(sim::LifeCycle& life_cycle) override {
        driver_.set_life_cycle(&life_cycle);
    }
    void register_stats(sim::StatGroup& group) override { driver_.register_stats(group); }

private:
    HostDriver driver_;
};

template <class Device, class Config>
std::unique_ptr<Nic> make_nic(const BoundBlock& block, const std::string& name) {
    return std::make_unique<NicOf<Device>>(block.as<Config>(), name);
}

template <class HostDriver, class Config>
std::unique_ptr<Driver> make_driver(host::Host& host, const BoundBlock& block,
                                    const PortPlace& place) {
    auto config = block.as<Config>();
    config.instance += place.index;
    return std::make_unique<DriverOf<HostDriver>>(host, config, place.interface);
}

/// Resources that a packet meets on its way out, the last one first.
inline std::vector<ChainLink> transmit_chain() {
    return {{"far_end.port.drain", "far end's switch"},
            {"nic.tx.wire.activity", "Ethernet wire"},
            {"nic.tx.queue*.fetch.activity", "queue {} data fetch", true},
            {"pcie.link.down.wire", "PCIe link towards the device"},
            {"pcie.link_to_switch.down.wire", "PCIe link from the host to the switch"},
            {"pcie.endpoint.requests", "bus interface"},
            {"pcie.root_complex.iommu.walkers", "IOMMU"},
            {"host.core*.time", "core {}"},
            {"workloads.*.activity", "workload {}"},
            {"workloads.*.sender", "workload {}", false, "rate"}};
}

NicKind i210_nic();
DriverKind igb_driver();
NicKind i82599_nic();
DriverKind ixgbe_driver();
NicKind ar8151_nic();
NicKind mikrotik_nic();
DriverKind atl1c_driver();

}  // namespace nicsim::scenarios
