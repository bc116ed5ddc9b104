// SPDX-License-Identifier: Apache-2.0
// Workloads that a scenario can run.
#include "host_driver/workloads/etf_talker.h"
#include "host_driver/workloads/forwarder.h"
#include "host_driver/workloads/pktgen.h"
#include "host_driver/workloads/tcp_stream.h"
#include "host_driver/workloads/udp_stream.h"
#include "scenarios/kinds.h"
#include "scenarios/kinds_dma_bench.h"
#include "scenarios/run_config.h"

namespace nicsim::scenarios {
namespace {

template <class Load>
class Holder final : public Workload {
public:
    template <class... Args>
    explicit Holder(Args&&... args) : load_(std::forward<Args>(args)...) {}
    void start() override { load_.start(); }
    void register_stats(sim::StatGroup& group) override { load_.register_stats(group); }

private:
    Load load_;
};

Block block_of(const sim::ParamTable& own) {
    return {{&WorkloadConfig::params(), &own}, {}, {}};
}

/// What `Config::check` says.
template <class Config>
WorkloadKind checked(WorkloadKind kind) {
    kind.check = [](const BoundBlock& b, std::uint64_t mtu) { return b.as<Config>().check(mtu); };
    return kind;
}

WorkloadKind tcp_stream() {
    return {
        "tcp_stream",
        "A TCP connection that sends as fast as it may, as iperf3 does. Losses are repaired as by "
        "NewReno with proportional rate reduction and without SACK: three duplicate "
        "acknowledgements or the retransmission timeout start it, and one segment is repaired "
        "in a round trip. Not modelled: SACK, RACK and tail-loss probes, F-RTO, ECN. With "
        "losses a Linux sender is faster than this one, most of all where the last segments "
        "of a window are lost, for which only the timeout (`rto_min` or more) is here.",
        block_of(host::TcpStreamConfig::params()), host::SinkKind::tcp,
        [](const std::string& name, const BoundBlock& b, const WorkloadContext& c) {
            return std::make_unique<Holder<host::TcpStream>>(name, b.as<host::TcpStreamConfig>(),
                                                             c.tcp, c.stack, c.core);
        }};
}

WorkloadKind udp_stream() {
    return {"udp_stream", "Datagrams at a mean rate, held back by the send buffer, as iperf3 -u.",
            block_of(host::UdpStreamConfig::params()), host::SinkKind::udp,
            [](const std::string& name, const BoundBlock& b, const WorkloadContext& c) {
                return std::make_unique<Holder<host::UdpStream>>(
                    name, b.as<host::UdpStreamConfig>(), c.stack, c.core);
            }};
}

WorkloadKind etf_talker() {
    return {"etf_talker", "Time-triggered packets, each with the time at which it is to leave.",
            block_of(host::EtfTalkerConfig::params()), host::SinkKind::talker,
            [](const std::string& name, const BoundBlock& b, const WorkloadContext& c) {
                return std::make_unique<Holder<host::EtfTalker>>(
                    name, b.as<host::EtfTalkerConfig>(), c.stack, c.core);
            }};
}

class Forwarding final : public Workload {
public:
    Forwarding(const std::string& name, const host::ForwardConfig& config,
               const WorkloadContext& context)
        : name_(name), forwarder_(config, context.device(config.from), context.device(config.to)) {}
    void start() override { forwarder_.start(); }
    void begin_measurement() override { forwarder_.begin_measurement(); }
    void register_stats(sim::StatGroup& group) override { forwarder_.register_stats(group); }
    [[nodiscard]] std::optional<Flow> flow() const override {
        return Flow{name_,
                    "forward",
                    forwarder_.bit_rate(),
                    forwarder_.measured_forwarded(),
                    forwarder_.measured_dropped(),
                    0};
    }

private:
    std::string name_;
    host::Forwarder forwarder_;
};

WorkloadKind forward() {
    WorkloadKind kind;
    kind.name = "forward";
    kind.sentence = "Layer-2 forwarding of all frames from one port to another, as a bridge does.";
    kind.block = block_of(host::ForwardConfig::params());
    kind.make = [](const std::string& name, const BoundBlock& b, const WorkloadContext& c) {
        return std::make_unique<Forwarding>(name, b.as<host::ForwardConfig>(), c);
    };
    kind.between_ports = true;
    return kind;
}

WorkloadKind pktgen() {
    return {"pktgen", "Datagrams of zeros as fast as the driver takes them, past every discipline.",
            block_of(host::PktgenConfig::params()), host::SinkKind::generator,
            [](const std::string& name, const BoundBlock& b, const WorkloadContext& c) {
                return std::make_unique<Holder<host::Pktgen>>(name, b.as<host::PktgenConfig>(),
                                                              c.stack, c.core);
            }};
}

}  // namespace

const std::vector<WorkloadKind>& workload_kinds() {
    static const std::vector<WorkloadKind> kinds{tcp_stream(),
                                                 checked<host::UdpStreamConfig>(udp_stream()),
                                                 checked<host::EtfTalkerConfig>(etf_talker()),
                                                 checked<host::PktgenConfig>(pktgen()),
                                                 forward(),
                                                 dma_transfer()};
    return kinds;
}

}  // namespace nicsim::scenarios
