// SPDX-License-Identifier: Apache-2.0
// A network interface between the stack and a driver: transmit queues with their stop state and
// byte queue limits, the root queue discipline, and the receive path.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host_driver/bql.h"
#include "host_driver/core.h"
#include "host_driver/gso.h"
#include "host_driver/qdisc.h"
#include "host_driver/qdisc_run.h"
#include "host_driver/sk_buff.h"
#include "sim/histogram.h"
#include "sim/stat.h"

namespace nicsim::host {

class HostMemory;

/// Credit-based shaper settings as `tc qdisc ... cbs` states them.
struct CbsSettings {
    std::int64_t idleslope_kbit = 0;
    std::int64_t sendslope_kbit = 0;
    std::int64_t hicredit = 0;  ///< bytes
    std::int64_t locredit = 0;  ///< bytes
};

/// A driver as the stack sees it (net_device_ops).
class NetDriver {
public:
    virtual ~NetDriver() = default;
    /// ndo_start_xmit: called with the queue running. `more`: another packet for this queue follows
    /// at once. A driver without room answers false (NETDEV_TX_BUSY) and the packet stays queued.
    virtual bool start_xmit(Core& core, const SkbPtr& skb, unsigned queue, bool more) = 0;
    [[nodiscard]] virtual unsigned tx_queues() const = 0;
    /// What the device can do for the stack; bounds skb sizes.
    struct Features {
        bool tso = false;
        bool checksum = false;
        std::uint32_t gso_max_bytes = 65536;
        std::uint32_t gso_max_segments = 65535;
    };
    [[nodiscard]] virtual Features features() const = 0;
    [[nodiscard]] virtual std::uint64_t link_bits_per_second() const = 0;

    /// ndo_setup_tc. An error or an empty string.
    virtual std::string setup_etf(Core& core, unsigned queue, bool enable);
    virtual std::string setup_cbs(Core& core, unsigned queue, const CbsSettings* settings);
};

/// Where received packets go (the IP layer). The frame's bytes are in host memory and are given
/// back to the driver when the call returns.
class PacketHandler {
public:
    virtual ~PacketHandler() = default;
    virtual void receive(Core& core, const std::uint8_t* bytes, std::uint32_t length) = 0;
};

/// Takes received packets in place of the IP layer (rx_handler): a bridge port. The packet's buffer
/// moves with it and goes back to the driver when the skb is freed.
class RxHandler {
public:
    virtual ~RxHandler() = default;
    virtual void receive(Core& core, SkbPtr skb) = 0;
    /// The poll that handed up these packets has no more (gro_normal_list).
    virtual void receive_end(Core& core) { (void)core; }
};

struct TxQueue {
    bool stopped_by_driver = false;  ///< netif_tx_stop_queue
    Bql bql;                         ///< stops the queue as well while its limit is exceeded
    std::uint64_t stops = 0;         ///< by the driver
    std::uint64_t wakes = 0;
    std::uint64_t bql_stops = 0;
    std::uint64_t packets = 0;  ///< completed
    std::uint64_t bytes = 0;
    sim::Histogram bql_limit;  ///< at each completion
    [[nodiscard]] bool frozen_or_stopped() const { return stopped_by_driver || bql.stopped(); }
};

/// The transmit queues of one traffic class.
struct TrafficClass {
    unsigned count = 0;
    unsigned offset = 0;
};
constexpr unsigned priorities = 16;

class NetDevice {
public:
    /// Starts with the kernel's default discipline: mq with a pfifo_fast per queue, or one
    /// pfifo_fast if there is one queue. `memory` holds the headers of segments cut in software.
    NetDevice(std::string name, NetDriver& driver, HostMemory& memory);
    ~NetDevice();

    // ---- the stack's side ----
    /// dev_queue_xmit: classify, enqueue, run the discipline. Charges `core`. False if dropped.
    bool queue_xmit(Core& core, SkbPtr skb);
    /// The same for several in a row: all are enqueued before the disciplines run, which so get to
    /// take them in bulk. The number taken; the list is empty afterwards.
    std::size_t queue_xmit_list(Core& core, std::vector<SkbPtr>& list);
    /// Bytes and packets waiting in the disciplines.
    [[nodiscard]] std::uint64_t backlog_bytes() const;
    [[nodiscard]] std::uint64_t backlog_packets() const;
    [[nodiscard]] NetDriver::Features features() const { return driver_.features(); }
    void set_handler(PacketHandler* handler) { handler_ = handler; }
    void set_rx_handler(RxHandler* handler) { rx_handler_ = handler; }
    /// Largest packet above the Ethernet header; a driver looks at it when the interface opens.
    [[nodiscard]] std::uint32_t mtu() const { return mtu_; }
    void set_mtu(std::uint32_t bytes) { mtu_ = bytes; }

