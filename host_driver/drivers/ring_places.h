// SPDX-License-Identifier: Apache-2.0
// What rings of any make have in common: which places are free, and the names that observers know
// their packets by.
#pragma once

#include <cstdint>

#include "host_driver/sk_buff.h"
#include "sim/life_cycle.h"
#include "sim/time.h"

namespace nicsim::host {

/// Places of a ring. One stays free, so that head and tail never meet.
struct RingPlaces {
    unsigned index = 0;
    std::uint32_t count = 0;          ///< descriptors
    std::uint64_t descriptors = 0;    ///< address in host memory
    std::uint64_t tail_register = 0;  ///< address
    std::uint32_t next_to_use = 0;
    std::uint32_t next_to_clean = 0;

    [[nodiscard]] std::uint32_t unused() const {
        return (next_to_clean > next_to_use ? 0 : count) + next_to_clean - next_to_use - 1;
    }
    [[nodiscard]] std::uint32_t used() const { return count - 1 - unused(); }
    [[nodiscard]] std::uint32_t after(std::uint32_t i) const { return i + 1 == count ? 0 : i + 1; }
};

/// Packets of a transmit ring as observers name them: the n-th since the ring was set up.
class TxNames {
public:
    /// Before the device's ring is set up (again).
    void restart() { posted_ = announced_ = cleaned_ = 0; }

    void post(sim::LifeCycle* life_cycle, unsigned queue, const SkBuff& skb) {
        const std::uint64_t n = posted_++;
        if (life_cycle == nullptr) return;
        life_cycle->begin(queue, n);
        if (skb.handed_over != 0)
            life_cycle->stamp(queue, n, sim::TxStage::application, skb.handed_over);
        life_cycle->stamp(queue, n, sim::TxStage::driver, skb.queued);
    }
    /// Packets from `first` up to `end`.
    struct Range {
        std::uint64_t first = 0;
        std::uint64_t end = 0;
    };
    /// What the doorbell that is about to be written covers; those that follow start behind it.
    [[nodiscard]] Range announce() {
        const Range covered{announced_, posted_};
        announced_ = posted_;
        return covered;
    }
    /// The doorbell has left the core.
    static void left(sim::LifeCycle* life_cycle, unsigned queue, const Range& covered) {
        if (life_cycle == nullptr) return;
        for (std::uint64_t n = covered.first; n < covered.end; ++n)
            life_cycle->stamp(queue, n, sim::TxStage::doorbell, sim::now());
    }
    /// `interrupted`: when the interrupt came that led to it.
    void clean(sim::LifeCycle* life_cycle, unsigned queue, sim::Ps interrupted, sim::Ps now) {
        const std::uint64_t n = cleaned_++;
        if (life_cycle == nullptr) return;
        life_cycle->stamp(queue, n, sim::TxStage::interrupt, interrupted);
        life_cycle->stamp(queue, n, sim::TxStage::clean, now);
    }

private:
    std::uint64_t posted_ = 0;
    std::uint64_t announced_ = 0;
    std::uint64_t cleaned_ = 0;
};

/// Tells observers of frames that a poll hands to the stack.
struct RxSeen {
    sim::LifeCycle* life_cycle = nullptr;
    sim::Ps interrupted = 0;  ///< when the interrupt came that led to it

    /// The frame of this place of the ring by which the device returns frames.
    void hand_up(unsigned queue, std::uint32_t place, sim::Ps now) const {
        if (life_cycle != nullptr) life_cycle->received().end(queue, place, interrupted, now);
    }
};

}  // namespace nicsim::host
