// SPDX-License-Identifier: Apache-2.0
// Congestion control: CUBIC (RFC 8312) in Linux' integer arithmetic with HyStart, and Reno. Window
// in segments, clock in microseconds and in ticks of the kernel. Not modelled: ECN, BBR.
#pragma once

#include <cstdint>

#include "host_driver/net/tcp_config.h"

namespace nicsim::host {

/// What congestion control shares with its connection.
struct CongestionState {
    std::uint32_t cwnd = 10;  ///< segments
    std::uint32_t ssthresh = 0x7fff'ffff;
    std::uint32_t cwnd_count = 0;  ///< segments acknowledged towards the next increment
    std::uint64_t pacing_rate = ~std::uint64_t{0};  ///< bytes/s
    std::uint64_t gso_max_bytes = 65'215;
    std::uint64_t snd_una = 0;
    std::uint64_t snd_nxt = 0;
    bool paced = false;  ///< the pacing rate is enforced
    [[nodiscard]] bool in_slow_start() const { return cwnd < ssthresh; }
};

class Congestion {
public:
    explicit Congestion(const TcpConfig& config);

    /// `acked` segments were acknowledged and the window limited the sender.
    void grow(CongestionState& s, std::uint32_t acked, std::uint64_t now_us);
    /// An RTT sample with an acknowledgement.
    void rtt_sample(CongestionState& s, std::uint64_t rtt_us, std::uint64_t now_us);
    /// Loss: the new ssthresh.
    std::uint32_t loss(const CongestionState& s);
    /// A retransmission timeout starts everything anew.
    void timeout(const CongestionState& s, std::uint64_t now_us);
    /// Sending starts again after `idle_us` without anything in flight.
    void restart(std::uint64_t idle_us, std::uint64_t now_us);

    [[nodiscard]] bool hystart_found() const { return found_; }
    [[nodiscard]] std::uint32_t increment_interval() const { return count_; }

private:
    static std::uint32_t slow_start(CongestionState& s, std::uint32_t acked);
    static void additive_increase(CongestionState& s, std::uint32_t interval, std::uint32_t acked);
    void update_interval(std::uint32_t cwnd, std::uint32_t acked, std::uint64_t now_us);
    void friendliness(std::uint32_t cwnd);
    void hystart_reset(const CongestionState& s, std::uint64_t now_us);
    void hystart(CongestionState& s, std::uint64_t delay_us, std::uint64_t now_us);
    [[nodiscard]] std::uint64_t ticks(std::uint64_t us) const {
        return us * tick_rate_ / 1'000'000U;
    }

    CongestionControl kind_;
    bool use_hystart_;
    std::uint64_t tick_rate_;
    // CUBIC
    std::uint32_t count_ = 0;  ///< segments to acknowledge per increment
    std::uint32_t last_max_cwnd_ = 0;
    std::uint32_t last_cwnd_ = 0;
    std::uint64_t last_tick_ = 0;
    std::uint32_t origin_ = 0;
    std::uint64_t k_ = 0;  ///< time to the origin, in 1/1024 s
    std::uint64_t delay_min_us_ = 0;
    std::uint64_t epoch_start_ = 0;  ///< tick; 0 none
    std::uint32_t ack_count_ = 0;
    std::uint32_t reno_cwnd_ = 0;
    // HyStart
    std::uint64_t round_start_us_ = 0;
    std::uint64_t last_ack_us_ = 0;
    std::uint64_t round_end_ = 0;
    std::uint64_t current_rtt_us_ = 0;
    std::uint32_t samples_ = 0;
    bool found_ = false;
};

/// Cube root as CUBIC needs it: the whole part, at most one off.
std::uint32_t cube_root(std::uint64_t value);

}  // namespace nicsim::host
