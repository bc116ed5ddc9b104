// SPDX-License-Identifier: Apache-2.0
// What is sent, when and in which pieces (after Linux' tcp_write_xmit and what it calls).
#include "host_driver/net/tcp_sender.h"

#include <algorithm>

namespace nicsim::host {

namespace {
constexpr std::uint64_t unpaced_segments = 10;  // pacing is not enforced on the first window
}

void TcpSender::establish(std::uint64_t rtt_us, std::uint64_t window, std::uint32_t mss) {
    established_ = true;
    shape_.mss = std::min(shape_.mss, mss);
    rtt_.sample(rtt_us, cc_.snd_una, cc_.snd_nxt);
    window_ = max_window_ = window;
    window_end_ = cc_.snd_una + window;
    cwnd_stamp_ = last_send_ = output_.clock();
    expand_send_buffer();
    update_pacing_rate();
}

std::uint32_t TcpSender::packets_in_flight() const {
    return packets_out_ - sacked_out_ - lost_out_ + retrans_out_;
}

// ---- how the writer's calls end ----

bool TcpSender::corked() const {
    const TcpSegment* last = unsent_.back();
    return config_.autocorking && last != nullptr && last->length < size_goal() && !sent_.empty() &&
           wmem_alloc_ >= last->truesize;
}

void TcpSender::full_skb() {
    if (unsent_.empty()) return;
    if (write_seq_ > pushed_seq_ + max_window_ / 2) {  // the peer's reader should be woken
        unsent_.back()->push = true;
        pushed_seq_ = write_seq_;
        write_queue_run(Nagle::push, false);
    } else if (unsent_.single()) {
        write_queue_run(Nagle::push, true);
    }
}

void TcpSender::end_of_write() {
    if (unsent_.empty()) return;
    unsent_.back()->push = true;
    pushed_seq_ = write_seq_;
    if (corked()) {
        if (!throttled_) ++counters_.autocorks;
        throttled_ = true;
        if (unsent_.single()) block_ = SendBlock::coalescing;
        return;
    }
    write_queue_run(Nagle::normal, false);
}

void TcpSender::wait_for_buffer() {
    writer_waiting_ = true;
    if (!unsent_.empty()) write_queue_run(Nagle::push, false);
}

void TcpSender::small_queue_released() {
    if (lost_out_ > retrans_out_ && cc_.cwnd > packets_in_flight()) retransmit_lost();
    write_queue_run(Nagle::normal, false);
}

void TcpSender::pacing_released() {
    pacing_due_ = sim::never;
    small_queue_released();
}

// ---- the rules ----

std::uint32_t TcpSender::tso_segments() const {
    if (cc_.gso_max_bytes == 0) return 1;
    std::uint64_t bytes = cc_.pacing_rate >> config_.pacing_shift;
    if (config_.tso_rtt_sizing && rtt_.min_us() != ~std::uint64_t{0}) {
        const std::uint64_t shift = rtt_.min_us() >> config_.tso_rtt_log;
        if (shift < 32) bytes += cc_.gso_max_bytes >> shift;
    }
    bytes = std::min(bytes, cc_.gso_max_bytes);
    const std::uint64_t segments =
        std::max<std::uint64_t>(bytes / shape_.mss, config_.min_tso_segments);
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(segments, shape_.gso_max_segments));
}

std::uint64_t TcpSender::small_queue_limit(std::uint32_t truesize) const {
    const std::uint64_t limit = std::max<std::uint64_t>(2 * std::uint64_t{truesize},
                                                        cc_.pacing_rate >> config_.pacing_shift);
    // A socket whose rate is enforced does not need the fixed limit.
    return config_.pacing ? limit : std::min(limit, config_.limit_output_bytes);
}

bool TcpSender::small_queue_blocks(const TcpSegment& s) {
    // Linux compares sk_wmem_alloc, which is one more than what is charged.
    if (wmem_alloc_ < small_queue_limit(s.truesize)) return false;
    // With (almost) nothing left to acknowledge, waiting for the driver would drain the pipe.
    if (sent_.empty() || sent_skbs_ <= config_.small_queue_free_skbs) return false;
    if (!throttled_) ++counters_.small_queue_throttles;
    throttled_ = true;
    return true;
}

bool TcpSender::window_allows(const TcpSegment& s) const {
    return s.sequence + std::min(s.length, shape_.mss) <= window_end_;
}

