// SPDX-License-Identifier: Apache-2.0
#include "sim/life_cycle.h"

#include <algorithm>
#include <bit>
#include <string>

namespace nicsim::sim {

const char* name_of(TxStage stage) {
    static constexpr std::array<const char*, tx_stages> names = {
        "application",      "driver",        "doorbell",   "descriptor_fetch",
        "data_fetch_start", "packet_buffer", "wire_start", "wire_end",
        "write_back",       "interrupt",     "clean"};
    return names[static_cast<unsigned>(stage)];
}

LifeCycle::LifeCycle(unsigned queues, std::size_t window)
    : window_(std::bit_ceil(window)), lives_(queues * window_) {}

void LifeCycle::tell_unfinished() {
    if (listener_ == nullptr) return;
    std::vector<Life*> alive;
    for (std::size_t first = 0; first < lives_.size(); first += window_) {
        alive.clear();
        for (std::size_t i = first; i < first + window_; ++i)
            if (lives_[i].packet != 0 && !lives_[i].told) alive.push_back(&lives_[i]);
        std::sort(alive.begin(), alive.end(),
                  [](const Life* a, const Life* b) { return a->packet < b->packet; });
        for (Life* life : alive) tell(static_cast<unsigned>(first / window_), *life);
    }
}

namespace {

/// When the packet was handed over; 0 if nobody said.
Ps hand_over(const std::array<Ps, tx_stages>& at) {
    const Ps application = at[static_cast<unsigned>(TxStage::application)];
    return application != 0 ? application : at[static_cast<unsigned>(TxStage::driver)];
}

/// The last of the stages named before `stage` that the packet had reached by then; 0 if none.
/// A device may write a descriptor back before the frame has left (completion means "buffered" on
/// some), so a stage can lie before the one named ahead of it.
Ps reached_before(const std::array<Ps, tx_stages>& at, unsigned stage) {
    Ps latest = 0;
    for (unsigned s = 0; s < stage; ++s)
        if (at[s] <= at[stage]) latest = std::max(latest, at[s]);
    return latest;
}

}  // namespace

void LifeCycle::finish(unsigned queue, Life& life) {
    life.finished = true;
    const Ps begin = hand_over(life.at), clean = life.at[static_cast<unsigned>(TxStage::clean)];
    if (begin != 0 && clean > begin) total_.record(clean - begin);
    if (life.at[static_cast<unsigned>(TxStage::wire_end)] != 0) complete(queue, life);
}

void LifeCycle::complete(unsigned queue, Life& life) {
    tell(queue, life);
    for (unsigned s = 0; s < tx_stages; ++s) {
        const Ps t = life.at[s], before = t == 0 ? 0 : reached_before(life.at, s);
        if (before != 0) stage_time_[s].record(t - before);
    }
    const Ps begin = hand_over(life.at), end = life.at[static_cast<unsigned>(TxStage::wire_end)];
    if (begin != 0 && end > begin) application_to_wire_.record(end - begin);
}

void LifeCycle::register_stats(StatGroup& group) {
    for (unsigned s = 1; s < tx_stages; ++s) {
        const std::string name = name_of(static_cast<TxStage>(s));
        group.distribution(name, "ps", "Time from the stage before it to `" + name + "`.",
                           stage_time_[s]);
    }
    group.distribution("application_to_wire", "ps",
                       "From hand-over by the application (or the driver, for packets that no "
                       "application made) to the last bit on the wire.",
                       application_to_wire_);
    group.distribution("total", "ps", "From hand-over to the buffer being freed.", total_);
}

}  // namespace nicsim::sim
