// SPDX-License-Identifier: Apache-2.0
// Walks a document along the grammar. Unknown keys, wrong shapes and broken rules become problems
// with their place; what is absent takes its default.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

#include "scenarios/bound.h"

namespace nicsim::scenarios {
namespace {

std::string below(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + "." + key;
}

class Binder {
public:
    /// The alternatives that a block was chosen from.
    struct Others {
        std::string type;
        std::span<const Alternative> all;
    };

    Binder(std::string data_folder, Problems& problems)
        : data_folder_(std::move(data_folder)), problems_(problems) {}

    BoundBlock block(const Value* value, const Block& grammar, const std::string& path,
                     std::vector<std::string> also_known, const Others& others = {}) {
        BoundBlock out;
        out.path = path;
        out.block = &grammar;
        if (value != nullptr) {
            out.place = value->place;
            out.given = true;
            if (value->kind != Value::Kind::map && value->kind != Value::Kind::nothing) {
                problems_.add(value->place, path,
                              fmt::format("needs a map of keys, not {}", describe(*value)));
                value = nullptr;
            }
        }
        const std::size_t before = problems_.list().size();
        if (value != nullptr) refuse_unknown(*value, grammar, path, std::move(also_known), others);
        for (const sim::ParamTable* table : grammar.params)
            for (const sim::ParamDecl& decl : *table)
                out.values.push_back(param(value, decl, path));
        for (const Field& f : grammar.fields) out.children.push_back(field(value, f, path));
        if (problems_.list().size() == before && grammar.check) apply_rules(out, grammar);
        return out;
    }

private:
    /// Empty, or why a key that is unknown here is known elsewhere: `'i82599' has no 'rtl'; ...`
    static std::string of_others(const std::string& key, const Others& others) {
        std::string out;
        for (const Alternative& a : others.all) {
            const sim::ParamDecl* decl = a.block->param(key);
            if (decl == nullptr && a.block->field(key) == nullptr) continue;
            out += fmt::format("{} '{}' has it", out.empty() ? "" : ",", a.name);
            if (decl != nullptr && !decl->choices.empty())
                out += fmt::format(" ({})", joined(decl->choices));
        }
        return out.empty() ? out : fmt::format("'{}' has no '{}';{}", others.type, key, out);
    }

    void refuse_unknown(const Value& value, const Block& grammar, const std::string& path,
                        std::vector<std::string> also_known, const Others& others) {
        std::vector<std::string> known = std::move(also_known);
        for (std::string& key : grammar.keys()) known.push_back(std::move(key));
        for (const Value::Entry& e : value.entries) {
            if (std::find(known.begin(), known.end(), e.key) != known.end()) continue;
            if (const std::string elsewhere = of_others(e.key, others); !elsewhere.empty()) {
                problems_.add(e.key_place, below(path, printable(e.key)), elsewhere);
                continue;
            }
            const std::string near = nearest_name(e.key, known);
            problems_.add(e.key_place, below(path, printable(e.key)),
                          near.empty() ? fmt::format("unknown key (known: {})", joined(known))
                                       : fmt::format("unknown key; did you mean '{}'? (known: {})",
                                                     near, joined(known)));
        }
    }

    BoundValue param(const Value* value, const sim::ParamDecl& decl, const std::string& path) {
        BoundValue out;
        out.decl = &decl;
        out.value = decl.default_value;
        const Value* given = value == nullptr ? nullptr : value->find(decl.name);
        if (given == nullptr) return out;
        out.given = true;
        out.origin = given->origin;
        out.place = given->place;
        out.value = bind_value(decl, *given, below(path, decl.name), problems_);
        return out;
    }

    BoundBlock::Child field(const Value* parent, const Field& f, const std::string& path) {
        BoundBlock::Child out;
        out.field = &f;
        const Value* value = parent == nullptr ? nullptr : parent->find(f.name);
        const std::string here = below(path, f.name);
        if (value != nullptr) out.place = value->place;
        if (value == nullptr && f.required) {
            const Place at = parent == nullptr ? Place{} : parent->place;
            problems_.add(at, here, "is missing: " + f.sentence);
            return out;
        }
        switch (f.kind) {
            case Field::Kind::block:
                out.items.push_back(plain_block(value, f, here));
                break;
            case Field::Kind::choice:
                if (value != nullptr) one_of(*value, f, here, {}, out.items);
                break;
            case Field::Kind::list:
            case Field::Kind::choices:
                if (value != nullptr) list_items(*value, f, here, out.items);
                break;
        }
        return out;
    }

    BoundBlock plain_block(const Value* value, const Field& f, const std::string& path) {
        if (f.profiles.empty() || value == nullptr) return block(value, *f.block, path, {});
        const Value* profile = value->find("profile");
        if (profile == nullptr) return block(value, *f.block, path, {"profile"});
        const Value with_profile = over_profile(*value, *profile, f, path);
        return block(&with_profile, *f.block, path, {"profile"});
    }

    Value over_profile(const Value& value, const Value& profile, const Field& f,
                       const std::string& path) {
        const auto folder = std::filesystem::path(data_folder_) / "profiles" / f.profiles;
        std::vector<std::string> known;
        std::error_code error;
        for (const auto& entry : std::filesystem::directory_iterator(folder, error))
            if (entry.path().extension() == ".yaml") known.push_back(entry.path().stem().string());
        std::sort(known.begin(), known.end());
        if (std::find(known.begin(), known.end(), profile.text) == known.end()) {
            const std::string near = nearest_name(profile.text, known);
            problems_.add(
                profile.place, below(path, "profile"),
                fmt::format("no profile {}{} (known: {})", describe(profile),
                            near.empty() ? "" : "; did you mean '" + near + "'?", joined(known)));
            return value;
        }
        const std::string file = (folder / (profile.text + ".yaml")).string();
        Value lower = load_yaml(file, Origin::profile, problems_);
        // What a host profile says of the bus stands at `pcie` already (see load_scenario).
        std::erase_if(lower.entries, [](const Value::Entry& e) { return e.key == "pcie"; });
        return lower.kind == Value::Kind::map ? merged(lower, value) : value;
    }

