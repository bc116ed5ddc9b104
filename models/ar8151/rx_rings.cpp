// SPDX-License-Identifier: Apache-2.0
#include "models/ar8151/rx_rings.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace nicsim::models::ar8151 {

namespace {

constexpr unsigned queue_bits = 2;  ///< of a write's cookie

/// What the protocol field says. Linux names two of the values (IPv4 and IPv6 without a layer 4);
/// the others are assumed.
std::uint32_t protocol_of(const ParsedPacket& packet) {
    using namespace rrd;
    if (packet.ipv4)
        return packet.tcp ? protocol_ipv4_tcp : packet.udp ? protocol_ipv4_udp : protocol_ipv4;
    if (packet.ipv6)
        return packet.tcp ? protocol_ipv6_tcp : packet.udp ? protocol_ipv6_udp : protocol_ipv6;
    return 0;
}

}  // namespace

RxRings::Queue::Queue(RxRings& o, const DescriptorQueueConfig& config, DmaEngine::Channel writeback,
                      unsigned number)
    : owner(o),
      index(number),
      rfds(config, o.dma_, writeback, o.fetcher_),
      timer(("rrd_timer" + std::to_string(number)).c_str(),
            sim::Alarm::Action::to<&Queue::on_timer>(this)),
      rrd_probe(config.path + ".returned", 16) {}

RxRings::RxRings(const std::string& path, const Ar8151Config& config, DmaEngine& dma,
                 DescriptorFetcher& fetcher, DmaEngine::Channel writeback)
    : mikrotik_(config.mikrotik()),
      cache_(static_cast<unsigned>(config.rfd_cache)),
      dma_(dma),
      fetcher_(fetcher),
      writeback_(writeback) {
    for (unsigned q = 0; q < config.rx_queues(); ++q) {
        DescriptorQueueConfig c;
        c.path = path + ".queue" + std::to_string(q) + ".ring";
        c.index = q;
        c.cache = cache_;
        c.stride = rfd_bytes;
        c.write_back = false;
        queues_.push_back(std::make_unique<Queue>(*this, c, writeback, q));
        queues_[q]->rfds.on_arrived(sim::Callback<unsigned>::to<&RxRings::arrived>(this));
    }
}

void RxRings::on_progress(sim::Callback<unsigned> arrived, sim::Callback<unsigned> returned) {
    arrived_ = arrived;
    returned_ = returned;
}

void RxRings::load(unsigned q, const RxRingPlace& place) {
    Queue& queue = *queues_[q];
    queue.place = place;
    queue.rrd_next = 0;
    queue.gathered.clear();
    queue.timer.cancel();
    queue.rfds.disable();
    queue.rfds.enable(place.rfd_base, place.rfd_size, 0);
}

void RxRings::set_buffer_bytes(std::uint32_t bytes) {
    settings_.buffer_bytes = bytes;
}

void RxRings::set_rfd_burst(unsigned descriptors) {
    const unsigned burst = std::clamp(descriptors, 1U, cache_);
    for (auto& queue : queues_) {
        queue->rfds.set_burst(burst);
        queue->rfds.set_thresholds(cache_ - burst + 1, 1, 0);
    }
}

void RxRings::set_gathering(std::uint32_t bytes, sim::Ps timer) {
    gather_bytes_ = bytes;
    gather_time_ = timer;
}

bool RxRings::enabled(unsigned q) const {
    const Queue& queue = *queues_[q];
    return queue.rfds.enabled() && queue.place.rrd_size != 0 && settings_.buffer_bytes != 0;
}

void RxRings::arrived(unsigned q) {
    DescriptorQueue& rfds = queues_[q]->rfds;
    rfds.set_has_work(rfds.cached() != 0);
    if (arrived_) arrived_(q);
}

std::uint32_t RxRings::free_descriptors(unsigned q) const {
    const Queue& queue = *queues_[q];
    if (!queue.rfds.enabled()) return 0;
    const std::uint32_t size = queue.place.rfd_size;
    return (queue.rfds.tail() + size - queue.rfds.head()) % size;
}

void RxRings::take(unsigned q, unsigned count) {
    DescriptorQueue& rfds = queues_[q]->rfds;
    assert(count <= taken_.size());
    for (unsigned i = 0; i < count; ++i)
        std::memcpy(&taken_[i], rfds.cached(i).data(), sizeof taken_[i]);
    rfds.consume(count);
    rfds.set_has_work(rfds.cached() != 0);
}

// ---- return descriptors ----

