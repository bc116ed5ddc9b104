// SPDX-License-Identifier: Apache-2.0
// The settings of the sending TCP stack: Linux' sysctls, the rules that changed from one kernel
// version to another, and the constants of its skb accounting.
#pragma once

#include <cstdint>
#include <string>

#include "sim/param.h"

namespace nicsim::host {

enum class CongestionControl : std::uint8_t { cubic, reno };

struct TcpConfig {
    // Segments and skbs
    bool timestamps = true;
    std::uint64_t initial_cwnd = 10;             ///< segments
    std::uint64_t gso_header_room = 320;         ///< MAX_TCP_HEADER, bytes
    std::uint64_t skb_overhead = 1280;           ///< head slab and structs, bytes
    std::uint64_t page_fragment_bytes = 32'768;  ///< order-3 page that payload is copied into
    // What may be sent
    std::uint64_t limit_output_bytes = 1'048'576;  ///< tcp_limit_output_bytes
    std::uint64_t small_queue_free_skbs = 0;       ///< unacknowledged skbs below the limit's reach
    std::uint64_t pacing_shift = 10;               ///< sk_pacing_shift
    bool tso_rtt_sizing = true;                    ///< larger skbs at small RTT
    std::uint64_t tso_rtt_log = 9;                 ///< tcp_tso_rtt_log
    std::uint64_t min_tso_segments = 2;            ///< tcp_min_tso_segs
    std::uint64_t tso_win_divisor = 3;             ///< tcp_tso_win_divisor
    bool autocorking = true;                       ///< tcp_autocorking
    bool no_delay = false;                         ///< TCP_NODELAY
    bool pacing = false;                           ///< enforce the pacing rate (fq or internal)
    std::uint64_t pacing_slow_start = 200;         ///< tcp_pacing_ss_ratio, percent
    std::uint64_t pacing_avoidance = 120;          ///< tcp_pacing_ca_ratio, percent
    // Send buffer
    std::uint64_t send_buffer_initial = 16'384;  ///< tcp_wmem[1]
    std::uint64_t send_buffer_max = 4'194'304;   ///< tcp_wmem[2]
    std::uint64_t send_buffer_fixed = 0;         ///< SO_SNDBUF as accounted; 0: autotuned
    // Congestion and loss
    CongestionControl congestion = CongestionControl::cubic;
    bool hystart = true;
    bool slow_start_after_idle = true;
    std::uint64_t tick_rate = 250;                  ///< HZ
    std::uint64_t rto_min = 200'000'000'000;        ///< ps
    std::uint64_t rto_initial = 1'000'000'000'000;  ///< ps
    std::uint64_t duplicate_acks = 3;               ///< tcp_reordering

    static const sim::ParamTable& params();
};

}  // namespace nicsim::host
