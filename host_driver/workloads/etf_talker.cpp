// SPDX-License-Identifier: Apache-2.0
#include "host_driver/workloads/etf_talker.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "host_driver/far_end/sinks.h"
#include "host_driver/workloads/udp_stream.h"

namespace nicsim::host {

namespace {
constexpr std::uint64_t least_packet = ipv4_header_bytes + udp_header_bytes + talker_header_bytes;
}

EtfTalker::EtfTalker(std::string name, const EtfTalkerConfig& config, IpStack& stack, Core& core)
    : name_(std::move(name)),
      config_(config),
      stack_(stack),
      core_(core),
      pattern_(config.port),
      buffers_(stack.memory(), std::bit_ceil(config.packet_bytes + ethernet_header_bytes), 64),
      checksum_offload_(stack.device().features().checksum),
      timer_(core, Job::Action::to<&EtfTalker::on_timer>(this), Timer::Context::soft) {
    if (const std::string bad = config.check(stack.mtu()); !bad.empty())
        throw std::invalid_argument(bad);
}

std::string EtfTalkerConfig::check(std::uint64_t mtu) const {
    if (packet_bytes >= least_packet && packet_bytes <= mtu) return {};
    return fmt::format("packet_bytes: is {} but an MTU of {} bytes allows {} to {}", packet_bytes,
                       mtu, least_packet, mtu);
}

void EtfTalker::start() {
    flow_ = stack_.flow_to_peer(static_cast<std::uint16_t>(config_.local_port),
                                static_cast<std::uint16_t>(config_.port));
    hash_ = IpStack::flow_hash(flow_);
    const sim::Ps first = std::max<sim::Ps>(config_.start, sim::now()) + config_.lead;
    const sim::Ps since = first > config_.offset ? first - config_.offset : 0;
    const sim::Ps periods = (since + config_.period - 1) / config_.period;
    next_launch_ = periods * config_.period + config_.offset;
    arm();
}

// As a task that sleeps with clock_nanosleep(TIMER_ABSTIME).
void EtfTalker::arm() {
    if (config_.packets != 0 && sent_ == config_.packets) return;
    const sim::Ps hand_over = next_launch_ - config_.lead;
    if (config_.stop != 0 && hand_over >= config_.stop) return;
    timer_.at(std::max(hand_over, sim::now()));
}

void EtfTalker::on_timer(Core& core) {
    (void)core;
    core_.wake(*this);
}

bool EtfTalker::step(Core& core) {
    send_one(core);
    next_launch_ += config_.period;
    core.sync();
    arm();
    return false;
}

void EtfTalker::send_one(Core& core) {
    const auto packet = static_cast<std::uint32_t>(config_.packet_bytes);
    const std::uint32_t payload_length = packet - ipv4_header_bytes - udp_header_bytes;
    constexpr std::uint32_t headers = ethernet_header_bytes + ipv4_header_bytes + udp_header_bytes;
    core.charge(Op::syscall);
    core.charge(Op::copy_byte, payload_length);
    core.charge(Op::udp_datagram);
    const sim::Ps launch = next_launch_ / sim::ps_per_ns * sim::ps_per_ns;
    const sim::Ps t = core.local_time();
    const std::uint64_t block = buffers_.take();
    std::uint8_t* out = stack_.memory().at(block, headers + payload_length);
    std::uint8_t* payload = out + headers;
    put64(payload, sent_);
    put64(payload + 8, launch / sim::ps_per_ns);
    pattern_.fill(sent_ * payload_length + talker_header_bytes, payload + talker_header_bytes,
                  payload_length - talker_header_bytes);
    write_udp_headers(out, flow_, payload_length, ip_id_++,
                      checksum_offload_ ? L4Checksum::partial : L4Checksum::full);
    SkbPtr skb = skb_pool().make();
    skb->linear = {block, headers + payload_length};
    skb->length = headers + payload_length;
    skb->truesize = UdpStream::truesize(packet);
    skb->transport_header_bytes = udp_header_bytes;
    skb->l4 = L4::udp;
    skb->checksum_partial = checksum_offload_;
    skb->priority = static_cast<std::uint32_t>(config_.priority);
    skb->hash = hash_;
    skb->transmit_time = launch;
    skb->owner = this;
    skb->cookie = block;
    skb->handed_over = t;
    ++in_host_;
    ++sent_;
    if (t >= launch) {
        ++late_;
    } else {
        slack_.record(launch - t);
    }
    if (!stack_.device().queue_xmit(core, std::move(skb))) ++dropped_;
}

void EtfTalker::skb_freed(SkBuff& skb) {
    buffers_.give(skb.cookie);
    --in_host_;
}

void EtfTalker::register_stats(sim::StatGroup& group) {
    group.counter("sent", "packets", "Packets handed to the queue discipline.", sent_);
    group.counter("late", "packets", "Of these, handed over at or after their launch time.", late_);
    group.counter("qdisc_drops", "packets", "Packets that the queue discipline refused.", dropped_);
    group.formula("in_host", "packets", "Packets not yet freed by the driver.",
                  [this] { return static_cast<double>(in_host_); });
    group.distribution("slack", "ps", "Time from hand-over to launch, packets in time.", slack_);
}

}  // namespace nicsim::host
