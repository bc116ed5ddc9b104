// SPDX-License-Identifier: Apache-2.0
#include "waves/fst_blocks.h"

#include <fmt/format.h>
#include <fstapi.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>

#include "waves/wave.h"

namespace nicsim::waves {
namespace {

constexpr std::uint64_t header_length = 329;
constexpr double byte_order_mark = 2.7182818284590452354;
/// Length, begin, end, memory; at the end three numbers about the table of times.
constexpr std::uint64_t least_changes_length = 8 + 24 + 24;
/// No stream of these packers grows more than this when unpacked (RFC 1951; LZ4 block format).
constexpr std::uint64_t most_by_deflate = 1032;
constexpr std::uint64_t most_by_lz4 = 255;
/// And no less than this is taken as wrong.
constexpr std::uint64_t leeway = 1U << 15U;

std::uint64_t big_endian(const char* bytes) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < 8; ++i) value = value << 8U | static_cast<unsigned char>(bytes[i]);
    return value;
}

/// True if so many bytes can come out of `packed` ones.
bool plausible(std::uint64_t unpacked, std::uint64_t packed, std::uint64_t ratio) {
    return packed > (~std::uint64_t{0} - leeway) / ratio || unpacked <= packed * ratio + leeway;
}

class Walk {
public:
    Walk(std::istream& in, const std::string& name) : name_(name), in_(in) {
        in_.seekg(0, std::ios::end);
        const auto end = in_.tellg();
        if (end < 0) throw WaveError(fmt::format("cannot read {}: it has no end", name_));
        size_ = static_cast<std::uint64_t>(end);
    }

    FstForm run() {
        for (std::uint64_t at = 0; at < size_;) at = block(at);
        if (form_ == FstForm::packed) return form_;
        if (!header_) fail(0, "no header block");
        if (!geometry_ || !hierarchy_)
            fail(size_, fmt::format("the block of {} is missing: the writer did not finish",
                                    geometry_ ? "names" : "widths"));
        if (!changes_) fail(size_, "there is no block of value changes");
        return form_;
    }

private:
    [[noreturn]] void fail(std::uint64_t at, const std::string& what) const {
        throw WaveError(fmt::format("{}: byte {}: {}", name_, at, what));
    }
    [[noreturn]] void damaged(std::uint64_t at, const std::string& what) const {
        fail(at, what + ": the file is damaged");
    }

