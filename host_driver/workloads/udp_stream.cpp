// SPDX-License-Identifier: Apache-2.0
#include "host_driver/workloads/udp_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "host_driver/far_end/sinks.h"

namespace nicsim::host {

namespace {

constexpr std::size_t activity_idle = 0;
constexpr std::size_t activity_writing = 1;
constexpr std::size_t activity_rate = 2;
constexpr std::size_t activity_send_buffer = 3;

constexpr std::uint32_t udp_all_headers =
    ethernet_header_bytes + ipv4_header_bytes + udp_header_bytes;

}  // namespace

// Head room for the link layer and alignment, the shared info behind the data, rounded up to the
// allocator's size, and the skb itself.
std::uint32_t UdpStream::truesize(std::uint32_t bytes) {
    constexpr std::uint32_t link_room = 16 + 15;
    constexpr std::uint32_t shared_info = 320;
    constexpr std::uint32_t skb_struct = 256;
    return std::bit_ceil(bytes + link_room + shared_info) + skb_struct;
}

UdpStream::UdpStream(std::string name, const UdpStreamConfig& config, IpStack& stack, Core& core)
    : name_(std::move(name)),
      config_(config),
      stack_(stack),
      core_(core),
      pattern_(config.port),
      buffers_(stack.memory(), std::bit_ceil(config.datagram_bytes + udp_all_headers), 64),
      truesize_(truesize(static_cast<std::uint32_t>(config.datagram_bytes) + ipv4_header_bytes +
                         udp_header_bytes)),
      checksum_offload_(stack.device().features().checksum),
      timer_(core, Job::Action::to<&UdpStream::on_timer>(this), Timer::Context::soft),
      activity_({{"idle", sim::ActivityKind::starved, "not started or finished"},
                 {"writing", sim::ActivityKind::busy, "the writer sets the pace"},
                 {"rate", sim::ActivityKind::blocked, "the stream is ahead of its set rate"},
                 {"send_buffer", sim::ActivityKind::blocked,
                  "the send buffer waits for the driver to free transmitted packets"}}) {
    if (const std::string bad = config.check(stack.mtu()); !bad.empty())
        throw std::invalid_argument(bad);
}

std::string UdpStreamConfig::check(std::uint64_t mtu) const {
    const std::uint64_t most = mtu - ipv4_header_bytes - udp_header_bytes;
    if (datagram_bytes >= udp_stream_header_bytes && datagram_bytes <= most) return {};
    return fmt::format("datagram_bytes: is {} but an MTU of {} bytes allows {} to {}",
                       datagram_bytes, mtu, udp_stream_header_bytes, most);
}

void UdpStream::start() {
    if (config_.start > sim::now()) {
        timer_.at(config_.start);
    } else {
        core_.wake(*this);
    }
}

void UdpStream::on_timer(Core& core) {
    (void)core;
    core_.wake(*this);
}

bool UdpStream::ahead_of_rate(sim::Ps t) const {
    if (config_.rate == 0) return false;
    const auto sent = static_cast<sim::Uint128>(sent_bytes_) * 8U * sim::ps_per_s;
    return sent >= static_cast<sim::Uint128>(config_.rate) * (t - started_) && sent > 0;
}

bool UdpStream::step(Core& core) {
    const sim::Ps t = core.local_time();
    if (started_ == sim::never) {
        started_ = t;
        flow_ = stack_.flow_to_peer(static_cast<std::uint16_t>(config_.local_port),
                                    static_cast<std::uint16_t>(config_.port));
        hash_ = IpStack::flow_hash(flow_);
    }
    if ((config_.stop != 0 && t >= config_.stop) ||
        (config_.datagrams != 0 && sent_ == config_.datagrams)) {
        activity_.enter(activity_idle);
        return false;
    }
    if (ahead_of_rate(t)) {
        ++rate_waits_;
        activity_.enter(activity_rate);
        const sim::Ps ticks = (t - started_) / config_.pacing_timer + 1;
        timer_.at(started_ + ticks * config_.pacing_timer);
        return false;
    }
    if (charged_ >= config_.send_buffer) {
        ++space_waits_;
        waiting_for_space_ = true;
        activity_.enter(activity_send_buffer);
        return false;
    }
    activity_.enter(activity_writing);
    send_one(core);
    return true;
}

void UdpStream::send_one(Core& core) {
    const sim::Ps t = core.local_time();
    const auto length = static_cast<std::uint32_t>(config_.datagram_bytes);
    core.charge(Op::syscall);
    core.charge(Op::copy_byte, length);
    core.charge(Op::udp_datagram);
    const std::uint64_t block = buffers_.take();
    std::uint8_t* out = stack_.memory().at(block, udp_all_headers + length);
    std::uint8_t* payload = out + udp_all_headers;
    put32(payload, static_cast<std::uint32_t>(t / sim::ps_per_s));
    put32(payload + 4, static_cast<std::uint32_t>(t % sim::ps_per_s / sim::ps_per_us));
    put64(payload + 8, sent_);
    pattern_.fill(sent_ * length + udp_stream_header_bytes, payload + udp_stream_header_bytes,
                  length - udp_stream_header_bytes);
    write_udp_headers(out, flow_, length, ip_id_++,
                      checksum_offload_ ? L4Checksum::partial : L4Checksum::full);
    SkbPtr skb = skb_pool().make();
    skb->linear = {block, udp_all_headers + length};
    skb->length = udp_all_headers + length;
    skb->truesize = truesize_;
    skb->transport_header_bytes = udp_header_bytes;
    skb->l4 = L4::udp;
    skb->checksum_partial = checksum_offload_;
    skb->priority = static_cast<std::uint32_t>(config_.priority);
    skb->hash = hash_;
    skb->owner = this;
    skb->cookie = block;
    skb->handed_over = t;
    charged_ += truesize_;
    ++sent_;
    sent_bytes_ += length;
    if (!stack_.device().queue_xmit(core, std::move(skb))) ++dropped_;
}

void UdpStream::skb_freed(SkBuff& skb) {
    buffers_.give(skb.cookie);
    charged_ -= skb.truesize;
    // A sleeping writer is woken when half of the buffer is free (sock_def_write_space).
    if (waiting_for_space_ && charged_ * 2 <= config_.send_buffer) {
        waiting_for_space_ = false;
        core_.wake(*this);
    }
}

void UdpStream::register_stats(sim::StatGroup& group) {
    group.counter("sent", "packets", "Datagrams handed to the queue discipline.", sent_);
    group.counter("sent_bytes", "B", "Payload in them.", sent_bytes_);
    group.counter("space_waits", "times", "Times that the writer slept for send buffer.",
                  space_waits_);
    group.counter("rate_waits", "times", "Times that the writer was ahead of its rate.",
                  rate_waits_);
    group.counter("qdisc_drops", "packets", "Datagrams that the queue discipline refused.",
                  dropped_);
    group.activity("sender", "What the stream waits for.", activity_);
}

}  // namespace nicsim::host
