// SPDX-License-Identifier: Apache-2.0
#include "waves/gtkwave.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "waves/output_file.h"

namespace nicsim::waves {
namespace {

/// Flags of a line in a save file, as GTKWave's source names them: TR_BLANK, TR_RJUSTIFY | TR_BIN
/// or TR_DEC, and TR_ANALOG_STEP.
constexpr unsigned comment = 0x200, binary = 0x28, decimal = 0x24, curve = 0x8000;

std::string scope_of(const std::string& path) {
    const std::size_t dot = path.rfind('.');
    return dot == std::string::npos ? std::string() : path.substr(0, dot);
}

/// How full something is: best seen as a curve.
bool is_amount(const std::string& path) {
    const std::string name = path.substr(path.rfind('.') + 1);
    return name == "fill" || name == "cached" || name.ends_with("_bytes") ||
           name.ends_with("in_flight") || name.ends_with("_fill");
}

}  // namespace

std::string gtkwave_name(const std::string& wave_file) {
    return std::filesystem::path(wave_file).replace_extension(".gtkw").string();
}

void write_gtkwave(const std::string& wave_file, const std::vector<SavedSignal>& signals) {
    OutputFile out(gtkwave_name(wave_file));
    out.write("[*] made by nicsim\n");
    // From both whole paths GTKWave knows where the one file lies as seen from the other, so that
    // it can be called in any folder and the two can be moved together.
    const auto whole = [](const std::string& name) {
        std::error_code error;
        const auto path = std::filesystem::absolute(name, error);
        return error ? name : path.lexically_normal().string();
    };
    out.write(fmt::format("[dumpfile] \"{}\"\n[savefile] \"{}\"\n[timestart] 0\n", whole(wave_file),
                          whole(gtkwave_name(wave_file))));
    std::string group;
    for (const SavedSignal& s : signals) {
        if (scope_of(s.path) != group) {
            group = scope_of(s.path);
            out.write(fmt::format("@{:x}\n-{}\n", comment, group));
        }
        if (s.width == 1) {
            out.write(fmt::format("@{:x}\n{}\n", binary, s.path));
            continue;
        }
        const unsigned flags = decimal | (is_amount(s.path) ? curve : 0);
        out.write(fmt::format("@{:x}\n{}[{}:0]\n", flags, s.path, s.width - 1));
        if (is_amount(s.path)) out.write(fmt::format("@{0:x}\n-\n-\n", comment));  // its height
    }
    out.commit();
}

}  // namespace nicsim::waves
