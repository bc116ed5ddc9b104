// SPDX-License-Identifier: Apache-2.0
// What an observer hears of the lives of received frames.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/life_cycle.h"

namespace nicsim::models {

struct RxLivesSeen {
    struct Life {
        unsigned queue = 0;
        std::uint64_t n = 0;
        sim::RxTimes times{};
        [[nodiscard]] sim::Ps at(sim::RxStage stage) const {
            return times[static_cast<unsigned>(stage)];
        }
    };
    sim::LifeCycle lives{16};
    std::vector<Life> seen;

    RxLivesSeen() {
        lives.received().listen(
            this, [](void* self, unsigned queue, std::uint64_t n, const sim::RxTimes& at) {
                static_cast<RxLivesSeen*>(self)->seen.push_back({queue, n, at});
            });
    }
    /// As a driver that takes the frame of this place now.
    void take(unsigned queue, unsigned place) { lives.received().end(queue, place, 0, sim::now()); }
};

}  // namespace nicsim::models
