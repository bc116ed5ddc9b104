// SPDX-License-Identifier: Apache-2.0
// Where a VCD file's bytes come from, and a buffer that hands them on in order.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace nicsim::waves {

class ByteSource {
public:
    virtual ~ByteSource() = default;
    /// Up to `size` bytes; 0 at the end. Throws WaveError.
    virtual std::size_t read(char* to, std::size_t size) = 0;
    /// Line (from 1) of a byte, by reading again from the start; 0 if that cannot be done.
    virtual std::uint64_t line_of(std::uint64_t offset) = 0;
};

/// A file, or a pipe.
std::unique_ptr<ByteSource> open_source(const std::string& file);

/// Bytes in memory, which must stay there.
class MemorySource : public ByteSource {
public:
    explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
    std::size_t read(char* to, std::size_t size) override;
    std::uint64_t line_of(std::uint64_t offset) override;

private:
    std::string_view bytes_;
    std::size_t at_ = 0;
};

/// A window on the source that moves forward. Behind the last byte stands a NUL, so scanners need
/// no bound.
class ByteWindow {
public:
    ByteWindow(ByteSource& source, std::size_t bytes) : source_(source) {
        buffer_.resize(bytes + 1);
    }

    const char* at = nullptr;   ///< the next byte
    const char* end = nullptr;  ///< behind the last byte in the window

    /// Gets more bytes behind `end`, keeping those from `at` on. False at the end of the source.
    bool more() {
        if (exhausted_) return false;
        const std::size_t kept = static_cast<std::size_t>(end - at);
        if (at != nullptr) {
            base_ += static_cast<std::uint64_t>(at - buffer_.data());
            std::memmove(buffer_.data(), at, kept);
        }
        if (kept > (buffer_.size() - 1) / 2) buffer_.resize(buffer_.size() * 2);
        const std::size_t got = source_.read(buffer_.data() + kept, buffer_.size() - 1 - kept);
        if (got == 0) exhausted_ = true;
        buffer_[kept + got] = 0;
        at = buffer_.data();
        end = at + kept + got;
        return got != 0;
    }
    [[nodiscard]] bool exhausted() const { return exhausted_; }
    /// Where `place` (between `at` and `end`) lies in the source.
    [[nodiscard]] std::uint64_t offset(const char* place) const {
        return base_ + static_cast<std::uint64_t>(place - buffer_.data());
    }

private:
    ByteSource& source_;
    std::string buffer_;
    std::uint64_t base_ = 0;
    bool exhausted_ = false;
};

}  // namespace nicsim::waves
