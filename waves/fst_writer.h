// SPDX-License-Identifier: Apache-2.0
// FST through fstapi, the library that GTKWave and Verilator share. A failed write is found at
// `close` at the latest.
#pragma once

#include "waves/output_file.h"
#include "waves/wave_writer.h"

namespace nicsim::waves {

class FstWriter : public WaveWriter {
public:
    FstWriter(const std::string& file, int exponent);
    ~FstWriter() override;
    FstWriter(const FstWriter&) = delete;
    FstWriter& operator=(const FstWriter&) = delete;

    void begin() override;
    void set_time(std::uint64_t ticks) override;
    void change(std::uint32_t id, std::string_view value) override;
    void change(std::uint32_t id, std::uint64_t value) override;
    void close() override;

private:
    void check() const;

    PendingFile pending_;
    void* context_ = nullptr;
    std::vector<std::uint32_t> handles_;
    std::uint64_t changes_ = 0;  ///< in the block
    std::uint64_t times_ = 0;
    bool time_set_ = false;
    std::uint64_t time_ = 0;
};

}  // namespace nicsim::waves
