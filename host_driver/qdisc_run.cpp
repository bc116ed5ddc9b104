// SPDX-License-Identifier: Apache-2.0
#include "host_driver/qdisc_run.h"

#include <utility>

#include "host_driver/net_device.h"

namespace nicsim::host {

QdiscRun::QdiscRun(NetDevice& device, Qdisc& qdisc, unsigned queue)
    : device_(device),
      qdisc_(qdisc),
      queue_(queue),
      job_(Job::Action::to<&QdiscRun::run>(this), Softirq::net_tx) {
    bulk_.reserve(std::size_t{weight} * 2);
    qdisc_.set_run(this);
}

bool QdiscRun::xmit(Core& core, SkbPtr skb) {
    core.charge(Op::qdisc_enqueue);
    if (qdisc_.can_bypass() && !running_ && packets_waiting() == 0) {
        running_ = true;
        bulk_.push_back(std::move(skb));
        bulk_validated_ = false;
        const bool go_on = transmit(core);
        running_ = false;
        if (go_on && packets_waiting() != 0) run(core);
        return true;
    }
    const bool taken = qdisc_.enqueue(core, std::move(skb));
    run(core);
    return taken;
}

bool QdiscRun::enqueue(Core& core, SkbPtr skb) {
    core.charge(Op::qdisc_enqueue);
    return qdisc_.enqueue(core, std::move(skb));
}

void QdiscRun::run(Core& core) {
    if (running_) return;  // whoever runs it sees what was enqueued before it stops
    running_ = true;
    unsigned sent = 0;
    while (restart(core)) {
        sent += static_cast<unsigned>(bulk_.size());
        if (!transmit(core)) break;
        if (sent >= weight) {
            ++quota_exceeded_;
            schedule(core);
            break;
        }
    }
    running_ = false;
}

/// Fills `bulk_` with what goes to the driver next; false if nothing may go.
bool QdiscRun::restart(Core& core) {
    bulk_.clear();
    if (!requeued_.empty()) {
        // Packets that met a stopped queue go first, and nothing passes them.
        if (device_.queue(requeued_.front()->queue).frozen_or_stopped()) return false;
        bulk_.push_back(requeued_.pop());
        bulk_validated_ = true;
        return true;
    }
    if (queue_ != Qdisc::whole_device && device_.queue(queue_).frozen_or_stopped()) return false;
    if (other_queue_) {
        if (device_.queue(other_queue_->queue).frozen_or_stopped()) return false;
        bulk_.push_back(std::exchange(other_queue_, {}));
    } else {
        SkbPtr skb = qdisc_.dequeue(core);
        if (!skb) return false;
        core.charge(Op::qdisc_dequeue);
        bulk_.push_back(std::move(skb));
    }
    bulk_validated_ = false;
    if (queue_ != Qdisc::whole_device) {
        fetch_more_for_one_queue(core);
    } else {
        fetch_more_of_same_queue(core);
    }
    if (bulk_.size() > 1) ++bulks_;
    return true;
}

/// As many bytes as the byte queue limit still allows (try_bulk_dequeue_skb).
void QdiscRun::fetch_more_for_one_queue(Core& core) {
    if (!device_.use_bql_) return;
    std::int64_t room = device_.queue(queue_).bql.available() - bulk_.front()->length;
    while (room > 0) {
        SkbPtr skb = qdisc_.dequeue(core);
        if (!skb) return;
        core.charge(Op::qdisc_dequeue);
        room -= skb->length;
        bulk_.push_back(std::move(skb));
    }
}

/// Up to eight more for the same transmit queue (try_bulk_dequeue_skb_slow).
void QdiscRun::fetch_more_of_same_queue(Core& core) {
    const unsigned queue = bulk_.front()->queue;
    for (unsigned i = 0; i < mixed_bulk_limit; ++i) {
        SkbPtr skb = qdisc_.dequeue(core);
        if (!skb) return;
        core.charge(Op::qdisc_dequeue);
        if (skb->queue != queue) {
            other_queue_ = std::move(skb);
            return;
        }
        bulk_.push_back(std::move(skb));
    }
}

/// What the device cannot cut itself is cut here (validate_xmit_skb).
void QdiscRun::segment_if_needed(Core& core) {
    bulk_validated_ = true;
    if (device_.features().tso) return;
    bool any = false;
    for (const SkbPtr& skb : bulk_) any = any || skb->is_gso();
    if (!any) return;
    segments_.clear();
    for (SkbPtr& skb : bulk_) {
        if (skb->is_gso()) {
            device_.gso().cut(core, skb, segments_);
        } else {
            segments_.push_back(std::move(skb));
        }
    }
    std::swap(bulk_, segments_);
    segments_.clear();
}

void QdiscRun::requeue_from(std::size_t index) {
    // Only one bulk is ever under way, so what is put back stands alone.
    for (std::size_t i = index; i < bulk_.size(); ++i) {
        requeued_.push(std::move(bulk_[i]));
        ++requeues_;
    }
}

/// Hands `bulk_` to the driver. False if the queue stopped and the run is to end: the wake-up
/// schedules it again.
bool QdiscRun::transmit(Core& core) {
    if (!bulk_validated_) segment_if_needed(core);
    bool complete = true;
    const unsigned queue = bulk_.front()->queue;
    TxQueue& tx = device_.queue(queue);
    std::size_t i = 0;
    if (tx.frozen_or_stopped()) {
        complete = false;
    } else {
        for (; i < bulk_.size(); ++i) {
            const bool more = i + 1 < bulk_.size();
            if (!device_.driver_.start_xmit(core, bulk_[i], queue, more)) {
                ++busy_;
                complete = false;
                break;
            }
            bulk_[i] = {};
            ++device_.sent_packets_;
            if (more && tx.stopped_by_driver) {
                ++i;
                complete = false;
                break;
            }
        }
    }
    if (!complete) requeue_from(i);
    bulk_.clear();
    return complete;
}

std::uint64_t QdiscRun::packets_waiting() const {
    return qdisc_.packets() + requeued_.size() + (other_queue_ ? 1U : 0U);
}

std::uint64_t QdiscRun::bytes_waiting() const {
    std::uint64_t bytes = qdisc_.bytes() + (other_queue_ ? other_queue_->length : 0U);
    for (std::size_t i = 0; i < requeued_.size(); ++i) bytes += requeued_[i]->length;
    return bytes;
}

void QdiscRun::register_stats(sim::StatGroup& group) {
    group.counter("requeues", "packets", "Packets put back because their queue was stopped.",
                  requeues_);
    group.counter("driver_busy", "packets", "Packets that the driver refused.", busy_);
    group.counter("bulks", "bulks", "Times that several packets were handed on in one go.", bulks_);
    group.counter("quota_exceeded", "runs", "Runs that ended by their quota.", quota_exceeded_);
    qdisc_.register_stats(group);
}

}  // namespace nicsim::host
