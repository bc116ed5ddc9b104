// SPDX-License-Identifier: Apache-2.0
// Which signal of one file is which signal of the other.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "waves/wave_reader.h"

namespace nicsim::waves {

struct NameRules {
    /// Removed from the front of the names, in A and in B: `TOP.tb.dut.`. The first that fits.
    std::vector<std::string> strip_a;
    std::vector<std::string> strip_b;
    /// `A=B`, applied to the stripped names of B: a name that matches the right side becomes the
    /// left side, where the wildcards stand for what they stood for on the right. First fit.
    std::vector<std::string> map;
    /// `REGEX=REPLACEMENT` (ECMAScript, $1), applied to the names of B that no `map` fits.
    std::vector<std::string> map_regex;
    std::string include;  ///< Pattern over the common names
    std::string ignore;   ///< Pattern; empty: nothing
};

/// Where a part of a signal's value comes from.
struct Slice {
    std::uint32_t handle = 0;
    std::uint32_t offset = 0;  ///< first character in the value of the pair
    std::uint32_t width = 1;
};

struct PairedSignal {
    std::string name;  ///< as in A, after stripping
    Kind kind = Kind::bits;
    std::uint32_t width = 1;  ///< the wider of the two
    std::vector<Slice> side[2];
};

struct Pairing {
    std::vector<PairedSignal> pairs;
    std::vector<std::string> only_in[2];
    std::vector<std::string> notes;  ///< pairs that cannot be compared, or only after widening
};

/// Signals of equal names after the rules; a vector also with the single bits that make it up.
/// Throws WaveError for a bad rule and when nothing is left to compare.
Pairing pair_signals(const WaveReader& a, const WaveReader& b, const NameRules& rules);

/// Finds the signal that is called `name` after the rules in file A (side 0) or B (side 1).
const Signal& find_common(const WaveReader& reader, unsigned side, const NameRules& rules,
                          const std::string& name);

}  // namespace nicsim::waves
