// SPDX-License-Identifier: Apache-2.0
#include "host_driver/qdisc_cbs.h"

#include <utility>

namespace nicsim::host {

const sim::ParamTable& CbsConfig::params() {
    static const sim::ParamTable table =
        sim::ParamTableBuilder<CbsConfig>()
            .add("idleslope", &CbsConfig::idleslope,
                 {.unit = sim::Unit::bit_rate,
                  .max = 1e12,
                  .sentence = "Rate reserved for the queue.",
                  .source = sim::assumed("a setting of the user's: tc ... cbs idleslope")})
            .add("hicredit", &CbsConfig::hicredit,
                 {.unit = sim::Unit::bytes,
                  .max = 65535,
                  .sentence = "Most credit that the queue can gather.",
                  .source = sim::assumed("a setting of the user's: tc ... cbs hicredit")})
            .add("limit", &CbsConfig::limit,
                 {.min = 1,
                  .max = 1e6,
                  .sentence = "Packets that may wait.",
                  .source = sim::driver("net/sched/sch_cbs.c: its child is a pfifo")})
            .build();
    return table;
}

std::string CbsQdisc::attach(Core& core, NetDevice& device, unsigned queue) {
    const auto kbit = static_cast<std::int64_t>(config_.idleslope / 1000);
    const auto link = static_cast<std::int64_t>(device.driver().link_bits_per_second() / 1000);
    const CbsSettings settings{kbit, kbit - link, static_cast<std::int64_t>(config_.hicredit), 0};
    return device.driver().setup_cbs(core, queue == whole_device ? 0 : queue, &settings);
}

bool CbsQdisc::enqueue(Core& core, SkbPtr skb) {
    const std::uint32_t bytes = skb->length;
    if (!fifo_.enqueue(core, std::move(skb))) return drop();
    ++packets_;
    bytes_ += bytes;
    return true;
}

SkbPtr CbsQdisc::dequeue(Core& core) {
    SkbPtr skb = fifo_.dequeue(core);
    if (skb) count_out(*skb);
    return skb;
}

}  // namespace nicsim::host
