// SPDX-License-Identifier: Apache-2.0
// The frame of an FST file: a chain of blocks, each a type byte and a big-endian length. Checked
// before the decoder sees the file, so that truncation and foreign data are named with their place.
#pragma once

#include <string>

namespace nicsim::waves {

/// Throws WaveError with the byte offset when the chain is not that of a finished FST file.
void check_fst_blocks(const std::string& file);

}  // namespace nicsim::waves
