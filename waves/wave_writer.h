// SPDX-License-Identifier: Apache-2.0
// Writes a wave file, FST or VCD by the ending of its name. Signals are declared first, in any
// order (the hierarchy is made of their dotted paths), then come changes in order of time. The
// file appears with `close`; without it nothing stays behind.
// Not modelled: aliases, enumerations, $dumpoff sections.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "waves/wave.h"

namespace nicsim::waves {

class WaveWriter {
public:
    /// Throws WaveError for any other ending than .fst and .vcd, and when the target cannot be
    /// written. One tick is 10^exponent seconds.
    static std::unique_ptr<WaveWriter> create(const std::string& file, int exponent = -12);
    virtual ~WaveWriter() = default;

    /// Before `begin` only. `Signal::handle` is ignored; the result names the signal from now on.
    std::uint32_t declare(Signal signal);
    /// Writes the declarations.
    virtual void begin() = 0;
    /// Times never decrease.
    virtual void set_time(std::uint64_t ticks) = 0;
    /// `value` as described in wave.h.
    virtual void change(std::uint32_t id, std::string_view value) = 0;
    /// For `bits` of at most 64: the same without the text.
    virtual void change(std::uint32_t id, std::uint64_t value) = 0;
    /// The trace ends at the last time set.
    virtual void close() = 0;

protected:
    /// Calls enter(scope), leave() and variable(index) so that every scope is entered once.
    template <class Enter, class Leave, class Variable>
    void walk(Enter enter, Leave leave, Variable variable) const {
        std::vector<std::string_view> open;
        for (const std::uint32_t index : in_scope_order()) {
            std::vector<std::string_view> scopes = split(signals_[index].path);
            scopes.pop_back();
            std::size_t common = 0;
            while (common < open.size() && common < scopes.size() && open[common] == scopes[common])
                ++common;
            for (; open.size() > common; open.pop_back()) leave();
            for (; open.size() < scopes.size(); open.push_back(scopes[open.size()]))
                enter(scopes[open.size()]);
            variable(index);
        }
        for (; !open.empty(); open.pop_back()) leave();
    }
    /// The last part of the path with its range.
    [[nodiscard]] static std::string leaf(const Signal& signal);

    std::vector<Signal> signals_;

private:
    [[nodiscard]] std::vector<std::uint32_t> in_scope_order() const;
    [[nodiscard]] static std::vector<std::string_view> split(std::string_view path);
};

}  // namespace nicsim::waves
