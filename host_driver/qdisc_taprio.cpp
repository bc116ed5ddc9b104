// SPDX-License-Identifier: Apache-2.0
#include "host_driver/qdisc_taprio.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "host_driver/qdisc_fifo.h"

namespace nicsim::host {

const sim::ParamTable& TaprioConfig::params() {
    static const sim::ParamTable table = [] {
        sim::ParamTableBuilder<TaprioConfig> builder;
        TrafficClassMap::declare(builder);
        const sim::Source user = sim::assumed("a setting of the user's: tc ... sched-entry");
        builder
            .add("gate_masks", &TaprioConfig::gate_masks,
                 {.min = 0,
                  .max = 4294967295.0,
                  .min_items = 1,
                  .max_items = 1024,
                  .sentence = "Traffic classes whose gate is open, one bit each, for each entry.",
                  .source = user})
            .add("intervals", &TaprioConfig::intervals,
                 {.unit = sim::Unit::time,
                  .min = 1000,
                  .min_items = 1,
                  .max_items = 1024,
                  .sentence = "Duration of each entry.",
                  .source = user})
            .add("base_time", &TaprioConfig::base_time,
                 {.unit = sim::Unit::time,
                  .sentence = "When the schedule starts; before, all gates are open.",
                  .source = sim::assumed("a setting of the user's: tc ... base-time")})
            .add("cycle_time", &TaprioConfig::cycle_time,
                 {.unit = sim::Unit::time,
                  .sentence = "Length of a cycle; 0 stands for the sum of the intervals.",
                  .source = sim::assumed("a setting of the user's: tc ... cycle-time")})
            .add("child_limit", &TaprioConfig::child_limit,
                 {.min = 1,
                  .max = 1e6,
                  .sentence = "Packets that may wait for each transmit queue.",
                  .source = sim::driver("net/sched/sch_taprio.c: children are pfifo with the "
                                        "device's tx_queue_len, 1000")})
            .add("stop_at_idle_child", &TaprioConfig::stop_at_idle_child,
                 {.sentence = "A child that shows a packet but does not yield it ends the look at "
                              "later queues.",
                  .source = sim::driver("net/sched/sch_taprio.c, taprio_dequeue: true before "
                                        "`continue with other TXQs if one dequeue() failed`")});
        return builder.build();
    }();
    return table;
}

TaprioQdisc::TaprioQdisc(const TaprioConfig& config, unsigned queues)
    : config_(config),
      cycle_(config.cycle_time != 0
                 ? config.cycle_time
                 : std::accumulate(config.intervals.begin(), config.intervals.end(), sim::Ps{0})) {
    for (unsigned q = 0; q < queues; ++q)
        children_.push_back(std::make_unique<PfifoQdisc>(FifoConfig{config.child_limit}));
}

std::string TaprioQdisc::attach(Core& core, NetDevice& device, unsigned queue) {
    (void)core;
    (void)queue;
    if (config_.gate_masks.size() != config_.intervals.size())
        return "taprio: gate_masks and intervals must have one number for each entry";
    std::string error = config_.apply(device);
    if (!error.empty()) return error;
    device_ = &device;
    ps_per_byte_ = sim::serialisation_time(1, device.driver().link_bits_per_second());
    return {};
}

std::string TaprioQdisc::graft(unsigned queue, std::unique_ptr<Qdisc> child) {
    child->set_run(run_);
    retired_.push_back(std::exchange(children_.at(queue), std::move(child)));
    return {};
}

void TaprioQdisc::set_run(QdiscRun* run) {
    run_ = run;
    for (auto& child : children_) child->set_run(run);
}

// ---------------------------------------------------------------- the schedule

TaprioQdisc::Position TaprioQdisc::position_at(sim::Ps t) const {
    if (t < config_.base_time) return {std::nullopt, 0, config_.base_time};
    const sim::Ps elapsed = (t - config_.base_time) % cycle_;
    const sim::Ps cycle_end = t - elapsed + cycle_;
    sim::Ps begin = t - elapsed;
    for (std::size_t i = 0; i < config_.intervals.size(); ++i) {
        // The last entry lasts until the cycle ends; a cycle may also cut entries off.
        const bool last = i + 1 == config_.intervals.size();
        const sim::Ps close = last ? cycle_end : std::min(begin + config_.intervals[i], cycle_end);
        if (t < close) return {i, begin, close};
        begin = close;
    }
    return {config_.intervals.size() - 1, begin, cycle_end};
}

/// Enters the entry of time `t` if it is another one than before; a new entry has a new budget.
void TaprioQdisc::advance(sim::Ps t) {
    if (current_.index && t < current_.close) return;
    current_ = position_at(t);
    if (current_.index)
        budget_ = static_cast<std::int64_t>(config_.intervals[*current_.index] / ps_per_byte_);
}

bool TaprioQdisc::fits_its_interval(const SkBuff& skb) const {
    const std::uint64_t tc = device_->traffic_class_of(skb.priority);
    const sim::Ps start = skb.transmit_time;
    if (start < config_.base_time) return false;
    const sim::Ps duration = duration_of(skb.wire_length());
    const Position p = position_at(start);
    return (config_.gate_masks[*p.index] >> tc & 1U) != 0 &&
           duration <= config_.intervals[*p.index] && p.begin < start && start + duration < p.close;
}

// ---------------------------------------------------------------- packets

bool TaprioQdisc::enqueue_one(Core& core, SkbPtr skb) {
    if (skb->transmit_time != 0 && !fits_its_interval(*skb)) {
        ++interval_drops_;
        return drop();
    }
    const std::uint32_t bytes = skb->length;
    Qdisc& child = *children_[skb->queue];
    if (!child.enqueue(core, std::move(skb))) return drop();
    ++packets_;
    bytes_ += bytes;
    return true;
}

bool TaprioQdisc::enqueue(Core& core, SkbPtr skb) {
    // A large packet might be longer than any interval, so it is cut whatever the device can do.
    if (!skb->is_gso()) return enqueue_one(core, std::move(skb));
    parts_.clear();
    device_->gso().cut(core, skb, parts_);
    segments_cut_ += parts_.size();
    bool any = false;
    for (SkbPtr& part : parts_) any = enqueue_one(core, std::move(part)) || any;
    parts_.clear();
    return any;
}

SkbPtr TaprioQdisc::take(Core& core, Qdisc& child) {
    const std::uint64_t bytes = child.bytes();
    const std::uint64_t packets = child.packets();
    SkbPtr skb = child.dequeue(core);
    // A child may also have dropped packets that came too late.
    packets_ -= packets - child.packets();
    bytes_ -= bytes - child.bytes();
    if (skb) ++sent_;
    return skb;
}

SkbPtr TaprioQdisc::dequeue(Core& core) {
    const sim::Ps t = core.local_time();
    advance(t);
    const std::uint64_t mask = current_.index ? config_.gate_masks[*current_.index] : all_open;
    bool waiting = false;
    for (auto& child : children_) {
        const SkBuff* const head = child->peek();
        if (head == nullptr) continue;
        const std::uint64_t tc = device_->traffic_class_of(head->priority);
        if ((mask >> tc & 1U) == 0) {
            waiting = true;
            continue;
        }
        if (mask != all_open) {
            // It must be over before the gate closes, and within the entry's bytes. The budget is
            // charged for the look, whether or not the child then yields the packet.
            if (t + duration_of(head->length) > current_.close) {
                waiting = true;
                continue;
            }
            budget_ -= head->length;
            if (budget_ < 0) {
                waiting = true;
                continue;
            }
        }
        SkbPtr skb = take(core, *child);
        if (skb) return skb;
        if (config_.stop_at_idle_child) break;
    }
    if (waiting) wait_for_next_entry(core);
    return {};
}

const SkBuff* TaprioQdisc::peek() const {
    for (const auto& child : children_)
        if (const SkBuff* head = child->peek()) return head;
    return nullptr;
}

void TaprioQdisc::wait_for_next_entry(Core& core) {
    ++gate_waits_;
    if (!timer_) timer_.emplace(core, Job::Action::to<&TaprioQdisc::on_timer>(this));
    timer_->at(current_.close);
}

void TaprioQdisc::on_timer(Core& core) {
    if (run_ != nullptr) run_->schedule(core);
}

std::uint64_t TaprioQdisc::drops() const {
    return drops_;
}

void TaprioQdisc::register_stats(sim::StatGroup& group) {
    Qdisc::register_stats(group);
    group.counter("segments_cut", "packets", "Packets made by cutting large ones.", segments_cut_);
    group.loss("interval_drops", "packets",
               "Packets dropped because their launch time does not fit an open interval.",
               interval_drops_);
    group.counter("gate_waits", "times", "Times that packets had to wait for a gate.", gate_waits_);
    for (std::size_t q = 0; q < children_.size(); ++q)
        children_[q]->register_stats(group.group("child" + std::to_string(q)));
}

}  // namespace nicsim::host
