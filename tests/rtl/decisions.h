// SPDX-License-Identifier: Apache-2.0
// What a block decided, and when.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/time.h"

namespace nicsim::models::rtl {

struct Decided {
    char kind = '?';
    std::uint64_t value = 0;
    sim::Ps time = 0;
};
using Decisions = std::vector<Decided>;

}  // namespace nicsim::models::rtl
