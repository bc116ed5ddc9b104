// SPDX-License-Identifier: Apache-2.0
#include "host_driver/workloads/etf_talker.h"
#include "host_driver/workloads/tcp_stream.h"
#include "host_driver/workloads/udp_stream.h"

namespace nicsim::host {

namespace {

constexpr double max_port = 65535;
constexpr double longest = 1e16;  // ps; far beyond any run

template <class T>
void add_common(sim::ParamTableBuilder<T>& b) {
    b.add("port", &T::port,
          {.min = 1,
           .max = max_port,
           .sentence = "Port of the far end's socket.",
           .source = sim::driver("iperf3 src/iperf.h, PORT (5201)")})
        .add("local_port", &T::local_port,
             {.min = 1,
              .max = max_port,
              .sentence = "Port of the sender; unique among the workloads of a protocol.",
              .source = sim::assumed("any ephemeral port")})
        .add("priority", &T::priority,
             {.min = 0,
              .max = 15,
              .sentence = "SO_PRIORITY: selects the traffic class.",
              .source = sim::driver("Linux include/uapi/linux/pkt_sched.h, TC_PRIO_MAX")})
        .add("start", &T::start,
             {.unit = sim::Unit::time,
              .min = 0,
              .max = longest,
              .sentence = "When it begins.",
              .source = sim::assumed("with the scenario")})
        .add("stop", &T::stop,
             {.unit = sim::Unit::time,
              .min = 0,
              .max = longest,
              .sentence = "When it ends; 0: with the scenario.",
              .source = sim::assumed("with the scenario")});
}

}  // namespace

const sim::ParamTable& TcpStreamConfig::params() {
    static const sim::ParamTable table = [] {
        sim::ParamTableBuilder<TcpStreamConfig> b;
        add_common(b);
        b.add("write_bytes", &TcpStreamConfig::write_bytes,
              {.unit = sim::Unit::bytes,
               .min = 1,
               .max = 1e9,
               .sentence = "Bytes of one write call (iperf3 -l).",
               .source = sim::driver("iperf3 src/iperf.h, DEFAULT_TCP_BLKSIZE (128 KiB)")})
            .add("bytes", &TcpStreamConfig::bytes,
                 {.unit = sim::Unit::bytes,
                  .min = 0,
                  .max = 1e15,
                  .sentence = "Bytes to send (iperf3 -n); 0: no limit.",
                  .source = sim::assumed("streams run for a time")})
            .add("initial_sequence", &TcpStreamConfig::initial_sequence,
                 {.min = 0,
                  .max = 4294967295.0,
                  .sentence = "Sequence number of the SYN.",
                  .source = sim::assumed("any; fixed, so that runs can be compared")});
        return b.build();
    }();
    return table;
}

const sim::ParamTable& UdpStreamConfig::params() {
    static const sim::ParamTable table = [] {
        sim::ParamTableBuilder<UdpStreamConfig> b;
        add_common(b);
        b.add(
             "datagram_bytes", &UdpStreamConfig::datagram_bytes,
             {.unit = sim::Unit::bytes,
              .min = 16,
              .max = 9188,
              .sentence = "UDP payload of a datagram (iperf3 -l); must fit the MTU.",
              .source = sim::driver("iperf3 src/iperf_client_api.c: the control connection's MSS")})
            .add("rate", &UdpStreamConfig::rate,
                 {.unit = sim::Unit::bit_rate,
                  .min = 0,
                  .max = 1e12,
                  .sentence = "Mean payload rate (iperf3 -b); 0: as fast as the socket takes it.",
                  .source = sim::assumed("a gigabit link offered all it can take")})
            .add("pacing_timer", &UdpStreamConfig::pacing_timer,
                 {.unit = sim::Unit::time,
                  .min = 1e6,
                  .max = 1e12,
                  .sentence = "A sender ahead of its rate sleeps until the next multiple of this.",
                  .source = sim::driver("iperf3 src/iperf.h, DEFAULT_PACING_TIMER (1000 us)")})
            .add("send_buffer", &UdpStreamConfig::send_buffer,
                 {.unit = sim::Unit::bytes,
                  .min = 4608,
                  .max = 1e9,
                  .sentence = "Skb charges that the socket may have below it before writes block.",
                  .source = sim::driver("Linux net/core/sock.c, sysctl_wmem_default (212992)")})
            .add("datagrams", &UdpStreamConfig::datagrams,
                 {.min = 0,
                  .max = 1e15,
                  .sentence = "Datagrams to send; 0: no limit.",
                  .source = sim::assumed("streams run for a time")});
        return b.build();
    }();
    return table;
}

const sim::ParamTable& EtfTalkerConfig::params() {
    static const sim::ParamTable table = [] {
        sim::ParamTableBuilder<EtfTalkerConfig> b;
        add_common(b);
        b.add("packet_bytes", &EtfTalkerConfig::packet_bytes,
              {.unit = sim::Unit::bytes,
               .min = 44,
               .max = 9216,
               .sentence = "IP packet sent each period; must fit the MTU.",
               .source = sim::measured("the published Qav test: 1500 bytes")})
            .add("period", &EtfTalkerConfig::period,
                 {.unit = sim::Unit::time,
                  .min = 1e6,
                  .max = 1e12,
                  .sentence = "Time between two launch times.",
                  .source = sim::datasheet("IEEE 802.1Q, SR class A: 125 us")})
            .add("offset", &EtfTalkerConfig::offset,
                 {.unit = sim::Unit::time,
                  .min = 0,
                  .max = 1e12,
                  .sentence = "Launch times are this much after multiples of the period.",
                  .source = sim::assumed("launch times on the raster itself")})
            .add("lead", &EtfTalkerConfig::lead,
                 {.unit = sim::Unit::time,
                  .min = 0,
                  .max = 1e12,
                  .sentence = "A packet is handed to the stack this much before its launch time.",
                  .source = sim::assumed("1 ms, several periods ahead, as ETF talkers do")})
            .add("packets", &EtfTalkerConfig::packets,
                 {.min = 0,
                  .max = 1e15,
                  .sentence = "Packets to send; 0: no limit.",
                  .source = sim::assumed("talkers run for a time")});
        return b.build();
    }();
    return table;
}

}  // namespace nicsim::host
