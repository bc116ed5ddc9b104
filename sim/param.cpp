// SPDX-License-Identifier: Apache-2.0
// Checks and texts that follow from a declaration alone.
#include "sim/param.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace nicsim::sim {
namespace {

std::string number_text(const ParamDecl& decl, double value) {
    return format_quantity(value, decl.unit);
}

std::string joined(const std::vector<std::string>& parts) {
    std::string out;
    for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
    return out;
}

std::string allowed_text(const ParamDecl& decl) {
    if (!decl.allowed.empty()) {
        std::vector<std::string> texts;
        for (const double number : decl.allowed) texts.push_back(number_text(decl, number));
        return joined(texts);
    }
    if (decl.min && decl.max)
        return number_text(decl, *decl.min) + " to " + number_text(decl, *decl.max);
    if (decl.min) return number_text(decl, *decl.min) + " or more";
    if (decl.max) return number_text(decl, *decl.max) + " or less";
    return "any";
}

std::string check_number(const ParamDecl& decl, double value) {
    const bool in_range = (!decl.min || value >= *decl.min) && (!decl.max || value <= *decl.max);
    const bool listed = decl.allowed.empty() || std::find(decl.allowed.begin(), decl.allowed.end(),
                                                          value) != decl.allowed.end();
    if (std::isfinite(value) && in_range && listed) return {};
    return fmt::format("{} is not allowed (allowed: {})", number_text(decl, value),
                       allowed_text(decl));
}

std::string check_list(const ParamDecl& decl, const std::vector<std::uint64_t>& list) {
    if (list.size() < decl.min_items || (decl.max_items != 0 && list.size() > decl.max_items)) {
        const std::string wanted = decl.min_items == decl.max_items
                                       ? fmt::format("exactly {}", decl.min_items)
                                       : fmt::format("{} to {}", decl.min_items, decl.max_items);
        return fmt::format("the list has {} items ({} are allowed)", list.size(), wanted);
    }
    for (std::size_t i = 0; i < list.size(); ++i)
        if (std::string bad = check_number(decl, static_cast<double>(list[i])); !bad.empty())
            return fmt::format("item {}: {}", i, bad);
    return {};
}

std::string check_choices(const ParamDecl& decl, const std::vector<std::string>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (std::find(decl.choices.begin(), decl.choices.end(), list[i]) == decl.choices.end())
            return decl.choices.empty()
                       ? fmt::format("'{}' is not allowed (there are none)", list[i])
                       : fmt::format("'{}' is not one of {}", list[i], joined(decl.choices));
        if (std::find(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(i), list[i]) !=
            list.begin() + static_cast<std::ptrdiff_t>(i))
            return fmt::format("'{}' is in the list twice", list[i]);
    }
    return {};
}

bool holds_type(ParamType type, const ParamValue& value) {
    switch (type) {
        case ParamType::boolean:
            return std::holds_alternative<bool>(value);
        case ParamType::integer:
            return std::holds_alternative<std::uint64_t>(value);
        case ParamType::real:
            return std::holds_alternative<double>(value);
        case ParamType::text:
        case ParamType::choice:
            return std::holds_alternative<std::string>(value);
        case ParamType::integer_list:
            return std::holds_alternative<std::vector<std::uint64_t>>(value);
        case ParamType::choice_list:
            return std::holds_alternative<std::vector<std::string>>(value);
    }
    return false;
}

}  // namespace

const char* name_of(SourceKind kind) {
    switch (kind) {
        case SourceKind::datasheet:
            return "datasheet";
        case SourceKind::driver:
            return "driver";
        case SourceKind::measured:
            return "measured";
        case SourceKind::calibrated:
            return "calibrated";
        case SourceKind::assumed:
            return "assumed";
    }
    return "?";
}

std::string check_value(const ParamDecl& decl, const ParamValue& value) {
    if (!holds_type(decl.type, value)) return "the value has the wrong type";
    switch (decl.type) {
        case ParamType::integer:
            return check_number(decl, static_cast<double>(std::get<std::uint64_t>(value)));
        case ParamType::real:
            return check_number(decl, std::get<double>(value));
        case ParamType::integer_list:
            return check_list(decl, std::get<std::vector<std::uint64_t>>(value));
        case ParamType::choice_list:
            return check_choices(decl, std::get<std::vector<std::string>>(value));
        case ParamType::choice: {
            const auto& text = std::get<std::string>(value);
            if (std::find(decl.choices.begin(), decl.choices.end(), text) != decl.choices.end())
                return {};
            return fmt::format("'{}' is not one of {}", text, joined(decl.choices));
        }
        case ParamType::text:
            return decl.text_check == nullptr ? std::string{}
                                              : decl.text_check(std::get<std::string>(value));
        case ParamType::boolean:
            break;
    }
    return {};
}

std::string format_value(const ParamDecl& decl, const ParamValue& value) {
    if (const auto* b = std::get_if<bool>(&value)) return *b ? "true" : "false";
    if (const auto* n = std::get_if<std::uint64_t>(&value))
        return number_text(decl, static_cast<double>(*n));
    if (const auto* d = std::get_if<double>(&value)) return number_text(decl, *d);
    if (const auto* s = std::get_if<std::string>(&value)) return *s;
    if (const auto* names = std::get_if<std::vector<std::string>>(&value))
        return "[" + joined(*names) + "]";
    std::vector<std::string> texts;
    for (const std::uint64_t n : std::get<std::vector<std::uint64_t>>(value))
        texts.push_back(number_text(decl, static_cast<double>(n)));
    return "[" + joined(texts) + "]";
}

const ParamDecl* find_param(const ParamTable& table, const std::string& name) {
    for (const ParamDecl& decl : table)
        if (decl.name == name) return &decl;
    return nullptr;
}

}  // namespace nicsim::sim
