// SPDX-License-Identifier: Apache-2.0
// A scenario in which every parameter has its value and it is known who gave it.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "scenarios/document.h"
#include "scenarios/grammar.h"
#include "sim/param.h"

namespace nicsim::scenarios {

struct BoundValue {
    const sim::ParamDecl* decl = nullptr;
    sim::ParamValue value;
    bool given = false;  ///< else the declared default
    Origin origin = Origin::file;
    Place place;
};
/// `default`, `file`, `profile` or `set`.
const char* provenance(const BoundValue& value);

struct BoundBlock {
    std::string path;  ///< dotted, of keys and item names
    std::string type;  ///< of a choice; else empty
    Place place;
    bool given = false;
    const Block* block = nullptr;
    std::vector<BoundValue> values;
    struct Child {
        const Field* field = nullptr;
        Place place;                   ///< if given
        std::deque<BoundBlock> items;  ///< one for a block or a choice that was made
    };
    std::vector<Child> children;

    [[nodiscard]] const BoundValue* find(const std::string& key) const;
    /// The block below `key`, or null if an optional choice was not made.
    [[nodiscard]] const BoundBlock* child(const std::string& key) const;
    [[nodiscard]] const std::deque<BoundBlock>& list(const std::string& key) const;

    /// A configuration structure with this block's values.
    template <class Config>
    [[nodiscard]] Config as() const {
        Config config{};
        for (const sim::ParamDecl& decl : Config::params())
            if (const BoundValue* v = find(decl.name)) decl.set(&config, v->value);
        return config;
    }
};

/// What is wrong with `key` of a block, or with the block if `key` is empty, for rules that look at
/// several blocks: where the value stands if it was given, else at the block.
Fault fault_at(const BoundBlock& block, const std::string& key, std::string message);

/// The parameter of this name and value that a part of the machine has refused: if several blocks
/// have one, a given one. Its place and path are set, or both are empty if there is none.
Fault fault_of_value(const BoundBlock& scenario, const std::string& parameter, std::uint64_t value,
                     std::string message);

/// Binds a document to the grammar. Every problem is added; the result is complete only if none
/// was. `data_folder` holds the profiles.
BoundBlock bind_document(const Value& document, const Block& grammar,
                         const std::string& data_folder, Problems& problems);

/// One value of a document as the parameter wants it. Problems are added and the default returned.
sim::ParamValue bind_value(const sim::ParamDecl& decl, const Value& value, const std::string& path,
                           Problems& problems);

}  // namespace nicsim::scenarios
