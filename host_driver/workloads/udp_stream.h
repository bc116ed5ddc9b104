// SPDX-License-Identifier: Apache-2.0
// A UDP sender in the manner of `iperf3 -u -b RATE -l LENGTH`: blocking writes of one datagram
// each, throttled to a mean rate by a 1 ms timer, back-pressured by the socket's send buffer (the
// charge of every skb until the driver frees it). Nothing is dropped on this side of the queue
// discipline. The payload starts as iperf3's (seconds, microseconds, 64-bit counter).
#pragma once

#include <cstdint>
#include <string>

#include "host_driver/core.h"
#include "host_driver/host_memory.h"
#include "host_driver/net/ip_stack.h"
#include "host_driver/net/payload_pattern.h"
#include "sim/activity.h"
#include "sim/param.h"
#include "sim/stat.h"

namespace nicsim::host {

struct UdpStreamConfig {
    std::uint64_t datagram_bytes = 1448;         ///< UDP payload
    std::uint64_t rate = 1'000'000'000;          ///< bit/s of payload; 0 as fast as possible
    std::uint64_t pacing_timer = 1'000'000'000;  ///< ps
    std::uint64_t send_buffer = 212'992;         ///< bytes of skb charges
    std::uint64_t port = 5201;
    std::uint64_t local_port = 50'000;
    std::uint64_t priority = 0;
    std::uint64_t start = 0;      ///< ps
    std::uint64_t stop = 0;       ///< ps; 0 never
    std::uint64_t datagrams = 0;  ///< to send; 0 no limit
    static const sim::ParamTable& params();
    /// Empty, or "key: what is wrong and what is allowed" on a host with this MTU.
    [[nodiscard]] std::string check(std::uint64_t mtu) const;
};

class UdpStream final : public Task, public SkbOwner {
public:
    UdpStream(std::string name, const UdpStreamConfig& config, IpStack& stack, Core& core);
    ~UdpStream() override { disown_skbs(*this); }
    UdpStream(const UdpStream&) = delete;
    UdpStream& operator=(const UdpStream&) = delete;

    /// Begins at config.start (or at once if that has passed).
    void start();
    bool step(Core& core) override;
    void skb_freed(SkBuff& skb) override;
    void register_stats(sim::StatGroup& group);
    /// Linux' charge for a linear skb with `bytes` behind the L2 header (SKB_TRUESIZE).
    static std::uint32_t truesize(std::uint32_t bytes);

    [[nodiscard]] std::uint64_t sent() const { return sent_; }
    [[nodiscard]] std::uint64_t charged() const { return charged_; }
    [[nodiscard]] const std::string& name() const { return name_; }

private:
    [[nodiscard]] bool ahead_of_rate(sim::Ps t) const;
    void send_one(Core& core);
    void on_timer(Core& core);

    std::string name_;
    UdpStreamConfig config_;
    IpStack& stack_;
    Core& core_;
    PayloadPattern pattern_;
    HostMemory::Slab buffers_;
    FlowAddress flow_;
    std::uint32_t truesize_;
    std::uint16_t ip_id_ = 1;
    bool checksum_offload_ = true;
    std::uint32_t hash_ = 0;
    std::uint64_t dropped_ = 0;  ///< refused by the queue discipline
    bool waiting_for_space_ = false;
    std::uint64_t charged_ = 0;
    std::uint64_t sent_ = 0;
    std::uint64_t sent_bytes_ = 0;
    std::uint64_t space_waits_ = 0;
    std::uint64_t rate_waits_ = 0;
    sim::Ps started_ = sim::never;
    Timer timer_;
    sim::Activity activity_;
};

}  // namespace nicsim::host
