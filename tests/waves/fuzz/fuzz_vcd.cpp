// SPDX-License-Identifier: Apache-2.0
// Any bytes as a VCD file, with any part of its signals selected, in pieces and windows of any size
// (the last byte says which): entries lie across the seams of a window as they do in large files.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "tests/waves/fuzz/fuzz_main.h"
#include "waves/vcd_reader.h"

namespace {

using namespace nicsim::waves;

class InPieces : public ByteSource {
public:
    InPieces(std::string_view bytes, std::size_t piece) : whole_(bytes), piece_(piece) {}
    std::size_t read(char* to, std::size_t size) override {
        return whole_.read(to, std::min(size, piece_));
    }
    std::uint64_t line_of(std::uint64_t offset) override {
        // A place outside the file would be a place that is wrong.
        if (offset > limit_) std::abort();
        return whole_.line_of(offset);
    }
    void limit(std::uint64_t bytes) { limit_ = bytes; }

private:
    MemorySource whole_;
    std::size_t piece_;
    std::uint64_t limit_ = ~std::uint64_t{0};
};

void read_all(std::string_view bytes, std::uint8_t shape) {
    auto source =
        std::make_unique<InPieces>(bytes, (shape & 15U) == 0 ? ~std::size_t{0} : shape & 15U);
    source->limit(bytes.size());
    VcdLimits limits;
    limits.window_bytes = std::size_t{1} << (shape >> 4U);
    limits.name_bytes = 16U << 20U;
    VcdReader reader("fuzz.vcd", std::move(source), limits);
    if (bytes.size() % 3 == 0) {
        std::vector<bool> wanted(reader.handles());
        for (std::size_t i = 0; i < wanted.size(); i += 2) wanted[i] = true;
        reader.select(std::move(wanted));
    }
    Change change;
    std::uint64_t time = 0;
    while (reader.next(change)) {
        // What a reader promises.
        if (change.handle >= reader.handles() || change.time < time) std::abort();
        time = change.time;
    }
}

}  // namespace

void nicsim::waves::read_any(std::string_view bytes) {
    if (!bytes.empty())
        read_all(bytes.substr(0, bytes.size() - 1), static_cast<std::uint8_t>(bytes.back()));
}