    void one_of(const Value& value, const Field& f, const std::string& path,
                std::vector<std::string> also_known, std::deque<BoundBlock>& out) {
        std::vector<std::string> names;
        for (const Alternative& a : f.alternatives) names.push_back(a.name);
        const Value* type = value.kind == Value::Kind::map ? value.find("type") : nullptr;
        if (type == nullptr) {
            problems_.add(
                value.place, path,
                fmt::format("needs a map with the key 'type' (one of {})", joined(names)));
            return;
        }
        for (const Alternative& a : f.alternatives) {
            if (a.name != type->text) continue;
            also_known.insert(also_known.begin(), "type");
            out.push_back(
                block(&value, *a.block, path, std::move(also_known), {a.name, f.alternatives}));
            out.back().type = a.name;
            return;
        }
        const std::string near = nearest_name(type->text, names);
        problems_.add(type->place, below(path, "type"),
                      fmt::format("{} is not one of {}{}", describe(*type), joined(names),
                                  near.empty() ? "" : "; did you mean '" + near + "'?"));
    }

    void list_items(const Value& value, const Field& f, const std::string& path,
                    std::deque<BoundBlock>& out) {
        if (value.kind != Value::Kind::list) {
            problems_.add(value.place, path, fmt::format("needs a list, not {}", describe(value)));
            return;
        }
        if (value.items.size() > f.max_items) {
            problems_.add(value.place, path,
                          fmt::format("has {} items; at most {} are allowed", value.items.size(),
                                      f.max_items));
            return;
        }
        std::vector<std::string> seen;
        for (std::size_t i = 0; i < value.items.size(); ++i) {
            const Value& item = value.items[i];
            const Value* name = item.find("name");
            const std::string label =
                name != nullptr && !name->text.empty() ? printable(name->text) : std::to_string(i);
            if (std::find(seen.begin(), seen.end(), label) != seen.end())
                problems_.add(name == nullptr ? item.place : name->place, below(path, label),
                              "the name is used twice in this list");
            seen.push_back(label);
            if (f.kind == Field::Kind::choices)
                one_of(item, f, below(path, label), {}, out);
            else
                out.push_back(block(&item, *f.block, below(path, label), {}));
        }
    }

    void apply_rules(const BoundBlock& bound, const Block& grammar) {
        for (const Fault& fault : grammar.check(bound)) {
            if (!fault.place.file.empty()) {
                problems_.add(fault.place, fault.key, fault.message);
                continue;
            }
            const BoundValue* v = bound.find(fault.key);
            Place place = v != nullptr && v->given ? v->place : bound.place;
            if (v == nullptr)
                for (const BoundBlock::Child& c : bound.children)
                    if (c.field->name == fault.key && !c.place.file.empty()) place = c.place;
            const std::string path = fault.key.empty() ? bound.path : below(bound.path, fault.key);
            problems_.add(place, path, fault.message);
        }
    }

    std::string data_folder_;
    Problems& problems_;
};

}  // namespace

const char* provenance(const BoundValue& value) {
    if (!value.given) return "default";
    switch (value.origin) {
        case Origin::file:
            return "file";
        case Origin::profile:
            return "profile";
        case Origin::set:
            return "set";
    }
    return "?";
}

const BoundValue* BoundBlock::find(const std::string& key) const {
    for (const BoundValue& v : values)
        if (v.decl->name == key) return &v;
    return nullptr;
}

const std::deque<BoundBlock>& BoundBlock::list(const std::string& key) const {
    static const std::deque<BoundBlock> none;
    for (const Child& c : children)
        if (c.field->name == key) return c.items;
    return none;
}

const BoundBlock* BoundBlock::child(const std::string& key) const {
    const std::deque<BoundBlock>& items = list(key);
    return items.empty() ? nullptr : &items.front();
}

Fault fault_at(const BoundBlock& block, const std::string& key, std::string message) {
    const BoundValue* v = key.empty() ? nullptr : block.find(key);
    return {key.empty() ? block.path : below(block.path, key), std::move(message),
            v != nullptr && v->given ? v->place : block.place};
}

Fault fault_of_value(const BoundBlock& scenario, const std::string& parameter, std::uint64_t value,
                     std::string message) {
    const BoundBlock* best = nullptr;
    const auto look = [&](const auto& self, const BoundBlock& block) -> void {
        const BoundValue* v = block.find(parameter);
        const auto* number = v == nullptr ? nullptr : std::get_if<std::uint64_t>(&v->value);
        if (number != nullptr && *number == value &&
            (best == nullptr || (v->given && !best->find(parameter)->given)))
            best = &block;
        for (const BoundBlock::Child& c : block.children)
            for (const BoundBlock& item : c.items) self(self, item);
    };
    look(look, scenario);
    return best == nullptr ? Fault{{}, std::move(message)}
                           : fault_at(*best, parameter, std::move(message));
}

BoundBlock bind_document(const Value& document, const Block& grammar,
                         const std::string& data_folder, Problems& problems) {
    return Binder(data_folder, problems).block(&document, grammar, "", {});
}

}  // namespace nicsim::scenarios
