// SPDX-License-Identifier: Apache-2.0
#include "models/common/tx_queue.h"

#include <utility>

namespace nicsim::models {
namespace {

/// Write-back format (I210 datasheet 7.2.2.3.5): DD in the status, the rest reserved.
constexpr Descriptor done_image = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0};

}  // namespace

TxQueue::TxQueue(unsigned index, const DescriptorQueueConfig& config, DmaEngine& dma,
                 DmaEngine::Channel writeback, DescriptorFetcher& fetcher,
                 TxInterruptIf& interrupts, std::unique_ptr<TxDecoder> decoder)
    : index_(index),
      ring_(config, dma, writeback, fetcher),
      interrupts_(interrupts),
      decoder_(decoder ? std::move(decoder) : std::make_unique<IntelTxDecoder>()) {
    ring_.on_arrived(sim::Callback<unsigned>::to<&TxQueue::on_arrived>(this));
    ring_.on_written(sim::Callback<unsigned, std::uint32_t, bool>::to<&TxQueue::on_written>(this));
}

void TxQueue::enable(std::uint64_t base, std::uint32_t ring_size, std::uint32_t head) {
    ring_.enable(base, ring_size, head);
    next_number_ = 0;
}

void TxQueue::disable() {
    ring_.disable();
    open_ = {};
    parsed_ = 0;
    waiting_.clear();
    started_.clear();
    unwritten_.clear();
    written_ = 0;
    changed_();
}

void TxQueue::reset() {
    ring_.reset();
    disable();
    decoder_->reset();
}

void TxQueue::stamp(std::uint64_t number, sim::TxStage stage) {
    if (life_cycle_ != nullptr) life_cycle_->stamp(index_, number, stage, sim::now());
}

// ---- descriptors to packets ----

void TxQueue::on_arrived(unsigned) {
    while (parsed_ < ring_.cached()) parse(ring_.cached(parsed_++));
    make_room();
    drop_bad_packets();
    ring_.set_has_work(!waiting_.empty());
    changed_();
}

void TxQueue::parse(const Descriptor& raw) {
    if (!open_) open_ = pool_.make();
    if (decoder_->add(raw, *open_)) end_packet();
}

void TxQueue::end_packet() {
    TxPacket& packet = *open_;
    packet.number = next_number_++;
    prepare(packet, max_packet_);
    ++packets_;
    if (packet.first.tso) ++tso_packets_;
    if (packet.bad) ++bad_packets_;
    stamp(packet.number, sim::TxStage::descriptor_fetch);
    unwritten_.push({packet.number, static_cast<std::uint32_t>(packet.reports.size())});
    waiting_.push(std::move(open_));
    open_ = {};
}

void TxQueue::make_room() {
    if (!waiting_.empty() || !ring_.cache_full()) return;
    open_->consumed += ring_.cached();
    parsed_ = 0;
    ring_.consume(ring_.cached());
}

// ---- packets to frames ----

TxPacket* TxQueue::next_packet() {
    return waiting_.empty() ? nullptr : waiting_.front().get();
}

FramePlan TxQueue::take_frame(std::vector<DmaSegment>& pieces, TxPacketPtr& packet) {
    packet = waiting_.front();
    const FramePlan plan = plan_next_frame(*packet, pieces);
    if (plan.segment == 0) stamp(packet->number, sim::TxStage::data_fetch_start);
    parsed_ -= plan.consume;
    ring_.consume(plan.consume);
    if (plan.last) {
        started_.push(waiting_.pop());
        drop_bad_packets();
        make_room();
    }
    ring_.set_has_work(!waiting_.empty());
    return plan;
}

void TxQueue::drop_bad_packets() {
    while (!waiting_.empty() && waiting_.front()->bad) {
        TxPacketPtr packet = waiting_.pop();
        const auto left = static_cast<unsigned>(packet->reports.size()) - packet->consumed;
        parsed_ -= left;
        ring_.consume(left);
        started_.push(std::move(packet));
    }
    finish_packets();
}

// ---- completion ----

void TxQueue::frame_stored(TxPacket& packet, bool last) {
    if (!last) return;
    stamp(packet.number, sim::TxStage::packet_buffer);
    finish_packets();
}

void TxQueue::finish_packets() {
    // A write-back in the middle of a packet may lead back to here by way of the next grant; the
    // descriptors must be finished in order.
    if (finishing_) return;
    finishing_ = true;
    while (!started_.empty()) {
        const TxPacket& packet = *started_.front();
        if (!packet.bad && packet.frames_arrived != packet.frames) break;
        const TxPacketPtr done = started_.pop();
        finish_descriptors(*done);
    }
    finishing_ = false;
}

void TxQueue::finish_descriptors(const TxPacket& packet) {
    for (const std::uint8_t report : packet.reports) ring_.finish(done_image, report != 0);
    if (ring_.unwritten() != 0 && !interrupts_.moderation_running(index_)) ring_.flush();
}

void TxQueue::on_written(unsigned, std::uint32_t count, bool report) {
    written_ += count;
    while (!unwritten_.empty() && written_ >= unwritten_.front().descriptors) {
        const Unwritten packet = unwritten_.pop();
        written_ -= packet.descriptors;
        stamp(packet.number, sim::TxStage::write_back);
    }
    if (report) interrupts_.tx_cause(index_);
}

void TxQueue::flush_writebacks() {
    ring_.flush();
}

void TxQueue::register_stats(sim::StatGroup& group) {
    group.counter("packets", "packets", "Packets whose descriptors arrived.", packets_);
    group.counter("tso_packets", "packets", "Of them, packets to be segmented.", tso_packets_);
    group.loss("bad_packets", "packets",
               "Packets dropped: longer than the device is set up for, or with lengths that "
               "contradict each other.",
               bad_packets_);
    ring_.register_stats(group.group("descriptors"));
}

}  // namespace nicsim::models
