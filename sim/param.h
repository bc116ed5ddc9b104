// SPDX-License-Identifier: Apache-2.0
// Declared parameters: name, type, unit, default, range, sentence and source, said once.
// Schema, documentation, `nicsim params` and every check are made from these declarations.
//
//   struct LinkConfig {
//       std::uint64_t width = 1;
//       static const sim::ParamTable& params();
//   };
//   const sim::ParamTable& LinkConfig::params() {
//       static const sim::ParamTable table = sim::ParamTableBuilder<LinkConfig>()
//           .add("width", &LinkConfig::width,
//                {.min = 1, .max = 16, .sentence = "Lanes of the link.",
//                 .source = sim::datasheet("PCIe Base Specification 3.1, 4.2")})
//           .build();
//       return table;
//   }
//
// Member types: bool, std::uint64_t, double, std::string, enumerations (with their names),
// std::vector<std::uint64_t>, and std::vector<std::string> (a list of names out of some). Times are
// std::uint64_t picoseconds, rates std::uint64_t bit/s, ...
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sim/units.h"

namespace nicsim::sim {

/// Where a value comes from.
enum class SourceKind { datasheet, driver, measured, calibrated, assumed };
struct Source {
    SourceKind kind = SourceKind::assumed;
    std::string text;  ///< document and section, file and symbol, who measured, which record, why
};
inline Source datasheet(std::string text) {
    return {SourceKind::datasheet, std::move(text)};
}
inline Source driver(std::string text) {
    return {SourceKind::driver, std::move(text)};
}
inline Source measured(std::string text) {
    return {SourceKind::measured, std::move(text)};
}
inline Source calibrated(std::string text) {
    return {SourceKind::calibrated, std::move(text)};
}
inline Source assumed(std::string text) {
    return {SourceKind::assumed, std::move(text)};
}
const char* name_of(SourceKind kind);

enum class ParamType { boolean, integer, real, text, choice, integer_list, choice_list };

using ParamValue = std::variant<bool, std::uint64_t, double, std::string,
                                std::vector<std::uint64_t>, std::vector<std::string>>;

/// Empty, or what is wrong with a text and what is allowed.
using TextCheck = std::string (*)(const std::string&);

/// One declaration, independent of the structure it belongs to.
struct ParamDecl {
    std::string name;
    ParamType type = ParamType::integer;
    Unit unit = Unit::none;
    ParamValue default_value;          ///< a choice is held as its name
    std::optional<double> min, max;    ///< of the number, or of each number of a list
    std::vector<double> allowed;       ///< if not empty, the only numbers allowed
    std::vector<std::string> choices;  ///< names of a choice or of a list of them, in order
    std::size_t min_items = 0;         ///< of a list
    std::size_t max_items = 0;         ///< of a list; 0 for a scalar
    TextCheck text_check = nullptr;    ///< of a text; null: any text is right
    std::string sentence;
    Source source;
    std::function<ParamValue(const void*)> get;
    std::function<void(void*, const ParamValue&)> set;  ///< `value` has passed the checks
};

using ParamTable = std::vector<ParamDecl>;

/// What a declaration says beside name and member.
struct ParamSpec {
    Unit unit = Unit::none;
    std::optional<double> min = std::nullopt;
    std::optional<double> max = std::nullopt;
    std::vector<double> allowed = {};
    std::size_t min_items = 0;
    std::size_t max_items = 0;
    TextCheck text_check = nullptr;
    std::string sentence = {};
    Source source = {};
};

template <class Enum>
using ChoiceNames = std::vector<std::pair<Enum, std::string>>;

template <class T>
class ParamTableBuilder {
public:
    ParamTableBuilder& add(std::string name, bool T::*m, ParamSpec s) {
        return plain(std::move(name), m, ParamType::boolean, std::move(s));
    }
    ParamTableBuilder& add(std::string name, std::uint64_t T::*m, ParamSpec s) {
        return plain(std::move(name), m, ParamType::integer, std::move(s));
    }
    ParamTableBuilder& add(std::string name, double T::*m, ParamSpec s) {
        return plain(std::move(name), m, ParamType::real, std::move(s));
    }
    ParamTableBuilder& add(std::string name, std::string T::*m, ParamSpec s) {
        return plain(std::move(name), m, ParamType::text, std::move(s));
    }
    ParamTableBuilder& add(std::string name, std::vector<std::uint64_t> T::*m, ParamSpec s) {
        return plain(std::move(name), m, ParamType::integer_list, std::move(s));
    }
    template <class Enum>
    ParamTableBuilder& add_choice(std::string name, Enum T::*m, ChoiceNames<Enum> names,
                                  ParamSpec s) {
        ParamDecl d = common(std::move(name), ParamType::choice, std::move(s));
        for (const auto& [value, text] : names) d.choices.push_back(text);
        d.get = [m, names](const void* object) -> ParamValue {
            for (const auto& [value, text] : names)
                if (value == static_cast<const T*>(object)->*m) return text;
            return std::string("?");
        };
        d.set = [m, names](void* object, const ParamValue& v) {
            for (const auto& [value, text] : names)
                if (text == std::get<std::string>(v)) static_cast<T*>(object)->*m = value;
        };
        return finish(std::move(d));
    }
    /// A list of different names out of `names`.
    ParamTableBuilder& add_choice_list(std::string name, std::vector<std::string> T::*m,
                                       std::vector<std::string> names, ParamSpec s) {
        s.max_items = names.size();
        plain(std::move(name), m, ParamType::choice_list, std::move(s));
        table_.back().choices = std::move(names);
        return *this;
    }
    [[nodiscard]] ParamTable build() { return std::move(table_); }

private:
    static ParamDecl common(std::string name, ParamType type, ParamSpec s) {
        ParamDecl d;
        d.name = std::move(name);
        d.type = type;
        d.unit = s.unit;
        d.min = s.min;
        d.max = s.max;
        d.allowed = std::move(s.allowed);
        d.min_items = s.min_items;
        d.max_items = s.max_items;
        d.text_check = s.text_check;
        d.sentence = std::move(s.sentence);
        d.source = std::move(s.source);
        return d;
    }
    template <class M>
    ParamTableBuilder& plain(std::string name, M T::*m, ParamType type, ParamSpec s) {
        ParamDecl d = common(std::move(name), type, std::move(s));
        d.get = [m](const void* object) -> ParamValue { return static_cast<const T*>(object)->*m; };
        d.set = [m](void* object, const ParamValue& v) {
            static_cast<T*>(object)->*m = std::get<M>(v);
        };
        return finish(std::move(d));
    }
    ParamTableBuilder& finish(ParamDecl d) {
        const T defaults{};
        d.default_value = d.get(&defaults);
        table_.push_back(std::move(d));
        return *this;
    }

    ParamTable table_;
};

/// Checks a value against range, allowed numbers, choices and item count. Returns an empty string
/// or what is wrong and what is allowed (without the place, which the caller knows).
std::string check_value(const ParamDecl& decl, const ParamValue& value);

/// The value as a user would write it (`6KiB`, `[8KiB, 8KiB, 4KiB, 4KiB]`, `true`).
std::string format_value(const ParamDecl& decl, const ParamValue& value);

/// The declaration with this name, or null.
const ParamDecl* find_param(const ParamTable& table, const std::string& name);

}  // namespace nicsim::sim
