// SPDX-License-Identifier: Apache-2.0
// CUBIC: W(t) = C (t - K)^3 + W_max with C = 0.4 and beta = 0.7, time in 1/1024 s.
#include "host_driver/net/tcp_congestion.h"

#include <algorithm>

#include "sim/time.h"

namespace nicsim::host {

namespace {

constexpr std::uint32_t beta_scale = 1024;
constexpr std::uint32_t beta = 717;       // 0.7
constexpr std::uint64_t rtt_scale = 410;  // C = 0.4, times 1024
constexpr unsigned time_bits = 10;        // time in 1/1024 s
// Segments that a TCP-friendly sender gains per window: 3 (1 - beta) / (1 + beta), here inverted
// and times 8 (RFC 8312, 4.2).
constexpr std::uint32_t friendly_scale = 8 * (beta_scale + beta) / 3 / (beta_scale - beta);

constexpr std::uint32_t hystart_low_window = 16;
constexpr std::uint32_t hystart_min_samples = 8;
constexpr std::uint64_t hystart_delay_min_us = 4000;
constexpr std::uint64_t hystart_delay_max_us = 16000;
constexpr std::uint64_t hystart_train_us = 2000;
constexpr std::uint32_t first_epoch_max_count = 20;  // at least 5 % per RTT before the first loss

}  // namespace

std::uint32_t cube_root(std::uint64_t value) {
    std::uint64_t low = 0;
    std::uint64_t high = 2'642'245;  // cube root of 2^64
    while (low < high) {
        const std::uint64_t middle = (low + high + 1) / 2;
        if (static_cast<sim::Uint128>(middle) * middle * middle <= value) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return static_cast<std::uint32_t>(low);
}

Congestion::Congestion(const TcpConfig& config)
    : kind_(config.congestion), use_hystart_(config.hystart), tick_rate_(config.tick_rate) {}

std::uint32_t Congestion::slow_start(CongestionState& s, std::uint32_t acked) {
    const std::uint32_t cwnd = std::min(s.cwnd + acked, s.ssthresh);
    acked -= cwnd - s.cwnd;
    s.cwnd = cwnd;
    return acked;
}

void Congestion::additive_increase(CongestionState& s, std::uint32_t interval,
                                   std::uint32_t acked) {
    // Credit from before the interval shrank is worth one segment at most.
    if (s.cwnd_count >= interval) {
        s.cwnd_count = 0;
        ++s.cwnd;
    }
    s.cwnd_count += acked;
    if (s.cwnd_count >= interval) {
        const std::uint32_t gained = s.cwnd_count / interval;
        s.cwnd_count -= gained * interval;
        s.cwnd += gained;
    }
}

void Congestion::grow(CongestionState& s, std::uint32_t acked, std::uint64_t now_us) {
    if (s.in_slow_start()) {
        acked = slow_start(s, acked);
        if (acked == 0) return;
    }
    if (kind_ == CongestionControl::reno) {
        additive_increase(s, s.cwnd, acked);
        return;
    }
    update_interval(s.cwnd, acked, now_us);
    additive_increase(s, count_, acked);
}

void Congestion::update_interval(std::uint32_t cwnd, std::uint32_t acked, std::uint64_t now_us) {
    const std::uint64_t tick = ticks(now_us) + 1;  // 0 means none
    ack_count_ += acked;
    if (last_cwnd_ == cwnd && tick - last_tick_ <= tick_rate_ / 32) return;
    if (epoch_start_ != 0 && tick == last_tick_) {  // the curve moves once per tick at most
        friendliness(cwnd);
        return;
    }
    last_cwnd_ = cwnd;
    last_tick_ = tick;
    if (epoch_start_ == 0) {
        epoch_start_ = tick;
        ack_count_ = acked;
        reno_cwnd_ = cwnd;
        k_ = 0;
        origin_ = cwnd;
        if (last_max_cwnd_ > cwnd) {
            constexpr std::uint64_t factor = (std::uint64_t{1} << (10 + 3 * time_bits)) / rtt_scale;
            k_ = cube_root(factor * (last_max_cwnd_ - cwnd));
            origin_ = last_max_cwnd_;
        }
    }
    // The window one RTT from now decides.
    const std::uint64_t t =
        ((tick - epoch_start_ + ticks(delay_min_us_)) << time_bits) / tick_rate_;
    const std::uint64_t distance = t < k_ ? k_ - t : t - k_;
    const std::uint64_t delta =
        (rtt_scale * distance * distance * distance) >> (10 + 3 * time_bits);
    const std::uint64_t target = t < k_ ? (delta < origin_ ? origin_ - delta : 0) : origin_ + delta;
    count_ = target > cwnd ? static_cast<std::uint32_t>(cwnd / (target - cwnd)) : 100 * cwnd;
    if (last_max_cwnd_ == 0 && count_ > first_epoch_max_count) count_ = first_epoch_max_count;
    friendliness(cwnd);
}

void Congestion::friendliness(std::uint32_t cwnd) {
    const std::uint32_t per_segment = std::max((cwnd * friendly_scale) >> 3, 1U);
    reno_cwnd_ += ack_count_ / per_segment;
    ack_count_ %= per_segment;
    if (reno_cwnd_ > cwnd) count_ = std::min(count_, cwnd / (reno_cwnd_ - cwnd));
    count_ = std::max(count_, 2U);  // at most one segment per two acknowledged
}

void Congestion::rtt_sample(CongestionState& s, std::uint64_t rtt_us, std::uint64_t now_us) {
    if (kind_ != CongestionControl::cubic) return;
    // Samples soon after a loss still contain its queue.
    if (epoch_start_ != 0 && ticks(now_us) + 1 - epoch_start_ < tick_rate_) return;
    const std::uint64_t delay = std::max<std::uint64_t>(rtt_us, 1);
    if (delay_min_us_ == 0 || delay < delay_min_us_) delay_min_us_ = delay;
    if (use_hystart_ && !found_ && s.in_slow_start() && s.cwnd >= hystart_low_window) {
        hystart(s, delay, now_us);
    }
}

void Congestion::hystart_reset(const CongestionState& s, std::uint64_t now_us) {
    round_start_us_ = last_ack_us_ = now_us;
    round_end_ = s.snd_nxt;
    current_rtt_us_ = ~std::uint64_t{0};
    samples_ = 0;
}

void Congestion::hystart(CongestionState& s, std::uint64_t delay_us, std::uint64_t now_us) {
    if (s.snd_una > round_end_) hystart_reset(s, now_us);
    // A train of acknowledgements as long as the path holds means that the path is full.
    if (now_us - last_ack_us_ <= hystart_train_us) {
        last_ack_us_ = now_us;
        const std::uint64_t slack =
            s.pacing_rate == 0
                ? 0
                : std::min<std::uint64_t>(1000, s.gso_max_bytes * 4 * 1'000'000U / s.pacing_rate);
        std::uint64_t threshold = delay_min_us_ + slack;
        if (!s.paced) threshold >>= 1;
        if (now_us - round_start_us_ > threshold) found_ = true;
    }
    // So does an RTT well above the least.
    current_rtt_us_ = std::min(current_rtt_us_, delay_us);
    if (samples_ < hystart_min_samples) {
        ++samples_;
    } else if (current_rtt_us_ >
               delay_min_us_ +
                   std::clamp(delay_min_us_ >> 3, hystart_delay_min_us, hystart_delay_max_us)) {
        found_ = true;
    }
    if (found_) s.ssthresh = s.cwnd;
}

std::uint32_t Congestion::loss(const CongestionState& s) {
    if (kind_ == CongestionControl::reno) return std::max(s.cwnd / 2, 2U);
    epoch_start_ = 0;
    // Fast convergence: a flow that shrinks leaves room for others.
    last_max_cwnd_ =
        s.cwnd < last_max_cwnd_ ? s.cwnd * (beta_scale + beta) / (2 * beta_scale) : s.cwnd;
    return std::max(s.cwnd * beta / beta_scale, 2U);
}

void Congestion::timeout(const CongestionState& s, std::uint64_t now_us) {
    count_ = last_max_cwnd_ = last_cwnd_ = origin_ = ack_count_ = reno_cwnd_ = 0;
    last_tick_ = k_ = epoch_start_ = delay_min_us_ = 0;
    found_ = false;
    hystart_reset(s, now_us);
}

void Congestion::restart(std::uint64_t idle_us, std::uint64_t now_us) {
    if (epoch_start_ == 0) return;
    epoch_start_ = std::min(epoch_start_ + ticks(idle_us), ticks(now_us) + 1);
}

}  // namespace nicsim::host
