// SPDX-License-Identifier: Apache-2.0
// FST, decoded by fstapi in a child process (see fst_decoder.h). This end believes no word of it:
// it checks each, bounds what it keeps, and says where in the trace it was when it gave up.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "waves/fst_channel.h"
#include "waves/fst_decoder.h"
#include "waves/wave_reader.h"

namespace nicsim::waves {

class FstReader : public WaveReader {
public:
    FstReader(std::string file, ReaderOptions options);
    /// With another decoder; `file` is for messages.
    FstReader(std::string file, std::unique_ptr<FstChannel> channel, ReaderOptions options);

    [[nodiscard]] std::string_view format() const override { return "FST"; }
    void select(std::vector<bool> handles) override;
    bool next(Change& change) override;

private:
    struct Shape {
        Kind kind = Kind::bits;
        std::uint32_t width = 0;
    };

    void read_names();
    void read_variable();
    void read_change(Change& change);
    void send_selection();
    /// The next `size` bytes from the decoder; valid until the next call.
    const char* take(std::size_t size);
    template <class T>
    T number();
    std::string_view text(std::size_t longest);
    /// The next word; throws what the decoder says when it gives up.
    fst::Word word();
    [[nodiscard]] std::string place() const;
    [[noreturn]] void damaged(const std::string& what) const;
    [[noreturn]] void nonsense() const;

    std::unique_ptr<FstChannel> channel_;
    ReaderOptions options_;
    std::string buffer_;
    std::size_t at_ = 0;
    std::size_t end_ = 0;
    std::vector<bool> wanted_;
    std::vector<Shape> by_handle_;
    std::uint64_t name_bytes_ = 0;
    std::uint64_t end_time_ = 0;
    std::string value_;
    bool selected_ = false;
    bool done_ = false;
};

}  // namespace nicsim::waves
