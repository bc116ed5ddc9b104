// SPDX-License-Identifier: Apache-2.0
// Patterns over dotted paths, and the names nearest to one that matched nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nicsim::waves {

/// `*` stands for any text within one level, `**` for any text over levels, `?` for one character.
/// Brackets are plain characters, since signal names have them. A pattern that matches a scope
/// matches all that is below it: `nic.tx` and `nic.*` both match `nic.tx.queue0.fill`. Comma
/// separates alternatives. The empty pattern matches everything.
class Pattern {
public:
    explicit Pattern(std::string_view text = {});
    [[nodiscard]] bool matches(std::string_view path) const;
    [[nodiscard]] const std::string& text() const { return text_; }

private:
    std::string text_;
    std::vector<std::string> alternatives_;
};

/// Whether one glob matches the whole of `path`; `captures` gets what each wildcard stood for.
bool glob_match(std::string_view glob, std::string_view path,
                std::vector<std::string>* captures = nullptr);

/// Up to `count` of `names`, the most alike first.
std::vector<std::string> nearest_names(std::string_view wanted,
                                       const std::vector<std::string>& names,
                                       std::size_t count = 5);

/// `; the nearest are: a, b, c` or ``; for the end of an error message.
std::string nearest_hint(std::string_view wanted, const std::vector<std::string>& names);

}  // namespace nicsim::waves
