// SPDX-License-Identifier: Apache-2.0
#include "models/i210/rx_ring.h"

#include <algorithm>
#include <cstring>

namespace nicsim::models::i210 {

namespace {

constexpr std::uint32_t rdlen_mask = 0x000F'FF80;
constexpr std::uint32_t status_dd = 1U << 0, status_eop = 1U << 1, status_tsip = 1U << 15;
constexpr std::uint32_t legacy_ixsm = 1U << 2;
constexpr std::uint32_t l4_error = 1U << 29, ip_error = 1U << 30;

template <class T>
void put(Descriptor& d, std::size_t offset, T value) {
    std::memcpy(d.data() + offset, &value, sizeof value);
}

}  // namespace

RxRings::RxRings(const std::string& path, unsigned cache, DmaEngine& dma,
                 DescriptorFetcher& fetcher, DmaEngine::Channel writeback, RegisterFile& registers,
                 Interrupts& interrupts)
    : interrupts_(interrupts) {
    for (unsigned q = 0; q < queues; ++q) {
        rings_[q] = std::make_unique<DescriptorQueue>(
            DescriptorQueueConfig{
                .path = path + ".queue" + std::to_string(q) + ".ring", .index = q, .cache = cache},
            dma, writeback, fetcher);
        rings_[q]->on_arrived(sim::Callback<unsigned>::to<&RxRings::arrived>(this));
    }
    map(registers);
}

void RxRings::on_progress(sim::Callback<unsigned> arrived, sim::Callback<unsigned> tail,
                          sim::Callback<unsigned, std::uint32_t, bool> written) {
    arrived_ = arrived;
    tail_ = tail;
    for (auto& ring : rings_) ring->on_written(written);
}

void RxRings::map(RegisterFile& file) {
    const auto add = [&file](RegisterSpec spec) {
        spec.count = queues;
        spec.stride = reg::queue_stride;
        Register& r = file.add(spec);
        const std::uint32_t low = spec.offset - reg::RDBAL;
        file.alias(reg::rx_alias + low, spec.offset, queues, reg::alias_stride, reg::queue_stride);
        return &r;
    };
    rdbal_ = add({.name = "RDBAL", .offset = reg::RDBAL, .write_mask = 0xFFFF'FF80});
    rdbah_ = add({.name = "RDBAH", .offset = reg::RDBAH});
    rdlen_ = add({.name = "RDLEN", .offset = reg::RDLEN, .write_mask = rdlen_mask});
    srrctl_ = add({.name = "SRRCTL", .offset = reg::SRRCTL, .reset = 0x0000'0400});
    rdh_ = add({.name = "RDH",
                .offset = reg::RDH,
                .write_mask = 0xFFFF,
                .read = ReadHook::to<&RxRings::read_rdh>(this),
                .pure_read = true});
    add({.name = "RXCTL", .offset = reg::RXCTL});
    rdt_ = add({.name = "RDT",
                .offset = reg::RDT,
                .write_mask = 0xFFFF,
                .write = WriteHook::to<&RxRings::write_rdt>(this)});
    rxdctl_ = add({.name = "RXDCTL",
                   .offset = reg::RXDCTL,
                   .write_mask = ~dctl::SWFLSH,
                   .write = WriteHook::to<&RxRings::write_rxdctl>(this)});
}

void RxRings::write_rxdctl(unsigned q, std::uint32_t value) {
    DescriptorQueue& ring = *rings_[q];
    ring.set_thresholds(value >> dctl::pthresh_shift & dctl::thresh_mask,
                        value >> dctl::hthresh_shift & dctl::thresh_mask,
                        value >> dctl::wthresh_shift & dctl::thresh_mask);
    if ((value & dctl::SWFLSH) != 0) ring.flush();
    const bool enable = (value & dctl::ENABLE) != 0;
    if (enable && !ring.enabled()) {
        const std::uint64_t base =
            static_cast<std::uint64_t>(rdbah_->get(q)) << 32 | rdbal_->get(q);
        ring.enable(base, rdlen_->get(q) / descriptor_bytes, rdh_->get(q));
        ring.set_tail(rdt_->get(q));
    } else if (!enable && ring.enabled()) {
        rdh_->set(q, ring.head());
        ring.disable();
    }
    if (tail_) tail_(q);
}

void RxRings::write_rdt(unsigned q, std::uint32_t) {
    rings_[q]->set_tail(rdt_->get(q));
    if (tail_) tail_(q);
}

std::uint32_t RxRings::read_rdh(unsigned q) {
    return rings_[q]->enabled() ? rings_[q]->head() : rdh_->get(q);
}

void RxRings::arrived(unsigned q) {
    rings_[q]->set_has_work(rings_[q]->cached() != 0);
    if (arrived_) arrived_(q);
}

std::uint32_t RxRings::buffer_bytes(unsigned q, std::uint32_t legacy_bytes) const {
    const std::uint32_t kib = srrctl_->get(q) & srrctl::bsizepacket_mask;
    return kib == 0 ? legacy_bytes : kib * 1024;
}

std::uint32_t RxRings::free_descriptors(unsigned q) const {
    const DescriptorQueue& ring = *rings_[q];
    if (!ring.enabled()) return 0;
    const std::uint32_t size = rdlen_->get(q) / descriptor_bytes;
    const std::uint32_t given = (ring.tail() + size - ring.head()) % size;
    return given;
}

void RxRings::take(unsigned q, unsigned count) {
    DescriptorQueue& ring = *rings_[q];
    for (unsigned i = 0; i < count; ++i)
        std::memcpy(&taken_[i], ring.cached(i).data(), sizeof taken_[i]);
    ring.consume(count);
    ring.set_has_work(ring.cached() != 0);
}

void RxRings::complete(unsigned q, unsigned count, std::uint32_t buffer,
                       const RxCompletion& completion) {
    DescriptorQueue& ring = *rings_[q];
    const std::uint32_t before = free_descriptors(q);
    std::uint32_t left = completion.length;
    for (unsigned i = 0; i < count; ++i) {
        const std::uint32_t part = std::min(left, buffer);
        left -= part;
        const bool last = i + 1 == count;
        ring.finish(legacy(q) ? legacy_image(q, i, completion, part, last)
                              : advanced_image(completion, part, last),
                    true);
    }
    if (ring.unwritten() != 0 && !interrupts_.rx_moderation_running(q)) ring.flush();
    const std::uint32_t threshold = (srrctl_->get(q) >> srrctl::rdmts_shift & 0x1FU) * 16;
    if (threshold != 0 && before > threshold && free_descriptors(q) <= threshold)
        interrupts_.rx_cause(q, icr::RXDMT0);
}

/// Dword 0: types; 1: RSS hash or (IP identification, checksum); 2: status and errors; 3: length
/// and VLAN tag.
Descriptor RxRings::advanced_image(const RxCompletion& c, std::uint32_t length, bool last) {
    Descriptor d{};
    const RxVerdict& v = *c.verdict;
    std::uint32_t status = status_dd;
    if (last) {
        status |= status_eop | v.status;
        if (c.timestamp) status |= status_tsip;
    }
    put(d, 0, v.info);
    put(d, 4,
        c.packet_checksum_disabled ? v.rss_hash
                                   : static_cast<std::uint32_t>(v.packet.ip_identification));
    put(d, 8, status);
    put(d, 12, static_cast<std::uint16_t>(length));
    put(d, 14, v.strip_vlan && last ? v.packet.vlan_tag : std::uint16_t{0});
    return d;
}

/// Buffer address; length, packet checksum, status byte, error byte, VLAN tag.
Descriptor RxRings::legacy_image(unsigned, unsigned i, const RxCompletion& c, std::uint32_t length,
                                 bool last) const {
    Descriptor d{};
    const RxVerdict& v = *c.verdict;
    std::uint32_t status = status_dd;
    std::uint8_t errors = 0;
    if (last) {
        status |= status_eop | (v.status & 0xF8U);
        if (v.packet.ip_checksum == Checksum::absent) status |= legacy_ixsm;
        if ((v.status & l4_error) != 0) errors |= 1U << 5;
        if ((v.status & ip_error) != 0) errors |= 1U << 6;
    }
    put(d, 0, taken_[i]);
    put(d, 8, static_cast<std::uint16_t>(length));
    put(d, 12, static_cast<std::uint8_t>(status));
    put(d, 13, errors);
    put(d, 14, v.strip_vlan && last ? v.packet.vlan_tag : std::uint16_t{0});
    return d;
}

void RxRings::reset() {
    for (auto& ring : rings_) ring->reset();
}

void RxRings::register_stats(sim::StatGroup& group) {
    for (unsigned q = 0; q < queues; ++q)
        rings_[q]->register_stats(group.group("queue" + std::to_string(q)).group("ring"));
}

}  // namespace nicsim::models::i210
