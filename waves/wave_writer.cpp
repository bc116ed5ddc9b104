// SPDX-License-Identifier: Apache-2.0
#include "waves/wave_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "waves/fst_writer.h"
#include "waves/vcd_writer.h"

namespace nicsim::waves {
namespace {

bool ends_with(const std::string& file, std::string_view ending) {
    return file.size() > ending.size() &&
           file.compare(file.size() - ending.size(), ending.size(), ending) == 0;
}

}  // namespace

std::unique_ptr<WaveWriter> WaveWriter::create(const std::string& file, int exponent) {
    if (ends_with(file, ".fst")) return std::make_unique<FstWriter>(file, exponent);
    if (ends_with(file, ".vcd")) return std::make_unique<VcdWriter>(file, exponent);
    throw WaveError(
        fmt::format("cannot write {}: the name of a wave file ends with .fst or .vcd", file));
}

std::uint32_t WaveWriter::declare(Signal signal) {
    // White space separates words in a VCD file, and control characters are never readable.
    for (char& c : signal.path)
        if (static_cast<unsigned char>(c) <= ' ') c = '_';
    if (signal.path.empty()) throw WaveError("a signal without a name cannot be written");
    if (signal.width == 0 && signal.kind == Kind::bits) signal.width = 1;
    signals_.push_back(std::move(signal));
    return static_cast<std::uint32_t>(signals_.size() - 1);
}

std::string WaveWriter::leaf(const Signal& signal) {
    std::string name = signal.path.substr(signal.path.rfind('.') + 1);
    if (signal.ranged) return fmt::format("{} [{}:{}]", name, signal.msb, signal.lsb);
    if (signal.kind == Kind::bits && signal.width > 1)
        return fmt::format("{} [{}:0]", name, signal.width - 1);
    return name;
}

std::vector<std::string_view> WaveWriter::split(std::string_view path) {
    std::vector<std::string_view> parts;
    while (true) {
        const auto dot = path.find('.');
        parts.push_back(path.substr(0, dot));
        if (dot == std::string_view::npos) return parts;
        path.remove_prefix(dot + 1);
    }
}

std::vector<std::uint32_t> WaveWriter::in_scope_order() const {
    // By scope, in the order of declaration within a scope.
    std::vector<std::vector<std::string_view>> scopes;
    scopes.reserve(signals_.size());
    for (const Signal& signal : signals_) {
        scopes.push_back(split(signal.path));
        scopes.back().pop_back();
    }
    std::vector<std::uint32_t> order(signals_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return scopes[a] < scopes[b]; });
    return order;
}

}  // namespace nicsim::waves
