// SPDX-License-Identifier: Apache-2.0
#include "host_driver/far_end/sinks.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace nicsim::host {
namespace {

/// A first byte of 0 that every byte equals the next one of.
bool all_zero(const std::uint8_t* bytes, std::size_t n) {
    return n == 0 || (bytes[0] == 0 && std::memcmp(bytes, bytes + 1, n - 1) == 0);
}

}  // namespace

Sink::Sink(std::string name, SinkKind kind, std::uint16_t port, const ReceiverPolicy& policy)
    : receiver(policy), pattern(port), name_(std::move(name)), kind_(kind), port_(port) {}

void Sink::take_udp(const ParsedPacket& packet, sim::Ps start, sim::Ps arrival, bool verify) {
    if (kind_ == SinkKind::generator) {
        take_generated(packet, arrival, verify);
        return;
    }
    const unsigned header =
        kind_ == SinkKind::talker ? talker_header_bytes : udp_stream_header_bytes;
    ++packets;
    first_arrival = std::min(first_arrival, arrival);
    last_arrival = arrival;
    if (packet.payload_length < header) {
        ++wrong_payloads;
        return;
    }
    const std::uint64_t counter = get64(packet.payload + (kind_ == SinkKind::talker ? 0 : 8));
    if (verify && !pattern.matches(counter * packet.payload_length + header,
                                   packet.payload + header, packet.payload_length - header)) {
        ++wrong_payloads;
        return;
    }
    if (counter >= next_counter_) {
        lost += counter - next_counter_;
        next_counter_ = counter + 1;
    } else {
        ++out_of_order;
        if (lost > 0) --lost;  // as iperf3: it was not lost after all
    }
    payload_bytes += packet.payload_length;
    if (kind_ == SinkKind::talker) {
        judge_launch(get64(packet.payload + 8) * sim::ps_per_ns, start);
    }
}

void Sink::take_generated(const ParsedPacket& packet, sim::Ps arrival, bool verify) {
    ++packets;
    first_arrival = std::min(first_arrival, arrival);
    last_arrival = arrival;
    if (verify && !all_zero(packet.payload, packet.payload_length)) {
        ++wrong_payloads;
        return;
    }
    payload_bytes += packet.payload_length;
}

void Sink::judge_launch(sim::Ps launch, sim::Ps start) {
    const auto offset = static_cast<std::int64_t>(start) - static_cast<std::int64_t>(launch);
    if (judged_++ == 0) {
        least_offset_ = greatest_offset_ = offset;
    } else {
        least_offset_ = std::min(least_offset_, offset);
        greatest_offset_ = std::max(greatest_offset_, offset);
    }
    if (offset < 0) {
        ++early;
    } else {
        launch_offset.record(static_cast<std::uint64_t>(offset));
    }
    if (last_start_ != sim::never) arrival_spacing.record(start - last_start_);
    last_start_ = start;
}

sim::Ps Sink::jitter() const {
    return static_cast<sim::Ps>(greatest_offset_ - least_offset_);
}

double Sink::packet_rate() const {
    const sim::Ps span = sim::now() - measured_from_;
    if (span == 0) return 0.0;
    return static_cast<double>(packets - packets_at_start_) / sim::to_seconds(span);
}

double Sink::goodput() const {
    const sim::Ps span = sim::now() - measured_from_;
    if (span == 0) return 0.0;
    return static_cast<double>(payload_bytes - bytes_at_start_) * 8.0 / sim::to_seconds(span);
}

void Sink::begin_measurement() {
    bytes_at_start_ = payload_bytes;
    packets_at_start_ = packets;
    measured_from_ = sim::now();
    judged_ = 0;
    least_offset_ = greatest_offset_ = 0;
}

void Sink::register_stats(sim::StatGroup& group) {
    group.counter("packets", "packets", "Packets received for this port.", packets);
    group.counter("payload_bytes", "B", "Payload received in order, without repeats.",
                  payload_bytes);
    group.counter("wrong_payloads", "packets", "Packets whose payload is not what was sent.",
                  wrong_payloads);
    group.counter("out_of_order", "packets", "Packets that came after a later one.", out_of_order);
    group.formula("goodput", "bit/s", "Payload received since the measurement began.",
                  [this] { return goodput(); });
    if (kind_ == SinkKind::generator)
        group.formula("packet_rate", "pps", "Packets received since the measurement began.",
                      [this] { return packet_rate(); });
    if (kind_ == SinkKind::tcp) {
        group.counter("duplicate_bytes", "B", "Payload that had been received before.",
                      duplicate_bytes);
        group.counter("out_of_window", "packets", "Segments beyond the receive window.",
                      out_of_window);
        group.counter("acks", "packets", "Acknowledgements sent.", acks);
        return;
    }
    group.counter("lost", "packets", "Gaps in the sender's counter.", lost);
    if (kind_ != SinkKind::talker) return;
    group.counter("early", "packets", "Frames that left before their launch time.", early);
    group.distribution("launch_offset", "ps",
                       "First preamble bit of a frame minus its launch time, early ones left out.",
                       launch_offset);
    group.distribution("spacing", "ps", "Time between the starts of two frames.", arrival_spacing);
    group.formula("jitter", "ps", "Greatest minus least offset from the launch time.",
                  [this] { return static_cast<double>(jitter()); });
    group.formula("least_launch_offset", "ps", "Least offset; negative if a frame was early.",
                  [this] { return static_cast<double>(least_offset_); });
}

}  // namespace nicsim::host
