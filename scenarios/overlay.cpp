// SPDX-License-Identifier: Apache-2.0
// What lies over what: `base` files below a scenario, `--set` above it.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "scenarios/data_folder.h"
#include "scenarios/document.h"

namespace nicsim::scenarios {
namespace {

constexpr std::size_t max_bases = 8;

/// Where `base: text` of a file is: relative to the file, or else among the shipped scenarios, as a
/// path or as `nicsim list` names them.
std::string base_path(const std::string& file, const std::string& text) {
    namespace fs = std::filesystem;
    const fs::path beside = fs::path(file).parent_path() / text;
    std::error_code error;
    if (fs::exists(beside, error) || fs::path(text).is_absolute()) return beside.string();
    try {
        const fs::path folder = data_folder();
        for (const std::string& name : {text, text + ".yaml"})
            if (fs::is_regular_file(folder / name, error)) return (folder / name).string();
    } catch (const InputError&) {  // no shipped scenarios: what was asked for is not there
    }
    return beside.string();
}

Value load_chain(const std::string& path, std::vector<std::string>& chain, const Place& asked_at,
                 Problems& problems) {
    std::error_code error;
    const std::string identity = std::filesystem::weakly_canonical(path, error).string();
    if (std::find(chain.begin(), chain.end(), identity) != chain.end()) {
        problems.add(asked_at, "base", "the files name one another in a circle");
        return {};
    }
    if (chain.size() > max_bases) {
        problems.add(asked_at, "base",
                     fmt::format("more than {} files on top of one another", max_bases));
        return {};
    }
    if (!chain.empty() && !std::filesystem::exists(path, error)) {
        problems.add(asked_at, "base",
                     fmt::format("no such file: {}, nor a shipped scenario of that name",
                                 printable(path, 200)));
        return {};
    }
    Value document = load_yaml(path, Origin::file, problems);
    if (document.kind != Value::Kind::map) {
        if (problems.empty())
            problems.add(document.place, "",
                         "a scenario is a map of keys, not " + describe(document));
        return {};
    }
    const Value* base = document.find("base");
    if (base == nullptr) return document;
    if (base->kind != Value::Kind::scalar) {
        problems.add(base->place, "base",
                     "needs the path of a scenario file, not " + describe(*base));
        return {};
    }
    chain.push_back(identity);
    const Place at = base->place;
    const Value below = load_chain(base_path(path, base->text), chain, at, problems);
    std::erase_if(document.entries, [](const Value::Entry& e) { return e.key == "base"; });
    if (below.kind != Value::Kind::map) return document;
    return merged(below, document);
}

/// The item of a list that `segment` means: its index or its `name`.
Value* find_item(Value& list, const std::string& segment) {
    for (Value& item : list.items) {
        const Value* name = item.find("name");
        if (name != nullptr && name->text == segment) return &item;
    }
    std::size_t index = 0;
    const char* const end = segment.data() + segment.size();
    const auto [rest, error] = std::from_chars(segment.data(), end, index);
    if (error == std::errc{} && rest == end && index < list.items.size()) return &list.items[index];
    return nullptr;
}

std::vector<std::string> item_names(const Value& list) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < list.items.size(); ++i) {
        const Value* name = list.items[i].find("name");
        names.push_back(name == nullptr ? std::to_string(i) : name->text);
    }
    return names;
}

std::vector<std::string> split_path(const std::string& path) {
    std::vector<std::string> out;
    std::size_t start = 0;
    for (std::size_t dot = 0; dot != std::string::npos; start = dot + 1) {
        dot = path.find('.', start);
        out.push_back(path.substr(start, dot == std::string::npos ? dot : dot - start));
    }
    return out;
}

}  // namespace

Value load_with_bases(const std::string& path, Problems& problems) {
    std::vector<std::string> chain;
    return load_chain(path, chain, Place{path}, problems);
}

void apply_set(Value& document, const std::string& assignment, Problems& problems) {
    const Place place{"--set " + printable(assignment, 120)};
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0) {
        problems.add(place, "", "needs the form key.path=value");
        return;
    }
    const std::string path = assignment.substr(0, equals);
    const std::vector<std::string> segments = split_path(path);
    if (segments.size() > 12 || std::find(segments.begin(), segments.end(), "") != segments.end()) {
        problems.add(place, "", fmt::format("'{}' is not a key path", printable(path)));
        return;
    }
    const std::size_t before = problems.list().size();
    const std::string text = assignment.substr(equals + 1);
    Value value;
    value.origin = Origin::set;
    if (text.find_first_not_of(" \t") != std::string::npos)
        value = parse_yaml(text + "\n", place.file, Origin::set, problems);
    if (problems.list().size() != before) return;
    const auto forget_lines = [&place](auto&& self, Value& v) -> void {
        v.place = place;
        for (Value::Entry& e : v.entries) {
            e.key_place = place;
            self(self, e.value);
        }
        for (Value& item : v.items) self(self, item);
    };
    forget_lines(forget_lines, value);

    Value* here = &document;
    for (std::size_t i = 0; i < segments.size(); ++i) {
        const bool last = i + 1 == segments.size();
        if (here->kind == Value::Kind::list) {
            Value* item = find_item(*here, segments[i]);
            if (item == nullptr) {
                problems.add(place, path,
                             fmt::format("no item '{}' in the list (there are: {})",
                                         printable(segments[i]), joined(item_names(*here))));
                return;
            }
            if (last) {
                *item = std::move(value);
                return;
            }
            here = item;
        } else if (here->kind == Value::Kind::map || here->kind == Value::Kind::nothing) {
            here->kind = Value::Kind::map;
            Value* next = here->find(segments[i]);
            if (last) {
                here->put(segments[i], place, std::move(value));
                return;
            }
            if (next == nullptr) {
                Value made;
                made.kind = Value::Kind::map;
                made.place = place;
                made.origin = Origin::set;
                next = &here->put(segments[i], place, std::move(made));
            }
            here = next;
        } else {
            problems.add(place, path,
                         fmt::format("there are no keys below '{}'", printable(segments[i - 1])));
            return;
        }
    }
}

}  // namespace nicsim::scenarios
