// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <utility>

#include "waves/fst_channel.h"
#include "waves/fst_decoder.h"

namespace nicsim::waves {
namespace {

constexpr int slice_ms = 1000;
constexpr unsigned goodbye_ms = 2000;

WaveError failure(const std::string& file, int number) {
    return WaveError(fmt::format("cannot read {}: {}", file, std::strerror(number)));
}

/// Nanoseconds of processor time of a process; 0 when it has none any more.
std::uint64_t time_used(pid_t process) {
    clockid_t clock{};
    timespec used{};
    if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return 0;
    return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(used.tv_nsec);
}

}  // namespace

FstProcess::FstProcess(const std::string& file, const ReaderOptions& options)
    : file_(file), patience_(options.decoder_seconds) {
    std::array<int, 2> up{};
    std::array<int, 2> down{};
    if (::pipe2(up.data(), O_CLOEXEC) != 0) throw failure(file_, errno);
    // A socket, because a write to it can be told not to raise SIGPIPE.
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, down.data()) != 0) {
        const int number = errno;
        ::close(up[0]);
        ::close(up[1]);
        throw failure(file_, number);
    }
#ifdef F_SETPIPE_SZ
    ::fcntl(up[1], F_SETPIPE_SZ, 1024 * 1024);
#endif
    child_ = ::fork();
    const int number = errno;
    if (child_ == 0) fst::decode(file_, up[1], down[0], options);
    ::close(up[1]);
    ::close(down[0]);
    from_child_ = up[0];
    to_child_ = down[1];
    if (child_ < 0) {
        stop();
        throw failure(file_, number);
    }
}

FstProcess::~FstProcess() {
    stop();
}

void FstProcess::stop() {
    if (from_child_ >= 0) ::close(std::exchange(from_child_, -1));
    if (to_child_ >= 0) ::close(std::exchange(to_child_, -1));
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
    child_ = -1;
}

bool FstProcess::wait_for(int fd, short what) {
    // Seconds are counted one by one, so that time in which this process was itself stopped does
    // not count. The child's own limit ends it when it uses processor time without a word.
    std::uint64_t used = ~std::uint64_t{0};
    for (unsigned idle = 0; idle <= patience_;) {
        pollfd entry{fd, what, 0};
        const int ready = ::poll(&entry, 1, slice_ms);
        if (ready > 0) return true;
        if (ready < 0) {
            if (errno != EINTR) throw failure(file_, errno);
            continue;
        }
        const std::uint64_t now = time_used(child_);
        idle = now == used ? idle + 1 : 0;
        used = now;
    }
    ::kill(child_, SIGKILL);
    stalled_ = true;
    return false;
}

std::size_t FstProcess::read(char* to, std::size_t size) {
    while (!stalled_ && wait_for(from_child_, POLLIN)) {
        const ssize_t got = ::read(from_child_, to, size);
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EINTR) throw failure(file_, errno);
    }
    return 0;
}

void FstProcess::send(std::string_view bytes) {
    while (!bytes.empty() && !stalled_ && wait_for(to_child_, POLLOUT)) {
        const ssize_t sent =
            ::send(to_child_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
        if (sent < 0 && errno != EINTR && errno != EAGAIN) return;
    }
}

std::string FstProcess::ending() {
    // It has closed its end, so it is about to go; if it is not, it is helped along.
    int status = 0;
    pid_t done = 0;
    for (unsigned tries = 0;; ++tries) {
        done = ::waitpid(child_, &status, tries < goodbye_ms ? WNOHANG : 0);
        if (done > 0 || (done < 0 && errno != EINTR)) break;
        if (tries + 1 == goodbye_ms) ::kill(child_, SIGKILL);
        ::usleep(1000);
    }
    child_ = -1;
    if (stalled_) return fmt::format("it stood still for {} s", patience_);
    if (done < 0) return "it is gone";
    if (!WIFSIGNALED(status)) return fmt::format("exit {}", WEXITSTATUS(status));
    if (WTERMSIG(status) == SIGXCPU)
        return fmt::format("no progress within {} s of processor time", patience_);
    return ::strsignal(WTERMSIG(status));
}

}  // namespace nicsim::waves
