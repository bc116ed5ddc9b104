// SPDX-License-Identifier: Apache-2.0
// The decisions of two implementations of a block that were given the same stimulus, and whether
// they are the same.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "models/common/clock_edges.h"
#include "tests/rtl/decisions.h"

namespace nicsim::models::rtl {

inline std::string text_of(const Decided& d) {
    return std::string(1, d.kind) + std::to_string(d.value) + " at " + std::to_string(d.time) +
           " ps";
}

/// Largest distance in time of decisions that belong together, in cycles; stops the test if the
/// sequences differ or the distance is above `bound`.
inline std::uint64_t compare(const Decisions& model, const Decisions& rtl, std::uint64_t bound) {
    std::uint64_t largest = 0;
    for (std::size_t i = 0; i < std::min(model.size(), rtl.size()); ++i) {
        const Decided &m = model[i], &r = rtl[i];
        if (m.kind != r.kind || m.value != r.value) {
            ADD_FAILURE() << "decision " << i << ": " << text_of(m) << ", RTL: " << text_of(r);
            return largest;
        }
        const sim::Ps apart = m.time > r.time ? m.time - r.time : r.time - m.time;
        largest = std::max(largest, (apart + clock_period - 1) / clock_period);
        if (largest > bound) {
            ADD_FAILURE() << "decision " << i << ": " << text_of(m) << ", RTL: " << text_of(r);
            return largest;
        }
    }
    EXPECT_EQ(model.size(), rtl.size()) << "decisions";
    return largest;
}

}  // namespace nicsim::models::rtl
