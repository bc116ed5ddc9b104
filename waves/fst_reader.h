// SPDX-License-Identifier: Apache-2.0
// FST, decoded by fstapi in a child process (see fst_decoder.h).
#pragma once

#include <sys/types.h>

#include <string>

#include "waves/wave_reader.h"

namespace nicsim::waves {

class FstReader : public WaveReader {
public:
    FstReader(std::string file, ReaderOptions options);
    ~FstReader() override;
    FstReader(const FstReader&) = delete;
    FstReader& operator=(const FstReader&) = delete;

    [[nodiscard]] std::string_view format() const override { return "FST"; }
    void select(std::vector<bool> handles) override;
    bool next(Change& change) override;

private:
    void start(const ReaderOptions& options);
    void read_names();
    void read_variable();
    void send_selection();
    /// The next `size` bytes from the child; valid until the next call.
    const char* take(std::size_t size);
    template <class T>
    T number();
    std::string_view text(std::size_t longest);
    void stop();
    [[noreturn]] void fail(const std::string& what);
    [[noreturn]] void child_ended();

    pid_t child_ = -1;
    int from_child_ = -1;
    int to_child_ = -1;
    ReaderOptions options_;
    std::string buffer_;
    std::size_t at_ = 0;
    std::size_t end_ = 0;
    std::vector<bool> wanted_;
    std::vector<Signal> by_handle_;  ///< kind and width
    std::uint64_t end_time_ = 0;
    std::string value_;
    bool selected_ = false;
    bool done_ = false;
};

}  // namespace nicsim::waves
