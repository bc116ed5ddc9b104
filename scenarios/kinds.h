// SPDX-License-Identifier: Apache-2.0
// The registry of what a scenario can be made of: NICs, drivers, queue disciplines and workloads,
// each with the name that `type` selects, the keys it takes and how it is made. A new device adds
// an entry; language, assembly, documentation and schema follow.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host_driver/far_end/sinks.h"
#include "host_driver/host.h"
#include "host_driver/net/ip_stack.h"
#include "host_driver/net/tcp_config.h"
#include "host_driver/net_device.h"
#include "host_driver/qdisc.h"
#include "pcie/endpoint.h"
#include "scenarios/bottleneck.h"
#include "scenarios/bound.h"
#include "scenarios/device_bounds.h"
#include "scenarios/diagnostics.h"
#include "scenarios/grammar.h"
#include "scenarios/machine.h"
#include "sim/doors.h"
#include "sim/life_cycle.h"
#include "sim/stat.h"

namespace nicsim::scenarios {

/// A device with its doors, whatever it is.
class Nic {
public:
    virtual ~Nic() = default;
    [[nodiscard]] virtual const sim::DeviceIdentity& identity() const = 0;
    /// Binds registers, DMA and interrupts, and keeps the device told of the bus's limits.
    virtual void connect(pcie::Endpoint& endpoint) = 0;
    /// Binds both directions of the cable: frames go to `towards`, and come from `from`.
    virtual void connect(sim::EthernetIf& towards, sc_core::sc_port_b<sim::EthernetIf>& from) = 0;
    virtual void register_stats(sim::StatGroup& group) = 0;
    virtual void set_life_cycle(sim::LifeCycle& life_cycle) = 0;
    [[nodiscard]] virtual std::vector<UnmodelledRegister> unmodelled() const = 0;
    /// Packets put on the wire since the start.
    [[nodiscard]] virtual std::uint64_t packets_sent() const = 0;
};

struct NicKind {
    std::string name;
    std::string sentence;
    Block block;
    /// Called with the name of the module.
    std::function<std::unique_ptr<Nic>(const BoundBlock&, const std::string&)> make;
    unsigned tx_queues = 1;
    std::vector<ChainLink> chain;  ///< resources of the whole machine, from the wire upwards
    std::uint64_t max_mtu = 9216;  ///< of its interface, as far as its driver goes
    /// Of a device that is no network card: the machine that it stands in, in place of `make`.
    std::function<std::unique_ptr<Machine>(const BoundBlock&)> machine = {};
    bool pause = false;  ///< its model obeys and sends pause frames
};

/// Which of the machine's ports a driver is for.
struct PortPlace {
    std::string interface = "eth0";  ///< of its network device
    unsigned index = 0;              ///< among the devices of its kind, as enumerated
};

/// A driver bound to its device. Its calls run as code on a core.
class Driver {
public:
    virtual ~Driver() = default;
    virtual void probe(host::Core& core) = 0;
    virtual void open(host::Core& core) = 0;
    [[nodiscard]] virtual host::NetDevice& device() = 0;
    [[nodiscard]] virtual host::MacAddress mac() const = 0;
    virtual void set_life_cycle(sim::LifeCycle& life_cycle) = 0;
    virtual void register_stats(sim::StatGroup& group) = 0;
};

struct DriverKind {
    std::string name;
    std::string sentence;
    Block block;
    std::vector<std::string> nics;  ///< kinds of NIC that it drives
    std::function<std::unique_ptr<Driver>(host::Host&, const BoundBlock&, const PortPlace&)> make;
    std::vector<DeviceBound> bounds = {};  ///< what its devices bound of its settings
    bool jumbo_receive = false;            ///< frames as long as `host.ip.mtu` says
};

struct QdiscKind {
    std::string name;
    std::string sentence;
    Block block;
    std::function<std::unique_ptr<host::Qdisc>(const BoundBlock&, unsigned queues)> make;
};

class Workload {
public:
    virtual ~Workload() = default;
    virtual void start() = 0;
    virtual void begin_measurement() {}
    /// What came through, if it knows that itself; otherwise its receiver at the far end does.
    [[nodiscard]] virtual std::optional<Flow> flow() const { return std::nullopt; }
    virtual void register_stats(sim::StatGroup& group) = 0;
};

struct WorkloadContext {
    host::IpStack& stack;
    host::Core& core;
    const host::TcpConfig& tcp;
    /// The network device of a port, by its name; it exists.
    std::function<host::NetDevice&(const std::string&)> device;
};

struct WorkloadKind {
    std::string name;
    std::string sentence;
    Block block;
    host::SinkKind sink = host::SinkKind::tcp;
    std::function<std::unique_ptr<Workload>(const std::string& name, const BoundBlock&,
                                            const WorkloadContext&)>
        make;
    std::vector<std::string> nics = {};  ///< kinds of NIC that it needs; empty: any network card
    bool between_ports = false;          ///< from one port to another; runs where the interrupts go
    /// Empty, or "key: what is wrong" with this workload on a host with this MTU.
    std::function<std::string(const BoundBlock&, std::uint64_t mtu)> check = {};
};

const std::vector<NicKind>& nic_kinds();
const std::vector<DriverKind>& driver_kinds();
/// Disciplines for the root of a device, and for one queue below it.
const std::vector<QdiscKind>& qdisc_kinds();
const std::vector<QdiscKind>& child_qdisc_kinds();
const std::vector<WorkloadKind>& workload_kinds();

/// What a configuration's own `check()` finds: empty, or "key: what is wrong".
template <class Config>
std::vector<Fault> faults_of(const BoundBlock& block) {
    const std::string bad = block.as<Config>().check();
    if (bad.empty()) return {};
    const std::size_t colon = bad.find(": ");
    if (colon == std::string::npos || block.find(bad.substr(0, colon)) == nullptr)
        return {{"", bad}};
    return {{bad.substr(0, colon), bad.substr(colon + 2)}};
}

/// The entry of this name; it exists, since the language lets no other name through.
template <class Kind>
const Kind& kind_named(const std::vector<Kind>& kinds, const std::string& name) {
    for (const Kind& k : kinds)
        if (k.name == name) return k;
    throw InputError("no kind '" + name + "'");
}

}  // namespace nicsim::scenarios
