// SPDX-License-Identifier: Apache-2.0
// A file that appears under its name only when it is complete: it is written beside its target and
// renamed by `commit`. Without a commit nothing stays behind, and an older file of that name is
// left as it was.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace nicsim::waves {

/// The temporary name beside a target, and its rename or removal.
class PendingFile {
public:
    /// Throws WaveError when the folder of `target` is not there or cannot be written, or when
    /// `target` is something else than a regular file.
    explicit PendingFile(std::string target);
    ~PendingFile();
    PendingFile(const PendingFile&) = delete;
    PendingFile& operator=(const PendingFile&) = delete;

    [[nodiscard]] const std::string& target() const { return target_; }
    [[nodiscard]] const std::string& temporary() const { return temporary_; }
    void commit();

private:
    std::string target_;
    std::string temporary_;
    bool committed_ = false;
    std::size_t slot_ = 0;  ///< in the list of what a signal removes
};

/// From now on SIGINT, SIGTERM and SIGHUP remove what is not complete before they end the program.
/// For commands that have no end of their own to come to.
void remove_pending_files_on_signals();

/// Whether two names mean the same file, existing or not.
bool same_file(const std::string& a, const std::string& b);

/// A buffered stream into a PendingFile. Every failure is a WaveError that names the target.
class OutputFile {
public:
    explicit OutputFile(std::string target);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(std::string_view bytes) {
        if (fill_ + bytes.size() > buffer_.size()) return write_slowly(bytes);
        bytes.copy(buffer_.data() + fill_, bytes.size());
        fill_ += bytes.size();
    }
    void put(char byte) { write({&byte, 1}); }
    void commit();
    [[nodiscard]] const std::string& target() const { return pending_.target(); }

private:
    void write_slowly(std::string_view bytes);
    void flush();

    PendingFile pending_;
    std::string buffer_;
    std::size_t fill_ = 0;
    std::FILE* file_ = nullptr;
};

}  // namespace nicsim::waves
