// SPDX-License-Identifier: Apache-2.0
#include "host_driver/net/tcp_config.h"

namespace nicsim::host {

namespace {

using Builder = sim::ParamTableBuilder<TcpConfig>;

void add_skb_params(Builder& b) {
    b.add("timestamps", &TcpConfig::timestamps,
          {.sentence = "TCP timestamps in every segment (12 bytes).",
           .source = sim::driver("Linux net/ipv4/tcp_ipv4.c, sysctl_tcp_timestamps")})
        .add("initial_cwnd", &TcpConfig::initial_cwnd,
             {.min = 1,
              .max = 1000,
              .sentence = "Congestion window at the start, in segments.",
              .source = sim::driver("Linux include/net/tcp.h, TCP_INIT_CWND")})
        .add("gso_header_room", &TcpConfig::gso_header_room,
             {.unit = sim::Unit::bytes,
              .min = 0,
              .max = 1024,
              .sentence = "Kept free of the device's largest skb for headers.",
              .source = sim::driver("Linux include/net/tcp.h, MAX_TCP_HEADER")})
        .add("skb_overhead", &TcpConfig::skb_overhead,
             {.unit = sim::Unit::bytes,
              .min = 0,
              .max = 16384,
              .sentence = "Charge of an skb beside its payload: head and structures.",
              .source = sim::driver("Linux net/core/skbuff.c, SKB_TRUESIZE of a TCP head")})
        .add("page_fragment_bytes", &TcpConfig::page_fragment_bytes,
             {.unit = sim::Unit::bytes,
              .allowed = {4096, 8192, 16384, 32768, 65536},
              .sentence = "Contiguous memory that payload is copied into.",
              .source = sim::driver("Linux net/core/sock.c, SKB_FRAG_PAGE_ORDER (3)")});
}

void add_sending_params(Builder& b) {
    b.add("limit_output_bytes", &TcpConfig::limit_output_bytes,
          {.unit = sim::Unit::bytes,
           .min = 0,
           .max = 1e9,
           .sentence = "Small-queue limit: bytes of a socket that may wait below TCP. 131072 until "
                       "Linux 4.1, 262144 until 5.0, 1048576 since (4194304 since 6.10).",
           .source = sim::driver("Linux net/ipv4/tcp_ipv4.c, sysctl_tcp_limit_output_bytes")})
        .add("small_queue_free_skbs", &TcpConfig::small_queue_free_skbs,
             {.min = 0,
              .max = 1,
              .sentence = "The small-queue limit does not hold while at most so many skbs are "
                          "unacknowledged: 0 from Linux 4.15 to 6.5, 1 since 6.6.",
              .source = sim::driver("Linux net/ipv4/tcp_output.c, tcp_small_queue_check")})
        .add(
            "pacing_shift", &TcpConfig::pacing_shift,
            {.min = 0,
             .max = 20,
             .sentence = "An skb, and half of what may be queued, holds the pacing rate in bytes/s "
                         "divided by 2 to this power (10: about 1 ms).",
             .source = sim::driver("Linux include/net/sock.h, sk_pacing_shift")})
        .add("tso_rtt_sizing", &TcpConfig::tso_rtt_sizing,
             {.sentence = "Larger skbs at a small RTT (since Linux 5.18).",
              .source = sim::driver("Linux net/ipv4/tcp_output.c, tcp_tso_autosize")})
        .add("tso_rtt_log", &TcpConfig::tso_rtt_log,
             {.min = 0,
              .max = 30,
              .sentence = "The extra size halves with each 2^n microseconds of least RTT.",
              .source = sim::driver("Linux net/ipv4/tcp_ipv4.c, sysctl_tcp_tso_rtt_log")})
        .add("min_tso_segments", &TcpConfig::min_tso_segments,
             {.min = 1,
              .max = 64,
              .sentence = "Least segments of an skb that autosizing goes down to.",
              .source = sim::driver("Linux net/ipv4/tcp_ipv4.c, sysctl_tcp_min_tso_segs")})
        .add("tso_win_divisor", &TcpConfig::tso_win_divisor,
             {.min = 1,
              .max = 100,
              .sentence = "An skb waits for window only while less than this part of it is open.",
              .source = sim::driver("Linux net/ipv4/tcp_output.c, tcp_tso_should_defer")})
        .add("autocorking", &TcpConfig::autocorking,
             {.sentence = "Collect small writes while the driver still holds an skb of the socket.",
              .source = sim::driver("Linux net/ipv4/tcp.c, tcp_should_autocork")})
        .add("no_delay", &TcpConfig::no_delay,
             {.sentence = "Nagle's algorithm off (TCP_NODELAY).",
              .source = sim::driver("Linux net/ipv4/tcp_output.c, tcp_nagle_test")})
        .add("pacing", &TcpConfig::pacing,
             {.sentence = "Enforce the pacing rate, as fq or BBR do; otherwise it only sizes skbs.",
              .source = sim::driver("Linux net/ipv4/tcp_output.c, tcp_pacing_check")})
        .add("pacing_slow_start", &TcpConfig::pacing_slow_start,
             {.min = 1,
              .max = 1000,
              .sentence = "Pacing rate in slow start, percent of window per RTT.",
              .source = sim::driver("Linux net/ipv4/tcp_input.c, sysctl_tcp_pacing_ss_ratio")})
        .add("pacing_avoidance", &TcpConfig::pacing_avoidance,
             {.min = 1,
              .max = 1000,
              .sentence = "Pacing rate afterwards, percent of window per RTT.",
              .source = sim::driver("Linux net/ipv4/tcp_input.c, sysctl_tcp_pacing_ca_ratio")});
}

void add_buffer_and_loss_params(Builder& b) {
    b.add("send_buffer_initial", &TcpConfig::send_buffer_initial,
          {.unit = sim::Unit::bytes,
           .min = 4608,
           .max = 1e9,
           .sentence = "Send buffer that autotuning starts from.",
           .source = sim::driver("Linux net/ipv4/tcp.c, sysctl_tcp_wmem[1]")})
        .add("send_buffer_max", &TcpConfig::send_buffer_max,
             {.unit = sim::Unit::bytes,
              .min = 4608,
              .max = 1e9,
              .sentence = "Largest send buffer of autotuning.",
              .source = sim::driver("Linux net/ipv4/tcp.c, sysctl_tcp_wmem[2]")})
        .add("send_buffer_fixed", &TcpConfig::send_buffer_fixed,
             {.unit = sim::Unit::bytes,
              .min = 0,
              .max = 1e9,
              .sentence = "Send buffer set by the application, as accounted (twice SO_SNDBUF); 0: "
                          "autotuned.",
              .source = sim::driver("Linux net/core/sock.c, SOCK_SNDBUF_LOCK")})
        .add_choice<CongestionControl>(
            "congestion", &TcpConfig::congestion,
            {{CongestionControl::cubic, "cubic"}, {CongestionControl::reno, "reno"}},
            {.sentence = "Congestion control.",
             .source = sim::driver("Linux net/ipv4/tcp_cubic.c and tcp_cong.c")})
        .add("hystart", &TcpConfig::hystart,
             {.sentence = "Leave slow start before the first loss (cubic only).",
              .source = sim::driver("Linux net/ipv4/tcp_cubic.c, hystart_update")})
        .add("slow_start_after_idle", &TcpConfig::slow_start_after_idle,
             {.sentence = "Forget the window after a timeout without sending.",
              .source = sim::driver("Linux net/ipv4/tcp_output.c, tcp_cwnd_restart")})
        .add("tick_rate", &TcpConfig::tick_rate,
             {.min = 100,
              .max = 1000,
              .sentence = "Kernel ticks per second (HZ), the clock of CUBIC.",
              .source = sim::driver("Debian and Ubuntu kernel configuration, CONFIG_HZ=250")})
        .add("rto_min", &TcpConfig::rto_min,
             {.unit = sim::Unit::time,
              .min = 1e9,
              .max = 1e13,
              .sentence = "Least retransmission timeout.",
              .source = sim::driver("Linux include/net/tcp.h, TCP_RTO_MIN")})
        .add("rto_initial", &TcpConfig::rto_initial,
             {.unit = sim::Unit::time,
              .min = 1e9,
              .max = 1e13,
              .sentence = "Retransmission timeout before the first RTT sample, of the SYN.",
              .source = sim::driver("Linux include/net/tcp.h, TCP_TIMEOUT_INIT")})
        .add("duplicate_acks", &TcpConfig::duplicate_acks,
             {.min = 1,
              .max = 300,
              .sentence = "Duplicate acknowledgements that mean a loss.",
              .source = sim::driver("Linux net/ipv4/tcp_ipv4.c, sysctl_tcp_reordering")});
}

}  // namespace

const sim::ParamTable& TcpConfig::params() {
    static const sim::ParamTable table = [] {
        Builder b;
        add_skb_params(b);
        add_sending_params(b);
        add_buffer_and_loss_params(b);
        return b.build();
    }();
    return table;
}

}  // namespace nicsim::host
