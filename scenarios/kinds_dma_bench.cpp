// SPDX-License-Identifier: Apache-2.0
// The DMA exerciser, its driver and its workload as entries of the registry. It is no network card:
// it brings a machine of its own.
#include "scenarios/kinds_dma_bench.h"

#include <fmt/format.h>

#include <algorithm>

#include "host_driver/drivers/dma_bench.h"
#include "models/dma_bench/config.h"
#include "pcie/endpoint.h"
#include "pcie/link_config.h"
#include "scenarios/run_config.h"

namespace nicsim::scenarios {

NicKind dma_bench_nic() {
    NicKind kind;
    kind.name = "dma_bench";
    kind.sentence = "A DMA exerciser in the manner of pcie-bench, no network card.";
    kind.block = Block{{&models::dma_bench::DmaBenchConfig::params()}, {}, {}};
    kind.machine = make_exerciser;
    return kind;
}

DriverKind dma_bench_driver() {
    DriverKind kind;
    kind.name = "dma_bench";
    kind.sentence = "Control program of the DMA exerciser.";
    kind.nics = {"dma_bench"};
    return kind;
}

WorkloadKind dma_transfer() {
    WorkloadKind kind;
    kind.name = "dma_transfer";
    kind.sentence = "A program for one DMA exerciser: each workload has a card of its own.";
    kind.block = Block{{&WorkloadConfig::params(), &host::DmaTransferConfig::params()},
                       {},
                       faults_of<host::DmaTransferConfig>};
    kind.nics = {"dma_bench"};
    return kind;
}

namespace {

/// How many reads can be in flight follows from the width of a tag.
std::vector<Fault> tag_faults(const BoundBlock& scenario) {
    const BoundBlock& bus = *scenario.child("pcie");
    const auto nic = scenario.child("nic")->as<models::dma_bench::DmaBenchConfig>();
    const std::uint64_t generation =
        std::min(bus.child("link")->as<pcie::LinkConfig>().generation, nic.max_link_generation);
    const bool extended = scenario.child("host")->child("pci")->as<host::PciConfig>().extended_tags;
    std::uint64_t bits = bus.child("endpoint")->as<pcie::EndpointConfig>().tag_bits;
    if (generation < 4) bits = std::min<std::uint64_t>(bits, 8);
    if (!extended) bits = 5;
    const std::uint64_t allowed = bits >= 10 ? 768 : bits >= 8 ? 256 : 32;
    if (nic.tags <= allowed) return {};
    return {{"nic", fmt::format("tags is {}; on a link of generation {}, with host.pci."
                                "extended_tags {} and pcie.endpoint.tag_bits, a tag has {} bits, "
                                "which allow {}",
                                nic.tags, generation, extended ? "on" : "off", bits, allowed)}};
}

}  // namespace

std::vector<Fault> dma_bench_faults(const BoundBlock& scenario) {
    if (scenario.child("nic")->type != "dma_bench") return {};
    std::vector<Fault> faults;
    const std::uint64_t ports =
        std::get<std::uint64_t>(scenario.child("pcie")->child("switch")->find("ports")->value);
    std::uint64_t cards = 0;
    std::uint64_t memory = 0;
    for (const BoundBlock& w : scenario.list("workloads")) {
        if (!w.as<WorkloadConfig>().enabled || w.type != "dma_transfer") continue;
        ++cards;
        memory += w.as<host::DmaTransferConfig>().window;
    }
    if (ports != 0 && cards > ports)
        faults.push_back({"workloads", "needs " + std::to_string(cards) +
                                           " cards, but the switch has " + std::to_string(ports) +
                                           " downstream ports (pcie.switch.ports)"});
    const BoundBlock& host = *scenario.child("host");
    const std::uint64_t root_ports = host.child("pci")->as<host::PciConfig>().buses;
    if (ports == 0 && cards > root_ports)
        faults.push_back({"workloads", "needs " + std::to_string(cards) +
                                           " root ports; host.pci.buses allows " +
                                           std::to_string(root_ports)});
    const std::uint64_t available = host.as<host::HostConfig>().memory;
    constexpr std::uint64_t kept_back = 1 << 20;
    if (memory + kept_back > available)
        faults.push_back({"workloads", "the windows need " + std::to_string(memory) +
                                           " B of the host's " + std::to_string(available) +
                                           " B of memory (host.memory)"});
    for (Fault& f : tag_faults(scenario)) faults.push_back(std::move(f));
    return faults;
}

}  // namespace nicsim::scenarios
