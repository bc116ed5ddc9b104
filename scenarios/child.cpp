// SPDX-License-Identifier: Apache-2.0
#include "scenarios/child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

extern char** environ;

namespace nicsim::scenarios {
namespace {

/// Reads what is there; false at the end of the stream.
bool drain(int file, std::string& into) {
    std::array<char, 65536> buffer{};
    const ssize_t n = read(file, buffer.data(), buffer.size());
    if (n < 0) return errno == EINTR || errno == EAGAIN;
    into.append(buffer.data(), static_cast<std::size_t>(n));
    return n > 0;
}

void read_both(int out, int err, ChildResult& result) {
    std::array<pollfd, 2> files{pollfd{out, POLLIN, 0}, pollfd{err, POLLIN, 0}};
    while (files[0].fd >= 0 || files[1].fd >= 0) {
        if (poll(files.data(), files.size(), -1) < 0 && errno != EINTR) break;
        if (files[0].fd >= 0 && files[0].revents != 0 && !drain(out, result.output))
            files[0].fd = -1;
        if (files[1].fd >= 0 && files[1].revents != 0 && !drain(err, result.errors))
            files[1].fd = -1;
    }
}

}  // namespace

ChildResult run_child(const std::string& program, const std::vector<std::string>& arguments) {
    ChildResult result;
    std::vector<std::string> words{program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);

    std::array<int, 2> out{}, err{};
    if (pipe2(out.data(), O_CLOEXEC) != 0) return result;
    if (pipe2(err.data(), O_CLOEXEC) != 0) {
        close(out[0]);
        close(out[1]);
        return result;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
    pid_t pid = 0;
    const int error = posix_spawn(&pid, program.c_str(), &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(out[1]);
    close(err[1]);
    if (error == 0) {
        read_both(out[0], err[0], result);
        int status = 0;
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
        result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    close(out[0]);
    close(err[0]);
    return result;
}

}  // namespace nicsim::scenarios
