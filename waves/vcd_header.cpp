// SPDX-License-Identifier: Apache-2.0
// The declarations of a VCD file, up to $enddefinitions.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "waves/vcd_reader.h"

namespace nicsim::waves {
namespace {

constexpr std::size_t longest_word = 64 * 1024;
constexpr std::size_t most_words = 256;
constexpr std::size_t deepest_scope = 1024;

bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

Kind kind_of(std::string_view type) {
    if (type == "real" || type == "realtime" || type == "real_parameter" || type == "shortreal")
        return Kind::real;
    if (type == "string") return Kind::string;
    if (type == "event") return Kind::event;
    return Kind::bits;
}

/// The number of a code in base 94, for codes of up to three characters.
std::uint32_t short_code(std::string_view code) {
    std::uint32_t number = 0;
    for (const char c : code) number = number * 94 + static_cast<std::uint32_t>(c - '!') + 1;
    return number;
}

}  // namespace

bool VcdReader::skip_space() {
    while (true) {
        while (window_.at < window_.end && is_space(*window_.at)) ++window_.at;
        if (window_.at < window_.end) return true;
        if (!window_.more()) return false;
    }
}

/// The next word, empty at the end of the file. Valid until the next one.
std::string_view VcdReader::word() {
    if (!skip_space()) return {};
    const char* p = window_.at;
    while (true) {
        while (p < window_.end && !is_space(*p)) ++p;
        const auto length = static_cast<std::size_t>(p - window_.at);
        if (length > longest_word)
            fail(window_.at,
                 fmt::format("a word of more than {} bytes: this is not a VCD file", longest_word));
        if (p < window_.end) break;
        const bool more = window_.more();  // moves the bytes in any case
        p = window_.at + length;
        if (!more) break;
    }
    word_.assign(window_.at, p);
    window_.at = p;
    for (const char c : word_) {
        if (static_cast<unsigned char>(c) < ' ')
            fail(p - word_.size(),
                 fmt::format("byte 0x{:02x} within a word: this is not a text file",
                             static_cast<unsigned char>(c)));
    }
    return word_;
}

std::vector<std::string> VcdReader::words_to_end(std::string_view keyword) {
    const std::uint64_t start = window_.offset(window_.at);
    std::vector<std::string> words;
    while (true) {
        const auto text = word();
        if (text == "$end") return words;
        if (text.empty())
            fail_at(start, fmt::format("the file ends within {}: it is truncated", keyword));
        if (words.size() == most_words)
            fail_at(start, fmt::format("more than {} words in {}: is its $end missing?", most_words,
                                       keyword));
        words.emplace_back(text);
    }
}

/// Comments and what we do not know can be long, and need not be words.
void VcdReader::skip_to_end(std::string_view keyword) {
    const std::uint64_t start = window_.offset(window_.at);
    while (true) {
        const auto text = word();
        if (text == "$end") return;
        if (text.empty())
            fail_at(start, fmt::format("the file ends within {}: it is truncated", keyword));
    }
}

void VcdReader::read_header() {
    while (true) {
        const auto text = word();
        const std::uint64_t place = window_.offset(window_.at) - text.size();
        if (text.empty())
            fail_at(window_.offset(window_.at),
                    "the file ends before $enddefinitions: it is truncated or not a VCD file");
        if (text == "$enddefinitions") {
            words_to_end("$enddefinitions");
            break;
        }
        if (text == "$timescale") {
            read_timescale();
        } else if (text == "$scope") {
            read_scope();
        } else if (text == "$upscope") {
            words_to_end("$upscope");
            if (scopes_.empty()) fail_at(place, "$upscope without an open $scope");
            scopes_.pop_back();
            prefix_.clear();
            for (const auto& scope : scopes_)
                if (!scope.empty()) prefix_ += scope + ".";
        } else if (text == "$var") {
            read_variable();
        } else if (text == "$version") {
            for (const auto& part : words_to_end("$version"))
                version_ += (version_.empty() ? "" : " ") + part;
        } else if (text[0] == '$' && text != "$end") {
            skip_to_end(std::string(text));
        } else {
            fail_at(place, fmt::format("'{}' among the declarations: this is not a VCD file or its "
                                       "$enddefinitions is missing",
                                       text.substr(0, 40)));
        }
    }
    if (!timescale_known_) {
        exponent_ = -9;
        warnings_.emplace_back("no $timescale: 1 ns assumed");
    }
}

void VcdReader::read_timescale() {
    const std::uint64_t start = window_.offset(window_.at);
    std::string text;
    for (const auto& part : words_to_end("$timescale")) text += part;
    static constexpr std::array<std::string_view, 6> units = {"s", "ms", "us", "ns", "ps", "fs"};
    const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto number = std::string_view(text).substr(0, digits);
    const auto unit = std::find(units.begin(), units.end(), std::string_view(text).substr(digits));
    if (unit == units.end() || (number != "1" && number != "10" && number != "100"))
        fail_at(start, fmt::format("$timescale {} is not 1, 10 or 100 of s, ms, us, ns, ps, fs",
                                   text.substr(0, 40)));
    const int exponent =
        static_cast<int>(number.size()) - 1 - 3 * static_cast<int>(unit - units.begin());
    if (timescale_known_ && exponent != exponent_)
        fail_at(start, "a second $timescale contradicts the first");
    exponent_ = exponent;
    timescale_known_ = true;
}

void VcdReader::read_scope() {
    const std::uint64_t start = window_.offset(window_.at);
    const auto words = words_to_end("$scope");
    if (words.empty()) fail_at(start, "$scope without a type and a name");
    if (scopes_.size() == deepest_scope)
        fail_at(start, fmt::format("scopes are nested deeper than {}", deepest_scope));
    std::string name = words.size() > 1 ? words[1] : "";
    for (std::size_t i = 2; i < words.size(); ++i) name += "_" + words[i];
    if (name.size() > 1 && name[0] == '\\') name.erase(0, 1);
    if (prefix_.size() + name.size() > longest_word) fail_at(start, "the path is too long");
    if (!name.empty()) prefix_ += name + ".";
    scopes_.push_back(std::move(name));
}

void VcdReader::read_variable() {
    const std::uint64_t start = window_.offset(window_.at);
    const auto words = words_to_end("$var");
    if (words.size() < 4) fail_at(start, "$var needs a type, a width, an identifier and a name");
    Signal signal;
    signal.kind = kind_of(words[0]);
    std::uint64_t width = 0;
    const auto* width_end = words[1].data() + words[1].size();
    const auto parsed = std::from_chars(words[1].data(), width_end, width);
    if (parsed.ec != std::errc{} || parsed.ptr != width_end || width > max_width)
        fail_at(start, fmt::format("$var {}: the width '{}' is not a number of 1 to {}", words[3],
                                   words[1], max_width));
    // Some simulators give strings, events and empty structures the width 0.
    if (width == 0 && signal.kind == Kind::bits)
        fail_at(start, fmt::format("$var {}: the width is 0", words[3]));
    signal.width = signal.kind == Kind::bits   ? static_cast<unsigned>(width)
                   : signal.kind == Kind::real ? 64
                                               : 0;
    std::string name = words[3];
    if (name.size() > 1 && name[0] == '\\') name.erase(0, 1);
    for (std::size_t i = 4; i < words.size(); ++i) name += " " + words[i];
    signal.path = prefix_;
    set_name_and_range(signal, name);
    for (const char c : words[2]) {
        if (c < '!' || c > '~')
            fail_at(start, fmt::format("$var {}: its identifier has the byte 0x{:02x}", words[3],
                                       static_cast<unsigned char>(c)));
    }
    name_bytes_ += signal.path.size() + sizeof signal;
    if (name_bytes_ > limits_.name_bytes)
        fail_at(start, fmt::format("$var {}: the names take more than {} bytes", words[3],
                                   limits_.name_bytes));
    signal.handle = find_or_add(words[2], {signal.kind, signal.width, true, start});
    const Variable& known = variables_[signal.handle];
    if (known.kind != signal.kind || known.width != signal.width)
        fail_at(start,
                fmt::format("$var {}: identifier {} is declared as {} of {} bits here and as "
                            "{} of {} bits at byte {}",
                            words[3], words[2], name_of(signal.kind), signal.width,
                            name_of(known.kind), known.width, known.declared_at));
    signals_.push_back(std::move(signal));
}

std::uint32_t VcdReader::find_or_add(const std::string& code, const Variable& variable) {
    std::uint32_t known = lookup(code.data(), code.data() + code.size());
    if (known != nobody) return known;
    known = static_cast<std::uint32_t>(variables_.size());
    if (code.size() <= 3) {
        const std::uint32_t number = short_code(code);
        if (number >= short_codes_.size()) short_codes_.resize(number + 1, nobody);
        short_codes_[number] = known;
    } else {
        long_codes_.emplace(code, known);
    }
    variables_.push_back(variable);
    handles_ = known + 1;
    return known;
}

std::uint32_t VcdReader::lookup(const char* from, const char* to) const {
    const std::string_view code(from, static_cast<std::size_t>(to - from));
    if (code.size() <= 3) {
        const std::uint32_t number = short_code(code);
        return number < short_codes_.size() ? short_codes_[number] : nobody;
    }
    const auto found = long_codes_.find(std::string(code));
    return found == long_codes_.end() ? nobody : found->second;
}

}  // namespace nicsim::waves
