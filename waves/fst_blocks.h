// SPDX-License-Identifier: Apache-2.0
// The frame of an FST file: a chain of blocks, each a type byte and a big-endian length, and in
// each a few lengths and counts that must fit into it. Checked before the decoder sees the file,
// so that truncation, foreign data and claims that cannot be true are named with their place.
// Not checked: what is packed within the blocks.
#pragma once

#include <istream>
#include <string>

namespace nicsim::waves {

enum class FstForm : std::uint8_t {
    plain,
    packed,  ///< one block that holds a whole FST file, packed
};

/// Throws WaveError with the byte offset when the chain is not that of a finished FST file. `name`
/// is for messages.
FstForm check_fst_blocks(std::istream& in, const std::string& name);
FstForm check_fst_blocks(const std::string& file);

}  // namespace nicsim::waves
