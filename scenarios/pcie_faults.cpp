// SPDX-License-Identifier: Apache-2.0
#include "scenarios/pcie_faults.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "pcie/switch.h"
#include "scenarios/diagnostics.h"

namespace nicsim::scenarios {
namespace {

pcie::FaultKind kind_of(unsigned index) {
    return static_cast<pcie::FaultKind>(index);
}

pcie::Fault fault_of(pcie::FaultKind kind, const BoundBlock& block) {
    pcie::Fault fault;
    fault.kind = kind;
    for (const sim::ParamDecl& decl : pcie::Fault::params(kind))
        if (const BoundValue* v = block.find(decl.name)) decl.set(&fault, v->value);
    return fault;
}

std::vector<Fault> broken_rules(pcie::FaultKind kind, const BoundBlock& block) {
    const std::string bad = fault_of(kind, block).check();
    if (bad.empty()) return {};
    const std::size_t colon = bad.find(": ");
    return {{bad.substr(0, colon), bad.substr(colon + 2)}};
}

const std::array<Block, pcie::fault_kinds>& blocks() {
    static const std::array<Block, pcie::fault_kinds> all = [] {
        std::array<Block, pcie::fault_kinds> out;
        for (unsigned i = 0; i < pcie::fault_kinds; ++i) {
            out[i].params = {&pcie::Fault::params(kind_of(i))};
            out[i].check = [kind = kind_of(i)](const BoundBlock& b) {
                return broken_rules(kind, b);
            };
        }
        return out;
    }();
    return all;
}

}  // namespace

Field pcie_faults_field() {
    Field f;
    f.name = "faults";
    f.sentence = "What goes wrong on the bus, and when.";
    f.kind = Field::Kind::choices;
    for (unsigned i = 0; i < pcie::fault_kinds; ++i)
        f.alternatives.push_back({name_of(kind_of(i)), sentence_of(kind_of(i)), &blocks()[i]});
    return f;
}

std::string device_link(const std::string& port) {
    return port.empty() ? only_link : fmt::format("{}_{}", only_link, port);
}

std::vector<pcie::Fault> pcie_faults(const BoundBlock& pcie_block, const std::string& link,
                                     bool first_device) {
    std::vector<pcie::Fault> out;
    for (const BoundBlock& item : pcie_block.list("faults"))
        for (unsigned i = 0; i < pcie::fault_kinds; ++i) {
            if (item.type != name_of(kind_of(i))) continue;
            pcie::Fault fault = fault_of(kind_of(i), item);
            if (fault.link == link || (fault.link.empty() && first_device))
                out.push_back(std::move(fault));
        }
    return out;
}

std::vector<Fault> pcie_fault_links(const BoundBlock& scenario,
                                    std::vector<std::string> device_links) {
    const BoundBlock& bus = *scenario.child("pcie");
    if (bus.child("switch")->as<pcie::SwitchConfig>().ports != 0)
        device_links.emplace_back(switch_link);
    std::vector<Fault> out;
    for (const BoundBlock& item : bus.list("faults")) {
        const BoundValue* link = item.find("link");
        if (link == nullptr || !link->given) continue;
        const auto& name = std::get<std::string>(link->value);
        if (name.empty() ||
            std::find(device_links.begin(), device_links.end(), name) != device_links.end())
            continue;
        const std::string near = nearest_name(name, device_links);
        out.push_back({item.path + ".link",
                       fmt::format("there is no link '{}'{}; the links are {}", printable(name),
                                   near.empty() ? "" : "; did you mean '" + near + "'?",
                                   fmt::join(device_links, ", ")),
                       link->place});
    }
    return out;
}

}  // namespace nicsim::scenarios
