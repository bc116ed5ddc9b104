// SPDX-License-Identifier: Apache-2.0
#include "models/common/descriptor_queue.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace nicsim::models {

DescriptorQueue::DescriptorQueue(const DescriptorQueueConfig& config, DmaEngine& dma,
                                 DmaEngine::Channel writeback, DescriptorFetcher& fetcher)
    : config_(config),
      dma_(dma),
      writeback_(writeback),
      fetcher_(fetcher),
      cache_(config.cache),
      landing_(std::size_t{config.cache} * config.stride),
      fetch_decision_(config.path + ".fetch"),
      write_decision_(config.path + ".write_back"),
      head_probe_(config.path + ".head", 16),
      tail_probe_(config.path + ".tail", 16),
      fill_probe_(config.path + ".fill", 16),
      cache_probe_(config.path + ".cached", 8) {
    fetcher.queues_.push_back(this);
}

void DescriptorQueue::enable(std::uint64_t base, std::uint32_t ring_size, std::uint32_t head) {
    forget();
    base_ = base;
    size_ = ring_size;
    if (size_ == 0) return;
    next_fetch_ = tail_ = head_ = finished_index_ = head % size_;
    enabled_ = true;
    if (auto* d = decisions()) d->enabled(config_.index, base_, size_, head_);
    fetcher_.update_active();
    update_probes();
}

void DescriptorQueue::disable() {
    if (!enabled_) return;
    while (!undecided_.empty()) take_finished(undecided_.pop());
    if (!finished_.empty()) {
        ++timer_writebacks_;
        write_back(finished_.size());
    }
    forget();
}

void DescriptorQueue::reset() {
    forget();
    writes_.clear();
    pthresh_ = hthresh_ = wthresh_ = 0;
    burst_limit_ = 0;
    head_address_ = 0;
}

void DescriptorQueue::forget() {
    ++generation_;
    if (enabled_) {
        enabled_ = false;
        if (auto* d = decisions()) d->disabled(config_.index);
        fetcher_.update_active();
    }
    has_work_ = false;
    in_flight_ = 0;
    counted_ = 0;
    under_way_ = 0;
    skipped_ = 0;
    cache_.clear();
    undecided_.clear();
    finished_.clear();
}

void DescriptorQueue::set_thresholds(unsigned prefetch, unsigned host, unsigned writeback) {
    pthresh_ = prefetch;
    hthresh_ = host;
    wthresh_ = writeback;
    if (auto* d = decisions()) {
        d->thresholds(config_.index, prefetch, host, writeback);
        return;
    }
    write_back_if_due();
    fetcher_.evaluate();
}

void DescriptorQueue::set_tail(std::uint32_t tail) {
    if (!enabled_) return;
    tail_ = tail % size_;
    if (auto* d = decisions()) d->tail(config_.index, tail_);
    update_probes();
    fetcher_.evaluate();
}

void DescriptorQueue::consume(unsigned count) {
    assert(count <= cache_.size());
    for (unsigned i = 0; i < count; ++i) cache_.pop();
    under_way_ += count;
    if (auto* d = decisions()) d->consumed(config_.index, count);
    update_probes();
}

void DescriptorQueue::set_has_work(bool has_work) {
    has_work_ = has_work;
    if (auto* d = decisions()) d->work(config_.index, has_work);
}

DescriptorDecisionsIf* DescriptorQueue::decisions() const {
    return fetcher_.decisions_.get();
}

std::uint32_t DescriptorQueue::in_host_memory() const {
    if (!enabled_) return 0;
    return tail_ >= next_fetch_ ? tail_ - next_fetch_ : tail_ + size_ - next_fetch_;
}

unsigned DescriptorQueue::kept_places() const {
    if (!config_.waiting_hold_places || wthresh_ == 0) return 0;
    const unsigned most = std::min(wthresh_, config_.cache) - 1;
    return std::min(under_way_ + static_cast<unsigned>(finished_.size()), most);
}

// ---- fetch ----

bool DescriptorQueue::is_empty() const {
    return !has_work_ && in_flight_ == 0 && !cache_full() && in_host_memory() != 0;
}

bool DescriptorQueue::wants_prefetch() const {
    const std::uint32_t waiting = in_host_memory();
    return in_flight_ == 0 && cached() < pthresh_ && waiting != 0 && waiting >= hthresh_ &&
           !cache_full();
}

