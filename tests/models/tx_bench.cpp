// SPDX-License-Identifier: Apache-2.0
#include "tests/models/tx_bench.h"

namespace nicsim::models::i210 {
namespace {

constexpr std::uint64_t bit(unsigned n) {
    return std::uint64_t{1} << n;
}
constexpr std::uint64_t dext = bit(29), dtyp_context = bit(21), dtyp_data = bit(20) | bit(21);

}  // namespace

Bytes make_frame(std::uint32_t length, std::uint32_t seed) {
    Bytes frame(length);
    std::uint32_t x = seed * 2654435761U + 12345;
    for (auto& b : frame) {
        x = x * 1664525U + 1013904223U;
        b = static_cast<std::uint8_t>(x >> 24);
    }
    frame[0] = 0x02;  // a unicast address
    return frame;
}

TxBench::TxBench(const sc_core::sc_module_name& name, const Blocks& blocks)
    : sc_module(name), tx("tx", config, dma, clock, file, interrupts, blocks) {
    dma.socket.bind(dma_checker.target);
    dma_checker.initiator.bind(bus.socket);
    tx.ethernet_out(wire);
}

void TxBench::start(std::uint64_t link_rate) {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    sim::BusLimits limits;
    limits.bus_master = true;
    dma.set_limits(limits);
    tx.set_link(link_rate);
    write(reg::TCTL, tctl::EN | tctl::PSP);
}

void TxBench::use_pcie_like_bus(sim::Ps latency) {
    bus.latency = latency;
    bus.ps_per_byte = 4000;
    bus.answer_bytes = 128;
    bus.overhead = 20;
}

void TxBench::qav(std::array<unsigned, queues> kib, unsigned max_packet_units,
                  std::uint32_t control) {
    std::uint32_t sizes = 0x0400'0000;
    for (unsigned q = 0; q < queues; ++q) sizes |= kib[q] << (6 * q);
    write(reg::TXPBSIZE, sizes);
    write(reg::DTXMXPKTSZ, max_packet_units);
    write(reg::TQAVCTRL, control);
}

void TxBench::make_sr(unsigned queue, std::uint32_t idle_slope, std::uint32_t hi_credit) {
    write(reg::TQAVHC + queue * reg::queue_stride, 0x8000'0000 + hi_credit * 0x7735);
    write(reg::TQAVCC + queue * reg::queue_stride, tqavcc::QUEUE_MODE | idle_slope);
}

void TxBench::enable_queue(unsigned queue, std::uint32_t ring_size, unsigned pthresh,
                           unsigned hthresh, unsigned wthresh, bool priority) {
    Ring& r = rings_[queue];
    r = {};
    r.base = FakeBus::memory_base + queue * 0x10000;
    r.size = ring_size;
    const std::uint32_t o = queue * reg::queue_stride;
    write(reg::TXDCTL + o, 0);
    write(reg::TDBAL + o, static_cast<std::uint32_t>(r.base));
    write(reg::TDBAH + o, static_cast<std::uint32_t>(r.base >> 32));
    write(reg::TDLEN + o, ring_size * descriptor_bytes);
    write(reg::TDH + o, 0);
    write(reg::TDT + o, 0);
    write(reg::TXDCTL + o,
          pthresh | hthresh << 8 | wthresh << 16 | dctl::ENABLE | (priority ? dctl::PRIORITY : 0));
}

void TxBench::put_descriptor(unsigned queue, std::uint64_t low, std::uint64_t high) {
    Ring& r = rings_[queue];
    const std::uint64_t address = r.base + r.next * descriptor_bytes;
    for (unsigned i = 0; i < 8; ++i) {
        *bus.at(address + i) = static_cast<std::uint8_t>(low >> (8 * i));
        *bus.at(address + 8 + i) = static_cast<std::uint8_t>(high >> (8 * i));
    }
    r.next = (r.next + 1) % r.size;
}

std::uint64_t TxBench::allocate(std::uint32_t length) {
    if (next_data_ + length > FakeBus::memory_base + FakeBus::memory_bytes)
        next_data_ = FakeBus::memory_base + (1 << 20);
    const std::uint64_t address = next_data_;
    next_data_ += (length + 2047) / 2048 * 2048;
    return address;
}

void TxBench::post(unsigned queue, const Bytes& frame, const PacketSpec& spec) {
    if (spec.context) {
        const ContextSpec& c = *spec.context;
        const std::uint64_t low = c.ip_length | c.mac_length << 9 | std::uint64_t{c.vlan} << 16 |
                                  std::uint64_t{c.launch} << 32;
        const std::uint64_t high = (c.ipv4 ? bit(10) : 0) | std::uint64_t{c.l4_type} << 11 |
                                   dtyp_context | dext | std::uint64_t{c.l4_length} << 40 |
                                   std::uint64_t{c.mss} << 48;
        put_descriptor(queue, low, high);
    }
    std::vector<std::uint32_t> pieces = spec.pieces;
    if (pieces.empty()) pieces.push_back(static_cast<std::uint32_t>(frame.size()));
    const std::uint64_t payload = frame.size() - (spec.tso ? spec.header_length : 0);
    std::size_t done = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const std::uint64_t address = allocate(pieces[i]);
        bus.store(address, std::span(frame).subspan(done, pieces[i]));
        done += pieces[i];
        const bool last = i + 1 == pieces.size();
        const std::uint64_t command = pieces[i] | dtyp_data | dext | bit(25) |
                                      (last ? bit(24) : 0) | (last && spec.report ? bit(27) : 0) |
                                      (spec.vlan ? bit(30) : 0) | (spec.tso ? bit(31) : 0);
        const std::uint64_t status =
            (spec.ip_checksum ? bit(8) : 0) | (spec.l4_checksum ? bit(9) : 0) | payload << 14;
        if (last) rings_[queue].ends.push(rings_[queue].next);
        put_descriptor(queue, address, command | status << 32);
    }
}

void TxBench::post_timed(unsigned queue, const Bytes& frame, std::uint64_t ns) {
    PacketSpec spec;
    spec.context = ContextSpec{};
    spec.context->launch = static_cast<std::uint32_t>(ns / 32);
    post(queue, frame, spec);
}

void TxBench::kick(unsigned queue) {
    write(reg::TDT + queue * reg::queue_stride, rings_[queue].next);
}

unsigned TxBench::unused(unsigned queue) const {
    const Ring& r = rings_[queue];
    return (r.clean + r.size - r.next - 1) % r.size;
}

unsigned TxBench::clean(unsigned queue) {
    Ring& r = rings_[queue];
    unsigned count = 0;
    while (!r.ends.empty() && (*bus.at(r.base + r.ends.front() * descriptor_bytes + 12) & 1) != 0) {
        r.clean = (r.ends.pop() + 1) % r.size;
        ++count;
    }
    return count;
}

}  // namespace nicsim::models::i210
