// SPDX-License-Identifier: Apache-2.0
#include "host_driver/far_end/far_end.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace nicsim::host {

namespace {

constexpr std::uint32_t merge_limit = 65'535;  // bytes of a merged packet (GRO_LEGACY_MAX_SIZE)
constexpr std::uint32_t own_initial_sequence = 1;
constexpr MacAddress broadcast{0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

/// Least scale that lets 16 bits say the largest window.
unsigned scale_for(std::uint64_t window) {
    unsigned scale = 0;
    while (scale < 14 && (window >> scale) > 65'535) ++scale;
    return scale;
}

}  // namespace

FarEnd::FarEnd(const sc_core::sc_module_name& module_name, const FarEndConfig& config,
               const FarPortConfig& port)
    : sc_module(module_name),
      in("in"),
      out("out"),
      config_(config),
      window_scale_(scale_for(config.max_window)),
      poll_alarm_("poll", sim::Alarm::Action::to<&FarEnd::poll>(this)),
      ack_alarm_("delayed_ack", sim::Alarm::Action::to<&FarEnd::delayed_ack_timer>(this)),
      transmit_("transmit", sim::TimedFifo<sim::FramePtr>::Action::to<&FarEnd::emit>(this)) {
    mac_ = sim::parse_mac_address(config.mac, "mac");
    if (const std::string error = port.check(); !error.empty()) throw std::invalid_argument(error);
    if (!port.plain())
        port_ = std::make_unique<FarPort>(
            "port", port, mac_, FarPort::Cable{config.link_rate, config.cable_delay},
            sim::Callback<const sim::FramePtr&>::to<&FarEnd::emit>(this));
    in.bind(*this);
}

// ---- flows ----

Sink& FarEnd::add_sink(const std::string& name, SinkKind kind, std::uint16_t port) {
    const ReceiverPolicy policy{config_.delayed_ack, config_.quick_acks, config_.initial_window,
                                config_.max_window};
    Sink& made = sinks_.emplace_back(name, kind, port, policy);
    if (find(made.protocol(), port) != nullptr) {
        sinks_.pop_back();
        throw std::invalid_argument("port " + std::to_string(port) +
                                    " of the far end is used by two workloads");
    }
    by_port_.push_back(&made);
    return made;
}

Sink* FarEnd::find(std::uint8_t protocol, std::uint16_t port) {
    if (last_ != nullptr && last_->port() == port && last_->protocol() == protocol) return last_;
    for (Sink* s : by_port_) {
        if (s->port() == port && s->protocol() == protocol) return last_ = s;
    }
    return nullptr;
}

// ---- frames come in ----

void FarEnd::deliver(const sim::FramePtr& frame, sim::Ps start, sim::Ps end) {
    ++counters_.frames;
    counters_.bytes += frame->length();
    sim::Ps arrival = end + config_.cable_delay;
    if (port_) arrival = port_->take(*frame, end);
    if (arrival == sim::never) return;
    const bool verify = config_.verify_every != 0 && frame_number_ % config_.verify_every == 0;
    ++frame_number_;
    ParsedPacket packet;
    if (!accept(frame, packet, verify)) return;
    Sink* sink = find(packet.protocol, packet.flow.destination_port);
    if (sink == nullptr) {
        ++counters_.not_for_us;
        return;
    }
    if (sink->kind() != SinkKind::tcp) {
        sink->take_udp(packet, start, arrival, verify);
        return;
    }
    if ((packet.tcp.flags & tcp_syn) != 0) {
        sink->reply = packet.flow.reversed();
        std::memcpy(sink->reply.destination_mac.data(), frame->bytes().data() + 6, 6);
        sink->reply.source_mac = mac_;
    }
    take_tcp(*sink, packet, arrival, verify);
}

bool FarEnd::accept(const sim::FramePtr& frame, ParsedPacket& packet, bool verify) {
    if (!frame->fcs_good) {
        ++counters_.bad_fcs;
        return false;
    }
    const std::span<const std::uint8_t> bytes = std::as_const(*frame).bytes();
    if (bytes.size() < ethernet_header_bytes) {
        ++counters_.malformed;
        return false;
    }
    if (std::memcmp(bytes.data(), mac_.data(), 6) != 0 &&
        std::memcmp(bytes.data(), broadcast.data(), 6) != 0) {
        ++counters_.not_for_us;
        return false;
    }
    switch (parse_packet(bytes, packet)) {
        case ParseResult::ok:
            break;
        case ParseResult::truncated:
            ++counters_.malformed;
            return false;
        case ParseResult::bad_ip_checksum:
            ++counters_.bad_ip_checksum;
            return false;
        default:
            ++counters_.not_for_us;
            return false;
    }
    if (verify && !l4_checksum_good(packet)) {
        ++counters_.bad_l4_checksum;
        return false;
    }
    return true;
}

void FarEnd::take_tcp(Sink& sink, const ParsedPacket& packet, sim::Ps arrival, bool verify) {
    const TcpFields& f = packet.tcp;
    const bool syn = (f.flags & tcp_syn) != 0;
    if (packet.payload_length == 0 && !syn) return;  // nothing to acknowledge
    if (!syn) {
        if (!sink.receiver.is_open()) return;
        ++sink.packets;
        sink.first_arrival = std::min(sink.first_arrival, arrival);
        sink.last_arrival = arrival;
        if (verify && !sink.pattern.matches(sink.receiver.offset_of(f.sequence), packet.payload,
                                            packet.payload_length)) {
            ++sink.wrong_payloads;  // and accepted, as a receiver that cannot know would
        }
    }
    const Arrived a{arrival, &sink, f.sequence, packet.payload_length, f.timestamp, f.flags};
    if (config_.receive_moderation == 0) {
        process(a, a.length, arrival);
        return;
    }
    waiting_.push(a);
    if (waiting_.size() == 1) poll_alarm_.at_latest(std::max(arrival, next_poll_));
}

// A receive interrupt: everything that has arrived is taken; with receive offload neighbours of a
// flow are merged first.
void FarEnd::poll() {
    const sim::Ps t = sim::now();
    ++counters_.polls;
    next_poll_ = t + config_.receive_moderation;
    while (!waiting_.empty() && waiting_.front().time <= t) {
        Arrived a = waiting_.pop();
        const std::uint32_t piece = a.length;
        std::uint32_t last = a.length;
        while (config_.receive_offload && !waiting_.empty() && waiting_.front().time <= t) {
            const Arrived& b = waiting_.front();
            const bool fits = b.sink == a.sink && b.sequence == a.sequence + a.length &&
                              b.length <= piece && a.length + b.length <= merge_limit;
            // A short or a pushed segment ends a merged packet.
            if (!fits || last < piece || ((a.flags | b.flags) & tcp_syn) != 0 ||
                (a.flags & tcp_psh) != 0) {
                break;
            }
            last = b.length;
            a.length += b.length;
            a.flags |= b.flags;
            waiting_.pop();
        }
        process(a, piece, t);
    }
    if (!waiting_.empty()) poll_alarm_.at_latest(std::max(waiting_.front().time, next_poll_));
}

void FarEnd::process(const Arrived& a, std::uint32_t piece, sim::Ps t) {
    Sink& sink = *a.sink;
    if ((a.flags & tcp_syn) != 0) {
        sink.receiver.open(a.sequence, a.timestamp);
        acknowledge(sink, t + config_.stack_latency, true);
        return;
    }
    const TcpReceiver::Taken taken = sink.receiver.take(a.sequence, a.length, piece, a.timestamp);
    sink.payload_bytes += taken.delivered;
    sink.duplicate_bytes += taken.duplicate;
    sink.out_of_order += taken.out_of_order ? 1U : 0U;
    sink.out_of_window += taken.out_of_window ? 1U : 0U;
    if (taken.reply == TcpReceiver::Reply::now) {
        acknowledge(sink, t + config_.stack_latency, false);
    } else if (sink.ack_due == sim::never) {
        sink.ack_due = t + config_.delayed_ack;
        ack_alarm_.at_latest(sink.ack_due);
    }
}

// Armed for the earliest deadline that ever was; deadlines that were met meanwhile are skipped.
void FarEnd::delayed_ack_timer() {
    const sim::Ps t = sim::now();
    sim::Ps next = sim::never;
    for (Sink* s : by_port_) {
        if (s->ack_due <= t) acknowledge(*s, t, false);
        next = std::min(next, s->ack_due);
    }
    if (next != sim::never) ack_alarm_.at_latest(next);
}

// ---- acknowledgements go out ----

void FarEnd::acknowledge(Sink& sink, sim::Ps t, bool syn) {
    TcpFields f;
    f.sequence = syn ? own_initial_sequence : own_initial_sequence + 1;
    f.acknowledgement = sink.receiver.next_sequence();
    f.flags = static_cast<std::uint8_t>(syn ? tcp_syn | tcp_ack_flag : tcp_ack_flag);
    const std::uint64_t window = sink.receiver.window();
    f.window = static_cast<std::uint16_t>(
        std::min<std::uint64_t>(syn ? window : window >> window_scale_, 65'535));
    f.timestamp = static_cast<std::uint32_t>(t / sim::ps_per_ms);
    f.timestamp_echo = sink.receiver.timestamp_echo();
    f.mss = static_cast<std::uint16_t>(config_.mtu - ipv4_header_bytes - tcp_header_bytes);
    f.window_scale = static_cast<std::uint8_t>(window_scale_);
    if (!syn) {
        sink.receiver.acknowledged();
        sink.ack_due = sim::never;
        ++sink.acks;
    }
    transmit(sink.reply, f, sink.ip_id++, t);
}

void FarEnd::transmit(const FlowAddress& flow, const TcpFields& fields, std::uint16_t id,
                      sim::Ps t) {
    sim::FramePtr frame = sim::frame_pool().make();
    frame->resize(tcp_headers_length((fields.flags & tcp_syn) != 0, fields.timestamps));
    write_tcp_headers(frame->bytes().data(), flow, fields, 0, id, L4Checksum::full);
    ++counters_.acks_sent;
    if (port_) {
        port_->send(frame, t);
        return;
    }
    const sim::Ps start = std::max(t, wire_free_);
    wire_free_ =
        start + sim::serialisation_time(sim::wire_bytes(frame->length()), config_.link_rate);
    // It is at the other end of the cable, bit by bit, this much later.
    transmit_.push(start + config_.cable_delay, std::move(frame));
}

void FarEnd::emit(const sim::FramePtr& frame) {
    if (out.size() == 0) return;
    const std::uint32_t bytes = sim::wire_bytes(frame->length()) - sim::ethernet_ipg_bytes;
    const sim::Ps start = sim::now();
    out->deliver(frame, start, start + sim::serialisation_time(bytes, config_.link_rate));
}

// ---- figures ----

void FarEnd::begin_measurement() {
    for (Sink& s : sinks_) s.begin_measurement();
    if (port_) port_->begin_measurement();
}

double FarEnd::goodput() const {
    double sum = 0.0;
    for (const Sink& s : sinks_) sum += s.goodput();
    return sum;
}

void FarEnd::register_stats(sim::StatGroup& group) {
    group.counter("frames", "frames", "Frames received.", counters_.frames);
    group.counter("bytes", "B", "Bytes in them, without preamble and FCS.", counters_.bytes);
    group.counter("bad_fcs", "frames", "Frames dropped for their FCS.", counters_.bad_fcs);
    group.counter("malformed", "frames", "Frames shorter than their headers say.",
                  counters_.malformed);
    group.counter("bad_ip_checksum", "frames", "Frames with a wrong IP checksum.",
                  counters_.bad_ip_checksum);
    group.counter("bad_l4_checksum", "frames", "Frames with a wrong TCP or UDP checksum.",
                  counters_.bad_l4_checksum);
    group.counter("not_for_us", "frames", "Frames to another MAC, protocol or port.",
                  counters_.not_for_us);
    group.counter("acks_sent", "frames", "Acknowledgements sent, SYN included.",
                  counters_.acks_sent);
    group.counter("polls", "times", "Receive interrupts.", counters_.polls);
    group.formula("goodput", "bit/s", "Payload of all flows since the measurement began.",
                  [this] { return goodput(); });
    if (port_) port_->register_stats(group.group("port"));
    for (Sink& s : sinks_) s.register_stats(group.group(s.name()));
}

const sim::ParamTable& FarEndConfig::params() {
    static const sim::ParamTable table =
        sim::ParamTableBuilder<FarEndConfig>()
            .add("mac", &FarEndConfig::mac,
                 {.text_check = sim::mac_address_error,
                  .sentence = "MAC address of the far end.",
                  .source = sim::assumed("a locally administered address")})
            .add("cable_delay", &FarEndConfig::cable_delay,
                 {.unit = sim::Unit::time,
                  .min = 0,
                  .max = 1e12,
                  .sentence = "Delay of the cable, each way.",
                  .source = sim::assumed("5 m of copper at 5 ns/m")})
            .add("receive_moderation", &FarEndConfig::receive_moderation,
                 {.unit = sim::Unit::time,
                  .min = 0,
                  .max = 1e11,
                  .sentence = "Least time between its receive interrupts; 0: every frame at once.",
                  .source = sim::assumed("moderation of a gigabit desktop adapter, 50-200 us")})
            .add("stack_latency", &FarEndConfig::stack_latency,
                 {.unit = sim::Unit::time,
                  .min = 0,
                  .max = 1e11,
                  .sentence = "From its receive interrupt to the acknowledgement on the wire.",
                  .source = sim::assumed("interrupt entry and receive path of a desktop")})
            .add("receive_offload", &FarEndConfig::receive_offload,
                 {.sentence = "Merge segments that one interrupt finds (GRO); one acknowledgement "
                              "per merged packet instead of one per two segments.",
                  .source = sim::driver("Linux net/ipv4/tcp_offload.c, tcp_gro_receive")})
            .add("delayed_ack", &FarEndConfig::delayed_ack,
                 {.unit = sim::Unit::time,
                  .min = 1e9,
                  .max = 1e12,
                  .sentence = "A single segment is acknowledged after this time.",
                  .source = sim::driver("Linux include/net/tcp.h, TCP_DELACK_MIN (HZ/25)")})
            .add("mtu", &FarEndConfig::mtu,
                 {.unit = sim::Unit::bytes,
                  .min = 576,
                  .max = 9216,
                  .sentence = "Largest IP packet that it takes: its SYN announces segments of 40 "
                              "bytes less, so that larger ones need this and `host.ip.mtu`.",
                  .source = sim::driver("Linux include/uapi/linux/if_ether.h, ETH_DATA_LEN")})
            .add("quick_acks", &FarEndConfig::quick_acks,
                 {.min = 0,
                  .max = 1000,
                  .sentence = "Acknowledgements sent at once at the start of a connection.",
                  .source = sim::driver("Linux net/ipv4/tcp_input.c, TCP_MAX_QUICKACKS")})
            .add("initial_window", &FarEndConfig::initial_window,
                 {.unit = sim::Unit::bytes,
                  .min = 1460,
                  .max = 65535,
                  .sentence = "Receive window that a connection starts with.",
                  .source = sim::driver("Linux net/ipv4/tcp_output.c, tcp_select_initial_window")})
            .add("max_window", &FarEndConfig::max_window,
                 {.unit = sim::Unit::bytes,
                  .min = 1460,
                  .max = 1e9,
                  .sentence = "Receive window that it grows to, by two bytes per byte received.",
                  .source = sim::driver("Linux net/ipv4/tcp.c, sysctl_tcp_rmem[2], half of 6 MiB")})
            .add("verify_every", &FarEndConfig::verify_every,
                 {.min = 0,
                  .max = 1e9,
                  .sentence = "Verify payload and checksum of each n-th frame; 0: of none.",
                  .source = sim::assumed("all, since it is cheap")})
            .build();
    return table;
}

}  // namespace nicsim::host