// Minshall's variant: hold a short packet back only while another short one is unacknowledged.
bool TcpSender::nagle_allows(const TcpSegment& s, Nagle nagle) const {
    if (nagle == Nagle::push || config_.no_delay || s.length >= shape_.mss) return true;
    const bool short_out = small_end_ > cc_.snd_una && small_end_ <= cc_.snd_nxt;
    return !(packets_out_ > 0 && short_out);
}

bool TcpSender::should_defer(const TcpSegment& s, std::uint32_t max_segments,
                             SendBlock& why) const {
    if (phase_ != Phase::open) return false;
    const sim::Ps now = output_.clock();
    if (now > last_send_ + sim::ps_per_ms) return false;  // only while sending goes on
    const std::uint64_t window_room = window_end_ - s.sequence;
    const std::uint64_t cwnd_room = std::uint64_t{cc_.cwnd - packets_in_flight()} * shape_.mss;
    const std::uint64_t room = std::min(window_room, cwnd_room);
    if (room >= std::uint64_t{max_segments} * shape_.mss) return false;
    if (&s != unsent_.back() && room >= s.length) return false;
    const std::uint64_t chunk =
        std::min(window_, std::uint64_t{cc_.cwnd} * shape_.mss) / config_.tso_win_divisor;
    if (room >= chunk) return false;
    const TcpSegment* oldest = sent_.front();
    if (oldest == nullptr) return false;
    // If the next acknowledgement is likely to be late, send what fits now.
    const std::uint64_t age_us = (now - std::min(now, oldest->sent_at)) / sim::ps_per_us;
    if (age_us < (rtt_.srtt8_us() >> 4)) return false;
    why = SendBlock::coalescing;
    if (cwnd_room < window_room) {
        if (cwnd_room <= s.length) why = SendBlock::congestion;
    } else if (window_room <= s.length) {
        why = SendBlock::receive_window;
    }
    return true;
}

std::uint32_t TcpSender::split_point(const TcpSegment& s, std::uint32_t max_segments,
                                     Nagle nagle) const {
    const std::uint64_t window_room = window_end_ - s.sequence;
    const std::uint64_t most = std::uint64_t{max_segments} * shape_.mss;
    if (most <= window_room && &s != unsent_.back()) return static_cast<std::uint32_t>(most);
    const std::uint64_t needed = std::min<std::uint64_t>(s.length, window_room);
    if (most <= needed) return static_cast<std::uint32_t>(most);
    const std::uint64_t partial = needed % shape_.mss;
    if (partial != 0) {
        TcpSegment probe;
        probe.length = static_cast<std::uint32_t>(partial);
        if (!nagle_allows(probe, nagle)) return static_cast<std::uint32_t>(needed - partial);
    }
    return static_cast<std::uint32_t>(needed);
}

bool TcpSender::pacing_blocks() {
    if (!config_.pacing || output_.clock() >= next_departure_) return false;
    pacing_due_ = next_departure_;
    return true;
}

// ---- the loop ----

SendBlock TcpSender::run(Nagle nagle, bool push_one, std::uint32_t& sent, bool& cwnd_limited) {
    const std::uint32_t max_segments = tso_segments();
    while (!unsent_.empty()) {
        TcpSegment& s = *unsent_.front();
        if (pacing_blocks()) return SendBlock::pacing;
        const std::uint32_t flight = packets_in_flight();
        if (flight >= cc_.cwnd) return SendBlock::congestion;
        // At most half the window at once, so that acknowledgements come back spread.
        const std::uint32_t quota = std::min(std::max(cc_.cwnd / 2, 1U), cc_.cwnd - flight);
        if (!window_allows(s)) return SendBlock::receive_window;
        if (s.packets == 1) {
            if (!nagle_allows(s, &s == unsent_.back() ? nagle : Nagle::push)) {
                return SendBlock::coalescing;
            }
        } else if (!push_one) {
            SendBlock why = SendBlock::coalescing;
            if (should_defer(s, max_segments, why)) {
                ++counters_.tso_defers;
                cwnd_limited = cwnd_limited || why == SendBlock::congestion;
                return why;
            }
        }
        std::uint32_t limit = shape_.mss;
        if (s.packets > 1) limit = split_point(s, std::min(quota, max_segments), nagle);
        if (s.length > limit) split(unsent_, &s, limit);
        if (small_queue_blocks(s)) return SendBlock::small_queue;
        send_new(s);
        sent += s.packets;
        if (push_one) break;
    }
    return unsent_.empty() ? SendBlock::application : block_;
}

void TcpSender::write_queue_run(Nagle nagle, bool push_one) {
    if (!established_ || unsent_.empty()) return;
    std::uint32_t sent = 0;
    bool cwnd_limited = false;
    block_ = run(nagle, push_one, sent, cwnd_limited);
    cwnd_limited = cwnd_limited || packets_in_flight() >= cc_.cwnd;
    if (sent > 0 || cwnd_limited) validate_window(cwnd_limited);
}

