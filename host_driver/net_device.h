// SPDX-License-Identifier: Apache-2.0
// A network interface between the stack and a driver: transmit queues with their stop state and
// byte queue limits, the root queue discipline, and the receive path.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host_driver/bql.h"
#include "host_driver/core.h"
#include "host_driver/sk_buff.h"
#include "sim/stat.h"

namespace nicsim::host {

class Qdisc;

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
};

/// Where received packets go (the IP layer). The frame's bytes are in host memory at `address`.
class PacketHandler {
public:
    virtual ~PacketHandler() = default;
    virtual void receive(Core& core, const std::uint8_t* bytes, std::uint32_t length) = 0;
};

struct TxQueue {
    bool stopped_by_driver = false;  ///< netif_tx_stop_queue
    Bql bql;                         ///< stops the queue as well while its limit is exceeded
    std::uint64_t stops = 0;
    std::uint64_t wakes = 0;
    [[nodiscard]] bool frozen_or_stopped() const { return stopped_by_driver || bql.stopped(); }
};

class NetDevice {
public:
    NetDevice(std::string name, NetDriver& driver);
    ~NetDevice();

    // ---- the stack's side ----
    /// dev_queue_xmit: classify, enqueue, run the discipline. Charges `core`.
    void queue_xmit(Core& core, SkbPtr skb);
    /// Bytes and packets waiting in the disciplines.
    [[nodiscard]] std::uint64_t backlog_bytes() const;
    [[nodiscard]] NetDriver::Features features() const { return driver_.features(); }
    void set_qdisc(std::unique_ptr<Qdisc> root);
    [[nodiscard]] Qdisc& qdisc() { return *root_; }
    void set_handler(PacketHandler* handler) { handler_ = handler; }

    // ---- the driver's side ----
    [[nodiscard]] TxQueue& queue(unsigned q) { return queues_[q]; }
    void stop_queue(unsigned q);
    /// Lets the queue run again and schedules the discipline (NET_TX softirq) on `core`.
    void wake_queue(Core& core, unsigned q);
    /// netdev_tx_sent_queue / netdev_tx_completed_queue
    void bql_sent(unsigned q, std::uint32_t bytes);
    void bql_completed(Core& core, unsigned q, std::uint32_t packets, std::uint32_t bytes);
    void receive(Core& core, const std::uint8_t* bytes, std::uint32_t length) {
        if (handler_ != nullptr) handler_->receive(core, bytes, length);
    }
    [[nodiscard]] NetDriver& driver() { return driver_; }
    [[nodiscard]] const std::string& name() const { return name_; }
    void register_stats(sim::StatGroup& group);

private:
    std::string name_;
    NetDriver& driver_;
    std::vector<TxQueue> queues_;
    std::unique_ptr<Qdisc> root_;
    PacketHandler* handler_ = nullptr;
};

}  // namespace nicsim::host
