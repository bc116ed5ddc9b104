// SPDX-License-Identifier: Apache-2.0
// Runs the program under test as a user does.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "scenarios/child.h"

namespace nicsim::test {

/// Every run of the tests has protocol checkers beside its links, unless a test says otherwise.
inline void check_the_bus() {
    setenv("NICSIM_CHECK", "1", 0);
}

inline scenarios::ChildResult nicsim(const std::vector<std::string>& arguments) {
    check_the_bus();
    return scenarios::run_child(NICSIM_PROGRAM, arguments);
}

/// The same through a shell, for redirections and limits; `$NICSIM` is the program.
inline scenarios::ChildResult shell(const std::string& command) {
    check_the_bus();
    setenv("NICSIM", NICSIM_PROGRAM, 1);
    return scenarios::run_child("/bin/sh", {"-c", command});
}

inline std::string contents(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

/// A folder that goes away with the test.
class Folder {
public:
    Folder() {
        char name[] = "/tmp/nicsim-test-XXXXXX";
        path_ = mkdtemp(name);
    }
    ~Folder() {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    [[nodiscard]] std::string operator/(const std::string& name) const {
        return (path_ / name).string();
    }
    [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / name, std::ios::binary) << text;
        return (path_ / name).string();
    }
    [[nodiscard]] bool empty() const { return std::filesystem::is_empty(path_); }

private:
    std::filesystem::path path_;
};

/// A run of a few milliseconds of simulated time.
inline const std::vector<std::string> short_run{"run",   "i210/qav_6666", "--set",  "warmup=200ms",
                                                "--set", "duration=5ms",  "--quiet"};
inline std::vector<std::string> with(std::vector<std::string> arguments,
                                     const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

}  // namespace nicsim::test
