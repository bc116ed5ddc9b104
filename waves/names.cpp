// SPDX-License-Identifier: Apache-2.0
#include "waves/names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <regex>

#include "waves/pattern.h"

namespace nicsim::waves {
namespace {

std::pair<std::string, std::string> split_rule(const std::string& rule, const char* form) {
    const auto equals = rule.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == rule.size())
        throw WaveError(fmt::format("'{}' is not a name rule: it has the form {}", rule, form));
    return {rule.substr(0, equals), rule.substr(equals + 1)};
}

/// The glob with its wildcards replaced in order.
std::string substitute(const std::string& glob, const std::vector<std::string>& captures) {
    std::string result;
    std::size_t used = 0;
    for (std::size_t i = 0; i < glob.size(); ++i) {
        if (glob[i] != '*' && glob[i] != '?') {
            result += glob[i];
            continue;
        }
        if (glob[i] == '*' && i + 1 < glob.size() && glob[i + 1] == '*') ++i;
        if (used == captures.size())
            throw WaveError(
                fmt::format("the name rule '{}' has more wildcards on its left side", glob));
        result += captures[used++];
    }
    return result;
}

class Renamer {
public:
    Renamer(const NameRules& rules, unsigned side)
        : strip_(side == 0 ? rules.strip_a : rules.strip_b) {
        for (std::string& prefix : strip_)
            if (!prefix.empty() && prefix.back() != '.') prefix += '.';
        if (side == 0) return;
        for (const auto& rule : rules.map)
            globs_.push_back(split_rule(rule, "A-PATTERN=B-PATTERN"));
        for (const auto& rule : rules.map_regex) {
            const auto [regex, replacement] = split_rule(rule, "REGEX=REPLACEMENT");
            try {
                regexes_.emplace_back(std::regex(regex), replacement);
            } catch (const std::regex_error& error) {
                throw WaveError(
                    fmt::format("'{}' is not a regular expression: {}", regex, error.what()));
            }
        }
    }

    [[nodiscard]] std::string operator()(const std::string& path) const {
        std::string name = path;
        for (const std::string& prefix : strip_) {
            if (!name.starts_with(prefix)) continue;
            name.erase(0, prefix.size());
            break;
        }
        std::vector<std::string> captures;
        for (const auto& [to, from] : globs_)
            if (glob_match(from, name, &captures)) return substitute(to, captures);
        // std::regex recurses per character, so absurdly long names are left alone.
        if (name.size() > 4096) return name;
        for (const auto& [regex, replacement] : regexes_)
            if (std::regex_search(name, regex)) return std::regex_replace(name, regex, replacement);
        return name;
    }

private:
    std::vector<std::string> strip_;
    std::vector<std::pair<std::string, std::string>> globs_;
    std::vector<std::pair<std::regex, std::string>> regexes_;
};

using NameMap = std::map<std::string, const Signal*, std::less<>>;

NameMap name_map(const WaveReader& reader, unsigned side, const NameRules& rules) {
    const Renamer rename(rules, side);
    NameMap names;
    // Of several signals of one name (a port and its net) the first counts.
    for (const Signal& signal : reader.signals()) names.emplace(rename(signal.path), &signal);
    return names;
}

/// The single bits that make up `vector`, most significant first; empty if one is missing.
std::vector<const Signal*> split_bits(const std::string& name, const Signal& vector,
                                      const NameMap& other) {
    std::vector<const Signal*> bits;
    const int msb = vector.ranged ? vector.msb : static_cast<int>(vector.width) - 1;
    const int lsb = vector.ranged ? vector.lsb : 0;
    const int step = msb >= lsb ? -1 : 1;
    for (std::uint32_t i = 0; i < vector.width; ++i) {
        const auto found =
            other.find(fmt::format("{}[{}]", name, msb + step * static_cast<int>(i)));
        if (found == other.end() || found->second->width != 1 || found->second->kind != Kind::bits)
            return {};
        bits.push_back(found->second);
    }
    return bits;
}

class Pairer {
public:
    Pairer(const WaveReader& a, const WaveReader& b, const NameRules& rules)
        : include_(rules.include), ignore_(rules.ignore), ignoring_(!rules.ignore.empty()) {
        names_[0] = name_map(a, 0, rules);
        names_[1] = name_map(b, 1, rules);
    }

