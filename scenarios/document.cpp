// SPDX-License-Identifier: Apache-2.0
// yaml-cpp's event interface is used rather than its node tree: every event carries its place,
// repeated keys are seen, and limits apply while parsing.
#include "scenarios/document.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace nicsim::scenarios {
namespace {

constexpr std::size_t max_file_bytes = 256 * 1024;
constexpr std::size_t max_values = 20'000;
constexpr std::size_t max_depth = 16;

struct Unusable {
    Place place;
    std::string message;
};

class TreeBuilder final : public YAML::EventHandler {
public:
    TreeBuilder(std::string name, Origin origin, Problems& problems)
        : name_(std::move(name)), origin_(origin), problems_(problems) {}

    Value take() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        no_anchor(mark, anchor);
        Value v = fresh(mark, Value::Kind::nothing);
        finished(std::move(v));
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
        throw Unusable{place(mark), "aliases (*name) are not part of the scenario language"};
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& text) override {
        no_anchor(mark, anchor);
        no_tag(mark, tag);
        Value v = fresh(mark, Value::Kind::scalar);
        v.text = text;
        v.quoted = tag == "!";
        if (!v.quoted && (text.empty() || text == "~" || text == "null"))
            v.kind = Value::Kind::nothing;
        finished(std::move(v));
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(mark, tag, anchor, Value::Kind::list);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(mark, tag, anchor, Value::Kind::map);
    }
    void OnMapEnd() override { close(); }

private:
    struct Open {
        Value value;
        bool has_key = false;
        std::string key;
        Place key_place;
    };

    [[nodiscard]] Place place(const YAML::Mark& mark) const {
        return mark.is_null() ? Place{name_, 0, 0} : Place{name_, mark.line + 1, mark.column + 1};
    }
    Value fresh(const YAML::Mark& mark, Value::Kind kind) {
        if (++values_ > max_values)
            throw Unusable{place(mark), fmt::format("more than {} values", max_values)};
        Value v;
        v.kind = kind;
        v.place = place(mark);
        v.origin = origin_;
        return v;
    }
    void no_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) const {
        if (anchor != YAML::NullAnchor)
            throw Unusable{place(mark), "anchors (&name) are not part of the scenario language"};
    }
    void no_tag(const YAML::Mark& mark, const std::string& tag) const {
        if (!tag.empty() && tag != "?" && tag != "!")
            throw Unusable{place(mark), "tags (!name) are not part of the scenario language"};
    }
    void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
              Value::Kind kind) {
        no_anchor(mark, anchor);
        no_tag(mark, tag);
        if (open_.size() >= max_depth)
            throw Unusable{place(mark), fmt::format("nested deeper than {} levels", max_depth)};
        if (awaits_key())
            throw Unusable{place(mark),
                           "a key must be plain text, not a map or a list (is a "
                           "bracket left open?)"};
        open_.push_back({fresh(mark, kind), false, {}, {}});
    }
    void close() {
        Value v = std::move(open_.back().value);
        open_.pop_back();
        finished(std::move(v));
    }
    [[nodiscard]] bool awaits_key() const {
        return !open_.empty() && open_.back().value.kind == Value::Kind::map &&
               !open_.back().has_key;
    }
    void finished(Value v) {
        if (open_.empty()) {
            root_ = std::move(v);
            return;
        }
        Open& parent = open_.back();
        if (parent.value.kind == Value::Kind::list) {
            parent.value.items.push_back(std::move(v));
        } else if (!parent.has_key) {
            parent.has_key = true;
            parent.key = v.text;
            parent.key_place = v.place;
        } else {
            parent.has_key = false;
            if (const Value* first = parent.value.find(parent.key))
                problems_.add(
                    parent.key_place, parent.key,
                    fmt::format("the key appears twice (first at line {})", first->place.line));
            else
                parent.value.put(parent.key, parent.key_place, std::move(v));
        }
    }

    std::string name_;
    Origin origin_;
    Problems& problems_;
    Value root_;
    std::vector<Open> open_;
    std::size_t values_ = 0;
};

