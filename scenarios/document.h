// SPDX-License-Identifier: Apache-2.0
// A scenario file as a tree of values that remember where they were written. YAML without what a
// scenario has no use for: anchors, aliases and tags are refused, size and depth are bounded.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scenarios/diagnostics.h"

namespace nicsim::scenarios {

/// Who gave a value.
enum class Origin { file, profile, set };

struct Value {
    enum class Kind { nothing, scalar, map, list };
    struct Entry;

    Kind kind = Kind::nothing;
    std::string text;  ///< of a scalar
    bool quoted = false;
    std::vector<Entry> entries;  ///< of a map, in the order written
    std::vector<Value> items;    ///< of a list
    Place place;
    Origin origin = Origin::file;

    [[nodiscard]] const Value* find(const std::string& key) const;
    [[nodiscard]] Value* find(const std::string& key);
    Value& put(const std::string& key, const Place& key_place, Value value);
};

struct Value::Entry {
    std::string key;
    Place key_place;
    Value value;
};

/// `a map`, `a list`, `nothing`, `'text'`: for messages.
std::string describe(const Value& value);

/// Parses YAML text; `name` is shown in places. Problems are added and `nothing` is returned if
/// the text is not usable.
Value parse_yaml(const std::string& text, const std::string& name, Origin origin,
                 Problems& problems);

/// The same from a file.
Value load_yaml(const std::string& path, Origin origin, Problems& problems);

/// Puts `above` over `below`: maps merge key by key, everything else is replaced. A map that
/// chooses another `type` than the one below replaces it as well.
Value merged(const Value& below, const Value& above);

/// Loads a scenario file with the files it names in `base`, which it overrides.
Value load_with_bases(const std::string& path, Problems& problems);

/// Applies one `key.path=value` as if it stood in the file. List items are named by index or by
/// their `name`.
void apply_set(Value& document, const std::string& assignment, Problems& problems);

}  // namespace nicsim::scenarios
