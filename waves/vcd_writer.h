// SPDX-License-Identifier: Apache-2.0
// VCD as IEEE 1364-2005 clause 18 has it, with the `string` variables of GTKWave and Verilator.
#pragma once

#include "waves/output_file.h"
#include "waves/wave_writer.h"

namespace nicsim::waves {

class VcdWriter : public WaveWriter {
public:
    VcdWriter(const std::string& file, int exponent);
    void begin() override;
    void set_time(std::uint64_t ticks) override;
    void change(std::uint32_t id, std::string_view value) override;
    void change(std::uint32_t id, std::uint64_t value) override;
    void close() override;

private:
    /// Time and opening of the initial values are written with what follows them.
    void settle_time();

    OutputFile out_;
    int exponent_;
    std::vector<std::string> codes_;  ///< ` !\n`, as it stands at the end of a line
    std::string line_;
    std::uint64_t time_ = 0;
    bool time_set_ = false;
    bool time_written_ = false;
    enum class Initial : std::uint8_t { before, inside, done } initial_ = Initial::before;
};

}  // namespace nicsim::waves
