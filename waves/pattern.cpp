// SPDX-License-Identifier: Apache-2.0
#include "waves/pattern.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace nicsim::waves {
namespace {

struct Wildcard {
    std::size_t glob = std::string_view::npos;  ///< position behind the wildcard
    std::size_t path = 0;                       ///< where what it stands for ends
    std::size_t capture = 0;
};

/// Wildcards are tried shortest first. One retry point per kind is enough: a later `**` makes what
/// came before irrelevant, and a later `*` can only fail where an earlier `**` can still grow.
class Matcher {
public:
    Matcher(std::string_view glob, std::string_view path) : glob_(glob), path_(path) {}

    bool run() {
        while (true) {
            if (g_ == glob_.size() && p_ == path_.size()) return true;
            if (step()) continue;
            if (!retry()) return false;
        }
    }
    [[nodiscard]] const std::vector<std::pair<std::size_t, std::size_t>>& spans() const {
        return spans_;
    }

private:
    bool step() {
        if (g_ == glob_.size()) return false;
        if (glob_[g_] == '*') {
            const bool deep = g_ + 1 < glob_.size() && glob_[g_ + 1] == '*';
            g_ += deep ? 2 : 1;
            (deep ? deep_ : flat_) = {g_, p_, spans_.size()};
            if (deep) flat_ = {};
            spans_.emplace_back(p_, 0);
            return true;
        }
        if (p_ == path_.size()) return false;
        if (glob_[g_] == '?' ? path_[p_] == '.' : glob_[g_] != path_[p_]) return false;
        if (glob_[g_] == '?') spans_.emplace_back(p_, 1);
        ++g_;
        ++p_;
        return true;
    }
    bool grow(Wildcard& w, bool over_levels) {
        if (w.glob == std::string_view::npos || w.path >= path_.size()) return false;
        if (!over_levels && path_[w.path] == '.') return false;
        g_ = w.glob;
        p_ = ++w.path;
        spans_.resize(w.capture + 1);
        spans_[w.capture].second = p_ - spans_[w.capture].first;
        return true;
    }
    bool retry() {
        if (grow(flat_, false)) return true;
        flat_ = {};
        return grow(deep_, true);
    }

    std::string_view glob_;
    std::string_view path_;
    std::size_t g_ = 0;
    std::size_t p_ = 0;
    Wildcard flat_;
    Wildcard deep_;
    std::vector<std::pair<std::size_t, std::size_t>> spans_;
};

/// The pattern matches the path, or a scope that the path is in.
bool matches_or_contains(std::string_view glob, std::string_view path) {
    for (auto end = path.size(); end != std::string_view::npos && end != 0;
         end = path.rfind('.', end - 1)) {
        if (glob_match(glob, path.substr(0, end))) return true;
    }
    return glob_match(glob, path);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

}  // namespace

bool glob_match(std::string_view glob, std::string_view path, std::vector<std::string>* captures) {
    Matcher matcher(glob, path);
    if (!matcher.run()) return false;
    if (captures != nullptr) {
        captures->clear();
        for (const auto& [from, length] : matcher.spans())
            captures->emplace_back(path.substr(from, length));
    }
    return true;
}

Pattern::Pattern(std::string_view text) : text_(text) {
    while (!text.empty()) {
        const auto comma = std::min(text.find(','), text.size());
        if (comma > 0) alternatives_.emplace_back(text.substr(0, comma));
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
}

bool Pattern::matches(std::string_view path) const {
    if (alternatives_.empty()) return true;
    return std::any_of(alternatives_.begin(), alternatives_.end(),
                       [&](const std::string& glob) { return matches_or_contains(glob, path); });
}

std::vector<std::string> nearest_names(std::string_view wanted,
                                       const std::vector<std::string>& names, std::size_t count) {
    // Wildcards say nothing about likeness. Long lists and names are cut: this is only a hint.
    std::string key;
    for (const char c : wanted.substr(0, 200))
        if (c != '*' && c != '?') key += c;
    std::vector<std::pair<std::size_t, std::size_t>> ranked;
    for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 20'000); ++i) {
        std::string_view name = std::string_view(names[i]).substr(0, 200);
        if (key.find('[') == std::string::npos) name = name.substr(0, name.rfind('['));
        std::size_t distance = edit_distance(key, name);
        if (name.find(key) != std::string_view::npos) distance = name.size() - key.size();
        // The last part of a path says most.
        const auto leaf = key.substr(std::min(key.size(), key.rfind('.') + 1));
        if (!leaf.empty() && name.size() >= leaf.size() &&
            name.substr(name.size() - leaf.size()) == leaf)
            distance /= 2;
        ranked.emplace_back(distance, i);
    }
    count = std::min(count, ranked.size());
    std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(count),
                      ranked.end());
    std::vector<std::string> result;
    for (std::size_t i = 0; i < count; ++i) result.push_back(names[ranked[i].second]);
    return result;
}

std::string nearest_hint(std::string_view wanted, const std::vector<std::string>& names) {
    const auto nearest = nearest_names(wanted, names);
    if (nearest.empty()) return "; there are no signals at all";
    return fmt::format("; the nearest are: {}", fmt::join(nearest, ", "));
}

}  // namespace nicsim::waves
