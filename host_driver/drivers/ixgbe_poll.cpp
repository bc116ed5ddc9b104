// SPDX-License-Identifier: Apache-2.0
// ixgbe: transmit, interrupt handler, poll function and moderation (ixgbe_xmit_frame_ring,
// ixgbe_msix_clean_rings, ixgbe_poll, ixgbe_set_itr).
#include <algorithm>

#include "host_driver/drivers/ixgbe.h"
#include "host_driver/drivers/ixgbe_regs.h"

namespace nicsim::host {

using namespace ixgbe;

namespace {

constexpr std::uint32_t max_data_per_descriptor = 1U << 14;

}  // namespace

bool IxgbeDriver::start_xmit(Core& core, const SkbPtr& skb, unsigned queue, bool more) {
    intel::TxRing& ring = tx_[queue];
    // Room for a context descriptor, and two so that head and tail never meet.
    const unsigned needed = intel::data_descriptors(*skb, max_data_per_descriptor) + 3;
    if (!up_ || !ring.room_or_stop(*device_, needed)) return false;
    const std::uint32_t bytes =
        ring.post(core, memory_, skb, {max_data_per_descriptor, false, life_cycle_});
    device_->bql_sent(queue, bytes);
    const auto announce = [&] { ring.ring_doorbell(core, life_cycle_); };
    // Until the more-packets hint came, the doorbell went before the look at the room left.
    if (config_.doorbell == IxgbeDoorbell::each_packet) {
        announce();
        (void)ring.room_or_stop(*device_, static_cast<unsigned>(config_.tx_stop));
        return true;
    }
    (void)ring.room_or_stop(*device_, static_cast<unsigned>(config_.tx_stop));
    if (!more || device_->queue(queue).frozen_or_stopped()) announce();
    return true;
}

IxgbeVector::IxgbeVector(IxgbeDriver& owner, unsigned q)
    : driver(owner),
      queue(q),
      job(Job::Action::to<&IxgbeVector::interrupt>(this)),
      napi(Napi::Poll::to<&IxgbeVector::poll>(this)) {}

void IxgbeVector::reset_moderation() {
    rx_work = tx_work = {};
    rx_class = tx_class = LatencyClass::lowest;
    rx_side = tx_side = {};
    itr = driver.config_.first_itr();
}

void IxgbeVector::write_itr(Core& core) {
    ++itr_writes;
    driver.wr(core, EITR(queue), eitr_register(itr));
}

/// The device has masked the vector (EIAM).
void IxgbeVector::interrupt(Core& core) {
    ++interrupts;
    last_interrupt = core.local_time();
    itr_interval.record(std::uint64_t{itr >> 3 & 0x1ffU} * 2'048'000);
    driver.host_.softnet(core).schedule(napi);
}

void IxgbeVector::poll(Core& core, unsigned budget, unsigned& received) {
    ++polls;
    const intel::TxRing::Cleaned cleaned = driver.clean_tx(core, *this);
    freed_ += cleaned.work.packets;
    received = driver.rx_[queue].clean(core, driver.memory_, *driver.device_, driver.buffers_,
                                       budget, driver.config_.rx_refill_batch, rx_work, driver.up_,
                                       {driver.life_cycle_, last_interrupt});
    received_per_poll.record(received);
    if (!cleaned.finished || received >= budget) {
        ++repolls;
        received = budget;  // asks to be polled again
        return;
    }
    freed_per_interrupt.record(freed_);
    freed_ = 0;
    napi.complete();
    if (!driver.up_) return;
    if (driver.config_.itr_mode == IxgbeItrMode::dynamic) update_moderation(core);
    driver.wr(core, EIMS_EX, 1U << queue);
}

/// ixgbe_set_itr
void IxgbeVector::update_moderation(Core& core) {
    const std::uint32_t before = itr;
    if (driver.config_.itr_algorithm == IxgbeItrAlgorithm::packets) {
        itr = itr_by_packets(core);
        if (itr != before) write_itr(core);
        return;
    }
    const std::uint32_t target = itr_by_class();
    if (target == before) return;
    itr = smoothed_itr(before, target);
    write_itr(core);  // short of its goal anew after every poll
}

std::uint32_t IxgbeVector::itr_by_class() {
    tx_class = update_class(tx_class, tx_work, itr);
    rx_class = update_class(rx_class, rx_work, itr);
    return target_itr(std::max(rx_class, tx_class),
                      static_cast<std::uint32_t>(driver.config_.itr_bulk));
}

std::uint32_t IxgbeVector::itr_by_packets(Core& core) {
    const std::uint64_t now = ticks(core.local_time());
    const bool slow = driver.link_bits_per_second_ <= 1'000'000'000;
    adapt(tx_side, tx_work, itr, slow, now);
    adapt(rx_side, rx_work, itr, slow, now);
    return shorter_itr(rx_side, tx_side);
}

/// ixgbe_clean_tx_irq
intel::TxRing::Cleaned IxgbeDriver::clean_tx(Core& core, IxgbeVector& vector) {
    if (!up_) return {};
    intel::TxRing& ring = tx_[vector.queue];
    const auto cleaned =
        ring.clean(core, memory_, config_.tx_work_limit, vector.last_interrupt, life_cycle_);
    if (cleaned.work.packets == 0) return cleaned;
    vector.tx_work.bytes += cleaned.work.bytes;
    vector.tx_work.packets += cleaned.work.packets;
    device_->bql_completed(core, ring.index, cleaned.work.packets, cleaned.work.bytes);
    if (device_->carrier() && ring.unused() >= config_.tx_wake)
        device_->wake_queue(core, ring.index);
    return cleaned;
}

void IxgbeVector::register_stats(sim::StatGroup& group) {
    group.counter("interrupts", "interrupts", "Interrupts of this vector.", interrupts);
    group.counter("polls", "polls", "Calls of the poll function.", polls);
    group.counter("repolls", "polls", "Polls that asked to be called again.", repolls);
    group.counter("itr_writes", "writes", "Writes of the interval between interrupts.", itr_writes);
    group.formula("itr_value", "1", "The interval's register value at present.",
                  [this] { return static_cast<double>(itr); });
    group.distribution("itr_interval", "ps", "The gap that EITR asks for, at each interrupt.",
                       itr_interval);
    group.distribution("freed_per_interrupt", "packets",
                       "Packets freed until the vector is "
                       "unmasked.",
                       freed_per_interrupt);
    group.distribution("received_per_poll", "packets", "Packets received by a poll.",
                       received_per_poll);
}

}  // namespace nicsim::host
