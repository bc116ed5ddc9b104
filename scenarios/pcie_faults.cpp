// SPDX-License-Identifier: Apache-2.0
#include "scenarios/pcie_faults.h"

#include <array>

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

std::vector<pcie::Fault> pcie_faults(const BoundBlock& pcie_block) {
    std::vector<pcie::Fault> out;
    for (const BoundBlock& item : pcie_block.list("faults"))
        for (unsigned i = 0; i < pcie::fault_kinds; ++i)
            if (item.type == name_of(kind_of(i))) out.push_back(fault_of(kind_of(i), item));
    return out;
}

}  // namespace nicsim::scenarios
