// SPDX-License-Identifier: Apache-2.0
#include "host_driver/workloads/tcp_stream.h"

#include <algorithm>
#include <utility>

namespace nicsim::host {

namespace {

constexpr std::uint64_t header_block_bytes = 128;
constexpr std::uint64_t control_mark = std::uint64_t{1} << 63;  // cookie: not a segment
constexpr std::uint64_t own_window = 65'535;
constexpr std::uint8_t own_window_scale = 7;

// States of the activity account; the ones from `congestion` on follow SendBlock.
constexpr std::size_t activity_idle = 0;
constexpr std::size_t activity_writing = 1;
constexpr std::size_t activity_send_buffer = 2;
constexpr std::size_t activity_blocked = 3;
constexpr std::size_t activity_connecting = 8;

std::vector<sim::ActivityState> activity_states() {
    using Kind = sim::ActivityKind;
    return {{"idle", Kind::starved, "not started, or everything is sent and acknowledged"},
            {"writing", Kind::busy, "all that is written is sent: the writer sets the pace"},
            {"send_buffer", Kind::blocked, "the send buffer is full of unacknowledged data"},
            {"congestion_window", Kind::blocked, "the congestion window is full"},
            {"receive_window", Kind::blocked, "the far end's window is full"},
            {"small_queue", Kind::blocked,
             "the small-queue limit waits for the driver to free transmitted packets"},
            {"coalescing", Kind::blocked, "small data wait for more (Nagle, autocorking, TSO)"},
            {"pacing", Kind::blocked, "the pacing timer has not expired"},
            {"connecting", Kind::blocked, "nobody has answered its SYN"}};
}

}  // namespace

TcpSender::Shape TcpStream::shape_of(const TcpStreamConfig& config, const TcpConfig& tcp,
                                     IpStack& stack) {
    const NetDriver::Features features = stack.device().features();
    TcpSender::Shape shape;
    shape.mss = stack.mtu() - ipv4_header_bytes - tcp_header_bytes -
                (tcp.timestamps ? tcp_timestamp_option_bytes : 0U);
    // Without checksum offload Linux turns segmentation offload off, too.
    shape.gso_max_bytes = features.checksum ? features.gso_max_bytes : 0;
    shape.gso_max_segments = features.gso_max_segments;
    shape.initial_sequence = config.initial_sequence + 1;
    return shape;
}

TcpStream::TcpStream(std::string name, const TcpStreamConfig& config, const TcpConfig& tcp,
                     IpStack& stack, Core& core)
    : name_(std::move(name)),
      config_(config),
      tcp_(tcp),
      stack_(stack),
      core_(core),
      pattern_(config.port),
      headers_(stack.memory(), header_block_bytes, 64),
      controls_(stack.memory(), header_block_bytes, 64),
      page_slab_(stack.memory(), tcp.page_fragment_bytes, tcp.page_fragment_bytes),
      sender_(tcp, shape_of(config, tcp, stack), *this, *this),
      running_(&core),
      checksum_offload_(stack.device().features().checksum),
      tasklet_(Job::Action::to<&TcpStream::run_tasklet>(this), Softirq::tasklet),
      timer_(core, Job::Action::to<&TcpStream::on_timer>(this), Timer::Context::soft),
      activity_(activity_states()),
      cwnd_probe_(name_ + ".cwnd", 32),
      in_flight_probe_(name_ + ".in_flight", 32),
      host_bytes_probe_(name_ + ".bytes_in_host", 32) {
    stack_.bind(protocol_tcp, static_cast<std::uint16_t>(config.local_port), this);
}

void TcpStream::start() {
    if (config_.start > sim::now()) {
        timer_.at(config_.start);
    } else {
        core_.wake(*this);
    }
}

// ---- who runs the socket ----

void TcpStream::lock(Core& core) {
    locked_ = true;
    running_ = &core;
}

void TcpStream::unlock() {
    for (;;) {
        if (!backlog_.empty()) {
            take_ack(backlog_.pop());
        } else if (std::exchange(tasklet_deferred_, false)) {
            sender_.small_queue_released();
        } else if (std::exchange(timers_deferred_, false)) {
            run_timers();
        } else {
            break;
        }
    }
    after_work();
    locked_ = false;
    if (std::exchange(wants_lock_, false)) core_.wake(*this);
}

void TcpStream::after_work() {
    if (task_sleeps_ && sender_.writeable()) {
        task_sleeps_ = false;
        sender_.set_writer_waiting(false);
        core_.wake(*this);
    }
    arm_timers();
    update_activity();
    cwnd_probe_.set(sender_.congestion().cwnd);
    in_flight_probe_.set(sender_.packets_in_flight());
    host_bytes_probe_.set(sender_.wmem_alloc());
}

void TcpStream::update_activity() {
    std::size_t state = activity_idle;
    if (state_ == State::syn_sent) {
        state = activity_connecting;
    } else if (sender_.blocked_by() != SendBlock::application) {
        state = activity_blocked + static_cast<std::size_t>(sender_.blocked_by()) - 1;
    } else if (task_sleeps_) {
        state = activity_send_buffer;
    } else if (bytes_left() > 0 || in_write_) {
        state = activity_writing;
    }
    activity_.enter(state);
}

// ---- timers: one for everything, armed for the earliest and re-armed only when it fires ----

void TcpStream::arm_timers() {
    const sim::Ps due = std::min(sender_.timeout_due(), sender_.pacing_due());
    if (due != sim::never && due < timer_.due()) timer_.at(due);
}

void TcpStream::on_timer(Core& core) {
    if (state_ == State::closed) {
        core_.wake(*this);
        return;
    }
    if (state_ == State::syn_sent) {
        lock(core);
        connect(core);
        locked_ = false;
        return;
    }
    if (locked_) {
        timers_deferred_ = true;
        return;
    }
    lock(core);
    run_timers();
    unlock();
}

void TcpStream::run_timers() {
    const sim::Ps t = clock();
    if (sender_.pacing_due() <= t) sender_.pacing_released();
    if (sender_.timeout_due() <= t) sender_.timeout();
}

// ---- the driver frees an skb ----

void TcpStream::skb_freed(SkBuff& skb) {
    if ((skb.cookie & control_mark) != 0) {
        controls_.give(skb.cookie & ~control_mark);
        return;
    }
    TcpSegment& segment = sender_.segment(static_cast<std::uint32_t>(skb.cookie));
    if (sender_.freed(segment, skb.truesize)) core_.raise_softirq(tasklet_);
}

void TcpStream::run_tasklet(Core& core) {
    if (locked_) {
        tasklet_deferred_ = true;
        return;
    }
    lock(core);
    sender_.small_queue_released();
    unlock();
}

// ---- the connection ----

void TcpStream::connect(Core& core) {
    core.charge(Op::syscall);
    flow_ = stack_.flow_to_peer(static_cast<std::uint16_t>(config_.local_port),
                                static_cast<std::uint16_t>(config_.port));
    hash_ = IpStack::flow_hash(flow_);
    state_ = State::syn_sent;
    syn_sent_at_ = core.local_time();
    timer_.at(syn_sent_at_ + (tcp_.rto_initial << std::min(syn_tries_++, 6U)));
    send_control(tcp_syn);
    update_activity();
}

void TcpStream::send_control(std::uint8_t flags) {
    const bool syn = (flags & tcp_syn) != 0;
    TcpFields fields;
    fields.sequence = syn ? static_cast<std::uint32_t>(config_.initial_sequence)
                          : static_cast<std::uint32_t>(sender_.snd_nxt());
    fields.acknowledgement = peer_sequence_;
    fields.flags = flags;
    fields.window = static_cast<std::uint16_t>(syn ? own_window : own_window >> own_window_scale);
    fields.timestamp = static_cast<std::uint32_t>(clock() / sim::ps_per_ms);
    fields.timestamp_echo = timestamp_recent_;
    fields.timestamps = tcp_.timestamps;
    fields.mss = static_cast<std::uint16_t>(stack_.mtu() - ipv4_header_bytes - tcp_header_bytes);
    fields.window_scale = own_window_scale;
    const std::uint64_t block = controls_.take();
    std::uint8_t* out = stack_.memory().at(block, header_block_bytes);
    const unsigned length =
        write_tcp_headers(out, flow_, fields, 0, ip_id_++,
                          checksum_offload_ ? L4Checksum::partial : L4Checksum::full);
    SkbPtr skb = skb_pool().make();
    skb->linear = {block, length};
    skb->length = length;
    skb->truesize = static_cast<std::uint32_t>(tcp_.skb_overhead);
    skb->transport_header_bytes =
        static_cast<std::uint8_t>(length - ethernet_header_bytes - ipv4_header_bytes);
    skb->l4 = L4::tcp;
    skb->checksum_partial = checksum_offload_;
    skb->priority = static_cast<std::uint32_t>(config_.priority);
    skb->hash = hash_;
    skb->owner = this;
    skb->cookie = control_mark | block;
    skb->handed_over = clock();
    running_->charge(Op::tcp_segment);
    if (!stack_.device().queue_xmit(*running_, std::move(skb))) ++dropped_;
}

void TcpStream::on_syn_ack(const ParsedPacket& packet) {
    const TcpFields& f = packet.tcp;
    if (state_ != State::syn_sent ||
        f.acknowledgement != static_cast<std::uint32_t>(config_.initial_sequence + 1)) {
        return;
    }
    state_ = State::established;
    peer_sequence_ = f.sequence + 1;
    timestamp_recent_ = f.timestamp;
    peer_window_scale_ = std::min<std::uint8_t>(f.window_scale, 14);
    timer_.cancel();
    const std::uint32_t options = tcp_.timestamps ? tcp_timestamp_option_bytes : 0U;
    const std::uint32_t mss = f.mss > options + 64U ? f.mss - options : 536U;
    // The window of a SYN is not scaled (RFC 7323, 2.2).
    sender_.establish((clock() - syn_sent_at_) / sim::ps_per_us, f.window, mss);
    send_control(tcp_ack_flag);
    core_.wake(*this);
}

void TcpStream::receive(Core& core, const ParsedPacket& packet) {
    core.charge(Op::tcp_ack);
    if ((packet.tcp.flags & tcp_syn) != 0) {
        if (locked_) return;  // the peer repeats it
        lock(core);
        on_syn_ack(packet);
        unlock();
        return;
    }
    if (state_ != State::established || (packet.tcp.flags & tcp_ack_flag) == 0) return;
    timestamp_recent_ = packet.tcp.timestamp;
    const Ack ack{packet.tcp.acknowledgement,
                  std::uint64_t{packet.tcp.window} << peer_window_scale_};
    if (locked_) {
        backlog_.push(ack);
        return;
    }
    lock(core);
    take_ack(ack);
    unlock();
}

void TcpStream::take_ack(const Ack& ack) {
    sender_.acknowledge(ack.number, ack.window);
}

// ---- skbs ----

void TcpStream::transmit(TcpSegment& segment) {
    TcpFields fields;
    fields.sequence = static_cast<std::uint32_t>(segment.sequence);
    fields.acknowledgement = peer_sequence_;
    fields.flags = static_cast<std::uint8_t>(tcp_ack_flag | (segment.push ? tcp_psh : 0));
    fields.window = own_window >> own_window_scale;
    fields.timestamp = static_cast<std::uint32_t>(clock() / sim::ps_per_ms);
    fields.timestamp_echo = timestamp_recent_;
    fields.timestamps = tcp_.timestamps;
    std::uint8_t* out = stack_.memory().at(segment.header, header_block_bytes);
    const unsigned headers =
        write_tcp_headers(out, flow_, fields, segment.length, ip_id_, L4Checksum::partial);
    ip_id_ = static_cast<std::uint16_t>(ip_id_ + segment.packets);
    if (!checksum_offload_) finish_checksum(out, segment);

    SkbPtr skb = skb_pool().make();
    skb->linear = {segment.header, headers};
    std::uint32_t skip = segment.trimmed;
    for (unsigned i = 0; i < segment.frag_count; ++i) {
        const PageFragment& f = segment.frags[i];
        if (skip >= f.length) {
            skip -= f.length;
            continue;
        }
        skb->frags[skb->frag_count++] = {f.address + skip, f.length - skip};
        skip = 0;
    }
    skb->length = headers + segment.length;
    skb->truesize = segment.truesize;
    skb->transport_header_bytes =
        static_cast<std::uint8_t>(headers - ethernet_header_bytes - ipv4_header_bytes);
    skb->l4 = L4::tcp;
    skb->checksum_partial = checksum_offload_;
    if (segment.packets > 1) {
        skb->gso_size = static_cast<std::uint16_t>(sender_.mss());
        skb->gso_segments = static_cast<std::uint16_t>(segment.packets);
    }
    skb->priority = static_cast<std::uint32_t>(config_.priority);
    skb->hash = hash_;
    skb->owner = this;
    skb->cookie = segment.index;
    skb->handed_over = segment.written_at;
    running_->charge(Op::tcp_segment);
    if (!stack_.device().queue_xmit(*running_, std::move(skb))) ++dropped_;
}

/// The checksum in software, over payload that lies in several fragments.
void TcpStream::finish_checksum(std::uint8_t* header, const TcpSegment& segment) {
    std::uint8_t* tcp = header + ethernet_header_bytes + ipv4_header_bytes;
    const unsigned tcp_length = (tcp[12] >> 4) * 4U;
    std::uint64_t sum = checksum_sum(tcp, tcp_length);  // with the pseudo header in its field
    std::uint32_t skip = segment.trimmed;
    std::uint64_t offset = 0;
    for (unsigned i = 0; i < segment.frag_count; ++i) {
        const PageFragment& f = segment.frags[i];
        if (skip >= f.length) {
            skip -= f.length;
            continue;
        }
        const std::uint32_t length = f.length - skip;
        const std::uint16_t piece =
            checksum_fold(checksum_sum(stack_.memory().at(f.address + skip, length), length));
        // A piece that begins at an odd byte counts with its halves swapped (RFC 1071, 2 B).
        sum += offset % 2 == 0 ? piece : static_cast<std::uint16_t>((piece << 8) | (piece >> 8));
        offset += length;
        skip = 0;
    }
    put16(tcp + 16, static_cast<std::uint16_t>(~checksum_fold(sum)));
}

}  // namespace nicsim::host
