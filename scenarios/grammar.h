// SPDX-License-Identifier: Apache-2.0
// The shape of the scenario language, made of parameter tables: blocks of keys, blocks inside of
// blocks, one-of-several by `type`, and lists. It knows nothing about what the keys mean; the same
// description yields the binder, the JSON Schema and the reference documentation.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "scenarios/diagnostics.h"
#include "sim/param.h"

namespace nicsim::scenarios {

struct Block;
struct BoundBlock;

/// One of several blocks, chosen by the key `type`.
struct Alternative {
    std::string name;
    std::string sentence;
    const Block* block = nullptr;
};

struct Field {
    enum class Kind {
        block,    ///< always there; its values have defaults
        choice,   ///< one of `alternatives`
        list,     ///< items of `block`
        choices,  ///< items, each one of `alternatives`
    };
    std::string name;
    std::string sentence;
    Kind kind = Kind::block;
    const Block* block = nullptr;
    std::vector<Alternative> alternatives;
    bool required = false;
    std::size_t max_items = 64;  ///< of a list
    std::string profiles;  ///< folder of profiles that the key `profile` chooses from; or empty
};

/// What a rule over several values finds: the key that is to blame (below the block) and why.
struct Fault {
    std::string key;
    std::string message;
    Place place = {};  ///< if given, `key` is a whole path and this is where it stands
};

struct Block {
    std::vector<const sim::ParamTable*> params;
    std::vector<Field> fields;
    /// Rules over several values; called when every single value is right.
    std::function<std::vector<Fault>(const BoundBlock&)> check;

    [[nodiscard]] std::vector<std::string> keys() const;
    [[nodiscard]] const sim::ParamDecl* param(const std::string& key) const;
    [[nodiscard]] const Field* field(const std::string& key) const;
};

}  // namespace nicsim::scenarios
