// SPDX-License-Identifier: Apache-2.0
// A time-triggered talker: one UDP packet per period, handed to the stack a lead time before its
// launch time, which travels with the skb (SO_TXTIME) in nanoseconds of the device's clock. The
// payload carries a counter and the launch time, so that the far end can judge the frame.
#pragma once

#include <cstdint>
#include <string>

#include "host_driver/core.h"
#include "host_driver/host_memory.h"
#include "host_driver/net/ip_stack.h"
#include "host_driver/net/payload_pattern.h"
#include "sim/histogram.h"
#include "sim/param.h"
#include "sim/stat.h"

namespace nicsim::host {

struct EtfTalkerConfig {
    std::uint64_t packet_bytes = 1500;   ///< IP packet
    std::uint64_t period = 125'000'000;  ///< ps
    std::uint64_t offset = 0;            ///< ps, of the launch times in the period
    std::uint64_t lead = 1'000'000'000;  ///< ps from hand-over to launch
    std::uint64_t priority = 3;          ///< SO_PRIORITY, selects the traffic class
    std::uint64_t port = 7788;
    std::uint64_t local_port = 51'000;
    std::uint64_t start = 0;    ///< ps
    std::uint64_t stop = 0;     ///< ps; 0 never
    std::uint64_t packets = 0;  ///< to send; 0 no limit
    static const sim::ParamTable& params();
    /// Empty, or "key: what is wrong and what is allowed" on a host with this MTU.
    [[nodiscard]] std::string check(std::uint64_t mtu) const;
};

class EtfTalker final : public Task, public SkbOwner {
public:
    EtfTalker(std::string name, const EtfTalkerConfig& config, IpStack& stack, Core& core);
    ~EtfTalker() override { disown_skbs(*this); }
    EtfTalker(const EtfTalker&) = delete;
    EtfTalker& operator=(const EtfTalker&) = delete;

    /// The first launch time is the first of its raster at or after start + lead.
    void start();
    bool step(Core& core) override;
    void skb_freed(SkBuff& skb) override;
    void register_stats(sim::StatGroup& group);

    [[nodiscard]] std::uint64_t sent() const { return sent_; }
    [[nodiscard]] std::uint64_t late() const { return late_; }
    [[nodiscard]] const std::string& name() const { return name_; }

private:
    void send_one(Core& core);
    void on_timer(Core& core);
    void arm();

    std::string name_;
    EtfTalkerConfig config_;
    IpStack& stack_;
    Core& core_;
    PayloadPattern pattern_;
    HostMemory::Slab buffers_;
    FlowAddress flow_;
    std::uint16_t ip_id_ = 1;
    bool checksum_offload_ = true;
    std::uint32_t hash_ = 0;
    std::uint64_t dropped_ = 0;  ///< refused by the queue discipline
    std::uint64_t in_host_ = 0;
    std::uint64_t sent_ = 0;
    std::uint64_t late_ = 0;
    sim::Ps next_launch_ = 0;
    sim::Histogram slack_;  ///< launch time minus the moment of hand-over
    Timer timer_;
};

}  // namespace nicsim::host
