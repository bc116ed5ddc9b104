// SPDX-License-Identifier: Apache-2.0
// Takes packets from one discipline to the driver: direct transmission, quota, bulk dequeue with
// the more-packets hint, and what happens when a transmit queue is stopped meanwhile. Follows
// Linux' generic scheduler (net/sched/sch_generic.c, net/core/dev.c).
#pragma once

#include <cstdint>
#include <vector>

#include "host_driver/core.h"
#include "host_driver/qdisc.h"
#include "host_driver/sk_buff.h"
#include "sim/ring_queue.h"
#include "sim/stat.h"

namespace nicsim::host {

class NetDevice;

class QdiscRun {
public:
    /// `queue`: the one transmit queue that the discipline serves, or Qdisc::whole_device.
    QdiscRun(NetDevice& device, Qdisc& qdisc, unsigned queue);

    /// Enqueues (or bypasses) and runs. False if the packet was dropped.
    bool xmit(Core& core, SkbPtr skb);
    /// Enqueues only.
    bool enqueue(Core& core, SkbPtr skb);
    /// Hands on what may go, up to the quota, then leaves the rest to a softirq.
    void run(Core& core);
    /// Runs in the NET_TX softirq of `core`.
    void schedule(Core& core) { core.raise_softirq(job_); }

    [[nodiscard]] Qdisc& qdisc() { return qdisc_; }
    [[nodiscard]] std::uint64_t bytes_waiting() const;
    [[nodiscard]] std::uint64_t packets_waiting() const;
    void register_stats(sim::StatGroup& group);

private:
    static constexpr unsigned weight = 64;           ///< dev_weight_tx
    static constexpr unsigned mixed_bulk_limit = 8;  ///< disciplines that serve several queues

    bool restart(Core& core);
    void fetch_more_for_one_queue(Core& core);
    void fetch_more_of_same_queue(Core& core);
    bool transmit(Core& core);
    void requeue_from(std::size_t index);
    void segment_if_needed(Core& core);

    NetDevice& device_;
    Qdisc& qdisc_;
    unsigned queue_;
    Job job_;
    bool running_ = false;
    bool bulk_validated_ = false;
    std::vector<SkbPtr> bulk_;         ///< what is being handed to the driver
    std::vector<SkbPtr> segments_;     ///< scratch
    sim::RingQueue<SkbPtr> requeued_;  ///< went to a stopped queue; next to go (gso_skb)
    SkbPtr other_queue_;               ///< broke a bulk (skb_bad_txq)
    std::uint64_t requeues_ = 0;
    std::uint64_t busy_ = 0;
    std::uint64_t bulks_ = 0;
    std::uint64_t quota_exceeded_ = 0;
};

}  // namespace nicsim::host