    Pairing run() {
        for (const auto& [name, signal] : names_[0]) {
            if (const auto other = names_[1].find(name); other != names_[1].end())
                whole(name, *signal, *other->second);
        }
        for (const unsigned side : {0U, 1U}) joined(side);
        for (const unsigned side : {0U, 1U}) {
            for (const auto& [name, signal] : names_[side]) {
                if (used_[side].count(name) == 0 && wanted(name))
                    result_.only_in[side].push_back(name);
            }
        }
        std::sort(result_.pairs.begin(), result_.pairs.end(),
                  [](const PairedSignal& x, const PairedSignal& y) { return x.name < y.name; });
        return std::move(result_);
    }

private:
    [[nodiscard]] bool wanted(const std::string& name) const {
        return include_.matches(name) && !(ignoring_ && ignore_.matches(name));
    }

    void whole(const std::string& name, const Signal& a, const Signal& b) {
        used_[0][name] = used_[1][name] = true;
        if (!wanted(name)) return;
        if (a.kind != b.kind) {
            result_.notes.push_back(fmt::format("{} is {} in A and {} in B: not compared", name,
                                                name_of(a.kind), name_of(b.kind)));
            return;
        }
        PairedSignal pair;
        pair.name = name;
        pair.kind = a.kind;
        pair.width = std::max(a.width, b.width);
        if (a.width != b.width)
            result_.notes.push_back(
                fmt::format("{} has {} bits in A and {} in B: compared as "
                            "unsigned numbers",
                            name, a.width, b.width));
        pair.side[0].push_back({a.handle, pair.width - a.width, a.width});
        pair.side[1].push_back({b.handle, pair.width - b.width, b.width});
        result_.pairs.push_back(std::move(pair));
    }

    /// Vectors of one side whose bits are single signals on the other.
    void joined(unsigned side) {
        for (const auto& [name, signal] : names_[side]) {
            if (signal->kind != Kind::bits || signal->width < 2) continue;
            if (used_[side].count(name) != 0 || !wanted(name)) continue;
            const auto bits = split_bits(name, *signal, names_[1 - side]);
            if (bits.empty()) continue;
            PairedSignal pair;
            pair.name = name;
            pair.width = signal->width;
            pair.side[side].push_back({signal->handle, 0, signal->width});
            for (std::uint32_t i = 0; i < bits.size(); ++i)
                pair.side[1 - side].push_back({bits[i]->handle, i, 1});
            used_[side][name] = true;
            const std::string base = name + "[";
            for (auto at = names_[1 - side].lower_bound(base);
                 at != names_[1 - side].end() && at->first.starts_with(base); ++at)
                used_[1 - side][at->first] = true;
            result_.pairs.push_back(std::move(pair));
        }
    }

    Pattern include_;
    Pattern ignore_;
    bool ignoring_;
    NameMap names_[2];
    std::map<std::string, bool> used_[2];
    Pairing result_;
};

}  // namespace

Pairing pair_signals(const WaveReader& a, const WaveReader& b, const NameRules& rules) {
    Pairing pairing = Pairer(a, b, rules).run();
    if (pairing.pairs.empty()) {
        const auto some = [](std::vector<std::string> names) {
            if (names.size() > 3) names.resize(3);
            return names.empty() ? std::string("none") : fmt::format("{}", fmt::join(names, ", "));
        };
        throw WaveError(
            fmt::format("no signal to compare: of those asked for, only in {}: {}; only "
                        "in {}: {}. Name rules (strip, map) bring names together",
                        a.file(), some(pairing.only_in[0]), b.file(), some(pairing.only_in[1])));
    }
    return pairing;
}

const Signal& find_common(const WaveReader& reader, unsigned side, const NameRules& rules,
                          const std::string& name) {
    const NameMap names = name_map(reader, side, rules);
    if (const auto found = names.find(name); found != names.end()) return *found->second;
    for (const Signal& signal : reader.signals())
        if (signal.path == name || signal.full_name() == name) return signal;
    std::vector<std::string> all;
    for (const auto& [known, signal] : names) all.push_back(known);
    throw WaveError(
        fmt::format("{}: there is no signal '{}'{}", reader.file(), name, nearest_hint(name, all)));
}

}  // namespace nicsim::waves
