// SPDX-License-Identifier: Apache-2.0
#include "sim/decision.h"

#include <algorithm>
#include <utility>

namespace nicsim::sim {
namespace {

std::vector<Decision*>& registry() {
    static auto* decisions = new std::vector<Decision*>;
    return *decisions;
}

}  // namespace

Decision::Decision(std::string path) : path_(std::move(path)) {
    registry().push_back(this);
}

Decision::~Decision() {
    std::erase(registry(), this);
}

const std::vector<Decision*>& Decision::all() {
    return registry();
}

}  // namespace nicsim::sim
