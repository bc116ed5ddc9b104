// SPDX-License-Identifier: Apache-2.0
#include "scenarios/data_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "scenarios/diagnostics.h"
#include "scenarios/document.h"

namespace nicsim::scenarios {
namespace {

namespace fs = std::filesystem;

bool holds_data(const fs::path& folder) {
    std::error_code error;
    return fs::is_directory(folder / "profiles", error);
}

std::string description_of(const std::string& path) {
    Problems problems;
    const Value document = load_with_bases(path, problems);
    const Value* text = document.find("description");
    if (text == nullptr) return "";
    return text->text.substr(0, text->text.find('\n'));
}

}  // namespace

std::string program_path() {
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error).string();
}

std::string data_folder() {
    if (const char* given = std::getenv("NICSIM_DATA")) {
        if (!holds_data(given))
            throw InputError(fmt::format("NICSIM_DATA={}: no folder 'profiles' in there",
                                         printable(given, 200)));
        return given;
    }
    const fs::path program = fs::path(program_path()).parent_path();
    const fs::path candidates[] = {program / ".." / "share" / "nicsim" / "scenarios",
                                   NICSIM_SOURCE_SCENARIOS};
    for (const fs::path& candidate : candidates)
        if (holds_data(candidate)) return candidate.lexically_normal().string();
    throw InputError("the shipped scenarios are not found; set NICSIM_DATA to their folder");
}

std::vector<ShippedScenario> shipped_scenarios() {
    const fs::path folder = data_folder();
    std::vector<ShippedScenario> out;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (!entry.is_regular_file() || entry.path().extension() != ".yaml") continue;
        const fs::path relative = entry.path().lexically_relative(folder);
        const std::string top = relative.begin()->string();
        if (top == "profiles" || top == "reference") continue;
        if (relative.filename().string().front() == '_') continue;  // only a base for others
        fs::path name = relative;
        name.replace_extension();
        out.push_back({name.generic_string(), entry.path().string(), ""});
    }
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    for (ShippedScenario& s : out) s.description = description_of(s.path);
    return out;
}

std::string find_scenario(const std::string& given) {
    std::error_code error;
    if (fs::exists(given, error)) return given;
    if (!given.ends_with(".yaml") && given.size() < 200) {
        const fs::path path = fs::path(data_folder()) / (given + ".yaml");
        if (given.find("..") == std::string::npos && fs::exists(path, error)) return path.string();
    }
    std::vector<std::string> names;
    for (const ShippedScenario& s : shipped_scenarios()) names.push_back(s.name);
    const std::string near = nearest_name(given, names);
    throw InputError(
        fmt::format("{}: no such file and no shipped scenario of that name{}; see `nicsim list`",
                    printable(given, 200), near.empty() ? "" : " (did you mean '" + near + "'?)"));
}

}  // namespace nicsim::scenarios
