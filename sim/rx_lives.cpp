// SPDX-License-Identifier: Apache-2.0
#include "sim/rx_lives.h"

namespace nicsim::sim {

const char* name_of(RxStage stage) {
    static constexpr std::array<const char*, rx_stages> names = {
        "arrival", "packet_buffer", "dma_start", "dma_end", "write_back", "interrupt", "stack"};
    return names[static_cast<unsigned>(stage)];
}

RxLives::Life& RxLives::slot(unsigned queue, std::uint32_t place) {
    if (queue >= queues_.size()) queues_.resize(queue + 1);
    std::vector<Life>& lives = queues_[queue].lives;
    if (place >= lives.size()) lives.resize(place + 1);
    return lives[place];
}

void RxLives::tell(unsigned queue, Life& life) {
    life.alive = false;
    listener_(self_, queue, queues_[queue].ended++, life.at);
}

void RxLives::end(unsigned queue, std::uint32_t place, Ps interrupted, Ps t) {
    if (!wanted()) return;
    Life& life = slot(queue, place);
    if (!life.alive) return;
    // A poll that an earlier frame's interrupt began takes this one along: it has none of its own.
    const Ps returned = life.at[static_cast<unsigned>(RxStage::dma_end)];
    if (interrupted >= returned) life.at[static_cast<unsigned>(RxStage::interrupt)] = interrupted;
    life.at[static_cast<unsigned>(RxStage::stack)] = t;
    tell(queue, life);
}

void RxLives::tell_unfinished() {
    if (!wanted()) return;
    for (unsigned queue = 0; queue < queues_.size(); ++queue)
        for (Life& life : queues_[queue].lives)
            if (life.alive) tell(queue, life);
}

}  // namespace nicsim::sim
