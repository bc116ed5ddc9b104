// SPDX-License-Identifier: Apache-2.0
#include "models/common/rx_counts.h"

#include <string>

namespace nicsim::models {

bool RxMacCounts::arrived(const MacRx::Arrival& arrival) {
    ++total_packets;
    total_octets += arrival.frame->length() + sim::ethernet_fcs_bytes;
    switch (arrival.verdict) {
        case MacRx::Verdict::crc_error:
            ++crc_errors;
            return false;
        case MacRx::Verdict::undersize:
            ++undersize;
            return false;
        case MacRx::Verdict::oversize:
            ++oversize;
            return false;
        case MacRx::Verdict::good:
            break;
    }
    return true;
}

void RxMacCounts::passed(const RxStored& stored) {
    ++good_packets;
    good_octets += stored.octets();
    ++by_size[frame_size_class(stored.octets())];
    if (stored.verdict.broadcast) ++broadcast;
    if (stored.verdict.multicast) ++multicast;
}

void RxMacCounts::register_stats(sim::StatGroup& group, const char* longest) const {
    group.counter("packets", "packets", "Frames that came in while receive was enabled.",
                  total_packets);
    group.counter("octets", "B", "Their bytes with FCS.", total_octets);
    group.counter("good_packets", "packets", "Good frames that passed the filters.", good_packets);
    group.loss("crc_errors", "packets", "Dropped: wrong FCS.", crc_errors);
    group.loss("undersize", "packets", "Dropped: shorter than 64 bytes.", undersize);
    group.loss("oversize", "packets", std::string("Dropped: longer than ") + longest + ".",
               oversize);
    group.counter("filtered", "packets", "Not wanted by any address or VLAN filter.", filtered);
    group.loss("missed", "packets", "Dropped: no room in the packet buffer.", missed);
    group.counter("no_buffers", "packets", "Came in while the ring had no descriptor (RNBC).",
                  no_buffers);
    group.loss("dropped_queue_disabled", "packets", "Dropped: their queue was disabled.",
               dropped_queue_disabled);
    group.loss("dropped_by_reset", "packets", "Lost in a device reset.", dropped_by_reset);
}

}  // namespace nicsim::models
