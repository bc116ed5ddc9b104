// SPDX-License-Identifier: Apache-2.0
#include "waves/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "waves/wave.h"

namespace nicsim::waves {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t buffer_bytes = 256 * 1024;

WaveError cannot_write(const std::string& target, int error) {
    return WaveError(fmt::format("cannot write {}: {}", target, std::strerror(error)));
}

/// Names of temporary files, for a signal handler: no locks, no memory.
constexpr std::size_t most_pending = 16;
std::array<std::atomic<const char*>, most_pending> pending_names{};

std::size_t note_pending(const char* name) {
    for (std::size_t slot = 0; slot < most_pending; ++slot) {
        const char* nobody = nullptr;
        if (pending_names[slot].compare_exchange_strong(nobody, name)) return slot;
    }
    return most_pending;  // one more than anybody opens; a signal would leave it behind
}

void remove_and_end(int number) {
    for (const auto& name : pending_names)
        if (const char* text = name.load()) ::unlink(text);
    std::signal(number, SIG_DFL);
    std::raise(number);
}

}  // namespace

void remove_pending_files_on_signals() {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        // What was told to be ignored (nohup) stays so.
        if (std::signal(number, remove_and_end) == SIG_IGN) std::signal(number, SIG_IGN);
    }
}

bool same_file(const std::string& a, const std::string& b) {
    std::error_code error;
    if (fs::equivalent(a, b, error)) return true;
    const fs::path x = fs::weakly_canonical(a, error);
    const fs::path y = fs::weakly_canonical(b, error);
    return !x.empty() && x == y;
}

PendingFile::PendingFile(std::string target) : target_(std::move(target)) {
    if (target_.empty()) throw WaveError("cannot write: the file name is empty");
    std::error_code ignored;
    const auto status = fs::status(target_, ignored);
    if (fs::exists(status) && !fs::is_regular_file(status))
        throw WaveError(fmt::format("cannot write {}: it is not a regular file", target_));
    // A link stays a link: its destination is what gets replaced.
    if (fs::exists(status)) {
        const auto resolved = fs::canonical(target_, ignored);
        if (!ignored) target_ = resolved.string();
    }
    temporary_ = fmt::format("{}.part-{}", target_, ::getpid());
    const int fd = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) throw cannot_write(target_, errno);
    ::close(fd);
    slot_ = note_pending(temporary_.c_str());
}

PendingFile::~PendingFile() {
    if (slot_ < most_pending) pending_names[slot_] = nullptr;
    if (!committed_) ::unlink(temporary_.c_str());
}

void PendingFile::commit() {
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0) throw cannot_write(target_, errno);
    committed_ = true;
}

OutputFile::OutputFile(std::string target)
    : pending_(std::move(target)), file_(std::fopen(pending_.temporary().c_str(), "wb")) {
    if (file_ == nullptr) throw cannot_write(pending_.target(), errno);
    std::setvbuf(file_, nullptr, _IONBF, 0);
    buffer_.resize(buffer_bytes);
}

OutputFile::~OutputFile() {
    if (file_ != nullptr) std::fclose(file_);
}

void OutputFile::flush() {
    if (fill_ != 0 && std::fwrite(buffer_.data(), 1, fill_, file_) != fill_)
        throw cannot_write(pending_.target(), errno);
    fill_ = 0;
}

void OutputFile::write_slowly(std::string_view bytes) {
    flush();
    if (bytes.size() <= buffer_.size()) return write(bytes);
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size())
        throw cannot_write(pending_.target(), errno);
}

void OutputFile::commit() {
    flush();
    const bool closed = std::fclose(std::exchange(file_, nullptr)) == 0;
    if (!closed) throw cannot_write(pending_.target(), errno);
    pending_.commit();
}

}  // namespace nicsim::waves
