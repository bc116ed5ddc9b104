// SPDX-License-Identifier: Apache-2.0
#include "waves/fst_blocks.h"

#include <fmt/format.h>
#include <fstapi.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>

#include "waves/wave.h"

namespace nicsim::waves {
namespace {

constexpr std::uint64_t header_length = 329;

std::uint64_t big_endian(const char* bytes) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < 8; ++i) value = value << 8U | static_cast<unsigned char>(bytes[i]);
    return value;
}

class Walk {
public:
    explicit Walk(const std::string& file) : file_(file), in_(file, std::ios::binary) {
        if (!in_) throw WaveError(fmt::format("cannot read {}: {}", file, std::strerror(errno)));
        in_.seekg(0, std::ios::end);
        size_ = static_cast<std::uint64_t>(in_.tellg());
    }

    void run() {
        for (std::uint64_t at = 0; at < size_;) at = block(at);
        if (wrapped_) return;
        if (!header_) fail(0, "no header block");
        if (!geometry_ || !hierarchy_)
            fail(size_, fmt::format("the block of {} is missing: the writer did not finish",
                                    geometry_ ? "names" : "widths"));
    }

private:
    [[noreturn]] void fail(std::uint64_t at, const std::string& what) const {
        throw WaveError(fmt::format("{}: byte {}: {}", file_, at, what));
    }

    /// Checks the block at `at`, and returns where the next one begins.
    std::uint64_t block(std::uint64_t at) {
        std::array<char, 9> head{};
        in_.seekg(static_cast<std::streamoff>(at));
        if (!in_.read(head.data(), head.size()))
            fail(at, "the file ends within a block head: it is truncated");
        const auto type = static_cast<unsigned char>(head[0]);
        const std::uint64_t length = big_endian(head.data() + 1);
        if (type == FST_BL_SKIP)
            fail(at,
                 "an unfinished block: the simulation that wrote the file did not end properly");
        if (length < 8 || length > size_ - at - 1)
            fail(at, fmt::format("a block of {} bytes, but {} are left: the file is truncated or "
                                 "damaged",
                                 length, size_ - at - 1));
        classify(at, type, length);
        return at + 1 + length;
    }

    void classify(std::uint64_t at, unsigned type, std::uint64_t length) {
        if (at == 0 && type != FST_BL_HDR && type != FST_BL_ZWRAPPER) fail(at, "no header block");
        switch (type) {
            case FST_BL_HDR:
                if (header_) fail(at, "a second header block");
                if (length != header_length)
                    fail(at,
                         fmt::format("a header of {} bytes instead of {}", length, header_length));
                header_ = true;
                break;
            case FST_BL_GEOM:
                geometry_ = true;
                break;
            case FST_BL_HIER:
            case FST_BL_HIER_LZ4:
            case FST_BL_HIER_LZ4DUO:
                hierarchy_ = true;
                break;
            case FST_BL_ZWRAPPER:
                wrapped_ = true;
                break;
            case FST_BL_VCDATA:
            case FST_BL_VCDATA_DYN_ALIAS:
            case FST_BL_VCDATA_DYN_ALIAS2:
            case FST_BL_BLACKOUT:
                break;
            default:
                fail(at, fmt::format("unknown block type {}", type));
        }
    }

    std::string file_;
    std::ifstream in_;
    std::uint64_t size_ = 0;
    bool header_ = false;
    bool geometry_ = false;
    bool hierarchy_ = false;
    bool wrapped_ = false;
};

}  // namespace

void check_fst_blocks(const std::string& file) {
    Walk(file).run();
}

}  // namespace nicsim::waves