    /// Replaces the root discipline (tc qdisc replace ... root), or puts one under a queue of it
    /// (tc qdisc replace ... parent 100:<queue + 1>). Returns an error or an empty string.
    std::string set_qdisc(Core& core, std::unique_ptr<Qdisc> root);
    std::string graft(Core& core, unsigned queue, std::unique_ptr<Qdisc> child);
    [[nodiscard]] Qdisc& qdisc() { return *root_; }
    /// Priority to traffic class, and the queues of each class; without classes all queues serve.
    void set_traffic_classes(const std::array<std::uint8_t, priorities>& class_of_priority,
                             std::vector<TrafficClass> classes);
    [[nodiscard]] unsigned traffic_class_of(std::uint32_t priority) const {
        return classes_.empty() ? 0 : class_of_priority_[priority & (priorities - 1)];
    }
    [[nodiscard]] unsigned traffic_classes() const {
        return static_cast<unsigned>(classes_.size());
    }
    [[nodiscard]] unsigned pick_queue(const SkBuff& skb) const;

    // ---- the driver's side ----
    [[nodiscard]] TxQueue& queue(unsigned q) { return queues_[q]; }
    [[nodiscard]] unsigned tx_queues() const { return static_cast<unsigned>(queues_.size()); }
    void stop_queue(unsigned q);
    /// The driver found room before it returned: running again, nothing to schedule.
    void restart_queue(unsigned q);
    /// Lets the queue run again and schedules the discipline (NET_TX softirq) on `core`.
    void wake_queue(Core& core, unsigned q);
    /// netdev_tx_sent_queue / netdev_tx_completed_queue / netdev_tx_reset_queue
    void bql_sent(unsigned q, std::uint32_t bytes);
    /// __netdev_tx_sent_queue: `more` packets follow at once. True if the doorbell is due now.
    bool bql_sent(unsigned q, std::uint32_t bytes, bool more);
    void bql_completed(Core& core, unsigned q, std::uint32_t packets, std::uint32_t bytes);
    void bql_reset(unsigned q) { queues_[q].bql.reset(); }
    /// Byte queue limits can be turned off for drivers that do not use them.
    void use_bql(bool on) { use_bql_ = on; }
    void receive(Core& core, const std::uint8_t* bytes, std::uint32_t length) {
        ++received_packets_;
        received_bytes_ += length;
        if (handler_ != nullptr) handler_->receive(core, bytes, length);
    }
    /// Whether received packets are to come as skbs that own their buffers: the driver then puts
    /// another buffer into its ring.
    [[nodiscard]] bool takes_skbs() const { return rx_handler_ != nullptr; }
    void receive(Core& core, SkbPtr skb) {
        ++received_packets_;
        received_bytes_ += skb->length;
        rx_handler_->receive(core, std::move(skb));
    }
    /// A driver calls this when a poll has handed up all it has.
    void receive_end(Core& core) {
        if (rx_handler_ != nullptr) rx_handler_->receive_end(core);
    }
    [[nodiscard]] bool carrier() const { return carrier_; }
    void set_carrier(bool on) { carrier_ = on; }
    [[nodiscard]] NetDriver& driver() { return driver_; }
    [[nodiscard]] GsoCutter& gso() { return gso_; }
    [[nodiscard]] const std::string& name() const { return name_; }
    void register_stats(sim::StatGroup& group);

private:
    friend class QdiscRun;
    void make_runs();

    std::string name_;
    NetDriver& driver_;
    GsoCutter gso_;
    std::vector<TxQueue> queues_;
    std::unique_ptr<Qdisc> root_;
    std::vector<std::unique_ptr<QdiscRun>> runs_;
    std::vector<QdiscRun*> run_of_queue_;
    // A discipline that was replaced may still be named by a pending softirq or timer.
    std::vector<std::unique_ptr<Qdisc>> retired_;
    std::vector<std::unique_ptr<QdiscRun>> retired_runs_;
    std::array<std::uint8_t, priorities> class_of_priority_{};
    std::vector<TrafficClass> classes_;
    PacketHandler* handler_ = nullptr;
    RxHandler* rx_handler_ = nullptr;
    bool carrier_ = true;
    bool use_bql_ = true;
    std::uint32_t mtu_ = 1500;
    std::uint64_t sent_packets_ = 0;
    std::uint64_t dropped_packets_ = 0;
    std::uint64_t received_packets_ = 0;
    std::uint64_t received_bytes_ = 0;
};

}  // namespace nicsim::host
