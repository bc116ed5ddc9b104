// SPDX-License-Identifier: Apache-2.0
#include "host_driver/qdisc_mq.h"

#include <stdexcept>
#include <utility>

#include "host_driver/qdisc_fifo.h"

namespace nicsim::host {

std::string TrafficClassMap::apply(NetDevice& device) const {
    if (queue_counts.size() != queue_offsets.size())
        return "queue_counts and queue_offsets must have one number for each traffic class";
    std::vector<TrafficClass> classes;
    std::uint64_t next = 0;
    for (std::size_t tc = 0; tc < queue_counts.size(); ++tc) {
        const std::string which = "traffic class " + std::to_string(tc);
        if (queue_counts[tc] == 0 || queue_offsets[tc] + queue_counts[tc] > device.tx_queues())
            return which + ": queues " + std::to_string(queue_counts[tc]) + "@" +
                   std::to_string(queue_offsets[tc]) + " are not among the device's " +
                   std::to_string(device.tx_queues()) + " transmit queues";
        if (queue_offsets[tc] < next) return which + ": its queues overlap those of another class";
        next = queue_offsets[tc] + queue_counts[tc];
        classes.push_back(
            {static_cast<unsigned>(queue_counts[tc]), static_cast<unsigned>(queue_offsets[tc])});
    }
    std::array<std::uint8_t, priorities> of_priority{};
    for (std::size_t p = 0; p < map.size() && p < priorities; ++p) {
        if (map[p] >= classes.size())
            return "priority " + std::to_string(p) + " is mapped to traffic class " +
                   std::to_string(map[p]) + ", but there are only " +
                   std::to_string(classes.size());
        of_priority[p] = static_cast<std::uint8_t>(map[p]);
    }
    device.set_traffic_classes(of_priority, std::move(classes));
    return {};
}

MqQdisc::MqQdisc(unsigned queues) {
    for (unsigned q = 0; q < queues; ++q) children_.push_back(std::make_unique<PfifoFastQdisc>());
}

bool MqQdisc::enqueue(Core& core, SkbPtr skb) {
    Qdisc& child = *children_[skb->queue];
    return child.enqueue(core, std::move(skb));
}

SkbPtr MqQdisc::dequeue(Core& core) {
    (void)core;
    throw std::logic_error("mq has no packets of its own");
}

std::string MqQdisc::graft(unsigned queue, std::unique_ptr<Qdisc> child) {
    retired_.push_back(std::exchange(children_[queue], std::move(child)));
    return {};
}

const sim::ParamTable& MqprioConfig::params() {
    static const sim::ParamTable table = [] {
        sim::ParamTableBuilder<MqprioConfig> builder;
        TrafficClassMap::declare(builder);
        return builder.build();
    }();
    return table;
}

std::string MqprioQdisc::attach(Core& core, NetDevice& device, unsigned queue) {
    (void)core;
    (void)queue;
    return config_.apply(device);
}

}  // namespace nicsim::host
