// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "host_driver/drivers/intel_descriptors.h"
#include "host_driver/drivers/intel_ring.h"
#include "host_driver/drivers/tso_headers.h"

namespace nicsim::host::intel {
namespace {

constexpr unsigned descriptors_for(std::uint32_t bytes, std::uint32_t max_data) {
    return (bytes + max_data - 1) / max_data;
}

}  // namespace

unsigned data_descriptors(const SkBuff& skb, std::uint32_t max_data) {
    unsigned n = descriptors_for(skb.linear.length, max_data);
    for (unsigned i = 0; i < skb.frag_count; ++i)
        n += descriptors_for(skb.frags[i].length, max_data);
    return n;
}

void TxRing::set_up(const std::string& interface, unsigned queue, std::uint64_t size) {
    index = queue;
    count = static_cast<std::uint32_t>(size);
    buffers.resize(count);
    fill = std::make_unique<sim::Probe>(
        "host." + interface + ".tx_ring" + std::to_string(queue) + ".fill", 13);
}

void TxRing::restart() {
    next_to_use = next_to_clean = 0;
    names.restart();
}

bool TxRing::room_or_stop(NetDevice& device, unsigned needed) {
    if (unused() >= needed) return true;
    device.stop_queue(index);
    // Another core may have cleaned since the first look.
    if (unused() < needed) return false;
    device.restart_queue(index);
    ++reprieves;
    return true;
}

/// Context descriptor: header lengths for checksums and segmentation, and the launch time.
void TxRing::write_context(Core& core, HostMemory& memory, const SkBuff& skb, bool tso,
                           bool launch_time) {
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
        launch_time
            ? static_cast<std::uint32_t>(skb.transmit_time % sim::ps_per_s / sim::ps_per_ns / 32)
            : 0;
    const std::uint64_t at = descriptors + std::uint64_t{next_to_use} * descriptor_bytes;
    memory.store(at, std::array<std::uint32_t, 4>{lengths, launch, type, mss_l4len});
    core.charge(Op::write_descriptor);
    next_to_use = after(next_to_use);
    ++descriptors_written;
    ++context_descriptors;
}

/// Data descriptors for every buffer of the packet; the last one asks for a report.
void TxRing::write_data(Core& core, HostMemory& memory, const SkBuff& skb, std::uint32_t cmd_type,
                        std::uint32_t olinfo, std::uint32_t max_data) {
    for (unsigned b = 0; b <= skb.frag_count; ++b) {
        Fragment part = b == 0 ? skb.linear : skb.frags[b - 1];
        core.charge(Op::map_buffer);
        while (part.length > 0) {
            const std::uint32_t n = std::min(part.length, max_data);
            const bool last = b == skb.frag_count && n == part.length;
            const std::uint32_t command = cmd_type | n | (last ? ADVTXD_EOP | ADVTXD_RS : 0U);
            const std::uint64_t at = descriptors + std::uint64_t{next_to_use} * descriptor_bytes;
            memory.store(at, part.address);
            memory.store(at + 8, std::array<std::uint32_t, 2>{command, olinfo});
            core.charge(Op::write_descriptor);
            next_to_use = after(next_to_use);
            ++descriptors_written;
            part.address += n;
            part.length -= n;
        }
    }
}

std::uint32_t TxRing::post(Core& core, HostMemory& memory, const SkbPtr& packet,
                           const TxPosting& how) {
    SkBuff& skb = *packet;
    core.charge(Op::xmit_packet);
    skb.queued = core.local_time();
    occupancy.record(used());
    TxBuffer& buffer = buffers[next_to_use];
    const bool tso = skb.is_gso() && skb.l4 == L4::tcp;
    buffer.segments = tso ? skb.gso_segments : 1;
    buffer.bytes = tso ? skb.wire_length() : skb.length;
    buffer.skb = packet;

    std::uint32_t cmd_type = ADVTXD_DTYP_DATA | ADVTXD_DEXT | ADVTXD_IFCS;
    std::uint32_t payload = skb.length;
    std::uint32_t options = 0;
    if (tso) {
        prepare_tso_headers(memory, skb, TsoIpLength::clear);
        cmd_type |= ADVTXD_TSE;
        payload -= skb.header_bytes();
        options = ADVTXD_TXSM | ADVTXD_IXSM;
    } else if (skb.checksum_partial) {
        options = ADVTXD_TXSM;
    }
    if (tso || skb.checksum_partial || how.launch_time)
        write_context(core, memory, skb, tso, how.launch_time);
    write_data(core, memory, skb, cmd_type, options | payload << ADVTXD_PAYLEN_SHIFT, how.max_data);

    ++packets;
    names.post(how.life_cycle, index, skb);
    buffer.last = next_to_use == 0 ? count - 1 : next_to_use - 1;
    fill->set(used());
    return buffer.bytes;
}

void TxRing::ring_doorbell(Core& core, sim::LifeCycle* life_cycle) {
    ++doorbells;
    const TxNames::Range covered = names.announce();
    core.mmio_write32(tail_register, next_to_use);
    TxNames::left(life_cycle, index, covered);
}

TxRing::Cleaned TxRing::clean(Core& core, HostMemory& memory, std::uint64_t limit,
                              sim::Ps interrupted, sim::LifeCycle* life_cycle) {
    Cleaned result;
    while (limit > 0) {
        TxBuffer& buffer = buffers[next_to_clean];
        if (buffer.last == TxBuffer::none) break;
        core.charge(Op::clean_descriptor);
        const std::uint64_t status =
            descriptors + std::uint64_t{buffer.last} * descriptor_bytes + 12;
        if ((memory.load<std::uint32_t>(status) & TXD_STAT_DD) == 0) break;
        core.charge(Op::clean_packet);
        const std::uint32_t end = after(buffer.last);
        const std::uint32_t walked = (end > next_to_clean ? end : end + count) - next_to_clean;
        core.charge(Op::clean_descriptor, walked - 1);
        result.work.packets += buffer.segments;
        result.work.bytes += buffer.bytes;
        buffer.last = TxBuffer::none;
        buffer.skb = {};
        next_to_clean = end;
        names.clean(life_cycle, index, interrupted, core.local_time());
        --limit;
    }
    if (result.work.packets != 0) fill->set(used());
    result.finished = limit > 0;
    return result;
}

void TxRing::drop_all(NetDevice& device) {
    for (TxBuffer& buffer : buffers) buffer = {};
    next_to_use = next_to_clean = 0;
    fill->set(0);
    device.bql_reset(index);
}

void TxRing::register_stats(sim::StatGroup& g) {
    g.counter("doorbells", "writes", "Writes of the tail register.", doorbells);
    g.counter("packets", "packets", "Packets posted, a large one counted once.", packets);
    g.counter("descriptors", "descriptors", "Descriptors written.", descriptors_written);
    g.counter("context_descriptors", "descriptors", "Context descriptors among them.",
              context_descriptors);
    g.counter("reprieves", "times", "Times that room appeared just as the queue was stopped.",
              reprieves);
    g.distribution("occupancy", "descriptors", "Descriptors in use, seen by each packet.",
                   occupancy);
}

}  // namespace nicsim::host::intel