Descriptor RxRings::return_descriptor(const RxCompletion& completion, unsigned rfds,
                                      std::uint32_t first_rfd) const {
    const RxVerdict& verdict = *completion.verdict;
    std::array<std::uint32_t, 4> word{};
    word[0] = (rfds & 0xFU) << rrd::rfd_count_shift | first_rfd << rrd::rfd_index_shift;
    std::uint32_t& flags = word[3];
    flags = (completion.length & rrd::size_mask) | rrd::UPDATED;
    flags |= protocol_of(verdict.packet) << rrd::protocol_shift;
    if (verdict.l4_error) flags |= rrd::ERR_L4_CSUM;
    if (verdict.ip_error) flags |= rrd::ERR_IP_CSUM;
    if (verdict.broadcast)
        flags |= rrd::BCAST;
    else if (verdict.multicast)
        flags |= rrd::MCAST;
    if (verdict.strip_vlan) {
        flags |= rrd::VLAN_INS;
        const std::uint16_t tag = verdict.packet.vlan_tag;  // stands in memory as on the wire
        word[2] = (tag >> 8 | tag << 8) & 0xFFFFU;
    }
    if (mikrotik_) {  // its top bit alone says that TCP or UDP was checked and is right
        flags &= ~(7U << rrd::protocol_shift);
        if (verdict.packet.l4_checksum == Checksum::good) flags |= rrd::MT_L4_CHECKED;
    }
    Descriptor raw;
    std::memcpy(raw.data(), word.data(), raw.size());
    return raw;
}

std::uint32_t RxRings::return_place(unsigned q, unsigned) const {
    const Queue& queue = *queues_[q];
    const auto waiting = static_cast<std::uint32_t>(queue.gathered.size()) / rrd_bytes;
    return queue.place.rrd_size == 0 ? 0 : (queue.rrd_next + waiting) % queue.place.rrd_size;
}

void RxRings::complete(unsigned q, unsigned count, const RxCompletion& completion) {
    Queue& queue = *queues_[q];
    const Descriptor raw = return_descriptor(completion, count, queue.rfds.head());
    for (unsigned i = 0; i < count; ++i) queue.rfds.finish({}, false);
    queue.gathered.insert(queue.gathered.end(), raw.begin(), raw.end());
    queue.rrd_probe.set(++queue.returned & 0xFFFFU);
    if (queue.gathered.size() >= gather_bytes_)
        queue.write_back();
    else if (gather_time_ != 0 && !queue.timer.armed())
        queue.timer.after(gather_time_);
}

void RxRings::Queue::on_timer() {
    if (gathered.empty()) return;
    ++timer_writes;
    write_back();
}

void RxRings::Queue::write_back() {
    timer.cancel();
    ++writes;
    const auto bytes = static_cast<std::uint32_t>(gathered.size());
    const std::uint32_t until_wrap = std::min(bytes, (place.rrd_size - rrd_next) * rrd_bytes);
    const std::array<DmaSegment, 2> pieces = {
        {{place.rrd_base + std::uint64_t{rrd_next} * rrd_bytes, until_wrap},
         {place.rrd_base, bytes - until_wrap}}};
    in_flight.push({rrd_next, bytes / rrd_bytes, place.rrd_size});
    rrd_next = (rrd_next + bytes / rrd_bytes) % place.rrd_size;
    owner.dma_.write(owner.writeback_, std::span(pieces).first(until_wrap == bytes ? 1 : 2),
                     gathered, DmaEngine::Done::to<&RxRings::on_written>(&owner),
                     owner.generation_ << queue_bits | index);
    gathered.clear();
}

void RxRings::on_written(std::uint64_t cookie, bool) {
    if (cookie >> queue_bits != generation_) return;
    const auto q = static_cast<unsigned>(cookie & ((1U << queue_bits) - 1));
    const Queue::Write written = queues_[q]->in_flight.pop();
    if (life_cycle_ != nullptr && life_cycle_->received().wanted())
        for (std::uint32_t i = 0; i < written.count; ++i)
            life_cycle_->received().stamp(q, (written.first + i) % written.ring,
                                          sim::RxStage::write_back, sim::now());
    if (returned_) returned_(q);
}

void RxRings::reset() {
    ++generation_;
    settings_ = {};
    gather_bytes_ = 0;
    gather_time_ = 0;
    for (auto& queue : queues_) {
        queue->rfds.reset();
        queue->timer.cancel();
        queue->gathered.clear();
        queue->in_flight.clear();
        queue->place = {};
        queue->rrd_next = 0;
    }
}

void RxRings::register_stats(sim::StatGroup& group) {
    for (auto& queue : queues_) {
        sim::StatGroup& g = group.group("queue" + std::to_string(queue->index)).group("ring");
        queue->rfds.register_stats(g);
        g.counter("returned", "descriptors", "Return descriptors made.", queue->returned);
        g.counter("return_writes", "bursts", "Writes that carried them.", queue->writes);
        g.counter("return_writes_by_timer", "bursts", "Of them, forced by RXD_DMA_CTRL's timer.",
                  queue->timer_writes);
    }
}

}  // namespace nicsim::models::ar8151
