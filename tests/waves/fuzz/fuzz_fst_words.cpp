// SPDX-License-Identifier: Apache-2.0
// Any bytes as what the decoder of an FST file says, in pieces of any size (the last byte says
// which): the decoder may have gone mad on a damaged file, and the reader must not follow it.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "tests/waves/fuzz/fuzz_main.h"
#include "waves/fst_reader.h"

namespace {

using namespace nicsim::waves;

class Words : public FstChannel {
public:
    Words(std::string_view bytes, std::size_t piece) : bytes_(bytes), piece_(piece) {}
    std::size_t read(char* to, std::size_t size) override {
        const std::size_t n = bytes_.copy(to, std::min(size, piece_));
        bytes_.remove_prefix(n);
        return n;
    }
    void send(std::string_view bytes) override {
        if (sent_) std::abort();
        sent_ = true;
        selection_ = bytes;
    }
    std::string ending() override { return "exit 1"; }

private:
    std::string_view bytes_;
    std::size_t piece_;
    std::string selection_;
    bool sent_ = false;
};

void read_all(std::string_view bytes, std::uint8_t shape) {
    ReaderOptions options;
    options.name_bytes = 1U << 20U;
    const std::size_t piece = (shape & 63U) == 0 ? ~std::size_t{0} : shape & 63U;
    FstReader reader("fuzz.fst", std::make_unique<Words>(bytes, piece), options);
    std::vector<Kind> kinds(reader.handles());
    std::vector<unsigned> widths(reader.handles());
    for (const Signal& signal : reader.signals()) {
        if (signal.handle >= reader.handles() || signal.width > max_width) std::abort();
        kinds[signal.handle] = signal.kind;
        widths[signal.handle] = signal.width;
    }
    std::vector<bool> wanted(reader.handles(), true);
    if (shape >= 128) {
        for (std::size_t i = 0; i < wanted.size(); i += 2) wanted[i] = false;
        reader.select(wanted);
    }
    Change change;
    std::uint64_t time = 0;
    while (reader.next(change)) {
        // What a reader promises.
        if (change.handle >= reader.handles() || change.time < time || !wanted[change.handle])
            std::abort();
        if (kinds[change.handle] == Kind::bits && change.value.size() != widths[change.handle])
            std::abort();
        if (kinds[change.handle] == Kind::real && change.value.size() != sizeof(double))
            std::abort();
        time = change.time;
    }
    if (reader.time() < time) std::abort();
}

}  // namespace

void nicsim::waves::read_any(std::string_view bytes) {
    if (!bytes.empty())
        read_all(bytes.substr(0, bytes.size() - 1), static_cast<std::uint8_t>(bytes.back()));
}
