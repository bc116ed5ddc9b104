// SPDX-License-Identifier: Apache-2.0
// Quantities as users write them (`6KiB`, `125us`, `1Gbit/s`, `2.5GT/s`) and their base units.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace nicsim::sim {

/// The dimension of a value. The comment names the base unit it is stored in.
enum class Unit {
    none,           ///< a plain number or text
    bytes,          ///< byte; B, KiB, MiB, GiB (and kB, MB, GB of 1000)
    time,           ///< picosecond; ps, ns, us, ms, s
    bit_rate,       ///< bit/s; bit/s, kbit/s, Mbit/s, Gbit/s
    transfer_rate,  ///< transfer/s; MT/s, GT/s
    frequency,      ///< hertz; Hz, kHz, MHz, GHz
    ratio,          ///< 1; a plain number or a percentage (`61%`)
    packet_rate,    ///< packet/s; pps, kpps, Mpps
};

/// A parsed quantity in the base unit, or why the text is not one.
struct QuantityError {
    std::string message;  ///< what is wrong and which suffixes are allowed
};
using QuantityResult = std::variant<double, QuantityError>;

/// Parses a number with its suffix. A bare number is accepted only for `none` and `ratio`, and
/// zero for every unit.
QuantityResult parse_quantity(std::string_view text, Unit unit);

/// The value with the largest suffix that keeps it exact, e.g. 6144 bytes -> `6KiB`.
std::string format_quantity(double value, Unit unit);

/// Name of the base unit for tables and JSON: `B`, `ps`, `bit/s`, `T/s`, `Hz`, `1`, `pps`, ``.
std::string_view base_unit_name(Unit unit);

/// The suffixes that `parse_quantity` accepts, comma separated, for messages and documentation.
std::string allowed_suffixes(Unit unit);

}  // namespace nicsim::sim
