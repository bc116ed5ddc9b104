// SPDX-License-Identifier: Apache-2.0
#include "waves/wave_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "waves/byte_source.h"
#include "waves/fst_reader.h"
#include "waves/vcd_reader.h"

namespace nicsim::waves {
namespace {

/// The first bytes of a regular file; of a pipe none, since they could not be read twice. A named
/// pipe is not even opened: who writes to it would take this for the reader that goes away.
std::string first_bytes(const std::string& file) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0)
        throw WaveError(fmt::format("cannot read {}: {}", file, std::strerror(errno)));
    if (!S_ISREG(status.st_mode)) return {};
    const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) throw WaveError(fmt::format("cannot read {}: {}", file, std::strerror(errno)));
    std::array<char, 16> bytes{};
    const ssize_t got = ::read(fd, bytes.data(), bytes.size());
    ::close(fd);
    if (got == 0) throw WaveError(fmt::format("{}: the file is empty", file));
    return {bytes.data(), static_cast<std::size_t>(got > 0 ? got : 0)};
}

}  // namespace

std::unique_ptr<WaveReader> WaveReader::open(const std::string& file, ReaderOptions options) {
    const std::string first = first_bytes(file);
    if (first.starts_with("\x1f\x8b"))
        throw WaveError(fmt::format("{}: the file is compressed by gzip; unpack it first", file));
    // A header block is 0 and a length of 329; a whole FST file packed by gzip is 254.
    const bool fst = !first.empty() && (first[0] == 0 || first[0] == static_cast<char>(254));
    if (fst) return std::make_unique<FstReader>(file, options);
    for (const char c : first) {
        if (static_cast<unsigned char>(c) < ' ' && (c < '\t' || c > '\r'))
            throw WaveError(fmt::format("{}: neither VCD nor FST (byte 0x{:02x} at the start)",
                                        file, static_cast<unsigned char>(c)));
    }
    VcdLimits limits;
    limits.name_bytes = options.name_bytes;
    return std::make_unique<VcdReader>(file, open_source(file), limits);
}

}  // namespace nicsim::waves
