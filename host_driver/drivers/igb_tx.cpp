// SPDX-License-Identifier: Apache-2.0
// igb: transmission of one packet (igb_xmit_frame_ring, igb_tso, igb_tx_csum, igb_tx_map).
#include <algorithm>
#include <cstring>

#include "host_driver/drivers/igb.h"
#include "host_driver/drivers/igb_regs.h"

namespace nicsim::host {

using namespace igb;

namespace {

constexpr std::uint32_t max_data_per_descriptor = 1U << 15;

constexpr unsigned descriptors_for(std::uint32_t bytes) {
    return (bytes + max_data_per_descriptor - 1) / max_data_per_descriptor;
}

std::uint32_t get16(const std::uint8_t* p) {
    return (std::uint32_t{p[0]} << 8) | p[1];
}
void put16(std::uint8_t* p, std::uint32_t v) {
    p[0] = static_cast<std::uint8_t>(v >> 8);
    p[1] = static_cast<std::uint8_t>(v);
}

}  // namespace

/// False if the queue has no room for `needed` descriptors and was stopped.
bool IgbDriver::maybe_stop(Core& core, IgbTxRing& ring, unsigned needed) {
    (void)core;
    if (ring.unused() >= needed) return true;
    device_->stop_queue(ring.index);
    // Another core may have cleaned since the first look.
    if (ring.unused() < needed) return false;
    device_->restart_queue(ring.index);
    ++ring.reprieves;
    return true;
}

/// The device adds lengths and checksums per segment: it wants the IP length zero and the TCP
/// pseudo header sum without the length.
void IgbDriver::prepare_tso_headers(const SkBuff& skb) const {
    std::uint8_t* const h = memory_.at(skb.linear.address, skb.header_bytes());
    std::uint8_t* const ip = h + skb.mac_header_bytes;
    put16(ip + 2, 0);
    put16(ip + 10, 0);
    std::uint8_t* const tcp = ip + skb.network_header_bytes;
    const std::uint32_t l4_length = skb.length - skb.mac_header_bytes - skb.network_header_bytes;
    std::uint32_t sum = get16(tcp + 16) + (~l4_length & 0xffffU) + (~(l4_length >> 16) & 0xffffU);
    while (sum >> 16) sum = (sum & 0xffffU) + (sum >> 16);
    put16(tcp + 16, sum);
}

/// Context descriptor: header lengths for checksums and segmentation, and the launch time.
void IgbDriver::write_context(Core& core, IgbTxRing& ring, const SkBuff& skb, bool tso) const {
    std::uint32_t lengths = std::uint32_t{skb.mac_header_bytes} << ADVTXD_MACLEN_SHIFT;
    std::uint32_t type = ADVTXD_DTYP_CTXT | ADVTXD_DEXT;
    std::uint32_t mss_l4len = 0;
    if (tso || skb.checksum_partial) lengths |= skb.network_header_bytes;
    if ((tso || skb.checksum_partial) && skb.l4 == L4::tcp) type |= ADVTXD_TUCMD_L4T_TCP;
    if (tso) {
        type |= ADVTXD_TUCMD_IPV4;
        mss_l4len = std::uint32_t{skb.transport_header_bytes} << ADVTXD_L4LEN_SHIFT |
                    std::uint32_t{skb.gso_size} << ADVTXD_MSS_SHIFT;
    }
    // Nanoseconds within the second, in units of 32.
    const std::uint32_t launch =
        ring.launch_time
            ? static_cast<std::uint32_t>(skb.transmit_time % sim::ps_per_s / sim::ps_per_ns / 32)
            : 0;
    const std::uint64_t at = ring.descriptors + std::uint64_t{ring.next_to_use} * descriptor_bytes;
    memory_.store(at, std::array<std::uint32_t, 4>{lengths, launch, type, mss_l4len});
    core.charge(Op::write_descriptor);
    ring.next_to_use = ring.after(ring.next_to_use);
    ++ring.descriptors_written;
    ++ring.context_descriptors;
}

/// Data descriptors for every buffer of the packet; the last one asks for a report.
void IgbDriver::map(Core& core, IgbTxRing& ring, const SkBuff& skb, std::uint32_t cmd_type,
                    std::uint32_t olinfo) const {
    for (unsigned b = 0; b <= skb.frag_count; ++b) {
        Fragment part = b == 0 ? skb.linear : skb.frags[b - 1];
        core.charge(Op::map_buffer);
        while (part.length > 0) {
            const std::uint32_t n = std::min(part.length, max_data_per_descriptor);
            const bool last = b == skb.frag_count && n == part.length;
            const std::uint32_t command = cmd_type | n | (last ? ADVTXD_EOP | ADVTXD_RS : 0U);
            const std::uint64_t at =
                ring.descriptors + std::uint64_t{ring.next_to_use} * descriptor_bytes;
            memory_.store(at, part.address);
            memory_.store(at + 8, std::array<std::uint32_t, 2>{command, olinfo});
            core.charge(Op::write_descriptor);
            ring.next_to_use = ring.after(ring.next_to_use);
            ++ring.descriptors_written;
            part.address += n;
            part.length -= n;
        }
    }
}

void IgbDriver::ring_doorbell(Core& core, IgbTxRing& ring) {
    ++ring.doorbells;
    const std::uint64_t first = ring.packets_announced;
    const std::uint64_t end = ring.packets_posted;
    ring.packets_announced = end;
    core.mmio_write32(ring.tail_register, ring.next_to_use);
    if (life_cycle_ == nullptr) return;
    for (std::uint64_t n = first; n < end; ++n)
        life_cycle_->stamp(ring.index, n, sim::TxStage::doorbell, sim::now());
}

bool IgbDriver::start_xmit(Core& core, const SkbPtr& packet, unsigned queue, bool more) {
    IgbTxRing& ring = tx_[queue];
    SkBuff& skb = *packet;
    unsigned needed = descriptors_for(skb.linear.length);
    for (unsigned i = 0; i < skb.frag_count; ++i) needed += descriptors_for(skb.frags[i].length);
    // Room for a context descriptor, and two so that head and tail never meet.
    if (!up_ || !maybe_stop(core, ring, needed + 3)) return false;

    core.charge(Op::xmit_packet);
    skb.queued = core.local_time();
    ring.occupancy.record(ring.used());
    IgbTxBuffer& buffer = ring.buffers[ring.next_to_use];
    const bool tso = skb.is_gso() && skb.l4 == L4::tcp;
    buffer.segments = tso ? skb.gso_segments : 1;
    buffer.bytes = tso ? skb.wire_length() : skb.length;
    buffer.skb = packet;

    std::uint32_t cmd_type = ADVTXD_DTYP_DATA | ADVTXD_DEXT | ADVTXD_IFCS;
    std::uint32_t payload = skb.length;
    std::uint32_t options = 0;
    if (tso) {
        prepare_tso_headers(skb);
        cmd_type |= ADVTXD_TSE;
        payload -= skb.header_bytes();
        options = ADVTXD_TXSM | ADVTXD_IXSM;
    } else if (skb.checksum_partial) {
        options = ADVTXD_TXSM;
    }
    if (tso || skb.checksum_partial || ring.launch_time) write_context(core, ring, skb, tso);
    map(core, ring, skb, cmd_type, options | payload << ADVTXD_PAYLEN_SHIFT);

    const std::uint64_t n = ring.packets_posted++;
    ++ring.packets;
    if (life_cycle_ != nullptr) {
        if (skb.handed_over != 0)
            life_cycle_->stamp(queue, n, sim::TxStage::application, skb.handed_over);
        life_cycle_->stamp(queue, n, sim::TxStage::driver, skb.queued);
    }
    buffer.last = ring.next_to_use == 0 ? ring.count - 1 : ring.next_to_use - 1;
    device_->bql_sent(queue, buffer.bytes);
    ring.fill->set(ring.used());

    (void)maybe_stop(core, ring, static_cast<unsigned>(config_.tx_stop));
    if (!more || config_.doorbell == IgbDoorbell::each_packet ||
        device_->queue(queue).frozen_or_stopped())
        ring_doorbell(core, ring);
    return true;
}

}  // namespace nicsim::host
