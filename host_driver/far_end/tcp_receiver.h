// SPDX-License-Identifier: Apache-2.0
// The receiving half of a TCP connection at the far end, free of events: in-order delivery,
// reassembly, the acknowledgement policy and the receive window. Bytes are verified by the caller.
// After Linux' tcp_input.c: an acknowledgement per two full segments received (with receive offload
// per merged skb), at once when out of order or in quick-ack mode, else after a delay. The reader
// is always ready. Not modelled: SACK, window shrinking, dynamic right-sizing by RTT (the window
// grows with the bytes received instead).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/time.h"

namespace nicsim::host {

struct ReceiverPolicy {
    sim::Ps delayed_ack = 40 * sim::ps_per_ms;
    std::uint64_t quick_acks = 16;          ///< at the start of a connection
    std::uint64_t initial_window = 65'535;  ///< bytes
    std::uint64_t max_window = 3'145'728;   ///< bytes
};

class TcpReceiver {
public:
    explicit TcpReceiver(const ReceiverPolicy& policy) : policy_(policy) {}

    /// The SYN: first payload byte is `sequence` + 1.
    void open(std::uint32_t syn_sequence, std::uint32_t timestamp);

    /// What to do after a segment.
    enum class Reply : std::uint8_t { none, now, delayed };
    struct Taken {
        Reply reply = Reply::none;
        std::uint64_t offset = 0;     ///< 64-bit stream offset of the segment's first byte
        std::uint64_t delivered = 0;  ///< bytes that became readable
        std::uint64_t duplicate = 0;  ///< bytes that had been received before
        bool out_of_order = false;
        bool out_of_window = false;
    };
    /// A segment (or a merged one) of `length` bytes whose largest piece is `piece`.
    Taken take(std::uint32_t sequence, std::uint32_t length, std::uint32_t piece,
               std::uint32_t timestamp);
    /// 64-bit stream offset (0 is the first payload byte) of a 32-bit sequence number.
    [[nodiscard]] std::uint64_t offset_of(std::uint32_t sequence) const;

    /// An acknowledgement is being sent.
    void acknowledged() {
        acknowledged_ = next_;
        last_window_ = window();
        if (quick_left_ > 0) --quick_left_;
    }
    [[nodiscard]] std::uint32_t next_sequence() const {
        return static_cast<std::uint32_t>(base_ + next_);
    }
    [[nodiscard]] std::uint64_t next_offset() const { return next_; }
    [[nodiscard]] std::uint64_t window() const;
    [[nodiscard]] std::uint32_t timestamp_echo() const { return timestamp_recent_; }
    [[nodiscard]] bool pending() const { return acknowledged_ != next_; }
    [[nodiscard]] bool is_open() const { return open_; }
    [[nodiscard]] std::size_t holes() const { return beyond_.size(); }

private:
    struct Range {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
    };
    std::uint64_t insert(std::uint64_t begin, std::uint64_t end);

    ReceiverPolicy policy_;
    bool open_ = false;
    std::uint32_t base_ = 0;          ///< sequence number of stream offset 0
    std::uint64_t next_ = 0;          ///< next offset expected
    std::uint64_t acknowledged_ = 0;  ///< last offset acknowledged
    std::uint64_t last_window_ = 0;
    std::uint32_t segment_ = 536;  ///< estimate of the sender's segment size
    std::uint64_t quick_left_ = 0;
    std::uint32_t timestamp_recent_ = 0;
    std::vector<Range> beyond_;  ///< received behind a hole, ascending, not touching
};

}  // namespace nicsim::host
