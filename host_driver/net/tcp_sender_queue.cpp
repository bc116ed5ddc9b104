// SPDX-License-Identifier: Apache-2.0
// The write queue's memory: filling skbs, cutting them, giving them back, and the send buffer.
#include <algorithm>
#include <bit>

#include "host_driver/net/tcp_sender.h"

namespace nicsim::host {

namespace {

// Linux' figures behind the autotuned send buffer (tcp_sndbuf_expand): head room and shared info of
// an skb, the skb itself.
constexpr std::uint32_t skb_head_room = 320;
constexpr std::uint32_t skb_shared_info = 320;
constexpr std::uint32_t skb_struct = 256;
constexpr std::uint32_t default_mss = 536;

}  // namespace

TcpSender::TcpSender(const TcpConfig& config, const Shape& shape, PageSource& pages,
                     TcpOutput& output)
    : config_(config),
      shape_(shape),
      output_(output),
      pages_(pages, static_cast<std::uint32_t>(config.page_fragment_bytes)),
      control_(config),
      rtt_(config.rto_min, config.rto_initial) {
    cc_.cwnd = static_cast<std::uint32_t>(config.initial_cwnd);
    cc_.paced = config.pacing;
    cc_.snd_una = cc_.snd_nxt = write_seq_ = pushed_seq_ = window_end_ = cwnd_usage_seq_ =
        small_end_ = shape.initial_sequence;
    cc_.gso_max_bytes = shape.gso_max_bytes > config.gso_header_room + 1
                            ? shape.gso_max_bytes - 1 - config.gso_header_room
                            : 0;
    send_buffer_ =
        config.send_buffer_fixed != 0 ? config.send_buffer_fixed : config.send_buffer_initial;
}

std::uint32_t TcpSender::size_goal() const {
    std::uint64_t bytes = cc_.gso_max_bytes;
    if (max_window_ != 0) {
        bytes = std::min(bytes, max_window_ > default_mss ? max_window_ / 2 : max_window_);
    }
    const std::uint64_t segments =
        std::min<std::uint64_t>(bytes / shape_.mss, shape_.gso_max_segments);
    return static_cast<std::uint32_t>(std::max<std::uint64_t>(segments, 1)) * shape_.mss;
}

TcpSegment* TcpSender::new_segment() {
    if (spare_.empty()) {
        segments_.push_back(std::make_unique<TcpSegment>());
        TcpSegment* made = segments_.back().get();
        made->index = static_cast<std::uint32_t>(segments_.size() - 1);
        made->header = output_.take_header();
        return made;
    }
    TcpSegment* s = spare_.back();
    spare_.pop_back();
    return s;
}

void TcpSender::release(TcpSegment* s) {
    for (unsigned i = 0; i < s->frag_count; ++i) pages_.drop(s->frags[i]);
    const std::uint32_t index = s->index;
    const std::uint64_t header = s->header;
    *s = TcpSegment{};
    s->index = index;
    s->header = header;
    spare_.push_back(s);
}

void TcpSender::retire(TcpSegment* s) {
    queued_charge_ -= s->truesize;
    s->acked = true;
    if (s->in_host == 0) release(s);
}

bool TcpSender::last_skb_full() const {
    return unsent_.empty() || unsent_.back()->length >= size_goal();
}

std::uint32_t TcpSender::write(const PayloadPattern& pattern, std::uint32_t length) {
    const std::uint32_t goal = size_goal();
    TcpSegment* s = unsent_.back();
    if (s == nullptr || s->length >= goal || s->frag_count == s->frags.size()) {
        if (!has_buffer()) return 0;
        const sim::Ps now = output_.clock();
        restart_after_idle(now);
        s = new_segment();
        s->sequence = write_seq_;
        s->written_at = now;
        s->truesize = static_cast<std::uint32_t>(config_.skb_overhead);
        queued_charge_ += s->truesize;
        unsent_.push_back(s);
    }
    std::uint32_t copied = 0;
    const std::uint32_t wanted = std::min(length, goal - s->length);
    while (copied < wanted) {
        const std::uint32_t piece = std::min(wanted - copied, pages_.room());
        std::uint8_t* to = pages_.bytes(piece);
        if (!pages_.append(*s, piece)) break;
        pattern.fill(write_seq_ - shape_.initial_sequence, to, piece);
        s->length += piece;
        s->truesize += piece;
        queued_charge_ += piece;
        write_seq_ += piece;
        copied += piece;
    }
    set_packets(*s);
    return copied;
}

// Cuts `s` so that it keeps its first `length` bytes; the rest follows as an skb of its own. Page
// bytes are shared, only the charges move.
void TcpSender::split(SegmentList& list, TcpSegment* s, std::uint32_t length) {
    TcpSegment* rest = new_segment();
    rest->sequence = s->sequence + length;
    rest->length = s->length - length;
    rest->push = s->push;
    rest->lost = s->lost;
    rest->retransmitted = s->retransmitted;
    rest->ever_retransmitted = s->ever_retransmitted;
    rest->sent_at = s->sent_at;
    rest->written_at = s->written_at;
    rest->truesize = static_cast<std::uint32_t>(config_.skb_overhead) + rest->length;
    queued_charge_ += config_.skb_overhead;
    s->truesize -= rest->length;
    s->length = length;
    s->push = false;
    std::uint32_t before = s->trimmed + length;  // bytes of fragments that stay
    unsigned kept = 0;
    for (unsigned i = 0; i < s->frag_count; ++i) {
        PageFragment& f = s->frags[i];
        if (before >= f.length) {
            before -= f.length;
            ++kept;
            continue;
        }
        if (before == 0) {
            rest->frags[rest->frag_count++] = f;
            continue;
        }
        rest->frags[rest->frag_count++] = {f.address + before, f.length - before, f.page};
        pages_.hold(f);
        f.length = before;
        before = 0;
        ++kept;
    }
    s->frag_count = kept;
    set_packets(*s);
    set_packets(*rest);
    list.insert_after(s, rest);
    ++counters_.skbs_cut;
}

void TcpSender::expand_send_buffer() {
    if (config_.send_buffer_fixed != 0) return;
    const std::uint32_t mss = shape_.mss + (config_.timestamps ? 12U : 0U);
    const std::uint64_t per_segment =
        std::bit_ceil(mss + skb_head_room + skb_shared_info) + skb_struct;
    const std::uint64_t segments =
        std::max({config_.initial_cwnd, std::uint64_t{cc_.cwnd}, config_.duplicate_acks + 1});
    // Twice, so that a whole window can be refilled while one is in flight.
    const std::uint64_t wanted = 2 * segments * per_segment;
    if (send_buffer_ < wanted) send_buffer_ = std::min(wanted, config_.send_buffer_max);
}

bool TcpSender::freed(TcpSegment& s, std::uint32_t truesize) {
    wmem_alloc_ -= truesize;
    --s.in_host;
    if (s.acked && s.in_host == 0) release(&s);
    const bool wanted = throttled_;
    throttled_ = false;
    return wanted;
}

void TcpSender::check_space() {
    if (!writer_waiting_) return;
    if (packets_in_flight() < cc_.cwnd && config_.send_buffer_fixed == 0) {
        expand_send_buffer();
        cwnd_stamp_ = output_.clock();
    }
}

}  // namespace nicsim::host
