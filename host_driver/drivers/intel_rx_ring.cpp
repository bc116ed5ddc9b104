// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include "host_driver/drivers/intel_descriptors.h"
#include "host_driver/drivers/intel_ring.h"

namespace nicsim::host::intel {

/// The length field is cleared since it is what the clean looks at to see whether the device has
/// written back.
void RxRing::refill(Core& core, HostMemory& memory, unsigned n) {
    if (n == 0) return;
    for (; n > 0; --n) {
        const std::uint64_t at = descriptors + std::uint64_t{next_to_use} * descriptor_bytes;
        memory.store(at, buffers[next_to_use]);
        memory.store(at + 8, std::uint64_t{0});
        next_to_use = after(next_to_use);
        core.charge(Op::refill_buffer);
    }
    // The place after the last one given is where cleaning will look next.
    memory.store(descriptors + std::uint64_t{next_to_use} * descriptor_bytes + 8, std::uint64_t{0});
    ++doorbells;
    core.mmio_write32(tail_register, next_to_use);
}

unsigned RxRing::clean(Core& core, HostMemory& memory, NetDevice& device, ReceiveBuffers& spare,
                       unsigned budget, std::uint64_t batch, Work& work, const bool& running,
                       const RxSeen& seen) {
    unsigned looked_at = 0;
    std::uint32_t cleaned = unused();
    while (running && looked_at < budget) {
        if (cleaned >= batch) {
            refill(core, memory, cleaned);
            cleaned = 0;
        }
        const std::uint64_t at = descriptors + std::uint64_t{next_to_clean} * descriptor_bytes;
        const auto written = memory.load<std::array<std::uint32_t, 2>>(at + 8);
        const std::uint32_t length = written[1] & 0xffffU;
        if (length == 0) break;
        const std::uint32_t at_place = next_to_clean;
        std::uint64_t& place = buffers[at_place];
        const std::uint64_t buffer = place;
        next_to_clean = after(next_to_clean);
        ++cleaned;
        ++looked_at;
        if ((written[0] & RXD_STAT_EOP) == 0 || (written[0] & RXDEXT_ERR_RXE) != 0) {
            ++errors;
            continue;
        }
        ++packets;
        bytes += length;
        work.bytes += length;
        ++work.packets;
        core.charge(Op::receive_packet);
        seen.hand_up(index, at_place, core.local_time());
        if (device.takes_skbs()) {
            place = spare.take();
            SkbPtr skb = spare.wrap(buffer, length);
            skb->rx_queue = index + 1;
            device.receive(core, std::move(skb));
        } else {
            device.receive(core, memory.at(buffer, length), length);
        }
    }
    device.receive_end(core);
    if (running) refill(core, memory, cleaned);
    return looked_at;
}

void RxRing::register_stats(sim::StatGroup& g) {
    g.counter("packets", "packets", "Packets received.", packets);
    g.counter("bytes", "B", "Bytes received.", bytes);
    g.loss("errors", "packets", "Packets received with an error.", errors);
    g.counter("doorbells", "writes", "Writes of the tail register.", doorbells);
}

}  // namespace nicsim::host::intel