void TcpSender::send_new(TcpSegment& s) {
    const bool first = packets_out_ == 0;
    if (first) control_.restart((output_.clock() - last_send_) / sim::ps_per_us, now_us());
    unsent_.pop_front();
    sent_.push_back(&s);
    ++sent_skbs_;
    packets_out_ += s.packets;
    cc_.snd_nxt = s.end();
    if (s.length < s.packets * shape_.mss) small_end_ = s.end();
    if (phase_ != Phase::open) prr_out_ += s.packets;
    counters_.bytes_sent += s.length;
    skb_segments_.record(s.packets);
    put_on_wire(s);
    if (first) rearm_timeout();
}

void TcpSender::put_on_wire(TcpSegment& s) {
    const sim::Ps now = output_.clock();
    s.sent_at = last_send_ = now;
    ++s.in_host;
    wmem_alloc_ += s.truesize;
    ++counters_.skbs_sent;
    counters_.segments_sent += s.packets;
    data_segments_ += s.packets;
    if (config_.pacing && cc_.pacing_rate != 0 && data_segments_ >= unpaced_segments) {
        const auto ps = static_cast<sim::Uint128>(s.length) * sim::ps_per_s / cc_.pacing_rate;
        next_departure_ = std::max(next_departure_, now) + static_cast<sim::Ps>(ps);
    }
    output_.transmit(s);
}

// ---- window validation and pacing rate ----

void TcpSender::validate_window(bool cwnd_limited) {
    // The strongest sign of the last window that it was used up.
    if (cc_.snd_una >= cwnd_usage_seq_ || cwnd_limited ||
        (!cwnd_limited_ && packets_out_ > max_packets_out_)) {
        cwnd_limited_ = cwnd_limited;
        max_packets_out_ = packets_out_;
        cwnd_usage_seq_ = cc_.snd_nxt;
    }
    const sim::Ps now = output_.clock();
    if (cwnd_is_limit()) {
        cwnd_used_ = 0;
        cwnd_stamp_ = now;
        return;
    }
    cwnd_used_ = std::max(cwnd_used_, packets_out_);
    if (!config_.slow_start_after_idle || now - cwnd_stamp_ < rtt_.rto(0)) return;
    // The application did not use the window for a timeout: RFC 2861.
    if (phase_ == Phase::open && !writer_waiting_) {
        const std::uint32_t used =
            std::max(cwnd_used_, static_cast<std::uint32_t>(config_.initial_cwnd));
        if (used < cc_.cwnd) {
            cc_.ssthresh = std::max(cc_.ssthresh, cc_.cwnd / 2 + cc_.cwnd / 4);
            cc_.cwnd = (cc_.cwnd + used) / 2;
        }
        cwnd_used_ = 0;
    }
    cwnd_stamp_ = now;
}

bool TcpSender::cwnd_is_limit() const {
    if (cwnd_limited_) return true;
    return cc_.in_slow_start() && cc_.cwnd < 2 * max_packets_out_;
}

void TcpSender::restart_after_idle(sim::Ps now) {
    if (!config_.slow_start_after_idle || packets_out_ != 0 || !established_) return;
    const sim::Ps rto = rtt_.rto(0);
    if (now < last_send_ + rto) return;
    sim::Ps idle = now - last_send_;
    const auto floor = std::min(static_cast<std::uint32_t>(config_.initial_cwnd), cc_.cwnd);
    cc_.ssthresh = std::max(cc_.ssthresh, cc_.cwnd / 2 + cc_.cwnd / 4);
    std::uint32_t cwnd = cc_.cwnd;
    while (idle > rto && cwnd > floor) {
        idle -= rto;
        cwnd /= 2;
    }
    cc_.cwnd = std::max(cwnd, floor);
    cwnd_stamp_ = now;
    cwnd_used_ = 0;
}

void TcpSender::update_pacing_rate() {
    if (!rtt_.known()) return;
    const std::uint64_t percent =
        cc_.cwnd < cc_.ssthresh / 2 ? config_.pacing_slow_start : config_.pacing_avoidance;
    const std::uint64_t window = std::max(cc_.cwnd, packets_out_);
    // cwnd segments per RTT; the RTT is kept in eighths of a microsecond.
    cc_.pacing_rate =
        std::uint64_t{shape_.mss} * (8 * 1'000'000U / 100U) * percent * window / rtt_.srtt8_us();
}

}  // namespace nicsim::host
