// SPDX-License-Identifier: Apache-2.0
#include "models/common/tx_reader.h"

#include <algorithm>
#include <utility>

namespace nicsim::models {

TxReader::TxReader(DmaEngine& dma, DmaEngine::Channel channel, TxStore& store, unsigned queues)
    : dma_(dma),
      channel_(channel),
      store_(store),
      fetching_(queues, 0),
      frames_(queues, 0),
      octets_(queues, 0) {}

void TxReader::read(TxQueue& source, unsigned queue, unsigned partition) {
    StoredFrame stored;
    stored.plan = source.take_frame(pieces_, stored.packet);
    stored.room = stored.plan.length;
    stored.frame = sim::frame_pool().make();
    stored.frame->resize(stored.plan.length);
    stored.frame->queue = queue;
    stored.frame->sequence = stored.packet->number;
    Read read;
    read.queue = queue;
    read.partition = partition;
    for (const DmaSegment& piece : pieces_) read.bytes += piece.length;
    ++frames_[queue];
    octets_[queue] += read.bytes;
    ++fetching_[queue];
    set_outstanding(outstanding_ + read.bytes);
    std::uint8_t* destination = stored.frame->bytes().data() + stored.plan.offset;
    read.number = store_.reserve(partition, std::move(stored));
    dma_.read(channel_, pieces_, destination, DmaEngine::Done::to<&TxReader::on_data>(this),
              remember(read));
}

std::uint64_t TxReader::remember(const Read& read) {
    if (free_reads_.empty()) {
        reads_.push_back(read);
        return reads_.size() - 1;
    }
    const std::uint32_t slot = free_reads_.back();
    free_reads_.pop_back();
    reads_[slot] = read;
    return slot;
}

void TxReader::set_outstanding(std::uint32_t bytes) {
    outstanding_ = bytes;
    if (on_outstanding_) on_outstanding_(bytes);
}

void TxReader::on_data(std::uint64_t cookie, bool ok) {
    const Read read = reads_[cookie];
    free_reads_.push_back(static_cast<std::uint32_t>(cookie));
    set_outstanding(outstanding_ - read.bytes);
    --fetching_[read.queue];
    store_.arrive(read.partition, read.number, ok);
}

void TxReader::reset() {
    reads_.clear();
    free_reads_.clear();
    set_outstanding(0);
    std::fill(fetching_.begin(), fetching_.end(), 0U);
}

void TxReader::register_stats(unsigned queue, sim::StatGroup& group) {
    group.counter("frames", "packets", "Frames whose data fetch was granted.", frames_[queue]);
    group.counter("octets", "B", "Bytes read from host memory for them.", octets_[queue]);
}

}  // namespace nicsim::models
