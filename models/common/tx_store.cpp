// SPDX-License-Identifier: Apache-2.0
#include "models/common/tx_store.h"

#include <cassert>
#include <utility>

namespace nicsim::models {

std::uint64_t TxStore::reserve(unsigned queue, StoredFrame frame) {
    buffer_.reserve(queue, frame.room);
    frame.fetch_number = fetches_++;
    frames_[queue].push(std::move(frame));
    return first_number_[queue] + frames_[queue].size() - 1;
}

void TxStore::arrive(unsigned queue, std::uint64_t number, bool ok) {
    auto& frames = frames_[queue];
    StoredFrame& arrived = frames[number - first_number_[queue]];
    arrived.arrived = true;
    arrived.spoiled = !ok;
    while (ready_[queue] < frames.size()) {
        StoredFrame& next = frames[ready_[queue]];
        if (!next.arrived) return;
        ++ready_[queue];
        if (!next.spoiled) finish_frame(*next.packet, next.plan, *next.frame, tcp_flags_);
        ++next.packet->frames_arrived;
        complete_(queue, next);
    }
}

StoredFrame* TxStore::oldest(unsigned queue) {
    return frames_[queue].empty() ? nullptr : &frames_[queue].front();
}

StoredFrame TxStore::take(unsigned queue) {
    assert(ready_[queue] != 0);
    --ready_[queue];
    ++first_number_[queue];
    return frames_[queue].pop();
}

void TxStore::clear() {
    for (unsigned q = 0; q < frames_.size(); ++q) {
        first_number_[q] += frames_[q].size();
        frames_[q].clear();
        ready_[q] = 0;
    }
    buffer_.clear();
}

}  // namespace nicsim::models
