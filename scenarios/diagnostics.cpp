// SPDX-License-Identifier: Apache-2.0
#include "scenarios/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace nicsim::scenarios {
namespace {

std::size_t edit_distance(const std::string& a, const std::string& b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({replaced, above + 1, row[j - 1] + 1});
            diagonal = above;
        }
    }
    return row[b.size()];
}

}  // namespace

void say(const std::string& text) {
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
}

std::string text_of(const Place& place) {
    if (place.line == 0) return place.file;
    return fmt::format("{}:{}:{}", place.file, place.line, place.column);
}

std::string Problems::text() const {
    constexpr std::size_t most = 20;
    std::string out;
    for (std::size_t i = 0; i < list_.size() && i < most; ++i) {
        const Problem& p = list_[i];
        out += text_of(p.place) + ": ";
        if (!p.path.empty()) out += p.path + ": ";
        out += p.message + "\n";
    }
    if (list_.size() > most) out += fmt::format("... and {} more\n", list_.size() - most);
    return out;
}

std::string nearest_name(const std::string& name, const std::vector<std::string>& known) {
    if (name.size() > 200) return {};
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
    for (const std::string& candidate : known) {
        const std::size_t distance = edit_distance(name, candidate);
        if (distance < best_distance) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

std::string joined(const std::vector<std::string>& parts, const std::string& separator) {
    std::string out;
    for (std::size_t i = 0; i < parts.size(); ++i) out += (i == 0 ? "" : separator) + parts[i];
    return out;
}

std::string printable(const std::string& text, std::size_t longest) {
    std::string out;
    for (const char c : text.substr(0, longest))
        out += (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) ? '?' : c;
    if (text.size() > longest) out += "...";
    return out;
}

}  // namespace nicsim::scenarios
