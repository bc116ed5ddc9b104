// SPDX-License-Identifier: Apache-2.0
#include "bench/isolated.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <stdexcept>

namespace nicsim::bench {

double cpu_seconds_now() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Cost run_isolated(const std::function<Cost()>& simulation) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("cannot make a pipe for the measured process");
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("cannot start the measured process");
    if (child == 0) {
        close(ends[0]);
        int status = 1;
        try {
            const Cost cost = simulation();
            if (write(ends[1], &cost, sizeof cost) == static_cast<ssize_t>(sizeof cost)) status = 0;
        } catch (const std::exception& error) {
            std::fprintf(stderr, "measured simulation failed: %s\n", error.what());
        }
        _exit(status);
    }
    close(ends[1]);
    Cost cost;
    const bool complete = read(ends[0], &cost, sizeof cost) == static_cast<ssize_t>(sizeof cost);
    close(ends[0]);
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    if (!complete || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        throw std::runtime_error("the measured simulation failed");
    cost.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024U;
    return cost;
}

}  // namespace nicsim::bench
