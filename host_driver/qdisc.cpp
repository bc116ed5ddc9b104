// SPDX-License-Identifier: Apache-2.0
#include "host_driver/qdisc.h"

namespace nicsim::host {

std::string Qdisc::graft(unsigned queue, std::unique_ptr<Qdisc> child) {
    (void)queue;
    return std::string(kind()) + " takes no child; `" + child->kind() +
           "` needs mq, mqprio or taprio above it";
}

std::string Qdisc::attach(Core& core, NetDevice& device, unsigned queue) {
    (void)core;
    (void)device;
    (void)queue;
    return {};
}

void Qdisc::register_stats(sim::StatGroup& group) {
    group.formula("backlog", "packets", "Packets waiting.",
                  [this] { return static_cast<double>(packets_); });
    group.formula("backlog_bytes", "B", "Bytes waiting.",
                  [this] { return static_cast<double>(bytes_); });
    group.counter("sent", "packets", "Packets handed on.", sent_);
    // Of one that has others below it, the drops are theirs, counted there.
    if (has_children())
        group.counter("drops", "packets", "Packets dropped.", drops_);
    else
        group.loss("drops", "packets", "Packets dropped.", drops_);
}

}  // namespace nicsim::host
