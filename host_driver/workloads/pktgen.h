// SPDX-License-Identifier: Apache-2.0
// A packet generator in the manner of Linux' pktgen: a kernel thread that calls the driver
// directly, one packet a call or a burst with the more-packets hint, past every queue discipline.
// It honours a queue that the driver stopped and ignores byte queue limits. A packet is a UDP
// datagram without checksum; `clone_skb` packets share one buffer, as `clone_skb` says in pktgen.
// Where pktgen spins while the queue is stopped, the thread stands still until the driver frees a
// packet and then goes on without the cost of a wake-up: packets come as they do from a thread that
// spins, the core's time counts as idle, and the simulation does not wake up to spin.
// The loop's own time has no operation of its own; it is part of the cost of `xmit_packet`.
#pragma once

#include <cstdint>
#include <string>

#include "host_driver/core.h"
#include "host_driver/host_memory.h"
#include "host_driver/net/ip_stack.h"
#include "sim/activity.h"
#include "sim/param.h"
#include "sim/stat.h"

namespace nicsim::host {

struct PktgenConfig {
    std::uint64_t packet_bytes = 60;  ///< frame without FCS
    std::uint64_t clone_skb = 0;
    std::uint64_t burst = 1;
    std::uint64_t queue = 0;
    std::uint64_t outstanding = 0;  ///< packets not yet freed; 0 no limit but the ring
    std::uint64_t packets = 0;      ///< to send; 0 no limit
    std::uint64_t start = 0;        ///< ps
    std::uint64_t port = 9;
    static const sim::ParamTable& params();
    /// Empty, or "key: what is wrong" on an interface with this MTU.
    [[nodiscard]] std::string check(std::uint64_t mtu) const;
};

class Pktgen final : public Task, public SkbOwner {
public:
    Pktgen(std::string name, const PktgenConfig& config, IpStack& stack, Core& core);

    /// Begins at config.start (or at once if that has passed).
    void start();
    bool step(Core& core) override;
    void skb_freed(SkBuff& skb) override;
    void register_stats(sim::StatGroup& group);

    [[nodiscard]] std::uint64_t sent() const { return sent_; }
    [[nodiscard]] std::uint64_t freed() const { return freed_; }
    [[nodiscard]] const std::string& name() const { return name_; }

private:
    void on_start(Core& core);
    [[nodiscard]] bool may_send(std::uint64_t sent) const;
    void prepare_buffer(Core& core);
    bool send_one(Core& core, bool more);
    bool send_burst(Core& core, const TxQueue& queue);

    std::string name_;
    PktgenConfig config_;
    IpStack& stack_;
    Core& core_;
    std::uint64_t buffer_bytes_;
    HostMemory::Slab buffers_;
    FlowAddress flow_;
    std::uint64_t buffer_ = 0;     ///< of the packets being sent
    std::uint64_t uses_left_ = 0;  ///< of `buffer_`
    std::uint64_t sent_ = 0;
    std::uint64_t freed_ = 0;
    std::uint64_t busy_ = 0;
    std::uint64_t queue_stops_ = 0;
    bool waiting_ = false;   ///< for a packet to be freed
    bool spinning_ = false;  ///< meanwhile
    Timer start_timer_;
    sim::Activity activity_;
};

}  // namespace nicsim::host
