// SPDX-License-Identifier: Apache-2.0
#include "models/common/rx_rings.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace nicsim::models {

RxRings::RxRings(const std::string& path, unsigned count, unsigned cache, DmaEngine& dma,
                 DescriptorFetcher& fetcher, DmaEngine::Channel writeback,
                 RxInterruptIf& interrupts)
    : settings_(count), sizes_(count, 0), fetcher_(fetcher), interrupts_(interrupts) {
    assert(cache <= taken_.size());
    for (unsigned q = 0; q < count; ++q) {
        rings_.push_back(std::make_unique<DescriptorQueue>(
            DescriptorQueueConfig{
                .path = path + ".queue" + std::to_string(q) + ".ring", .index = q, .cache = cache},
            dma, writeback, fetcher));
        rings_[q]->on_arrived(sim::Callback<unsigned>::to<&RxRings::arrived>(this));
    }
}

void RxRings::on_progress(sim::Callback<unsigned> arrived, sim::Callback<unsigned> tail,
                          sim::Callback<unsigned, std::uint32_t, bool> written) {
    arrived_ = arrived;
    tail_ = tail;
    written_ = written;
    for (auto& ring : rings_)
        ring->on_written(
            sim::Callback<unsigned, std::uint32_t, bool>::to<&RxRings::on_written>(this));
}

void RxRings::enable(unsigned q, std::uint64_t base, std::uint32_t size, std::uint32_t head,
                     std::uint32_t tail) {
    sizes_[q] = size;
    rings_[q]->enable(base, size, head);
    rings_[q]->set_tail(tail);
    tell_tail(q);
}

void RxRings::disable(unsigned q) {
    rings_[q]->disable();
    tell_tail(q);
}

void RxRings::set_tail(unsigned q, std::uint32_t tail) {
    rings_[q]->set_tail(tail);
    tell_tail(q);
}

void RxRings::arrived(unsigned q) {
    rings_[q]->set_has_work(rings_[q]->cached() != 0);
    if (arrived_) arrived_(q);
}

void RxRings::on_written(unsigned q, std::uint32_t count, bool report) {
    if (life_cycle_ != nullptr && life_cycle_->received().wanted() && sizes_[q] != 0)
        for (std::uint32_t i = 0; i < count; ++i)
            life_cycle_->received().stamp(q, (rings_[q]->written_first() + i) % sizes_[q],
                                          sim::RxStage::write_back, sim::now());
    if (written_) written_(q, count, report);
}

std::uint32_t RxRings::free_descriptors(unsigned q) const {
    const DescriptorQueue& ring = *rings_[q];
    if (!ring.enabled()) return 0;
    return (ring.tail() + sizes_[q] - ring.head()) % sizes_[q];
}

void RxRings::take(unsigned q, unsigned count) {
    DescriptorQueue& ring = *rings_[q];
    for (unsigned i = 0; i < count; ++i)
        std::memcpy(&taken_[i], ring.cached(i).data(), sizeof taken_[i]);
    ring.consume(count);
    ring.set_has_work(ring.cached() != 0);
}

void RxRings::complete(unsigned q, unsigned count, const RxCompletion& completion) {
    DescriptorQueue& ring = *rings_[q];
    const RxQueueSettings& s = settings_[q];
    const std::uint32_t before = free_descriptors(q);
    std::uint32_t left = completion.length;
    for (unsigned i = 0; i < count; ++i) {
        const std::uint32_t part = std::min(left, s.buffer_bytes);
        left -= part;
        const bool last = i + 1 == count;
        ring.finish(s.legacy ? legacy_rx_image(taken_[i], completion, part, last)
                             : advanced_rx_image(completion, part, last),
                    true);
    }
    if (ring.unwritten() != 0 && !interrupts_.rx_moderation_running(q)) ring.flush();
    if (s.low_threshold != 0 && before > s.low_threshold && free_descriptors(q) <= s.low_threshold)
        interrupts_.rx_low(q);
}

void RxRings::reset() {
    for (auto& ring : rings_) ring->reset();
}

void RxRings::register_stats(sim::StatGroup& group) {
    for (unsigned q = 0; q < count(); ++q)
        rings_[q]->register_stats(group.group("queue" + std::to_string(q)).group("ring"));
}

}  // namespace nicsim::models
