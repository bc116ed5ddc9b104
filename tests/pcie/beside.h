// SPDX-License-Identifier: Apache-2.0
// A protocol checker beside a link that a test uses as no device would.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "pcie/link.h"
#include "pcie/tlp_checker.h"

namespace nicsim::pcie::test {

/// What contains one of the `excused` sentences is meant, every other violation fails the test.
/// Built before its link.
class Beside {
public:
    explicit Beside(std::vector<std::string> excused = {}) : excused_(std::move(excused)) {}
    ~Beside() {
        for (const std::string& v : checker_.violations())
            if (std::none_of(excused_.begin(), excused_.end(),
                             [&v](const std::string& e) { return v.find(e) != std::string::npos; }))
                ADD_FAILURE() << v;
    }
    Beside(const Beside&) = delete;
    Beside& operator=(const Beside&) = delete;
    void watch(Link& link) { link.observe(checker_); }
    /// Nothing is meant to be wrong.
    [[nodiscard]] bool strict() const { return excused_.empty(); }
    [[nodiscard]] TlpChecker& checker() { return checker_; }
    void excuse(const std::string& sentence) { excused_.push_back(sentence); }

private:
    TlpChecker checker_{TlpChecker::Reaction::record};
    std::vector<std::string> excused_;
};
/// Completions that answer nobody, as bare ends send them.
inline const std::string nobody_asked = "no request with this requester ID and tag is open";
/// Everything.
inline const std::string anything;

}  // namespace nicsim::pcie::test
