// SPDX-License-Identifier: Apache-2.0
// A save file for GTKWave beside a wave file: every signal of it, in groups by block, with fills as
// curves. `gtkwave run.gtkw` opens the waves with it.
#pragma once

#include <string>
#include <vector>

namespace nicsim::waves {

struct SavedSignal {
    std::string path;  ///< dotted
    unsigned width = 1;
};

/// `run.fst` becomes `run.gtkw`.
std::string gtkwave_name(const std::string& wave_file);
/// Throws WaveError if the target cannot be written.
void write_gtkwave(const std::string& wave_file, const std::vector<SavedSignal>& signals);

}  // namespace nicsim::waves
