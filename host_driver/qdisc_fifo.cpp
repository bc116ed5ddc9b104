// SPDX-License-Identifier: Apache-2.0
#include "host_driver/qdisc_fifo.h"

#include <utility>

namespace nicsim::host {
namespace {

/// Band of each priority, as the kernel's prio2band.
constexpr std::array<std::uint8_t, 16> band_of_priority = {1, 2, 2, 2, 1, 2, 0, 0,
                                                           1, 1, 1, 1, 1, 1, 1, 1};

}  // namespace

const sim::ParamTable& FifoConfig::params() {
    static const sim::ParamTable table =
        sim::ParamTableBuilder<FifoConfig>()
            .add("limit", &FifoConfig::limit,
                 {.min = 1,
                  .max = 1e6,
                  .sentence = "Packets that may wait (in each band with pfifo_fast).",
                  .source = sim::driver("net/ethernet/eth.c, DEFAULT_TX_QUEUE_LEN")})
            .build();
    return table;
}

bool PfifoQdisc::enqueue(Core& core, SkbPtr skb) {
    (void)core;
    if (queue_.size() >= config_.limit) return drop();
    count_in(*skb);
    queue_.push(std::move(skb));
    return true;
}

SkbPtr PfifoQdisc::dequeue(Core& core) {
    (void)core;
    if (queue_.empty()) return {};
    count_out(*queue_.front());
    return queue_.pop();
}

const SkBuff* PfifoQdisc::peek() const {
    return queue_.empty() ? nullptr : queue_.front().get();
}

bool PfifoFastQdisc::enqueue(Core& core, SkbPtr skb) {
    (void)core;
    auto& band = bands_[band_of_priority[skb->priority & 15U]];
    if (band.size() >= config_.limit) return drop();
    count_in(*skb);
    band.push(std::move(skb));
    return true;
}

SkbPtr PfifoFastQdisc::dequeue(Core& core) {
    (void)core;
    for (auto& band : bands_) {
        if (band.empty()) continue;
        count_out(*band.front());
        return band.pop();
    }
    return {};
}

const SkBuff* PfifoFastQdisc::peek() const {
    for (const auto& band : bands_)
        if (!band.empty()) return band.front().get();
    return nullptr;
}

}  // namespace nicsim::host
