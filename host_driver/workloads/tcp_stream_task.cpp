// SPDX-License-Identifier: Apache-2.0
// The writer of a TCP stream, and its figures.
#include <algorithm>

#include "host_driver/workloads/tcp_stream.h"

namespace nicsim::host {

std::uint64_t TcpStream::bytes_left() const {
    if (config_.stop != 0 && running_->local_time() >= config_.stop) return 0;
    if (config_.bytes == 0) return ~std::uint64_t{0};
    return config_.bytes - written_;
}

bool TcpStream::step(Core& core) {
    if (state_ == State::closed) {
        lock(core);
        connect(core);
        locked_ = false;
        return false;
    }
    if (state_ != State::established || task_sleeps_) return false;
    if (locked_ && !task_locked_) {  // another core runs the socket
        wants_lock_ = true;
        return false;
    }
    if (!in_write_ && bytes_left() == 0) return false;
    // Writes below a segment are acted on in groups; a whole call at a time otherwise.
    return config_.write_bytes < sender_.mss() ? write_small(core) : write_large(core);
}

// One skb per step. The socket stays locked from the start of the call to its end, as in sendmsg.
bool TcpStream::write_large(Core& core) {
    lock(core);
    task_locked_ = true;
    if (!in_write_) {
        in_write_ = true;
        write_left_ = std::min(config_.write_bytes, bytes_left());
        ++writes_;
        core.charge(Op::syscall);
    }
    const std::uint32_t copied = sender_.write(
        pattern_, static_cast<std::uint32_t>(std::min<std::uint64_t>(write_left_, 1U << 20)));
    if (copied == 0) return sleep_for_buffer();
    written_ += copied;
    write_left_ -= copied;
    core.charge(Op::copy_byte, copied);
    core.sync();
    if (write_left_ > 0) {
        if (sender_.last_skb_full()) sender_.full_skb();
        return true;  // still locked
    }
    sender_.end_of_write();
    in_write_ = task_locked_ = false;
    unlock();
    return true;
}

bool TcpStream::sleep_for_buffer() {
    ++buffer_waits_;
    task_sleeps_ = true;
    sender_.wait_for_buffer();
    task_locked_ = false;
    unlock();  // may wake the task again
    return false;
}

// While autocorking collects, a write has no effect but to lengthen the last skb, so all writes up
// to the next segment boundary are charged at once and appear together at the end of their time.
bool TcpStream::write_small(Core& core) {
    const std::uint64_t size = config_.write_bytes;
    std::uint64_t calls = 1;
    if (write_left_ == 0) {
        if (sender_.corked()) {
            const std::uint64_t to_boundary = sender_.mss() - sender_.last_length() % sender_.mss();
            calls = std::max<std::uint64_t>((to_boundary + size - 1) / size, 1);
        }
        calls = std::min(calls, std::max<std::uint64_t>(bytes_left() / size, 1));
        write_left_ = std::min(calls * size, bytes_left());
        writes_ += calls;
        core.charge(Op::syscall, calls);
        core.charge(Op::copy_byte, write_left_);
        core.sync();
        if (locked_) {  // another core has it: finish when it lets go
            wants_lock_ = true;
            return false;
        }
    }
    lock(core);
    while (write_left_ > 0) {
        const std::uint32_t copied =
            sender_.write(pattern_, static_cast<std::uint32_t>(write_left_));
        if (copied == 0) return sleep_for_buffer();
        written_ += copied;
        write_left_ -= copied;
        if (write_left_ > 0 && sender_.last_skb_full()) sender_.full_skb();
    }
    sender_.end_of_write();
    unlock();
    return bytes_left() > 0;
}

void TcpStream::register_stats(sim::StatGroup& group) {
    const TcpSender::Counters& c = sender_.counters();
    group.counter("bytes_written", "B", "Bytes that the application wrote.", written_);
    group.counter("bytes_acked", "B", "Bytes that the far end acknowledged.", c.bytes_acked);
    group.counter("writes", "calls", "Write calls.", writes_);
    group.counter("buffer_waits", "times", "Times that the writer slept for send buffer.",
                  buffer_waits_);
    group.counter("skbs", "skbs", "Skbs handed to the queue discipline, repeats included.",
                  c.skbs_sent);
    group.counter("segments", "segments", "Segments in them.", c.segments_sent);
    group.counter("retransmits", "segments", "Segments sent again.", c.retransmitted_segments);
    group.counter("fast_recoveries", "times", "Losses found by duplicate acknowledgements.",
                  c.fast_recoveries);
    group.counter("timeouts", "times", "Retransmission timeouts.", c.timeouts);
    group.counter("acks", "packets", "Acknowledgements taken.", c.acks);
    group.counter("duplicate_acks", "packets", "Of these, duplicates.", c.duplicate_acks);
    group.counter("small_queue_throttles", "times",
                  "Times that sending stopped at the small-queue limit.", c.small_queue_throttles);
    group.counter("autocorks", "times", "Times that a small write was held for more.", c.autocorks);
    group.counter("tso_defers", "times", "Times that an skb waited for more window.", c.tso_defers);
    group.counter("skbs_cut", "skbs", "Skbs cut in two by window or autosizing.", c.skbs_cut);
    group.counter("qdisc_drops", "skbs", "Skbs that the queue discipline refused.", dropped_);
    group.distribution("rtt", "ps", "Round-trip time of acknowledged skbs.",
                       sender_.rtt_histogram());
    group.distribution("segments_per_skb", "segments", "Size of skbs sent.",
                       sender_.segments_per_skb());
    group.distribution("cwnd", "segments", "Congestion window at each acknowledgement.",
                       sender_.cwnd_histogram());
    group.formula("pacing_rate", "bit/s", "Pacing rate now.",
                  [this] { return static_cast<double>(sender_.congestion().pacing_rate) * 8.0; });
    group.formula("min_rtt", "ps", "Least round-trip time.", [this] {
        return sender_.rtt().known() ? static_cast<double>(sender_.rtt().min_us()) * 1e6 : 0.0;
    });
    group.formula("send_buffer", "B", "Size of the send buffer now.",
                  [this] { return static_cast<double>(sender_.send_buffer()); });
    group.activity("sender", "What the stream waits for.", activity_);
}

}  // namespace nicsim::host
