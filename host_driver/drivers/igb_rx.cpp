// SPDX-License-Identifier: Apache-2.0
// igb: receiving (igb_clean_rx_irq, igb_alloc_rx_buffers). Buffers are handed up and used again
// when the handler returns, as the driver's page recycling does in the common case.
#include "host_driver/drivers/igb.h"
#include "host_driver/drivers/igb_regs.h"

namespace nicsim::host {

using namespace igb;

/// Gives `n` buffers to the device. The length field is cleared since it is what the clean looks
/// at to see whether the device has written back.
void IgbDriver::refill(Core& core, IgbRxRing& ring, unsigned n) {
    if (n == 0) return;
    for (; n > 0; --n) {
        const std::uint64_t at =
            ring.descriptors + std::uint64_t{ring.next_to_use} * descriptor_bytes;
        memory_.store(at, ring.buffers[ring.next_to_use]);
        memory_.store(at + 8, std::uint64_t{0});
        ring.next_to_use = ring.after(ring.next_to_use);
        core.charge(Op::refill_buffer);
    }
    // The place after the last one given is where cleaning will look next.
    memory_.store(ring.descriptors + std::uint64_t{ring.next_to_use} * descriptor_bytes + 8,
                  std::uint64_t{0});
    ++ring.doorbells;
    core.mmio_write32(ring.tail_register, ring.next_to_use);
}

unsigned IgbDriver::clean_rx(Core& core, IgbVector& vector, IgbRxRing& ring, unsigned budget) {
    unsigned packets = 0;
    std::uint32_t cleaned = ring.unused();
    while (up_ && packets < budget) {
        if (cleaned >= config_.rx_refill_batch) {
            refill(core, ring, cleaned);
            cleaned = 0;
        }
        const std::uint64_t at =
            ring.descriptors + std::uint64_t{ring.next_to_clean} * descriptor_bytes;
        const auto written = memory_.load<std::array<std::uint32_t, 2>>(at + 8);
        const std::uint32_t length = written[1] & 0xffffU;
        if (length == 0) break;
        const std::uint64_t buffer = ring.buffers[ring.next_to_clean];
        ring.next_to_clean = ring.after(ring.next_to_clean);
        ++cleaned;
        ++packets;
        if ((written[0] & RXD_STAT_EOP) == 0 || (written[0] & RXDEXT_ERR_RXE) != 0) {
            ++ring.errors;
            continue;
        }
        ++ring.packets;
        ring.bytes += length;
        vector.rx_work.bytes += length;
        ++vector.rx_work.packets;
        core.charge(Op::receive_packet);
        device_->receive(core, memory_.at(buffer, length), length);
    }
    if (up_) refill(core, ring, cleaned);
    return packets;
}

}  // namespace nicsim::host
