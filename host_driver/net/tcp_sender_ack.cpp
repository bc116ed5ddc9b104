// SPDX-License-Identifier: Apache-2.0
// What comes back: acknowledgements, duplicates, loss recovery without SACK, and timeouts.
#include <algorithm>

#include "host_driver/net/tcp_sender.h"

namespace nicsim::host {

void TcpSender::acknowledge(std::uint32_t number, std::uint64_t window) {
    if (!established_) return;
    const auto step = static_cast<std::int32_t>(number - static_cast<std::uint32_t>(cc_.snd_una));
    if (step < 0) return;  // an old one, overtaken
    const std::uint64_t ack = cc_.snd_una + static_cast<std::uint32_t>(step);
    if (ack > cc_.snd_nxt) return;  // for what was never sent
    ++counters_.acks;
    const bool forward = step > 0;
    const bool window_update = forward || window > window_;
    if (window_update) {
        window_ = window;
        window_end_ = ack + window;
        max_window_ = std::max(max_window_, window);
    }
    const std::uint32_t prior_sacked = sacked_out_;
    if (forward) {
        counters_.bytes_acked += static_cast<std::uint32_t>(step);
        cc_.snd_una = ack;
        on_forward(clean_acked(ack), prior_sacked);
    } else if (packets_out_ > 0 && !window_update) {
        on_duplicate();
    }
    update_pacing_rate();
    if (phase_ != Phase::open && lost_out_ > retrans_out_) retransmit_lost();
    cwnd_seen_.record(cc_.cwnd);
    write_queue_run(Nagle::normal, false);
    check_space();
}

// Takes what is acknowledged off the queue; returns it in segments. RTT: the oldest skb of the
// acknowledgement feeds the estimator, the youngest the least RTT and congestion control.
std::uint32_t TcpSender::clean_acked(std::uint64_t ack) {
    std::uint32_t total = 0;
    sim::Ps first = 0;
    sim::Ps last = 0;
    bool sampled = false;
    bool retransmitted = false;
    while (!sent_.empty()) {
        TcpSegment& s = *sent_.front();
        const bool whole = s.end() <= ack;
        if (!whole && (s.packets == 1 || ack <= s.sequence)) break;
        const bool resent = s.retransmitted;
        const bool was_lost = s.lost;
        std::uint32_t acked = s.packets;
        if (s.ever_retransmitted) {
            retransmitted = true;  // ambiguous (Karn)
        } else {
            last = s.sent_at;
            if (!sampled) first = last;
            sampled = true;
        }
        if (whole) {
            sent_.pop_front();
            --sent_skbs_;
            retire(&s);
        } else {
            const auto cut = static_cast<std::uint32_t>(ack - s.sequence);
            s.sequence += cut;
            s.length -= cut;
            s.trimmed += cut;
            s.truesize -= cut;
            queued_charge_ -= cut;
            set_packets(s);
            acked -= s.packets;
        }
        packets_out_ -= acked;
        total += acked;
        if (was_lost) lost_out_ -= acked;
        if (resent) retrans_out_ -= acked;
        if (!whole) break;
    }
    if (sampled && !retransmitted) {
        const std::uint64_t now = output_.clock();
        const std::uint64_t rtt = (now - first) / sim::ps_per_us;
        const std::uint64_t newest = (now - last) / sim::ps_per_us;
        rtt_us_.record(now - first);
        rtt_.sample_min(newest);
        rtt_.sample(rtt, cc_.snd_una, cc_.snd_nxt);
        backoff_ = 0;
        control_.rtt_sample(cc_, newest, now / sim::ps_per_us);
    }
    rearm_timeout();
    return total;
}

void TcpSender::on_forward(std::uint32_t acked, std::uint32_t prior_sacked) {
    std::uint32_t delivered = acked;
    switch (phase_) {
        case Phase::open:
            sacked_out_ = 0;
            if (cwnd_is_limit()) control_.grow(cc_, acked, now_us());
            break;
        case Phase::recovery:
            // Duplicates had spoken for all but one of the segments now acknowledged.
            delivered = acked > prior_sacked ? std::max(acked - prior_sacked, 1U) : 1U;
            remove_duplicates(acked);
            if (cc_.snd_una > recovery_end_ || packets_out_ == 0) {
                leave_recovery();
                break;
            }
            if (cc_.snd_una < recovery_end_) mark_head_lost();  // a partial one: the next hole
            reduce_window(delivered);
            break;
        case Phase::loss:
            sacked_out_ = 0;
            if (cc_.snd_una >= recovery_end_) {
                phase_ = Phase::open;
                retrans_out_ = std::min(retrans_out_, packets_out_);
            }
            control_.grow(cc_, acked, now_us());
            break;
    }
}

void TcpSender::remove_duplicates(std::uint32_t acked) {
    if (acked == 0) return;
    sacked_out_ = acked - 1 >= sacked_out_ ? 0 : sacked_out_ - (acked - 1);
    sacked_out_ = std::min(sacked_out_, packets_out_ - lost_out_);
}

void TcpSender::on_duplicate() {
    ++counters_.duplicate_acks;
    if (sacked_out_ + lost_out_ < packets_out_) ++sacked_out_;
    if (phase_ == Phase::open && sacked_out_ >= config_.duplicate_acks) {
        enter_recovery();
    } else if (phase_ == Phase::recovery) {
        reduce_window(1);
    } else if (phase_ == Phase::loss) {
        sacked_out_ = 0;
    }
}

void TcpSender::enter_recovery() {
    ++counters_.fast_recoveries;
    phase_ = Phase::recovery;
    recovery_end_ = cc_.snd_nxt;
    prior_cwnd_ = cc_.cwnd;
    prr_delivered_ = prr_out_ = 0;
    cc_.cwnd_count = 0;
    cc_.ssthresh = control_.loss(cc_);
    mark_head_lost();
    reduce_window(1);
}

void TcpSender::leave_recovery() {
    phase_ = Phase::open;
    sacked_out_ = 0;
    cc_.cwnd = cc_.ssthresh;
    cwnd_stamp_ = output_.clock();
}

// Proportional rate reduction (RFC 6937): out goes what comes in times ssthresh / prior window.
void TcpSender::reduce_window(std::uint32_t newly_delivered) {
    const std::uint32_t flight = packets_in_flight();
    prr_delivered_ += newly_delivered;
    std::int64_t send = 0;
    if (flight > cc_.ssthresh) {
        const std::uint64_t share =
            (std::uint64_t{cc_.ssthresh} * prr_delivered_ + prior_cwnd_ - 1) / prior_cwnd_;
        send = static_cast<std::int64_t>(share) - prr_out_;
    } else {
        send = std::max<std::int64_t>(std::int64_t{prr_delivered_} - prr_out_, newly_delivered);
        send = std::min<std::int64_t>(send + 1, cc_.ssthresh - flight);
    }
    send = std::max<std::int64_t>(send, prr_out_ == 0 ? 1 : 0);
    cc_.cwnd = flight + static_cast<std::uint32_t>(send);
}

void TcpSender::mark_lost(TcpSegment& s) {
    if (s.lost) return;
    s.lost = true;
    lost_out_ += s.packets;
}

// Without SACK exactly one segment is known to be missing: the first unacknowledged one.
void TcpSender::mark_head_lost() {
    TcpSegment* head = sent_.front();
    if (head == nullptr || head->lost) return;
    if (head->length > shape_.mss) {
        split(sent_, head, shape_.mss);
        ++sent_skbs_;
    }
    mark_lost(*head);
    sacked_out_ = std::min(sacked_out_, packets_out_ - lost_out_);
}

void TcpSender::retransmit_lost() {
    for (TcpSegment* s = sent_.front(); s != nullptr; s = s->next) {
        if (!s->lost || s->retransmitted) continue;
        const std::uint32_t flight = packets_in_flight();
        if (flight >= cc_.cwnd) return;
        if (!retransmit(*s, std::min(cc_.cwnd - flight, tso_segments()))) return;
    }
}

bool TcpSender::retransmit(TcpSegment& s, std::uint32_t segments) {
    if (s.in_host != 0) {  // the first copy has not left yet
        ++counters_.retransmits_in_host;
        throttled_ = true;
        return false;
    }
    if (s.length > segments * shape_.mss) {
        split(sent_, &s, segments * shape_.mss);
        ++sent_skbs_;
    }
    s.retransmitted = s.ever_retransmitted = true;
    retrans_out_ += s.packets;
    if (phase_ == Phase::recovery) prr_out_ += s.packets;
    counters_.retransmitted_segments += s.packets;
    put_on_wire(s);
    if (&s == sent_.front()) rearm_timeout();
    return true;
}

void TcpSender::rearm_timeout() {
    timeout_due_ = packets_out_ == 0 ? sim::never : output_.clock() + rtt_.rto(backoff_);
}

void TcpSender::timeout() {
    timeout_due_ = sim::never;
    if (packets_out_ == 0) return;
    ++counters_.timeouts;
    if (phase_ == Phase::open || cc_.snd_una >= recovery_end_) {
        prior_cwnd_ = cc_.cwnd;
        cc_.ssthresh = control_.loss(cc_);
        control_.timeout(cc_, now_us());
    }
    phase_ = Phase::loss;
    recovery_end_ = cc_.snd_nxt;
    sacked_out_ = 0;
    retrans_out_ = 0;
    lost_out_ = 0;
    for (TcpSegment* s = sent_.front(); s != nullptr; s = s->next) {
        s->lost = s->retransmitted = false;
        mark_lost(*s);
    }
    cc_.cwnd = 1;
    cc_.cwnd_count = 0;
    retransmit(*sent_.front(), 1);
    ++backoff_;
    rearm_timeout();
    update_pacing_rate();
}

}  // namespace nicsim::host
