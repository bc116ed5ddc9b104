// SPDX-License-Identifier: Apache-2.0
// What every part of waves/ means by a signal, a change and an error.
//
// A value is text as a VCD file has it: for `bits` exactly `width` characters of 0 1 x z u w h l -,
// most significant first; for `real` the eight bytes of a double; for `string` its bytes; an
// `event` has no value, it only happens.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace nicsim::waves {

/// Anything a user can cause: a broken file, an unknown signal, a target that cannot be written.
/// The program reports it and ends with exit code 2.
class WaveError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

enum class Kind : std::uint8_t { bits, real, string, event };
const char* name_of(Kind kind);

/// The widest vector that is accepted: a file that claims more is taken as broken.
constexpr unsigned max_width = 1U << 20U;

struct Signal {
    std::string path;  ///< dotted, without the range: `tb.dut.count`, `tb.dut.mem[3]`
    Kind kind = Kind::bits;
    unsigned width = 1;  ///< bits; 64 for real, 0 for string and event
    bool ranged = false;
    int msb = 0;  ///< of `[msb:lsb]`, if `ranged`
    int lsb = 0;
    std::uint32_t handle = 0;  ///< aliases of one signal share it

    /// The path with its range: `tb.dut.count[7:0]`.
    [[nodiscard]] std::string full_name() const;
};

struct Change {
    std::uint64_t time = 0;    ///< ticks of the file
    std::uint32_t handle = 0;  ///< Signal::handle
    std::string_view value;    ///< valid until the next call of the reader
};

/// Splits `count [7:0]` into the name and the range, if the range has `width` bits.
void set_name_and_range(Signal& signal, std::string_view name);

/// A value for people: `1`, `0x1f`, `h1x` (a whole digit unknown), `b10x1`, `2.5`, `"text"` (with
/// control characters as `\x1b`).
std::string format_value(Kind kind, std::string_view value);

/// Ticks of 10^exponent seconds as `12.345 ns`, exact.
std::string format_time(std::uint64_t ticks, int exponent);

/// `125ns`, `3.2us`, `7ps` (also fs and s) as ticks of 10^exponent seconds. Throws WaveError when
/// it is not a time or not a whole number of ticks.
std::uint64_t parse_time(std::string_view text, int exponent);

}  // namespace nicsim::waves
