// SPDX-License-Identifier: Apache-2.0
#include "host_driver/workloads/pktgen.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

namespace nicsim::host {
namespace {

constexpr std::uint64_t buffer_step = 2048;
constexpr unsigned packets_per_step = 16;  // bounds the time in which no other task may run

enum State : std::size_t { sending, stopped, window };

}  // namespace

const sim::ParamTable& PktgenConfig::params() {
    using sim::Unit;
    static const sim::ParamTable table =
        sim::ParamTableBuilder<PktgenConfig>()
            .add("packet_bytes", &PktgenConfig::packet_bytes,
                 {.unit = Unit::bytes,
                  .min = 60,
                  .max = 9230,
                  .sentence = "Frame without FCS; 60 is what pktgen and testers call 64 bytes. At "
                              "most 14 bytes more than `host.ip.mtu`.",
                  .source = sim::driver("Linux net/core/pktgen.c, pkt_size")})
            .add("clone_skb", &PktgenConfig::clone_skb,
                 {.min = 0,
                  .max = 1e9,
                  .sentence = "Packets sent from one buffer after its first; 0 prepares each anew.",
                  .source = sim::driver("Linux net/core/pktgen.c, clone_skb")})
            .add("burst", &PktgenConfig::burst,
                 {.min = 1,
                  .max = 4096,
                  .sentence = "Packets handed over in a row; all but the last carry the "
                              "more-packets hint.",
                  .source = sim::driver("Linux net/core/pktgen.c, burst")})
            .add("queue", &PktgenConfig::queue,
                 {.min = 0,
                  .max = 127,
                  .sentence = "Transmit queue.",
                  .source = sim::driver("Linux net/core/pktgen.c, queue_map_min")})
            .add("outstanding", &PktgenConfig::outstanding,
                 {.min = 0,
                  .max = 1e6,
                  .sentence = "Packets sent and not yet freed at most; 0: only the ring limits.",
                  .source = sim::assumed("not a setting of pktgen; for measurements at a "
                                         "given depth")})
            .add("packets", &PktgenConfig::packets,
                 {.min = 0,
                  .max = 1e12,
                  .sentence = "Packets to send; 0: no end.",
                  .source = sim::driver("Linux net/core/pktgen.c, count")})
            .add("start", &PktgenConfig::start,
                 {.unit = Unit::time,
                  .min = 0,
                  .max = 3.6e15,
                  .sentence = "When it begins.",
                  .source = sim::assumed("part of the scenario")})
            .add("port", &PktgenConfig::port,
                 {.min = 1,
                  .max = 65535,
                  .sentence = "UDP port of both ends.",
                  .source = sim::driver("Linux net/core/pktgen.c, udp_dst_min (discard)")})
            .build();
    return table;
}

std::string PktgenConfig::check(std::uint64_t mtu) const {
    const std::uint64_t most = mtu + ethernet_header_bytes;
    if (packet_bytes <= most) return {};
    return "packet_bytes: " + std::to_string(packet_bytes) + "B is more than a frame of the MTU (" +
           std::to_string(mtu) + "B, host.ip.mtu) without FCS: at most " + std::to_string(most) +
           "B";
}

Pktgen::Pktgen(std::string name, const PktgenConfig& config, IpStack& stack, Core& core)
    : name_(std::move(name)),
      config_(config),
      stack_(stack),
      core_(core),
      buffer_bytes_((config.packet_bytes + buffer_step - 1) / buffer_step * buffer_step),
      buffers_(stack.memory(), buffer_bytes_, 64),
      start_timer_(core, Job::Action::to<&Pktgen::on_start>(this)),
      activity_(
          {{"sending", sim::ActivityKind::busy, "handing packets to the driver"},
           {"stopped", sim::ActivityKind::blocked,
            "the driver stopped the queue, whose ring is full until packets are freed"},
           {"window", sim::ActivityKind::blocked, "`outstanding` packets are not yet freed"}}) {
    flow_ = stack.flow_to_peer(static_cast<std::uint16_t>(config.port),
                               static_cast<std::uint16_t>(config.port));
}

void Pktgen::start() {
    if (const unsigned queues = stack_.device().tx_queues(); config_.queue >= queues)
        throw std::invalid_argument("queue " + std::to_string(config_.queue) + " of " +
                                    std::to_string(queues) + " (the first is 0)");
    start_timer_.at(std::max(config_.start, core_.local_time()));
}

void Pktgen::on_start(Core& core) {
    core.wake(*this);
}

bool Pktgen::may_send(std::uint64_t sent) const {
    const bool more = config_.packets == 0 || sent < config_.packets;
    const bool room = config_.outstanding == 0 || sent - freed_ < config_.outstanding;
    return more && room;
}

void Pktgen::prepare_buffer(Core& core) {
    buffer_ = buffers_.take();
    uses_left_ = config_.clone_skb + 1;
    core.charge(Op::pktgen_packet);
    const auto payload = static_cast<std::uint32_t>(config_.packet_bytes) -
                         (ethernet_header_bytes + ipv4_header_bytes + udp_header_bytes);
    std::uint8_t* bytes = stack_.memory().at(buffer_, config_.packet_bytes);
    std::memset(bytes, 0, config_.packet_bytes);
    write_udp_headers(bytes, flow_, payload, static_cast<std::uint16_t>(sent_),
                      L4Checksum::partial);
    put16(bytes + ethernet_header_bytes + ipv4_header_bytes + 6, 0);  // no UDP checksum
}

bool Pktgen::send_one(Core& core, bool more) {
    if (uses_left_ == 0) prepare_buffer(core);
    const auto length = static_cast<std::uint32_t>(config_.packet_bytes);
    SkbPtr skb = skb_pool().make();
    skb->linear = {buffer_, length};
    skb->length = length;
    skb->truesize = static_cast<std::uint32_t>(buffer_bytes_);
    skb->queue = static_cast<unsigned>(config_.queue);
    skb->transport_header_bytes = udp_header_bytes;
    skb->l4 = L4::udp;
    // The last use of a buffer gives it back; clones in between only borrow it.
    skb->cookie = uses_left_ == 1 ? buffer_ : 0;
    skb->owner = this;
    if (!stack_.device().driver().start_xmit(core, skb, skb->queue, more)) {
        skb->owner = nullptr;
        ++busy_;
        return false;
    }
    ++sent_;
    --uses_left_;
    return true;
}

/// Packets that are handed over with the queue locked, which keeps softirqs of this core from
/// running: one, or a burst. False if the queue is stopped or the driver refused.
bool Pktgen::send_burst(Core& core, const TxQueue& queue) {
    if (queue.stopped_by_driver) return false;
    core.disable_bottom_halves();
    core.charge(Op::pktgen_round);
    bool taken = true;
    for (std::uint64_t left = config_.burst; left > 0 && taken && may_send(sent_); --left) {
        taken = send_one(core, left > 1 && may_send(sent_ + 1));
        if (queue.stopped_by_driver) break;
    }
    core.enable_bottom_halves();
    return taken;
}

bool Pktgen::step(Core& core) {
    const TxQueue& queue = stack_.device().queue(static_cast<unsigned>(config_.queue));
    const std::uint64_t freed_before = freed_;
    bool taken = true;
    for (std::uint64_t n = 0; n < packets_per_step && taken && may_send(sent_); n += config_.burst)
        taken = send_burst(core, queue);
    // The queue may have been woken since: softirqs ran after each burst.
    const bool go_on =
        may_send(sent_) && !queue.stopped_by_driver && (taken || freed_ != freed_before);
    if (queue.stopped_by_driver) ++queue_stops_;
    activity_.enter(go_on ? sending : (may_send(sent_) ? stopped : window));
    waiting_ = !go_on;
    spinning_ = waiting_ && (config_.packets == 0 || sent_ < config_.packets);
    if (spinning_) core_.hold_awake();
    return go_on;
}

void Pktgen::skb_freed(SkBuff& skb) {
    ++freed_;
    if (skb.cookie != 0) buffers_.give(skb.cookie);
    if (!std::exchange(waiting_, false)) return;
    if (std::exchange(spinning_, false)) core_.release_awake();
    core_.resume(*this);
}

void Pktgen::register_stats(sim::StatGroup& group) {
    group.counter("sent", "packets", "Packets handed to the driver.", sent_);
    group.counter("freed", "packets", "Packets that the driver freed.", freed_);
    group.counter("busy", "calls", "Calls that the driver refused.", busy_);
    group.counter("queue_stops", "times", "Times it found the queue stopped by the driver.",
                  queue_stops_);
    group.activity("activity", "What the generator spends its time on.", activity_);
}

}  // namespace nicsim::host
