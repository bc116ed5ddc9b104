// SPDX-License-Identifier: Apache-2.0
// JSON Schema checks shape, names, choices, units and plain ranges. Ranges of quantities with a
// unit and rules over several values are checked by nicsim itself.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "scenarios/schema.h"

namespace nicsim::scenarios {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* number_pattern = R"([+]?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?)";

std::string suffix_pattern(sim::Unit unit) {
    std::string suffixes = unit == sim::Unit::ratio ? "%" : sim::allowed_suffixes(unit);
    std::string out;
    for (std::size_t i = 0; i < suffixes.size(); ++i) {
        if (suffixes[i] == ' ') continue;
        out += suffixes[i] == ',' ? '|' : suffixes[i];
    }
    return fmt::format("^{}[ ]?({})$", number_pattern, out);
}

Json number_schema(const sim::ParamDecl& decl) {
    Json plain;
    plain["type"] = decl.type == sim::ParamType::real ? "number" : "integer";
    if (decl.unit == sim::Unit::none || decl.unit == sim::Unit::ratio) {
        if (!decl.allowed.empty()) {
            plain = Json{{"enum", decl.allowed}};
            if (decl.type != sim::ParamType::real) {
                plain["enum"] = Json::array();
                for (const double v : decl.allowed)
                    plain["enum"].push_back(static_cast<std::uint64_t>(v));
            }
            return plain;
        }
        const bool whole = decl.type != sim::ParamType::real;
        if (decl.min)
            plain["minimum"] =
                whole ? Json(static_cast<std::uint64_t>(*decl.min)) : Json(*decl.min);
        else if (whole)
            plain["minimum"] = 0;
        if (decl.max)
            plain["maximum"] =
                whole ? Json(static_cast<std::uint64_t>(*decl.max)) : Json(*decl.max);
        if (decl.unit == sim::Unit::none) return plain;
    } else {
        plain = Json{{"const", 0}};
    }
    const Json text{{"type", "string"}, {"pattern", suffix_pattern(decl.unit)}};
    return Json{{"anyOf", Json::array({text, plain})}};
}

Json param_schema(const sim::ParamDecl& decl) {
    Json out;
    switch (decl.type) {
        case sim::ParamType::boolean:
            out["type"] = "boolean";
            break;
        case sim::ParamType::integer:
        case sim::ParamType::real:
            out = number_schema(decl);
            break;
        case sim::ParamType::text:
            out["type"] = Json::array({"string", "number", "boolean"});
            break;
        case sim::ParamType::choice:
            out["enum"] = decl.choices;
            break;
        case sim::ParamType::integer_list:
            out["type"] = "array";
            out["items"] = number_schema(decl);
            out["minItems"] = decl.min_items;
            if (decl.max_items != 0) out["maxItems"] = decl.max_items;
            break;
        case sim::ParamType::choice_list:
            out["type"] = "array";
            out["items"] = Json{{"enum", decl.choices}};
            out["uniqueItems"] = true;
            break;
    }
    out["description"] = fmt::format("{} Default {}. Allowed: {}.", decl.sentence,
                                     sim::format_value(decl, decl.default_value), range_text(decl));
    return out;
}

class Writer {
public:
    Json block(const Block& grammar, const std::string& type) {
        Json out{{"type", "object"}, {"additionalProperties", false}};
        Json& properties = out["properties"] = Json::object();
        Json required = Json::array();
        if (!type.empty()) {
            properties["type"] = Json{{"const", type}};
            required.push_back("type");
        }
        for (const sim::ParamTable* table : grammar.params)
            for (const sim::ParamDecl& decl : *table) properties[decl.name] = param_schema(decl);
        for (const Field& f : grammar.fields) {
            properties[f.name] = field(f);
            properties[f.name]["description"] = f.sentence;
            if (f.required) required.push_back(f.name);
        }
        if (!required.empty()) out["required"] = required;
        return out;
    }
    Json definitions = Json::object();

private:
    Json field(const Field& f) {
        switch (f.kind) {
            case Field::Kind::block: {
                Json out = block(*f.block, "");
                if (!f.profiles.empty()) {
                    out["properties"]["profile"] = Json{
                        {"type", "string"},
                        {"description", "Name of a shipped profile that these keys override."}};
                }
                return out;
            }
            case Field::Kind::choice:
                return one_of(f);
            case Field::Kind::list:
                return Json{
                    {"type", "array"}, {"items", block(*f.block, "")}, {"maxItems", f.max_items}};
            case Field::Kind::choices:
                return Json{{"type", "array"}, {"items", one_of(f)}, {"maxItems", f.max_items}};
        }
        return {};
    }
    Json one_of(const Field& f) {
        Json options = Json::array();
        for (const Alternative& a : f.alternatives) {
            const std::string name = f.name + "." + a.name;
            if (!definitions.contains(name)) {
                definitions[name] = Json::object();  // ends the recursion of nested choices
                Json made = block(*a.block, a.name);
                made["description"] = a.sentence;
                definitions[name] = std::move(made);
            }
            options.push_back(Json{{"$ref", "#/$defs/" + name}});
        }
        return Json{{"type", "object"}, {"required", Json::array({"type"})}, {"oneOf", options}};
    }
};

}  // namespace

std::string range_text(const sim::ParamDecl& decl) {
    const auto number = [&decl](double v) { return sim::format_quantity(v, decl.unit); };
    switch (decl.type) {
        case sim::ParamType::boolean:
            return "true, false";
        case sim::ParamType::choice:
            return joined(decl.choices);
        case sim::ParamType::choice_list:
            return decl.choices.empty() ? "an empty list" : "some of " + joined(decl.choices);
        case sim::ParamType::text:
            return "text";
        default:
            break;
    }
    std::string range;
    if (!decl.allowed.empty()) {
        std::vector<std::string> texts;
        for (const double v : decl.allowed) texts.push_back(number(v));
        range = joined(texts);
    } else if (decl.min && decl.max) {
        range = number(*decl.min) + " to " + number(*decl.max);
    } else if (decl.min) {
        range = number(*decl.min) + " or more";
    } else if (decl.max) {
        range = (decl.type == sim::ParamType::real ? "up to " : "0 to ") + number(*decl.max);
    } else {
        range = decl.type == sim::ParamType::real ? "any number" : "0 or more";
    }
    if (decl.type != sim::ParamType::integer_list) return range;
    if (decl.max_items == 0) return "list of " + range;
    if (decl.min_items == decl.max_items) return fmt::format("{} x {}", decl.max_items, range);
    return fmt::format("{} to {} x {}", decl.min_items, decl.max_items, range);
}

std::string json_schema(const Block& grammar) {
    Writer writer;
    Json root = writer.block(grammar, "");
    Json out;
    out["$schema"] = "https://json-schema.org/draft/2020-12/schema";
    out["title"] = "nicsim scenario";
    out["description"] = "Generated by `nicsim schema`. Do not edit.";
    for (auto& [key, value] : root.items()) out[key] = value;
    out["properties"]["base"] = Json{
        {"type", "string"},
        {"description", "Path of a scenario file, relative to this one, that this overrides."}};
    // A file with a base may leave what is required to it.
    if (out.contains("required")) {
        const Json required = out["required"];
        out.erase("required");
        out["if"] = Json{{"not", Json{{"required", Json::array({"base"})}}}};
        out["then"] = Json{{"required", required}};
    }
    out["$defs"] = writer.definitions;
    return out.dump(1) + "\n";
}

}  // namespace nicsim::scenarios
