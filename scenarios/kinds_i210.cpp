// SPDX-License-Identifier: Apache-2.0
// The Intel I210 and its driver igb as entries of the registry.
#include "host_driver/drivers/igb.h"
#include "host_driver/drivers/igb_config.h"
#include "models/i210/i210.h"
#include "scenarios/kinds.h"

namespace nicsim::scenarios {
namespace {

using models::i210::I210;
using models::i210::I210Config;

class I210Nic final : public Nic {
public:
    explicit I210Nic(const I210Config& config) : nic_("nic", config) {}

    [[nodiscard]] const sim::DeviceIdentity& identity() const override { return nic_.identity(); }
    void connect(pcie::Endpoint& endpoint) override {
        nic_.dma.bind(endpoint.dma);
        endpoint.registers.bind(nic_.registers);
        nic_.interrupts.bind(endpoint.interrupts);
        endpoint.on_limits_changed(
            sim::Callback<const sim::BusLimits&>::to<&I210::set_bus_limits>(&nic_));
    }
    void connect(host::FarEnd& far_end) override {
        nic_.ethernet_out.bind(far_end.in);
        far_end.out.bind(nic_.ethernet_in);
    }
    void connect(sim::EthernetIf& towards, sc_core::sc_port<sim::EthernetIf>& from) override {
        nic_.ethernet_out.bind(towards);
        from.bind(nic_.ethernet_in);
    }
    void register_stats(sim::StatGroup& group) override { nic_.register_stats(group); }
    void set_life_cycle(sim::LifeCycle& life_cycle) override { nic_.set_life_cycle(&life_cycle); }
    [[nodiscard]] std::vector<UnmodelledRegister> unmodelled() const override {
        std::vector<UnmodelledRegister> out;
        for (const I210::Unmodelled& u : nic_.unmodelled())
            out.push_back({u.offset, u.reads, u.writes});
        return out;
    }
    [[nodiscard]] std::uint64_t packets_sent() const override { return nic_.tx_counts().packets; }

private:
    I210 nic_;
};

class Igb final : public Driver {
public:
    Igb(host::Host& host, const host::IgbConfig& config) : driver_(host, config) {}

    void probe(host::Core& core) override { driver_.probe(core); }
    void open(host::Core& core) override { driver_.open(core); }
    [[nodiscard]] host::NetDevice& device() override { return driver_.device(); }
    [[nodiscard]] host::MacAddress mac() const override { return driver_.mac_address(); }
    void set_life_cycle(sim::LifeCycle& life_cycle) override {
        driver_.set_life_cycle(&life_cycle);
    }
    void register_stats(sim::StatGroup& group) override { driver_.register_stats(group); }

private:
    host::IgbDriver driver_;
};

/// Resources that a packet meets on its way out, the last one first.
std::vector<ChainLink> transmit_chain() {
    return {{"nic.tx.wire.activity", "Ethernet wire"},
            {"nic.tx.queue*.fetch.activity", "queue {} data fetch"},
            {"pcie.link.down.wire", "PCIe link towards the device"},
            {"host.core*.time", "core {}"},
            {"workloads.*.sender", "workload {}"}};
}

}  // namespace

const std::vector<NicKind>& nic_kinds() {
    static const std::vector<NicKind> kinds{
        {"i210", "Intel I210: 1 Gbit/s, four queues, Qav, launch time.",
         Block{{&I210Config::params()}, {}, {}},
         [](const BoundBlock& b) -> std::unique_ptr<Nic> {
             return std::make_unique<I210Nic>(b.as<I210Config>());
         },
         models::i210::queues, transmit_chain()}};
    return kinds;
}

const std::vector<DriverKind>& driver_kinds() {
    static const std::vector<DriverKind> kinds{
        {"igb",
         "Linux' driver for the I210 family, with Qav and ETF set-up.",
         Block{{&host::IgbConfig::params()}, {}, faults_of<host::IgbConfig>},
         {"i210"},
         [](host::Host& host, const BoundBlock& b) -> std::unique_ptr<Driver> {
             return std::make_unique<Igb>(host, b.as<host::IgbConfig>());
         }}};
    return kinds;
}

}  // namespace nicsim::scenarios
