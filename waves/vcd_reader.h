// SPDX-License-Identifier: Apache-2.0
// VCD (IEEE 1364-2005 clause 18) as GTKWave, Verilator, Icarus and others write it: four-state and
// nine-state bits, reals, strings, events, aliases, escaped names, $dumpoff.
// Not read: extended VCD ($dumpports). Values during $dumpoff are the x that the file gives.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "waves/byte_source.h"
#include "waves/wave_reader.h"

namespace nicsim::waves {

struct VcdLimits {
    /// What is read at once, to begin with; it grows with the longest entry.
    std::size_t window_bytes = 512 * 1024;
    /// Of all names together.
    std::uint64_t name_bytes = std::uint64_t{2} << 30U;
};

class VcdReader : public WaveReader {
public:
    /// Reads the declarations. `file` is for messages.
    VcdReader(std::string file, std::unique_ptr<ByteSource> source, VcdLimits limits = {});

    [[nodiscard]] std::string_view format() const override { return "VCD"; }
    void select(std::vector<bool> handles) override;
    bool next(Change& change) override;

private:
    struct Variable {
        Kind kind = Kind::bits;
        std::uint32_t width = 1;
        bool wanted = true;
        std::uint64_t declared_at = 0;
    };
    static constexpr std::uint32_t nobody = ~std::uint32_t{0};

    // Declarations: vcd_header.cpp.
    void read_header();
    bool skip_space();
    std::string_view word();
    std::vector<std::string> words_to_end(std::string_view keyword);
    void skip_to_end(std::string_view keyword);
    void read_timescale();
    void read_scope();
    void read_variable();
    std::uint32_t find_or_add(const std::string& code, const Variable& variable);

    // Changes.
    enum class Step : std::uint8_t { nothing, change, more };
    Step step(Change& change);
    Step scalar(Change& change);
    Step lettered(Change& change, Kind kind);
    Step time_stamp();
    Step keyword();
    void real_value(std::string_view text);
    void string_value(std::string_view text);
    [[nodiscard]] std::uint32_t lookup(const char* from, const char* to) const;
    std::uint32_t variable_of(const char* from, const char* to);
    bool at_end();
    /// `place` must lie in the window as it is now: whatever reads on may move it.
    [[noreturn]] void fail(const char* place, const std::string& what);
    [[noreturn]] void fail_at(std::uint64_t offset, const std::string& what);

    VcdLimits limits_;
    std::unique_ptr<ByteSource> source_;
    ByteWindow window_;
    std::vector<Variable> variables_;
    std::vector<std::uint32_t>
        short_codes_;  ///< by the number that a code of up to 3 characters is
    std::unordered_map<std::string, std::uint32_t> long_codes_;
    std::vector<std::string> scopes_;
    std::string prefix_;  ///< the open scopes with dots, ends with a dot
    std::uint64_t name_bytes_ = 0;
    bool timescale_known_ = false;
    bool value_seen_ = false;
    bool in_dump_ = false;  ///< between $dumpvars and its like and $end
    std::string value_;
    std::string word_;
};

}  // namespace nicsim::waves
