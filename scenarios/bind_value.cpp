// SPDX-License-Identifier: Apache-2.0
// From the text of a scenario to the value of one parameter.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scenarios/bound.h"
#include "scenarios/schema.h"

namespace nicsim::scenarios {
namespace {

constexpr double largest = 9.2e18;  // base units; below 2^63

/// A whole, non-negative number of base units; a message otherwise.
std::string whole_number(const sim::ParamDecl& decl, const Value& v, std::uint64_t& out) {
    if (v.kind != Value::Kind::scalar)
        return fmt::format("needs a number, not {} (allowed: {})", describe(v), range_text(decl));
    const sim::QuantityResult result = sim::parse_quantity(v.text, decl.unit);
    if (const auto* bad = std::get_if<sim::QuantityError>(&result))
        return fmt::format("{}; the range is {}", bad->message, range_text(decl));
    const double number = std::get<double>(result);
    if (number < 0.0 || number > largest)
        return fmt::format("'{}' is out of range (allowed: {})", printable(v.text),
                           range_text(decl));
    if (number != std::floor(number))
        return fmt::format("'{}' is not a whole number{}{}", printable(v.text),
                           decl.unit == sim::Unit::none ? "" : " of ",
                           sim::base_unit_name(decl.unit));
    out = static_cast<std::uint64_t>(number);
    return {};
}

std::string bind_scalar(const sim::ParamDecl& decl, const Value& v, sim::ParamValue& out) {
    switch (decl.type) {
        case sim::ParamType::boolean: {
            const bool yes = v.text == "true";
            if (v.kind != Value::Kind::scalar || (!yes && v.text != "false"))
                return fmt::format("needs true or false, not {}", describe(v));
            out = yes;
            return {};
        }
        case sim::ParamType::integer: {
            std::uint64_t number = 0;
            if (std::string bad = whole_number(decl, v, number); !bad.empty()) return bad;
            out = number;
            return {};
        }
        case sim::ParamType::real: {
            if (v.kind != Value::Kind::scalar)
                return fmt::format("needs a number, not {}", describe(v));
            const sim::QuantityResult result = sim::parse_quantity(v.text, decl.unit);
            if (const auto* bad = std::get_if<sim::QuantityError>(&result))
                return fmt::format("{}; the range is {}", bad->message, range_text(decl));
            out = std::get<double>(result);
            return {};
        }
        case sim::ParamType::text:
        case sim::ParamType::choice:
            if (v.kind != Value::Kind::scalar)
                return fmt::format(
                    "needs {}, not {}",
                    decl.choices.empty() ? "a text" : "one of " + joined(decl.choices),
                    describe(v));
            if (v.text.size() > 1000) return "the text is longer than 1000 characters";
            out = v.text;
            return {};
        case sim::ParamType::integer_list:
        case sim::ParamType::choice_list:
            break;
    }
    return "?";
}

std::string bind_list(const sim::ParamDecl& decl, const Value& v, sim::ParamValue& out) {
    const std::string wanted =
        decl.max_items == 0 ? "a list"
        : decl.min_items == decl.max_items
            ? fmt::format("a list of {} values", decl.max_items)
            : fmt::format("a list of {} to {} values", decl.min_items, decl.max_items);
    if (v.kind != Value::Kind::list)
        return fmt::format("needs {} such as {}, not {}", wanted,
                           sim::format_value(decl, decl.default_value), describe(v));
    std::vector<std::uint64_t> list(v.items.size());
    for (std::size_t i = 0; i < list.size(); ++i)
        if (std::string bad = whole_number(decl, v.items[i], list[i]); !bad.empty())
            return fmt::format("item {}: {}", i, bad);
    out = std::move(list);
    return {};
}

std::string bind_names(const sim::ParamDecl& decl, const Value& v, sim::ParamValue& out) {
    if (v.kind != Value::Kind::list)
        return fmt::format("needs a list of names such as [{}], not {}", joined(decl.choices),
                           describe(v));
    std::vector<std::string> names;
    for (const Value& item : v.items) {
        if (item.kind != Value::Kind::scalar)
            return fmt::format("needs names in its list, not {}", describe(item));
        names.push_back(printable(item.text));
    }
    out = std::move(names);
    return {};
}

/// The name that was meant by one that is not known; empty if there is none.
std::string meant(const sim::ParamDecl& decl, const Value& value) {
    if (decl.type == sim::ParamType::choice && value.kind == Value::Kind::scalar)
        return nearest_name(value.text, decl.choices);
    if (decl.type != sim::ParamType::choice_list) return {};
    for (const Value& item : value.items)
        if (std::find(decl.choices.begin(), decl.choices.end(), item.text) == decl.choices.end())
            return nearest_name(item.text, decl.choices);
    return {};
}

}  // namespace

sim::ParamValue bind_value(const sim::ParamDecl& decl, const Value& value, const std::string& path,
                           Problems& problems) {
    sim::ParamValue out = decl.default_value;
    std::string bad = value.kind == Value::Kind::nothing          ? "has no value"
                      : decl.type == sim::ParamType::integer_list ? bind_list(decl, value, out)
                      : decl.type == sim::ParamType::choice_list  ? bind_names(decl, value, out)
                                                                  : bind_scalar(decl, value, out);
    if (bad.empty()) bad = sim::check_value(decl, out);
    if (bad.empty()) return out;
    if (const std::string near = meant(decl, value); !near.empty())
        bad += fmt::format("; did you mean '{}'?", near);
    problems.add(value.place, path, bad);
    return decl.default_value;
}

}  // namespace nicsim::scenarios