unsigned DescriptorQueue::fetch_size(bool urgent) const {
    const unsigned free = config_.cache - std::min(config_.cache, cached() + kept_places());
    unsigned count = std::min({free, config_.cache, in_host_memory(), size_ - next_fetch_});
    if (burst_limit_ != 0) count = std::min(count, burst_limit_);
    if (urgent) return count;
    // Ends at a line if it can, so that the next read begins aligned.
    const std::uint64_t begin = base_ + std::uint64_t{next_fetch_} * config_.stride;
    const std::uint64_t end = begin + std::uint64_t{count} * config_.stride;
    const std::uint64_t line_end = end / config_.line_bytes * config_.line_bytes;
    if (line_end > begin) count = static_cast<unsigned>((line_end - begin) / config_.stride);
    return count;
}

void DescriptorQueue::start_fetch(DmaEngine::Channel channel, unsigned count, bool urgent) {
    in_flight_ = count;
    fetch_decision_.made(count);
    ++fetches_;
    if (urgent) ++urgent_fetches_;
    fetched_ += count;
    const DmaSegment piece{base_ + std::uint64_t{next_fetch_} * config_.stride,
                           count * config_.stride};
    next_fetch_ = (next_fetch_ + count) % size_;
    dma_.read(channel, {&piece, 1}, landing_.data(),
              DmaEngine::Done::to<&DescriptorQueue::on_fetched>(this), generation_);
}

void DescriptorQueue::on_fetched(std::uint64_t generation, bool ok) {
    if (generation != generation_) return;  // the queue was disabled meanwhile
    const unsigned count = in_flight_;
    in_flight_ = 0;
    if (!ok) {  // nothing useful can follow from a ring that is not there
        ++fetch_errors_;
        disable();
        return;
    }
    for (unsigned i = 0; i < count; ++i) {
        Descriptor d{};
        std::memcpy(d.data(), landing_.data() + std::size_t{i} * config_.stride, config_.stride);
        cache_.push(d);
    }
    if (auto* d = decisions()) d->arrived(config_.index);
    update_probes();
    arrived_(config_.index);
}

// ---- write-back ----

void DescriptorQueue::finish(const Descriptor& image, bool report) {
    if (!enabled_) return;
    head_ = head_ + 1 == size_ ? 0 : head_ + 1;
    if (under_way_ != 0) --under_way_;
    update_probes();
    if (!config_.write_back) {
        if (written_) written_(config_.index, 1, report);
        return;
    }
    if (auto* d = decisions()) {
        undecided_.push({image, report});
        d->finished(config_.index, report);
        return;
    }
    if (take_finished({image, report})) write_back_if_due();
}

void DescriptorQueue::write_back_if_due() {
    const bool no_place = config_.waiting_hold_places && finished_.size() >= config_.cache;
    if (!no_place && (counted_ == 0 || counted_ < wthresh_)) return;
    write_back(finished_.size());
    if (config_.waiting_hold_places) fetcher_.evaluate();
}

bool DescriptorQueue::take_finished(const Finished& finished) {
    if (wthresh_ == 0 && !finished.report && finished_.empty()) {
        ++skipped_;
        finished_index_ = finished_index_ + 1 == size_ ? 0 : finished_index_ + 1;
        return false;
    }
    finished_.push(finished);
    if (finished.report || counted_ != 0) ++counted_;
    return true;
}

bool DescriptorQueue::flush() {
    if (unwritten() == 0) return false;
    ++timer_writebacks_;
    if (auto* d = decisions()) {
        d->flush(config_.index);
        return true;
    }
    write_back(finished_.size());
    if (config_.waiting_hold_places) fetcher_.evaluate();
    return true;
}

