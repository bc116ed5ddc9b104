// SPDX-License-Identifier: Apache-2.0
#include "models/i210/tx_qav_order.h"

#include <algorithm>

namespace nicsim::models::i210 {

TransmitChoice QavOrder::choose() {
    TransmitChoice choice;
    const bool guard = settings_.sp_wait_sr && guard_holds();
    for (unsigned q = 0; q < queues; ++q) {
        if (store_.ready(q) == 0) continue;
        if (settings_.sr[q]) {
            if (!sr_may_send(q, choice)) continue;
        } else if (guard) {  // ends when the SR frame has been sent
            choice.reason = WireState::guard;
            continue;
        }
        choice.queue = static_cast<int>(q);
        return choice;
    }
    return choice;
}

bool QavOrder::sr_may_send(unsigned queue, TransmitChoice& choice) {
    if (settings_.timed(queue)) {
        const std::uint32_t launch =
            settings_.launch_ns(store_.oldest(queue)->packet->context.launch);
        if (!clock_.reached(launch, sim::now())) {
            if (choice.reason == WireState::starved) choice.reason = WireState::launch_time;
            return false;
        }
    }
    if (settings_.shaper && !shapers_[queue].may_send()) {
        if (choice.reason == WireState::starved) choice.reason = WireState::credit;
        return false;
    }
    return true;
}

bool QavOrder::guard_holds() {
    const std::uint64_t guard_ns =
        sim::serialisation_time(settings_.max_packet, mac_.link_rate()) / sim::ps_per_ns;
    for (unsigned q = 0; q < sr_queues; ++q) {
        if (!settings_.timed(q)) continue;
        const TxPacket* packet = oldest_known(q);
        if (packet == nullptr) continue;
        const std::uint32_t launch = settings_.launch_ns(packet->context.launch);
        if (clock_.reached(earlier(launch, guard_ns), sim::now())) return true;
    }
    return false;
}

const TxPacket* QavOrder::oldest_known(unsigned queue) {
    const StoredFrame* frame = store_.oldest(queue);
    return frame != nullptr ? frame->packet.get() : offers_.offered(queue);
}

}  // namespace nicsim::models::i210
