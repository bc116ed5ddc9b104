// SPDX-License-Identifier: Apache-2.0
// The life of a received frame, stage by stage, for those who draw it (timelines). A frame is known
// by its place in the ring by which the device returns it, which is the same on both sides of the
// bus, so nothing has to be counted in step and a ring that starts anew mixes nothing up. Observers
// only: no model decides anything by it, and without a listener nothing is kept.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/time.h"

namespace nicsim::sim {

/// Moments in the life of a received frame, in order.
enum class RxStage : std::uint8_t {
    arrival,        ///< its start delimiter passed the MAC
    packet_buffer,  ///< all of it is in the packet buffer
    dma_start,      ///< its first write to host memory was handed to the DMA engine
    dma_end,        ///< the bus took its last byte
    write_back,     ///< the bus took its descriptor
    interrupt,      ///< the interrupt handler that covers it ran
    stack,          ///< the driver handed it to the stack
};
constexpr unsigned rx_stages = 7;
const char* name_of(RxStage stage);
using RxTimes = std::array<Ps, rx_stages>;

class RxLives {
public:
    /// A reader of whole lives, called at `stack`: the `n`-th (from 0) of a queue.
    using Listener = void (*)(void* self, unsigned queue, std::uint64_t n, const RxTimes& at);
    void listen(void* self, Listener listener) {
        self_ = self;
        listener_ = listener;
    }
    /// Whether anybody wants to know.
    [[nodiscard]] bool wanted() const { return listener_ != nullptr; }

    /// The device fills the place of the ring, and knows the stages up to `dma_end`.
    void begin(unsigned queue, std::uint32_t place, const RxTimes& so_far) {
        if (wanted()) slot(queue, place) = {true, so_far};
    }
    void stamp(unsigned queue, std::uint32_t place, RxStage stage, Ps t) {
        if (!wanted()) return;
        Life& life = slot(queue, place);
        if (life.alive) life.at[static_cast<unsigned>(stage)] = t;
    }
    /// The driver hands the frame up; `interrupted`: when the interrupt came that led to it.
    void end(unsigned queue, std::uint32_t place, Ps interrupted, Ps t);
    /// Tells the listener of frames that no driver has taken yet, in order of their places.
    void tell_unfinished();

private:
    struct Life {
        bool alive = false;
        RxTimes at{};
    };
    struct Queue {
        std::vector<Life> lives;  ///< by place
        std::uint64_t ended = 0;
    };
    Life& slot(unsigned queue, std::uint32_t place);
    void tell(unsigned queue, Life& life);

    std::vector<Queue> queues_;
    void* self_ = nullptr;
    Listener listener_ = nullptr;
};

}  // namespace nicsim::sim
