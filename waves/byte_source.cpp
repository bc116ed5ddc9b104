// SPDX-License-Identifier: Apache-2.0
#include "waves/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "waves/wave.h"

namespace nicsim::waves {
namespace {

class FileSource : public ByteSource {
public:
    explicit FileSource(const std::string& file)
        : file_(file), fd_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
        if (fd_ < 0) throw error(errno);
        struct stat status {};
        if (::fstat(fd_, &status) == 0 && S_ISDIR(status.st_mode)) throw error(EISDIR);
    }
    ~FileSource() override { ::close(fd_); }
    FileSource(const FileSource&) = delete;
    FileSource& operator=(const FileSource&) = delete;

    std::size_t read(char* to, std::size_t size) override {
        while (true) {
            const ssize_t got = ::read(fd_, to, size);
            if (got >= 0) return static_cast<std::size_t>(got);
            if (errno != EINTR) throw error(errno);
        }
    }
    std::uint64_t line_of(std::uint64_t offset) override {
        std::uint64_t line = 1;
        std::vector<char> buffer(64 * 1024);
        for (std::uint64_t at = 0; at < offset;) {
            const auto wanted = std::min<std::uint64_t>(buffer.size(), offset - at);
            const ssize_t got = ::pread(fd_, buffer.data(), wanted, static_cast<off_t>(at));
            if (got <= 0) return 0;
            line +=
                static_cast<std::uint64_t>(std::count(buffer.begin(), buffer.begin() + got, '\n'));
            at += static_cast<std::uint64_t>(got);
        }
        return line;
    }

private:
    [[nodiscard]] WaveError error(int number) const {
        return WaveError(fmt::format("cannot read {}: {}", file_, std::strerror(number)));
    }

    std::string file_;
    int fd_;
};

}  // namespace

std::unique_ptr<ByteSource> open_source(const std::string& file) {
    return std::make_unique<FileSource>(file);
}

std::size_t MemorySource::read(char* to, std::size_t size) {
    size = std::min(size, bytes_.size() - at_);
    bytes_.copy(to, size, at_);
    at_ += size;
    return size;
}

std::uint64_t MemorySource::line_of(std::uint64_t offset) {
    const auto end = std::min<std::uint64_t>(offset, bytes_.size());
    return 1 + static_cast<std::uint64_t>(std::count(
                   bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
}

}  // namespace nicsim::waves
