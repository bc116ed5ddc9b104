// SPDX-License-Identifier: Apache-2.0
// An skb of the TCP write queue: a piece of the stream in pages of host memory. It lives until it
// is both acknowledged and freed by the driver; what goes to the device are clones of it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "host_driver/sk_buff.h"
#include "sim/time.h"

namespace nicsim::host {

/// A reference to bytes in a counted page.
struct PageFragment {
    std::uint64_t address = 0;
    std::uint32_t length = 0;
    std::uint32_t page = 0;  ///< index in the pages
};

struct TcpSegment {
    std::uint64_t sequence = 0;  ///< 64 bits; the wire carries the low 32
    std::uint32_t length = 0;    ///< payload bytes
    std::uint32_t trimmed = 0;   ///< bytes acknowledged off its head; fragments still cover them
    std::uint32_t truesize = 0;
    std::uint32_t packets = 0;  ///< segments on the wire
    std::array<PageFragment, max_skb_frags> frags{};
    unsigned frag_count = 0;
    std::uint64_t header = 0;  ///< where its headers are, in host memory
    unsigned in_host = 0;      ///< clones in the queue discipline, the ring or the device
    bool acked = false;        ///< out of the queue, waiting for its clones
    bool push = false;
    bool lost = false;
    bool retransmitted = false;       ///< in flight for a second time
    bool ever_retransmitted = false;  ///< no RTT sample from it
    sim::Ps sent_at = 0;
    sim::Ps written_at = 0;  ///< when the application gave its first byte
    std::uint32_t index = 0;
    TcpSegment* next = nullptr;

    [[nodiscard]] std::uint64_t end() const { return sequence + length; }
};

/// A queue of segments that allows insertion behind the front.
class SegmentList {
public:
    [[nodiscard]] bool empty() const { return head_ == nullptr; }
    [[nodiscard]] bool single() const { return head_ != nullptr && head_ == tail_; }
    [[nodiscard]] TcpSegment* front() const { return head_; }
    [[nodiscard]] TcpSegment* back() const { return tail_; }
    void push_back(TcpSegment* s) {
        s->next = nullptr;
        if (tail_ == nullptr) {
            head_ = s;
        } else {
            tail_->next = s;
        }
        tail_ = s;
    }
    void insert_after(TcpSegment* where, TcpSegment* s) {
        s->next = where->next;
        where->next = s;
        if (tail_ == where) tail_ = s;
    }
    TcpSegment* pop_front() {
        TcpSegment* s = head_;
        head_ = s->next;
        if (head_ == nullptr) tail_ = nullptr;
        s->next = nullptr;
        return s;
    }

private:
    TcpSegment* head_ = nullptr;
    TcpSegment* tail_ = nullptr;
};

}  // namespace nicsim::host