void DescriptorQueue::write_back(std::size_t count) {
    const std::uint32_t first = finished_index_;
    WriteRecord record{static_cast<std::uint32_t>(count) + skipped_, false, first};
    const auto until_wrap = std::min<std::size_t>(count, size_ - first);
    burst_.clear();
    for (std::size_t i = 0; i < count; ++i) {
        const Finished f = finished_.pop();
        burst_.insert(burst_.end(), f.image.begin(), f.image.end());
        record.report = record.report || f.report;
    }
    skipped_ = 0;
    counted_ = 0;
    finished_index_ = static_cast<std::uint32_t>((first + count) % size_);
    ++writebacks_;
    write_decision_.made(count);
    written_descriptors_ += count;
    writes_.push(record);

    const auto done = DmaEngine::Done::to<&DescriptorQueue::on_write_taken>(this);
    if (head_address_ != 0) {
        std::array<std::uint8_t, 4> index{};
        std::memcpy(index.data(), &finished_index_, index.size());
        dma_.write(writeback_, head_address_, index, done, generation_);
        return;
    }
    const auto cut = static_cast<std::uint32_t>(until_wrap * descriptor_bytes);
    const std::array<DmaSegment, 2> pieces = {
        {{base_ + std::uint64_t{first} * descriptor_bytes, cut},
         {base_, static_cast<std::uint32_t>(burst_.size()) - cut}}};
    const std::size_t used = until_wrap == count ? 1 : 2;
    dma_.write(writeback_, std::span(pieces).first(used), burst_, done, generation_);
}

void DescriptorQueue::on_write_taken(std::uint64_t generation, bool) {
    const WriteRecord record = writes_.pop();
    if (generation != generation_ || !written_) return;
    written_first_ = record.first;
    written_(config_.index, record.count, record.report);
}

void DescriptorQueue::update_probes() {
    head_probe_.set(head_);
    tail_probe_.set(tail_);
    fill_probe_.set(tail_ >= head_ ? tail_ - head_ : tail_ + size_ - head_);
    cache_probe_.set(cached());
}

void DescriptorQueue::register_stats(sim::StatGroup& group) {
    group.counter("fetches", "requests", "Descriptor reads.", fetches_);
    group.counter("fetches_when_empty", "requests",
                  "Of them, reads issued at once because the queue had nothing to work on.",
                  urgent_fetches_);
    group.counter("fetched", "descriptors", "Descriptors read.", fetched_);
    group.counter("fetch_errors", "requests",
                  "Descriptor reads that the bus answered with an error; each stops its queue.",
                  fetch_errors_);
    group.counter("writebacks", "bursts", "Write-backs.", writebacks_);
    group.counter("writebacks_by_timer", "bursts",
                  "Of them, forced by the moderation timer, a flush or idle moderation.",
                  timer_writebacks_);
    group.counter("written", "descriptors", "Descriptors written back.", written_descriptors_);
}

// ---- fetcher ----

DescriptorFetcher::DescriptorFetcher(DmaEngine& dma, DmaEngine::Channel channel)
    : dma_(dma), channel_(channel) {
    dma_.on_ready(channel_, sim::Callback<>::to<&DescriptorFetcher::on_channel_ready>(this));
}

void DescriptorFetcher::update_active() {
    active_.clear();
    for (DescriptorQueue* q : queues_)
        if (q->enabled()) active_.push_back(q);
}

void DescriptorFetcher::decide_by(const DescriptorDecisionsFactory& factory, unsigned cache) {
    if (factory) decisions_ = factory(*this, cache);
}

void DescriptorFetcher::fetch(unsigned queue, unsigned count, bool urgent) {
    queues_[queue]->start_fetch(channel_, count, urgent);
}

void DescriptorFetcher::take_finished(unsigned queue) {
    DescriptorQueue& q = *queues_[queue];
    q.take_finished(q.undecided_.pop());
}

void DescriptorFetcher::write_back(unsigned queue, std::uint32_t count) {
    queues_[queue]->write_back(count);
}

void DescriptorFetcher::evaluate() {
    if (decisions_) {
        decisions_->evaluate();
        return;
    }
    if (!dma_.ready(channel_)) return;
    for (DescriptorQueue* q : active_) {
        if (!q->is_empty()) continue;
        q->start_fetch(channel_, q->fetch_size(true), true);
        return;
    }
    if (dma_.pending_above(channel_)) return;
    DescriptorQueue* best = nullptr;
    for (DescriptorQueue* q : active_) {
        if (!q->wants_prefetch()) continue;
        if (best == nullptr || q->pthresh_ - q->cached() > best->pthresh_ - best->cached())
            best = q;
    }
    if (best != nullptr) best->start_fetch(channel_, best->fetch_size(false), false);
}

}  // namespace nicsim::models
