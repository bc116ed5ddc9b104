// SPDX-License-Identifier: Apache-2.0
// igb: transmission of one packet (igb_xmit_frame_ring, igb_tx_map).
#include "host_driver/drivers/igb.h"

namespace nicsim::host {

namespace {

constexpr std::uint32_t max_data_per_descriptor = 1U << 15;

}  // namespace

bool IgbDriver::start_xmit(Core& core, const SkbPtr& skb, unsigned queue, bool more) {
    IgbTxRing& ring = tx_[queue];
    // Room for a context descriptor, and two so that head and tail never meet.
    const unsigned needed = intel::data_descriptors(*skb, max_data_per_descriptor) + 3;
    if (!up_ || !ring.room_or_stop(*device_, needed)) return false;
    const std::uint32_t bytes =
        ring.post(core, memory_, skb, {max_data_per_descriptor, ring.launch_time, life_cycle_});
    ring.last_sent = core.local_time();
    device_->bql_sent(queue, bytes);
    (void)ring.room_or_stop(*device_, static_cast<unsigned>(config_.tx_stop));
    if (!more || config_.doorbell == IgbDoorbell::each_packet ||
        device_->queue(queue).frozen_or_stopped())
        ring.ring_doorbell(core, life_cycle_);
    return true;
}

}  // namespace nicsim::host
