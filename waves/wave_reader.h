// SPDX-License-Identifier: Apache-2.0
// Reads wave files of any simulator, VCD and FST behind one interface, change by change in order
// of time. Memory does not grow with the length of the file (for FST: with the size of one of its
// blocks). A broken file ends in a WaveError that says what is wrong and where; what was delivered
// before it is a clean prefix.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "waves/wave.h"

namespace nicsim::waves {

struct ReaderOptions {
    /// All names together may take so much.
    std::uint64_t name_bytes = std::uint64_t{2} << 30U;
    /// FST only: the decoder's address space, and its processor time without any progress.
    std::uint64_t decoder_memory = std::uint64_t{8} << 30U;
    unsigned decoder_seconds = 20;
};

class WaveReader {
public:
    /// Finds out the format by the contents. Throws WaveError.
    static std::unique_ptr<WaveReader> open(const std::string& file, ReaderOptions options = {});
    virtual ~WaveReader() = default;

    [[nodiscard]] const std::string& file() const { return file_; }
    /// `VCD` or `FST`.
    [[nodiscard]] virtual std::string_view format() const = 0;
    /// A tick is 10^exponent seconds.
    [[nodiscard]] int exponent() const { return exponent_; }
    [[nodiscard]] const std::string& version() const { return version_; }
    /// In the order of declaration. Names can repeat, and aliases share a handle.
    [[nodiscard]] const std::vector<Signal>& signals() const { return signals_; }
    /// Handles are 0 .. handles()-1.
    [[nodiscard]] std::uint32_t handles() const { return handles_; }

    /// Only these handles are delivered. Before the first `next`; without it all are.
    virtual void select(std::vector<bool> handles) = 0;
    /// False at the end.
    virtual bool next(Change& change) = 0;
    /// The last time seen so far; after the end that of the whole trace.
    [[nodiscard]] std::uint64_t time() const { return time_; }
    /// Where the trace begins; known after the first `next`.
    [[nodiscard]] std::uint64_t first_time() const { return first_time_; }
    /// Things that are odd but not wrong; complete after the end.
    [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

protected:
    std::string file_;
    int exponent_ = 0;
    std::string version_;
    std::vector<Signal> signals_;
    std::uint32_t handles_ = 0;
    std::uint64_t first_time_ = 0;
    std::uint64_t time_ = 0;
    bool has_time_ = false;
    std::vector<std::string> warnings_;
};

}  // namespace nicsim::waves
