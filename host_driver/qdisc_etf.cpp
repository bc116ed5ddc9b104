// SPDX-License-Identifier: Apache-2.0
#include "host_driver/qdisc_etf.h"

#include <algorithm>
#include <utility>

#include "host_driver/net_device.h"

namespace nicsim::host {

const sim::ParamTable& EtfConfig::params() {
    static const sim::ParamTable table =
        sim::ParamTableBuilder<EtfConfig>()
            .add("delta", &EtfConfig::delta,
                 {.unit = sim::Unit::time,
                  .max = 1e12,
                  .sentence = "How long before its launch time a packet is handed to the driver.",
                  .source = sim::assumed("a setting of the user's: tc ... etf delta")})
            .add("offload", &EtfConfig::offload,
                 {.sentence = "The device keeps the launch time (LaunchTime of the I210).",
                  .source = sim::assumed("a setting of the user's: tc ... etf offload")})
            .add("deadline_mode", &EtfConfig::deadline_mode,
                 {.sentence = "Launch times are deadlines: packets go as soon as possible, in "
                              "their order.",
                  .source = sim::assumed("a setting of the user's: tc ... etf deadline_mode")})
            .add("limit", &EtfConfig::limit,
                 {.min = 1,
                  .max = 1e6,
                  .sentence = "Packets that may wait.",
                  .source = sim::assumed("Linux' etf has no limit but the sockets'; this guards "
                                         "against runaway scenarios")})
            .build();
    return table;
}

std::string EtfQdisc::attach(Core& core, NetDevice& device, unsigned queue) {
    if (!config_.offload) return {};
    if (queue == whole_device && device.tx_queues() > 1)
        return "etf with offload belongs under one transmit queue, not at the root";
    return device.driver().setup_etf(core, queue == whole_device ? 0 : queue, true);
}

bool EtfQdisc::enqueue(Core& core, SkbPtr skb) {
    const sim::Ps t = skb->transmit_time;
    if (t == 0 || t < core.local_time() || t < last_ || packets_by_time_.size() >= config_.limit) {
        ++invalid_;
        return drop();
    }
    count_in(*skb);
    // Behind those with the same time.
    const auto place = std::lower_bound(
        packets_by_time_.begin(), packets_by_time_.end(), t,
        [](const SkbPtr& other, sim::Ps time) { return other->transmit_time > time; });
    packets_by_time_.insert(place, std::move(skb));
    set_watchdog(core);
    return true;
}

const SkBuff* EtfQdisc::peek() const {
    return packets_by_time_.empty() ? nullptr : packets_by_time_.back().get();
}

void EtfQdisc::remove_head() {
    last_ = packets_by_time_.back()->transmit_time;
    packets_by_time_.pop_back();
}

SkbPtr EtfQdisc::dequeue(Core& core) {
    const sim::Ps t = core.local_time();
    SkbPtr result;
    if (packets_by_time_.empty()) return result;
    if (packets_by_time_.back()->transmit_time < t) {
        while (!packets_by_time_.empty() && packets_by_time_.back()->transmit_time < t) {
            --packets_;
            bytes_ -= packets_by_time_.back()->length;
            ++late_;
            drop();
            packets_by_time_.pop_back();
        }
    } else if (config_.deadline_mode ||
               t + config_.delta > packets_by_time_.back()->transmit_time) {
        result = packets_by_time_.back();
        count_out(*result);
        remove_head();
        if (config_.deadline_mode) result->transmit_time = t;
    }
    set_watchdog(core);
    return result;
}

/// Wakes the run when the head may go, which is strictly after its launch time minus delta.
void EtfQdisc::set_watchdog(Core& core) {
    if (packets_by_time_.empty()) {
        if (watchdog_) watchdog_->cancel();
        return;
    }
    if (!watchdog_) watchdog_.emplace(core, Job::Action::to<&EtfQdisc::on_timer>(this));
    const sim::Ps due = packets_by_time_.back()->transmit_time;
    watchdog_->at(due > config_.delta ? due - config_.delta + 1 : 0);
}

void EtfQdisc::on_timer(Core& core) {
    if (run_ != nullptr) run_->schedule(core);
}

void EtfQdisc::register_stats(sim::StatGroup& group) {
    Qdisc::register_stats(group);
    group.counter("late", "packets", "Packets dropped because they came to be late.", late_);
    group.counter("invalid", "packets", "Packets refused for their launch time.", invalid_);
}

}  // namespace nicsim::host
