// SPDX-License-Identifier: Apache-2.0
#include "host_driver/net/page_store.h"

namespace nicsim::host {

std::uint32_t PageStore::room() {
    if (current_ != none && used_ < page_bytes_) return page_bytes_ - used_;
    if (current_ != none) drop({0, 0, current_});  // the filler's own reference
    if (free_.empty()) {
        current_ = static_cast<std::uint32_t>(pages_.size());
        pages_.push_back({source_.take(), 0});
    } else {
        current_ = free_.back();
        free_.pop_back();
    }
    pages_[current_].references = 1;
    used_ = 0;
    return page_bytes_;
}

bool PageStore::append(TcpSegment& segment, std::uint32_t length) {
    const std::uint64_t where = address();
    if (segment.frag_count > 0) {
        PageFragment& last = segment.frags[segment.frag_count - 1];
        if (last.page == current_ && last.address + last.length == where) {
            last.length += length;
            used_ += length;
            return true;
        }
    }
    if (segment.frag_count == segment.frags.size()) return false;
    segment.frags[segment.frag_count++] = {where, length, current_};
    ++pages_[current_].references;
    used_ += length;
    return true;
}

void PageStore::drop(const PageFragment& f) {
    if (--pages_[f.page].references == 0) free_.push_back(f.page);
}

}  // namespace nicsim::host
