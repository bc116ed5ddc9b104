// SPDX-License-Identifier: Apache-2.0
#include "host_driver/drivers/atl1c_ring.h"

#include <algorithm>
#include <array>
#include <utility>

#include "host_driver/drivers/atl1c_regs.h"
#include "host_driver/drivers/tso_headers.h"

namespace nicsim::host::atl1c {

// ---------------------------------------------------------------- transmit

void TxRing::set_up(const std::string& interface, unsigned queue, std::uint64_t size) {
    index = queue;
    count = static_cast<std::uint32_t>(size);
    packets_at.resize(count);
    fill = std::make_unique<sim::Probe>(
        "host." + interface + ".tx_ring" + std::to_string(queue) + ".fill", 17);
}

namespace {

bool cut_by_device(const SkBuff& skb) {
    return skb.is_gso() && skb.l4 == L4::tcp;
}

/// What every descriptor of a packet says about it.
std::uint32_t offload_word(const SkBuff& skb) {
    const std::uint32_t transport = std::uint32_t{skb.mac_header_bytes} + skb.network_header_bytes;
    if (cut_by_device(skb))
        return TPD_LSO_EN | TPD_IPV4_PACKET | transport << TPD_TCPHDR_OFFSET_SHIFT |
               (skb.gso_size & TPD_MSS_MASK) << TPD_MSS_SHIFT;
    if (!skb.checksum_partial) return 0;
    const std::uint32_t field = transport + (skb.l4 == L4::tcp ? 16U : 6U);
    return TPD_CCSUM_EN | transport / 2 << TPD_PLOADOFFSET_SHIFT |
           field / 2 << TPD_CCSUM_OFFSET_SHIFT;
}

}  // namespace

unsigned TxRing::needed(const SkBuff& skb) {
    const bool headers_apart = cut_by_device(skb) && skb.header_bytes() < skb.linear.length;
    return skb.frag_count + 1 + (headers_apart ? 1U : 0U);
}

void TxRing::write(Core& core, HostMemory& memory, const Fragment& part, std::uint32_t word) {
    core.charge(Op::map_buffer);
    const std::uint64_t at = descriptors + std::uint64_t{next_to_use} * tpd_bytes;
    memory.store(at, std::array<std::uint32_t, 2>{part.length, word});
    memory.store(at + 8, part.address);
    core.charge(Op::write_descriptor);
    next_to_use = after(next_to_use);
    ++descriptors_written;
}

void TxRing::post(Core& core, HostMemory& memory, const SkbPtr& packet,
                  sim::LifeCycle* life_cycle) {
    SkBuff& skb = *packet;
    core.charge(Op::xmit_packet);
    skb.queued = last_sent = core.local_time();
    occupancy.record(used());
    const std::uint32_t word = offload_word(skb);
    Fragment part = skb.linear;
    unsigned left = needed(skb);
    const auto last = [&] { return --left == 0 ? TPD_EOP : 0U; };
    if (cut_by_device(skb)) {
        prepare_tso_headers(memory, skb, TsoIpLength::keep);
        const std::uint32_t headers = skb.header_bytes();
        if (headers < part.length) {
            write(core, memory, {part.address, headers}, word | last());
            part = {part.address + headers, part.length - headers};
        }
    }
    write(core, memory, part, word | last());
    for (unsigned i = 0; i < skb.frag_count; ++i) write(core, memory, skb.frags[i], word | last());
    packets_at[next_to_use == 0 ? count - 1 : next_to_use - 1] = packet;
    ++packets;
    names.post(life_cycle, index, skb);
    fill->set(used());
}

void TxRing::ring_doorbell(Core& core, sim::LifeCycle* life_cycle) {
    ++doorbells;
    packets_per_doorbell.record(packets - std::exchange(announced_packets_, packets));
    const TxNames::Range covered = names.announce();
    core.mmio_write16(tail_register, static_cast<std::uint16_t>(next_to_use));
    TxNames::left(life_cycle, index, covered);
}

TxRing::Cleaned TxRing::clean(Core& core, std::uint32_t consumer, sim::Ps interrupted,
                              sim::LifeCycle* life_cycle) {
    Cleaned result;
    while (next_to_clean != consumer) {
        core.charge(Op::clean_descriptor);
        SkbPtr& packet = packets_at[next_to_clean];
        if (packet) {
            core.charge(Op::clean_packet);
            ++result.packets;
            result.bytes += packet->length;
            names.clean(life_cycle, index, interrupted, core.local_time());
            packet = {};
        }
        next_to_clean = after(next_to_clean);
    }
    fill->set(used());
    return result;
}

void TxRing::drop_all(NetDevice& device) {
    for (SkbPtr& packet : packets_at) packet = {};
    next_to_use = next_to_clean = 0;
    names.restart();
    fill->set(0);
    device.bql_reset(index);
}

void TxRing::register_stats(sim::StatGroup& g) {
    g.counter("doorbells", "writes", "Writes of the producer index.", doorbells);
    g.counter("packets", "packets", "Packets posted, a large one counted once.", packets);
    g.counter("descriptors", "descriptors", "Descriptors written.", descriptors_written);
    g.counter("refusals", "packets", "Packets refused for lack of room.", refusals);
    g.distribution("occupancy", "descriptors", "Descriptors in use, seen by each packet.",
                   occupancy);
    g.distribution("packets_per_doorbell", "packets", "Packets that each doorbell announces.",
                   packets_per_doorbell);
}

// ---------------------------------------------------------------- receive

void RxRing::set_up(unsigned queue, std::uint64_t size) {
    index = queue;
    count = static_cast<std::uint32_t>(size);
    buffers.assign(count, 0);
}

void RxRing::refill(Core& core, HostMemory& memory, ReceiveBuffers& spare) {
    const std::uint32_t before = next_to_use;
    while (buffers[after(next_to_use)] == 0) {
        const std::uint64_t buffer = spare.take();
        buffers[next_to_use] = buffer;
        memory.store(descriptors + std::uint64_t{next_to_use} * rfd_bytes, buffer);
        core.charge(Op::refill_buffer);
        next_to_use = after(next_to_use);
    }
    if (next_to_use == before) return;
    ++doorbells;
    core.mmio_write32(tail_register, next_to_use);
}

unsigned RxRing::clean(Core& core, HostMemory& memory, NetDevice& device, ReceiveBuffers& spare,
                       unsigned budget, const bool& running, const RxSeen& seen) {
    unsigned received = 0;
    bool used = false;
    while (running && received < budget) {
        const std::uint32_t returned = next_return;
        const std::uint64_t at = returns + std::uint64_t{returned} * rrd_bytes;
        const auto word0 = memory.load<std::uint32_t>(at);
        const auto word3 = memory.load<std::uint32_t>(at + 12);
        if ((word3 & RRS_RXD_UPDATED) == 0) break;
        memory.store(at + 12, word3 & ~RRS_RXD_UPDATED);
        next_return = after(next_return);
        const std::uint32_t place = word0 >> RRS_RX_RFD_INDEX_SHIFT & RRS_RX_RFD_INDEX_MASK;
        const std::uint64_t buffer = std::exchange(buffers.at(place), 0);
        next_to_clean = after(place);
        used = true;
        if ((word3 & (RRS_RX_ERR_SUM | RRS_802_3_LEN_ERR)) != 0) {
            ++errors;
            spare.give(buffer);
            continue;
        }
        const std::uint32_t length = (word3 & RRS_PKT_SIZE_MASK) - fcs_bytes;
        ++packets;
        bytes += length;
        ++received;
        core.charge(Op::receive_packet);
        seen.hand_up(index, returned, core.local_time());
        if (device.takes_skbs()) {
            device.receive(core, spare.wrap(buffer, length));
        } else {
            device.receive(core, memory.at(buffer, length), length);
            spare.give(buffer);
        }
    }
    device.receive_end(core);
    if (used && running) refill(core, memory, spare);
    return received;
}

void RxRing::drop_all(HostMemory& memory, ReceiveBuffers& spare) {
    for (std::uint64_t& buffer : buffers)
        if (buffer != 0) spare.give(std::exchange(buffer, 0));
    for (std::uint32_t i = 0; i < count; ++i)
        memory.store(returns + std::uint64_t{i} * rrd_bytes + 12, std::uint32_t{0});
    next_to_use = next_to_clean = next_return = 0;
}

void RxRing::register_stats(sim::StatGroup& g) {
    g.counter("packets", "packets", "Packets received.", packets);
    g.counter("bytes", "B", "Bytes received.", bytes);
    g.counter("errors", "packets", "Packets received with an error.", errors);
    g.counter("doorbells", "writes", "Writes of the producer index of free buffers.", doorbells);
}

}  // namespace nicsim::host::atl1c