    /// Checks the block at `at`, and returns where the next one begins.
    std::uint64_t block(std::uint64_t at) {
        std::array<char, 9> head{};
        read(at, head, "the file ends within a block head: it is truncated");
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
                return header(at, length);
            case FST_BL_GEOM:
                return geometry(at, length);
            case FST_BL_HIER:
            case FST_BL_HIER_LZ4:
            case FST_BL_HIER_LZ4DUO:
                return hierarchy(at, type, length);
            case FST_BL_VCDATA:
            case FST_BL_VCDATA_DYN_ALIAS:
            case FST_BL_VCDATA_DYN_ALIAS2:
                return changes(at, length);
            case FST_BL_ZWRAPPER:
                return packed(at, length);
            case FST_BL_BLACKOUT:
                return;
            default:
                fail(at, fmt::format("unknown block type {}", type));
        }
    }

    void header(std::uint64_t at, std::uint64_t length) {
        if (header_) fail(at, "a second header block");
        if (length != header_length)
            fail(at, fmt::format("a header of {} bytes instead of {}", length, header_length));
        header_ = true;
        const std::uint64_t begin = number(at + 9);
        const std::uint64_t end = number(at + 17);
        if (end < begin) damaged(at + 9, fmt::format("a trace from #{} to #{}", begin, end));
        // e in the writer's byte order.
        std::array<char, 8> mark{};
        read(at + 25, mark, "the file ends within its header");
        double e = 0;
        std::memcpy(&e, mark.data(), sizeof e);
        if (e != byte_order_mark) {
            std::reverse(mark.begin(), mark.end());
            std::memcpy(&e, mark.data(), sizeof e);
            if (e != byte_order_mark) damaged(at + 25, "the mark of the byte order is wrong");
        }
        std::array<char, 1> unit{};
        read(at + 73, unit, "the file ends within its header");
        // A signed byte.
        const int exponent = (static_cast<unsigned char>(unit[0]) ^ 0x80) - 0x80;
        if (exponent < -21 || exponent > 2)
            damaged(at + 73, fmt::format("a time unit of 10^{} s", exponent));
    }

    void geometry(std::uint64_t at, std::uint64_t length) {
        if (geometry_) fail(at, "a second block of widths");
        geometry_ = true;
        if (length < 24) damaged(at, fmt::format("a block of widths of {} bytes", length));
        const std::uint64_t unpacked = number(at + 9);
        const std::uint64_t handles = number(at + 17);
        if (!plausible(unpacked, length - 24, most_by_deflate))
            damaged(at + 9, fmt::format("{} bytes of widths in {}", unpacked, length - 24));
        if (handles > unpacked)
            damaged(at + 17, fmt::format("{} signals with {} bytes of widths", handles, unpacked));
    }

    void hierarchy(std::uint64_t at, unsigned type, std::uint64_t length) {
        if (hierarchy_) fail(at, "a second block of names");
        hierarchy_ = true;
        if (length < 16) damaged(at, fmt::format("a block of names of {} bytes", length));
        const std::uint64_t unpacked = number(at + 9);
        const std::uint64_t packed = length - 16;
        const std::uint64_t ratio = type == FST_BL_HIER       ? most_by_deflate
                                    : type == FST_BL_HIER_LZ4 ? most_by_lz4
                                                              : most_by_lz4 * most_by_lz4;
        if (!plausible(unpacked, packed, ratio))
            damaged(at + 9, fmt::format("{} bytes of names in {}", unpacked, packed));
    }

    void changes(std::uint64_t at, std::uint64_t length) {
        if (length < least_changes_length)
            damaged(at, fmt::format("a block of value changes of {} bytes", length));
        const std::uint64_t begin = number(at + 9);
        const std::uint64_t end = number(at + 17);
        if (end < begin)
            damaged(at + 9, fmt::format("a block of value changes from #{} to #{}", begin, end));
        if (changes_ && begin < last_begin_)
            damaged(at + 9, fmt::format("value changes from #{} on follow those from #{} on", begin,
                                        last_begin_));
        last_begin_ = begin;
        changes_ = true;
        const std::uint64_t tail = at + 1 + length - 24;
        const std::uint64_t unpacked = number(tail);
        const std::uint64_t packed = number(tail + 8);
        const std::uint64_t times = number(tail + 16);
        if (packed > length - least_changes_length)
            damaged(tail + 8,
                    fmt::format("a table of times of {} bytes in a block of {}", packed, length));
        if (!plausible(unpacked, packed, most_by_deflate))
            damaged(tail, fmt::format("a table of times of {} bytes in {}", unpacked, packed));
        if (times > unpacked)
            damaged(tail + 16, fmt::format("{} times in a table of {} bytes", times, unpacked));
    }

    void packed(std::uint64_t at, std::uint64_t length) {
        if (at != 0 || length + 1 != size_)
            damaged(at, "a whole file packed into a block, and more beside it");
        if (length < 16) damaged(at, fmt::format("a packed file of {} bytes", length));
        const std::uint64_t unpacked = number(at + 9);
        if (!plausible(unpacked, length - 16, most_by_deflate))
            damaged(at + 9, fmt::format("a file of {} bytes in {}", unpacked, length - 16));
        form_ = FstForm::packed;
    }

    template <std::size_t size>
    void read(std::uint64_t at, std::array<char, size>& to, const char* otherwise) {
        in_.clear();
        in_.seekg(static_cast<std::streamoff>(at));
        if (!in_.read(to.data(), to.size())) fail(at, otherwise);
    }
    std::uint64_t number(std::uint64_t at) {
        std::array<char, 8> bytes{};
        read(at, bytes, "the file ends within a block: it is truncated");
        return big_endian(bytes.data());
    }

    std::string name_;
    std::istream& in_;
    std::uint64_t size_ = 0;
    bool header_ = false;
    bool geometry_ = false;
    bool hierarchy_ = false;
    bool changes_ = false;
    std::uint64_t last_begin_ = 0;
    FstForm form_ = FstForm::plain;
};

}  // namespace

FstForm check_fst_blocks(std::istream& in, const std::string& name) {
    return Walk(in, name).run();
}

FstForm check_fst_blocks(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw WaveError(fmt::format("cannot read {}: {}", file, std::strerror(errno)));
    return check_fst_blocks(in, file);
}

}  // namespace nicsim::waves
