// SPDX-License-Identifier: Apache-2.0
// The machine at the other end of the cable: receives everything, verifies every byte, answers TCP
// with acknowledgements as a Linux host would, and keeps the figures that iperf3's server prints.
//
// Modelled: cable delay both ways, receive interrupt moderation and the latency of its stack,
// receive offload (GRO), acknowledgement policy, its own transmit serialisation. Not modelled: its
// PCIe, rings, CPU load or drops - it is never the bottleneck, unless it is behind a slower switch
// (far_port.h, where pause frames are, too). Data frames cost no kernel event: what happens at
// their arrival is computed when they begin. An acknowledgement costs one event, a poll one event.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "host_driver/far_end/far_port.h"
#include "host_driver/far_end/sinks.h"
#include "host_driver/net/headers.h"
#include "sim/alarm.h"
#include "sim/doors.h"
#include "sim/frame.h"
#include "sim/param.h"
#include "sim/ring_queue.h"
#include "sim/stat.h"
#include "sim/timed_fifo.h"

namespace nicsim::host {

struct FarEndConfig {
    std::string mac = "02:00:00:00:00:02";
    std::uint64_t link_rate = 1'000'000'000;         ///< bit/s: the cable's; no setting of its own
    std::uint64_t cable_delay = 25'000;              ///< ps, one way
    std::uint64_t receive_moderation = 100'000'000;  ///< ps between its receive interrupts
    std::uint64_t stack_latency = 10'000'000;        ///< ps from interrupt to acknowledgement
    bool receive_offload = true;                     ///< GRO
    std::uint64_t delayed_ack = 40'000'000'000;      ///< ps
    std::uint64_t mtu = 1500;                        ///< bytes of an IP packet
    std::uint64_t quick_acks = 16;
    std::uint64_t initial_window = 65'535;  ///< bytes
    std::uint64_t max_window = 3'145'728;   ///< bytes
    std::uint64_t verify_every = 1;         ///< verify each n-th frame; 0 none
    static const sim::ParamTable& params();
};

class FarEnd : public sc_core::sc_module, private sim::EthernetIf {
public:
    sc_core::sc_export<sim::EthernetIf> in;
    sc_core::sc_port<sim::EthernetIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> out;

    FarEnd(const sc_core::sc_module_name& name, const FarEndConfig& config,
           const FarPortConfig& port = {});

    /// A listening socket. Ports are unique per protocol; the reference stays valid.
    Sink& add_sink(const std::string& name, SinkKind kind, std::uint16_t port);
    Sink& add_tcp_sink(const std::string& name, std::uint16_t port) {
        return add_sink(name, SinkKind::tcp, port);
    }
    Sink& add_udp_sink(const std::string& name, std::uint16_t port) {
        return add_sink(name, SinkKind::udp, port);
    }
    Sink& add_talker_sink(const std::string& name, std::uint16_t port) {
        return add_sink(name, SinkKind::talker, port);
    }
    [[nodiscard]] std::deque<Sink>& sinks() { return sinks_; }

    /// Goodput and punctuality count from now on.
    void begin_measurement();
    /// Payload bits per second of all sinks since then.
    [[nodiscard]] double goodput() const;
    void register_stats(sim::StatGroup& group);

    struct Counters {
        std::uint64_t frames = 0;
        std::uint64_t bytes = 0;  ///< without preamble and FCS
        std::uint64_t bad_fcs = 0;
        std::uint64_t malformed = 0;
        std::uint64_t bad_ip_checksum = 0;
        std::uint64_t bad_l4_checksum = 0;
        std::uint64_t not_for_us = 0;  ///< other MAC, protocol or port
        std::uint64_t acks_sent = 0;
        std::uint64_t polls = 0;
    };
    [[nodiscard]] const Counters& counters() const { return counters_; }
    /// Null with the default settings.
    [[nodiscard]] const FarPort* port() const { return port_.get(); }

private:
    void deliver(const sim::FramePtr& frame, sim::Ps start, sim::Ps end) override;

    struct Arrived {
        sim::Ps time = 0;
        Sink* sink = nullptr;
        std::uint32_t sequence = 0;
        std::uint32_t length = 0;
        std::uint32_t timestamp = 0;
        std::uint8_t flags = 0;
    };

    Sink* find(std::uint8_t protocol, std::uint16_t port);
    bool accept(const sim::FramePtr& frame, ParsedPacket& packet, bool verify);
    void take_tcp(Sink& sink, const ParsedPacket& packet, sim::Ps arrival, bool verify);
    void poll();
    void process(const Arrived& a, std::uint32_t piece, sim::Ps t);
    void acknowledge(Sink& sink, sim::Ps t, bool syn);
    void transmit(const FlowAddress& flow, const TcpFields& fields, std::uint16_t id, sim::Ps t);
    void delayed_ack_timer();
    void emit(const sim::FramePtr& frame);

    FarEndConfig config_;
    MacAddress mac_{};
    std::deque<Sink> sinks_;
    std::vector<Sink*> by_port_;
    Sink* last_ = nullptr;
    sim::RingQueue<Arrived> waiting_;
    sim::Ps next_poll_ = 0;  ///< the earliest next one
    unsigned window_scale_ = 0;
    sim::Ps wire_free_ = 0;
    std::uint64_t frame_number_ = 0;
    Counters counters_;
    sim::Alarm poll_alarm_;
    sim::Alarm ack_alarm_;
    sim::TimedFifo<sim::FramePtr> transmit_;
    std::unique_ptr<FarPort> port_;
};

}  // namespace nicsim::host
