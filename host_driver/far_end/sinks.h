// SPDX-License-Identifier: Apache-2.0
// What the far end keeps per flow: verified and counted payload of TCP and UDP streams, and the
// punctuality of a time-triggered talker's frames.
#pragma once

#include <cstdint>
#include <string>

#include "host_driver/far_end/tcp_receiver.h"
#include "host_driver/net/headers.h"
#include "host_driver/net/payload_pattern.h"
#include "sim/histogram.h"
#include "sim/stat.h"
#include "sim/time.h"

namespace nicsim::host {

enum class SinkKind : std::uint8_t {
    tcp,
    udp,
    talker,
    generator,  ///< datagrams of zeros, without a counter
};

/// A flow's record; its figures are public for the assembly and for tests.
class Sink {
public:
    Sink(std::string name, SinkKind kind, std::uint16_t port, const ReceiverPolicy& policy);

    // ---- figures ----
    std::uint64_t packets = 0;
    std::uint64_t payload_bytes = 0;   ///< in order, without duplicates: what iperf3 counts
    std::uint64_t wrong_payloads = 0;  ///< packets whose payload is not what was sent
    std::uint64_t lost = 0;            ///< UDP: gaps in the counter not filled later
    std::uint64_t out_of_order = 0;
    std::uint64_t duplicate_bytes = 0;
    std::uint64_t out_of_window = 0;
    std::uint64_t acks = 0;
    sim::Ps first_arrival = sim::never;
    sim::Ps last_arrival = 0;
    // Talker: start of frame against launch time.
    std::uint64_t early = 0;         ///< left before its launch time
    sim::Histogram launch_offset;    ///< first preamble bit minus launch time, frames not early
    sim::Histogram arrival_spacing;  ///< between the starts of two frames
    [[nodiscard]] std::int64_t least_offset() const { return least_offset_; }
    [[nodiscard]] std::int64_t greatest_offset() const { return greatest_offset_; }
    /// Greatest minus least offset of frames since the measurement began, in ps.
    [[nodiscard]] sim::Ps jitter() const;

    /// Payload bits per second since begin_measurement.
    [[nodiscard]] double goodput() const;
    [[nodiscard]] double packet_rate() const;  ///< packets per second since then
    void begin_measurement();
    void register_stats(sim::StatGroup& group);

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] SinkKind kind() const { return kind_; }
    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] std::uint8_t protocol() const {
        return kind_ == SinkKind::tcp ? protocol_tcp : protocol_udp;
    }

    // ---- used by FarEnd ----
    void take_udp(const ParsedPacket& packet, sim::Ps start, sim::Ps arrival, bool verify);
    TcpReceiver receiver;
    PayloadPattern pattern;
    FlowAddress reply;             ///< TCP: from the far end to the sender
    sim::Ps ack_due = sim::never;  ///< delayed acknowledgement
    std::uint16_t ip_id = 1;

private:
    void take_generated(const ParsedPacket& packet, sim::Ps arrival, bool verify);
    void judge_launch(sim::Ps launch, sim::Ps start);

    std::string name_;
    SinkKind kind_;
    std::uint16_t port_;
    std::uint64_t next_counter_ = 0;
    std::int64_t least_offset_ = 0;
    std::int64_t greatest_offset_ = 0;
    std::uint64_t judged_ = 0;
    sim::Ps last_start_ = sim::never;
    std::uint64_t bytes_at_start_ = 0;
    std::uint64_t packets_at_start_ = 0;
    sim::Ps measured_from_ = 0;
};

/// Layout of a UDP stream's payload (iperf3's header with a 64-bit counter) and of a talker's.
constexpr unsigned udp_stream_header_bytes = 16;  ///< seconds, microseconds, counter
constexpr unsigned talker_header_bytes = 16;      ///< counter, launch time in ns

}  // namespace nicsim::host
