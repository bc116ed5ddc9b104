// SPDX-License-Identifier: Apache-2.0
#include "waves/fst_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "waves/bit_text.h"
#include "waves/fst_blocks.h"
#include "waves/fst_decoder.h"

namespace nicsim::waves {
namespace {

constexpr std::size_t read_chunk = 256 * 1024;
constexpr std::size_t longest_name = 128 * 1024;
constexpr std::size_t longest_value = 4 * std::size_t{max_width};

}  // namespace

FstReader::FstReader(std::string file, ReaderOptions options) : options_(options) {
    file_ = std::move(file);
    check_fst_blocks(file_);
    start(options);
    try {
        read_names();
    } catch (...) {
        stop();
        throw;
    }
}

FstReader::~FstReader() {
    stop();
}

void FstReader::start(const ReaderOptions& options) {
    std::array<int, 2> up{};
    std::array<int, 2> down{};
    if (::pipe2(up.data(), O_CLOEXEC) != 0) fail(std::strerror(errno));
    if (::pipe2(down.data(), O_CLOEXEC) != 0) {
        ::close(up[0]);
        ::close(up[1]);
        fail(std::strerror(errno));
    }
#ifdef F_SETPIPE_SZ
    ::fcntl(up[1], F_SETPIPE_SZ, 1024 * 1024);
#endif
    child_ = ::fork();
    if (child_ == 0) fst::decode(file_, up[1], down[0], options);
    ::close(up[1]);
    ::close(down[0]);
    from_child_ = up[0];
    to_child_ = down[1];
    if (child_ < 0) fail(std::strerror(errno));
}

void FstReader::stop() {
    if (from_child_ >= 0) ::close(std::exchange(from_child_, -1));
    if (to_child_ >= 0) ::close(std::exchange(to_child_, -1));
    if (child_ > 0) {
        ::kill(child_, SIGKILL);
        ::waitpid(std::exchange(child_, -1), nullptr, 0);
    }
}

void FstReader::fail(const std::string& what) {
    throw WaveError(fmt::format("{}: {}", file_, what));
}

void FstReader::child_ended() {
    int status = 0;
    ::waitpid(std::exchange(child_, -1), &status, 0);
    std::string why = fmt::format("exit {}", WEXITSTATUS(status));
    if (WIFSIGNALED(status)) why = ::strsignal(WTERMSIG(status));
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        why = fmt::format("no progress within {} s of processor time", options_.decoder_seconds);
    const std::string place =
        has_time_   ? fmt::format("after #{} ({})", time_, format_time(time_, exponent_))
        : selected_ ? "before the first change"
                    : "within the declarations";
    fail(fmt::format("the file is damaged: its decoder failed {} ({})", place, why));
}

const char* FstReader::take(std::size_t size) {
    while (end_ - at_ < size) {
        if (at_ != 0) {
            std::memmove(buffer_.data(), buffer_.data() + at_, end_ - at_);
            end_ -= at_;
            at_ = 0;
        }
        if (buffer_.size() < std::max(size, read_chunk)) buffer_.resize(std::max(size, read_chunk));
        const ssize_t got = ::read(from_child_, buffer_.data() + end_, buffer_.size() - end_);
        if (got == 0) child_ended();
        if (got < 0 && errno != EINTR) fail(std::strerror(errno));
        if (got > 0) end_ += static_cast<std::size_t>(got);
    }
    const char* bytes = buffer_.data() + at_;
    at_ += size;
    return bytes;
}

template <class T>
T FstReader::number() {
    T value{};
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
}

std::string_view FstReader::text(std::size_t longest) {
    const auto length = number<std::uint32_t>();
    if (length > longest) fail("the file is damaged: its decoder speaks nonsense");
    return {take(length), length};
}

void FstReader::read_names() {
    while (true) {
        switch (static_cast<fst::Word>(number<std::uint8_t>())) {
            case fst::Word::header:
                exponent_ = number<std::int32_t>();
                first_time_ = number<std::uint64_t>();
                end_time_ = number<std::uint64_t>();
                handles_ = number<std::uint32_t>();
                version_ = text(128);
                if (exponent_ < -21 || exponent_ > 2)
                    fail(fmt::format("the file is damaged: its time unit is 10^{} s", exponent_));
                break;
            case fst::Word::variable:
                read_variable();
                break;
            case fst::Word::ready:
                // Handles without a name have no width and are never wanted.
                wanted_.assign(handles_, false);
                by_handle_.resize(handles_);
                for (const Signal& signal : signals_) {
                    wanted_[signal.handle] = true;
                    by_handle_[signal.handle].kind = signal.kind;
                    by_handle_[signal.handle].width = signal.width;
                }
                return;
            case fst::Word::error:
                fail(fmt::format("the file is damaged: {}", text(1024)));
            default:
                fail("the file is damaged: its decoder speaks nonsense");
        }
    }
}

void FstReader::read_variable() {
    Signal signal;
    const auto kind = number<std::uint8_t>();
    signal.kind = static_cast<Kind>(kind);
    signal.width = number<std::uint32_t>();
    signal.handle = number<std::uint32_t>();
    if (kind > 3 || signal.handle >= handles_ || signal.width > max_width)
        fail("the file is damaged: its decoder speaks nonsense");
    signal.path = text(longest_name);
    const std::string name(text(longest_name));
    set_name_and_range(signal, name);
    // Names go to terminals and into VCD files.
    for (char& c : signal.path)
        if (static_cast<unsigned char>(c) <= ' ' || c == 127) c = '_';
    signals_.push_back(std::move(signal));
}

void FstReader::select(std::vector<bool> handles) {
    for (std::size_t i = 0; i < wanted_.size(); ++i)
        wanted_[i] = wanted_[i] && i < handles.size() && handles[i];
}

void FstReader::send_selection() {
    selected_ = true;
    std::string bytes(wanted_.size(), 0);
    for (std::size_t i = 0; i < wanted_.size(); ++i) bytes[i] = wanted_[i] ? 1 : 0;
    // A dead child shows at the next read, not as a signal here.
    auto* old = std::signal(SIGPIPE, SIG_IGN);
    for (std::size_t sent = 0; sent < bytes.size();) {
        const ssize_t n = ::write(to_child_, bytes.data() + sent, bytes.size() - sent);
        if (n < 0 && errno != EINTR) break;
        if (n > 0) sent += static_cast<std::size_t>(n);
    }
    std::signal(SIGPIPE, old);
}

bool FstReader::next(Change& change) {
    if (done_) return false;
    if (!selected_) send_selection();
    while (true) {
        switch (static_cast<fst::Word>(number<std::uint8_t>())) {
            case fst::Word::time: {
                const auto time = number<std::uint64_t>();
                if (has_time_ && time < time_)
                    fail(fmt::format("the file is damaged: time goes back from #{} to #{}", time_,
                                     time));
                time_ = time;
                has_time_ = true;
                break;
            }
            case fst::Word::change: {
                const auto handle = number<std::uint32_t>();
                const auto value = text(longest_value);
                if (handle >= handles_ || !wanted_[handle])
                    fail("the file is damaged: a change of a signal that is not there");
                const Signal& signal = by_handle_[handle];
                change.time = time_;
                change.handle = handle;
                change.value = value;
                if (signal.kind == Kind::bits) {
                    value_.resize(signal.width);
                    if (!expand_bits(value, signal.width, value_.data()))
                        fail(fmt::format("the file is damaged: no bits in a value at #{}", time_));
                    change.value = value_;
                } else if (signal.kind == Kind::real && value.size() != sizeof(double)) {
                    fail("the file is damaged: a real of another size");
                }
                return true;
            }
            case fst::Word::done:
                if (end_time_ > time_ || !has_time_) {
                    time_ = end_time_;
                    has_time_ = true;
                }
                done_ = true;
                return false;
            case fst::Word::error:
                fail(fmt::format("the file is damaged: {}", text(1024)));
            default:
                fail("the file is damaged: its decoder speaks nonsense");
        }
    }
}

}  // namespace nicsim::waves
