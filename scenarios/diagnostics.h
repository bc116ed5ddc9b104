// SPDX-License-Identifier: Apache-2.0
// What is wrong with a scenario: where, which key, what, and what is allowed. Problems are
// collected so that a user sees all of them at once.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace nicsim::scenarios {

/// Where a value was written. Line and column count from 1; 0 when there is none.
struct Place {
    std::string file;  ///< path as the user gave it, or `--set key=value`
    int line = 0;
    int column = 0;
    bool operator==(const Place&) const = default;
};
/// `file:line:column`
std::string text_of(const Place& place);

/// To standard error, at once. One that cannot be written - closed, full, a terminal that is gone -
/// changes nothing: the exit code says the same.
void say(const std::string& text);

struct Problem {
    Place place;
    std::string path;  ///< dotted key path; empty for the file as a whole
    std::string message;
};

class Problems {
public:
    void add(Place place, std::string path, std::string message) {
        list_.push_back({std::move(place), std::move(path), std::move(message)});
    }
    [[nodiscard]] bool empty() const { return list_.empty(); }
    [[nodiscard]] const std::vector<Problem>& list() const { return list_; }
    /// One line per problem, at most twenty of them.
    [[nodiscard]] std::string text() const;

private:
    std::vector<Problem> list_;
};

/// Bad input from the user: exit code 2, the text is all that is shown.
class InputError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The name that is the fewest edits away, if it is near enough to be meant; else empty.
std::string nearest_name(const std::string& name, const std::vector<std::string>& known);

/// `a, b, c`
std::string joined(const std::vector<std::string>& parts, const std::string& separator = ", ");

/// Text from a user made safe for a terminal: control characters replaced, cut when long.
std::string printable(const std::string& text, std::size_t longest = 60);

}  // namespace nicsim::scenarios
