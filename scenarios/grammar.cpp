// SPDX-License-Identifier: Apache-2.0
#include "scenarios/grammar.h"

namespace nicsim::scenarios {

std::vector<std::string> Block::keys() const {
    std::vector<std::string> out;
    for (const sim::ParamTable* table : params)
        for (const sim::ParamDecl& decl : *table) out.push_back(decl.name);
    for (const Field& f : fields) out.push_back(f.name);
    return out;
}

const sim::ParamDecl* Block::param(const std::string& key) const {
    for (const sim::ParamTable* table : params)
        if (const sim::ParamDecl* decl = sim::find_param(*table, key)) return decl;
    return nullptr;
}

const Field* Block::field(const std::string& key) const {
    for (const Field& f : fields)
        if (f.name == key) return &f;
    return nullptr;
}

}  // namespace nicsim::scenarios
