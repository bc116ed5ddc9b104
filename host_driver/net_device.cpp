// SPDX-License-Identifier: Apache-2.0
#include "host_driver/net_device.h"

#include <stdexcept>
#include <utility>

#include "host_driver/qdisc_fifo.h"
#include "host_driver/qdisc_mq.h"

namespace nicsim::host {

std::string NetDriver::setup_etf(Core& core, unsigned queue, bool enable) {
    (void)core;
    (void)queue;
    (void)enable;
    return "the driver cannot offload etf";
}

std::string NetDriver::setup_cbs(Core& core, unsigned queue, const CbsSettings* settings) {
    (void)core;
    (void)queue;
    (void)settings;
    return "the driver cannot offload cbs";
}

NetDevice::NetDevice(std::string name, NetDriver& driver, HostMemory& memory)
    : name_(std::move(name)), driver_(driver), gso_(memory), queues_(driver.tx_queues()) {
    if (queues_.size() > 1) {
        root_ = std::make_unique<MqQdisc>(tx_queues());
    } else {
        root_ = std::make_unique<PfifoFastQdisc>();
    }
    make_runs();
}

NetDevice::~NetDevice() = default;

void NetDevice::make_runs() {
    for (auto& run : runs_) retired_runs_.push_back(std::move(run));
    runs_.clear();
    run_of_queue_.assign(queues_.size(), nullptr);
    if (root_->spreads()) {
        for (unsigned q = 0; q < queues_.size(); ++q) {
            runs_.push_back(std::make_unique<QdiscRun>(*this, root_->serving(q), q));
            run_of_queue_[q] = runs_.back().get();
        }
        return;
    }
    const unsigned queue = queues_.size() == 1 ? 0 : Qdisc::whole_device;
    runs_.push_back(std::make_unique<QdiscRun>(*this, *root_, queue));
    for (QdiscRun*& run : run_of_queue_) run = runs_.back().get();
}

std::string NetDevice::set_qdisc(Core& core, std::unique_ptr<Qdisc> root) {
    classes_.clear();
    std::string error = root->attach(core, *this, Qdisc::whole_device);
    if (!error.empty()) return error;
    retired_.push_back(std::exchange(root_, std::move(root)));
    make_runs();
    return {};
}

std::string NetDevice::graft(Core& core, unsigned queue, std::unique_ptr<Qdisc> child) {
    if (queue >= queues_.size())
        return "the device has no transmit queue " + std::to_string(queue) + " (it has " +
               std::to_string(queues_.size()) + ")";
    Qdisc& added = *child;
    std::string error = root_->graft(queue, std::move(child));
    if (!error.empty()) return error;
    error = added.attach(core, *this, queue);
    make_runs();
    return error;
}

void NetDevice::set_traffic_classes(const std::array<std::uint8_t, priorities>& class_of_priority,
                                    std::vector<TrafficClass> classes) {
    class_of_priority_ = class_of_priority;
    classes_ = std::move(classes);
}

unsigned NetDevice::pick_queue(const SkBuff& skb) const {
    TrafficClass range{tx_queues(), 0};
    if (!classes_.empty()) range = classes_[traffic_class_of(skb.priority)];
    if (range.count <= 1) return range.offset;
    if (skb.rx_queue != 0) return range.offset + (skb.rx_queue - 1) % range.count;
    return range.offset + static_cast<unsigned>((std::uint64_t{skb.hash} * range.count) >> 32);
}

bool NetDevice::queue_xmit(Core& core, SkbPtr skb) {
    if (!carrier_) {
        ++dropped_packets_;
        return false;
    }
    core.disable_bottom_halves();
    skb->queue = pick_queue(*skb);
    QdiscRun& run = *run_of_queue_[skb->queue];
    const bool taken = run.xmit(core, std::move(skb));
    core.enable_bottom_halves();
    return taken;
}

std::size_t NetDevice::queue_xmit_list(Core& core, std::vector<SkbPtr>& list) {
    if (list.size() == 1) {
        const bool taken = queue_xmit(core, std::move(list.front()));
        list.clear();
        return taken ? 1 : 0;
    }
    if (!carrier_) {
        dropped_packets_ += list.size();
        list.clear();
        return 0;
    }
    std::size_t taken = 0;
    core.disable_bottom_halves();
    for (SkbPtr& skb : list) {
        skb->queue = pick_queue(*skb);
        QdiscRun& run = *run_of_queue_[skb->queue];
        if (run.enqueue(core, std::move(skb))) ++taken;
    }
    list.clear();
    for (const auto& run : runs_)
        if (run->packets_waiting() != 0) run->run(core);
    core.enable_bottom_halves();
    return taken;
}

std::uint64_t NetDevice::backlog_bytes() const {
    std::uint64_t bytes = 0;
    for (const auto& run : runs_) bytes += run->bytes_waiting();
    return bytes;
}

std::uint64_t NetDevice::backlog_packets() const {
    std::uint64_t packets = 0;
    for (const auto& run : runs_) packets += run->packets_waiting();
    return packets;
}

void NetDevice::stop_queue(unsigned q) {
    TxQueue& tx = queues_[q];
    if (tx.stopped_by_driver) return;
    tx.stopped_by_driver = true;
    ++tx.stops;
}

void NetDevice::restart_queue(unsigned q) {
    TxQueue& tx = queues_[q];
    if (!tx.stopped_by_driver) return;
    tx.stopped_by_driver = false;
    ++tx.wakes;
}

void NetDevice::wake_queue(Core& core, unsigned q) {
    if (!queues_[q].stopped_by_driver) return;
    restart_queue(q);
    run_of_queue_[q]->schedule(core);
}

void NetDevice::bql_sent(unsigned q, std::uint32_t bytes) {
    if (!use_bql_) return;
    TxQueue& tx = queues_[q];
    const bool was_stopped = tx.bql.stopped();
    tx.bql.sent(bytes);
    if (!was_stopped && tx.bql.stopped()) ++tx.bql_stops;
}

bool NetDevice::bql_sent(unsigned q, std::uint32_t bytes, bool more) {
    if (!more) {
        bql_sent(q, bytes);
        return true;
    }
    if (use_bql_) queues_[q].bql.queued(bytes);
    return queues_[q].stopped_by_driver;
}

void NetDevice::bql_completed(Core& core, unsigned q, std::uint32_t packets, std::uint32_t bytes) {
    TxQueue& tx = queues_[q];
    tx.packets += packets;
    tx.bytes += bytes;
    if (!use_bql_) return;
    const bool wake = tx.bql.completed(bytes, core.local_time());
    tx.bql_limit.record(tx.bql.limit());
    if (wake) run_of_queue_[q]->schedule(core);
}

void NetDevice::register_stats(sim::StatGroup& group) {
    group.counter("sent_packets", "packets", "Packets handed to the driver.", sent_packets_);
    group.loss("dropped_packets", "packets", "Packets dropped for want of a carrier.",
               dropped_packets_);
    group.counter("received_packets", "packets", "Packets received.", received_packets_);
    group.counter("received_bytes", "B", "Bytes received, without FCS.", received_bytes_);
    for (unsigned q = 0; q < queues_.size(); ++q) {
        TxQueue& tx = queues_[q];
        sim::StatGroup& g = group.group("tx_queue" + std::to_string(q));
        g.counter("packets", "packets", "Segments completed by the device.", tx.packets);
        g.counter("bytes", "B", "Bytes completed by the device.", tx.bytes);
        g.counter("stops", "times", "Times that the driver stopped the queue for lack of room.",
                  tx.stops);
        g.counter("wakes", "times", "Times that the driver let it run again.", tx.wakes);
        g.counter("bql_stops", "times", "Times that the byte queue limit stopped the queue.",
                  tx.bql_stops);
        g.distribution("bql_limit", "B", "The byte queue limit at each completion.", tx.bql_limit);
    }
    if (runs_.size() == 1) {
        runs_.front()->register_stats(group.group("qdisc"));
        return;
    }
    for (unsigned q = 0; q < runs_.size(); ++q)
        runs_[q]->register_stats(group.group("qdisc").group("queue" + std::to_string(q)));
}

}  // namespace nicsim::host