/// Text that no editor would write: control characters or bytes that are not UTF-8.
bool is_text(const std::string& bytes) {
    for (std::size_t i = 0; i < bytes.size();) {
        const auto c = static_cast<unsigned char>(bytes[i]);
        if (c < 0x20 && c != '\n' && c != '\r' && c != '\t') return false;
        if (c == 0x7f) return false;
        const std::size_t more = c < 0x80         ? 0
                                 : (c >> 5) == 6  ? 1
                                 : (c >> 4) == 14 ? 2
                                 : (c >> 3) == 30 ? 3
                                                  : 9;
        if (more == 9 || i + more >= bytes.size()) return false;
        for (std::size_t k = 1; k <= more; ++k)
            if ((static_cast<unsigned char>(bytes[i + k]) & 0xc0U) != 0x80U) return false;
        i += more + 1;
    }
    return true;
}

std::string read_file(const std::string& path, Problems& problems) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) {
        problems.add({path}, "", "no such file");
        return {};
    }
    if (std::filesystem::is_directory(status)) {
        problems.add({path}, "", "is a directory, not a scenario file");
        return {};
    }
    if (!std::filesystem::is_regular_file(status)) {
        problems.add({path}, "", "is not a regular file");
        return {};
    }
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        problems.add({path}, "", fmt::format("cannot be read: {}", std::strerror(errno)));
        return {};
    }
    std::string bytes(max_file_bytes + 1, '\0');
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(in.gcount()));
    if (bytes.size() > max_file_bytes) {
        problems.add({path}, "", fmt::format("is larger than {} KiB", max_file_bytes / 1024));
        return {};
    }
    if (!is_text(bytes)) {
        problems.add({path}, "", "is not a text file (YAML in UTF-8 is expected)");
        return {};
    }
    if (bytes.find_first_not_of(" \t\r\n") == std::string::npos)
        problems.add({path}, "", "the file is empty");
    return bytes;
}

}  // namespace

const Value* Value::find(const std::string& key) const {
    for (const Entry& e : entries)
        if (e.key == key) return &e.value;
    return nullptr;
}

Value* Value::find(const std::string& key) {
    return const_cast<Value*>(std::as_const(*this).find(key));
}

Value& Value::put(const std::string& key, const Place& key_place, Value value) {
    for (Entry& e : entries) {
        if (e.key != key) continue;
        e.key_place = key_place;
        e.value = std::move(value);
        return e.value;
    }
    entries.push_back({key, key_place, std::move(value)});
    return entries.back().value;
}

std::string describe(const Value& value) {
    switch (value.kind) {
        case Value::Kind::nothing:
            return "nothing";
        case Value::Kind::scalar:
            return "'" + printable(value.text) + "'";
        case Value::Kind::map:
            return "a map";
        case Value::Kind::list:
            return "a list";
    }
    return "?";
}

Value parse_yaml(const std::string& text, const std::string& name, Origin origin,
                 Problems& problems) {
    TreeBuilder builder(name, origin, problems);
    try {
        std::istringstream in(text);
        YAML::Parser parser(in);
        if (!parser.HandleNextDocument(builder)) {
            problems.add({name}, "", "the file holds no values");
            return {};
        }
        Problems ignored;
        TreeBuilder second(name, origin, ignored);
        if (parser.HandleNextDocument(second))
            problems.add({name}, "", "holds more than one YAML document");
    } catch (const Unusable& u) {
        problems.add(u.place, "", u.message);
        return {};
    } catch (const YAML::Exception& e) {
        const Place at =
            e.mark.is_null() ? Place{name, 0, 0} : Place{name, e.mark.line + 1, e.mark.column + 1};
        problems.add(at, "", "not valid YAML: " + printable(e.msg, 200));
        return {};
    }
    return builder.take();
}

Value load_yaml(const std::string& path, Origin origin, Problems& problems) {
    const std::size_t before = problems.list().size();
    const std::string bytes = read_file(path, problems);
    if (problems.list().size() != before) return {};
    return parse_yaml(bytes, path, origin, problems);
}

Value merged(const Value& below, const Value& above) {
    if (below.kind != Value::Kind::map || above.kind != Value::Kind::map) return above;
    const Value* type_below = below.find("type");
    const Value* type_above = above.find("type");
    if (type_below != nullptr && type_above != nullptr && type_below->text != type_above->text)
        return above;
    Value out = below;
    out.place = above.place;
    out.origin = above.origin;
    for (const Value::Entry& e : above.entries) {
        const Value* old = out.find(e.key);
        out.put(e.key, e.key_place, old == nullptr ? e.value : merged(*old, e.value));
    }
    return out;
}

}  // namespace nicsim::scenarios
