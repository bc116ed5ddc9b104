// SPDX-License-Identifier: Apache-2.0
// The comparison as a wave file: both sides under `a` and `b`, and under `diff` a bit per signal
// that is 1 while the values differ. The time is that of the common axis (a cycle is 1 ns).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "waves/diff_match.h"
#include "waves/wave_writer.h"

namespace nicsim::waves {

class DiffWriter {
public:
    DiffWriter(const std::string& file, int exponent, const std::vector<PairedSignal>& pairs,
               const DiffMatcher& matcher);
    /// All values in force.
    void begin(std::int64_t time);
    /// Those of the steps just taken; null if a side took none.
    void step(std::int64_t time, const DiffSide* a, const DiffSide* b);
    void close() { writer_->close(); }

private:
    void write(std::uint32_t pair, unsigned which);
    void write_difference(std::uint32_t pair);

    std::unique_ptr<WaveWriter> writer_;
    const std::vector<PairedSignal>& pairs_;
    const DiffMatcher& matcher_;
    std::vector<char> different_;
};

}  // namespace nicsim::waves
