// SPDX-License-Identifier: Apache-2.0
#include "waves/fst_unpack.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "waves/fst_blocks.h"
#include "waves/wave.h"

namespace nicsim::waves {
namespace {

constexpr off_t packed_at = 1 + 8 + 8;  // behind the type and two lengths

WaveError failure(const char* what) {
    return WaveError(fmt::format("{}: {}", what, std::strerror(errno)));
}

void write_all(int fd, const char* bytes, std::size_t size) {
    for (std::size_t done = 0; done < size;) {
        const ssize_t n = ::write(fd, bytes + done, size - done);
        if (n < 0 && errno != EINTR) throw failure("no memory to unpack it");
        if (n > 0) done += static_cast<std::size_t>(n);
    }
}

void unpack(int from, int to, std::uint64_t most_bytes) {
    if (::lseek(from, packed_at, SEEK_SET) < 0) throw failure("it cannot be unpacked");
    const int again = ::dup(from);
    const gzFile packed = again < 0 ? nullptr : ::gzdopen(again, "rb");
    if (packed == nullptr) throw WaveError("no memory to unpack it");
    std::array<char, 64 * 1024> bytes{};
    std::uint64_t total = 0;
    while (true) {
        const int got = ::gzread(packed, bytes.data(), bytes.size());
        if (got < 0) {
            int number = 0;
            const std::string why = ::gzerror(packed, &number);
            throw WaveError(
                fmt::format("what is packed in it breaks off after {} bytes ({})", total, why));
        }
        if (got == 0) break;
        total += static_cast<std::uint64_t>(got);
        if (total > most_bytes)
            throw WaveError(fmt::format("unpacked it is larger than {} bytes", most_bytes));
        write_all(to, bytes.data(), static_cast<std::size_t>(got));
    }
    ::gzclose(packed);
}

}  // namespace

std::string path_of(int fd) {
    return fmt::format("/proc/self/fd/{}", fd);
}

int open_plain_fst(const std::string& file, std::uint64_t most_bytes) {
    const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) throw failure("it cannot be opened");
    unsigned char first = 0;
    if (::pread(fd, &first, 1, 0) != 1) throw failure("it cannot be read");
    if (first != 254) return fd;
    const int plain = ::memfd_create("fst", MFD_CLOEXEC);
    if (plain < 0) throw failure("no memory to unpack it");
    unpack(fd, plain, most_bytes);
    ::close(fd);
    std::ifstream in(path_of(plain), std::ios::binary);
    if (check_fst_blocks(in, "unpacked") == FstForm::packed)
        throw WaveError("a packed file within the packed file");
    return plain;
}

}  // namespace nicsim::waves
