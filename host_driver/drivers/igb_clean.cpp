// SPDX-License-Identifier: Apache-2.0
// igb: interrupt handler, poll function, freeing of what was sent, and moderation.
#include <algorithm>
#include <string>

#include "host_driver/drivers/igb.h"
#include "host_driver/drivers/igb_regs.h"

namespace nicsim::host {

using namespace igb;

IgbVector::IgbVector(IgbDriver& owner, unsigned q)
    : driver(owner),
      queue(q),
      job(Job::Action::to<&IgbVector::interrupt>(this)),
      napi(Napi::Poll::to<&IgbVector::poll>(this)) {}

void IgbVector::reset_moderation() {
    rx_work = tx_work = {};
    rx_class = tx_class = LatencyClass::lowest;
    write_itr = true;
    itr = itr_start;
    switch (driver.config_.itr_mode) {
        case IgbItrMode::off:
            itr = 0;
            break;
        case IgbItrMode::fixed:  // usecs << 2
            itr = static_cast<std::uint32_t>(driver.config_.itr_interval / sim::ps_per_us) << 2;
            break;
        case IgbItrMode::dynamic:
        case IgbItrMode::dynamic_conservative:
            break;
    }
}

/// igb_msix_ring: a changed interval is written here, then the rest is left to the poll.
void IgbVector::interrupt(Core& core) {
    ++interrupts;
    last_interrupt = core.local_time();
    itr_interval.record(std::uint64_t{itr & 0x7ffcU} * (sim::ps_per_us / 4));
    if (write_itr) {
        write_itr = false;
        ++itr_writes;
        driver.wr(core, EITR(vector()), eitr_register(itr));
    }
    driver.host_.softnet(core).schedule(napi);
}

void IgbVector::poll(Core& core, unsigned budget, unsigned& received) {
    const bool tx_done = driver.clean_tx(core, *this, driver.tx_[queue]);
    received = driver.clean_rx(core, *this, driver.rx_[queue], budget);
    packets_per_poll.record(received);
    if (!tx_done || received >= budget) {
        received = budget;  // asks to be polled again
        return;
    }
    napi.complete();
    if (!driver.up_) return;
    if (driver.config_.itr_mode == IgbItrMode::dynamic ||
        driver.config_.itr_mode == IgbItrMode::dynamic_conservative)
        update_moderation();
    driver.wr(core, EIMS, eims_bit());
}

void IgbVector::update_moderation() {
    const bool gigabit = driver.link_mbit_ == 1000;
    const IgbItrMode mode = driver.config_.itr_mode;
    std::uint32_t wanted = 0;
    if (driver.config_.queue_pairs == 1) {
        rx_class = latency_class(rx_class, rx_work);
        tx_class = latency_class(tx_class, tx_work);
        wanted = class_itr(rx_class, tx_class, gigabit, mode);
    } else {
        wanted = ring_itr(itr, rx_work, tx_work, gigabit, mode);
    }
    if (wanted != itr) {
        itr = wanted;
        write_itr = true;
    }
    rx_work = tx_work = {};
}

/// igb_clean_tx_irq: frees packets whose last descriptor was written back. False if the work limit
/// ended it.
bool IgbDriver::clean_tx(Core& core, IgbVector& vector, IgbTxRing& ring) {
    if (!up_) return true;
    std::uint32_t packets = 0;
    std::uint32_t bytes = 0;
    std::uint64_t budget = config_.tx_work_limit;
    while (budget > 0) {
        IgbTxBuffer& buffer = ring.buffers[ring.next_to_clean];
        if (buffer.last == IgbTxBuffer::none) break;
        core.charge(Op::clean_descriptor);
        const std::uint64_t status =
            ring.descriptors + std::uint64_t{buffer.last} * descriptor_bytes + 12;
        if ((memory_.load<std::uint32_t>(status) & TXD_STAT_DD) == 0) break;
        core.charge(Op::clean_packet);
        const std::uint32_t end = ring.after(buffer.last);
        const std::uint32_t walked =
            (end > ring.next_to_clean ? end : end + ring.count) - ring.next_to_clean;
        core.charge(Op::clean_descriptor, walked - 1);
        packets += buffer.segments;
        bytes += buffer.bytes;
        buffer.last = IgbTxBuffer::none;
        buffer.skb = {};
        ring.next_to_clean = end;
        const std::uint64_t n = ring.packets_cleaned++;
        if (life_cycle_ != nullptr) {
            life_cycle_->stamp(ring.index, n, sim::TxStage::interrupt, vector.last_interrupt);
            life_cycle_->stamp(ring.index, n, sim::TxStage::clean, core.local_time());
        }
        --budget;
    }
    if (packets != 0) {
        ring.fill->set(ring.used());
        vector.tx_work.bytes += bytes;
        vector.tx_work.packets += packets;
        device_->bql_completed(core, ring.index, packets, bytes);
        if (device_->carrier() && ring.unused() >= config_.tx_wake)
            device_->wake_queue(core, ring.index);
    }
    return budget > 0;
}

/// igb_clean_tx_ring: what a reset leaves behind is lost.
void IgbDriver::drop_all_tx(IgbTxRing& ring) {
    for (IgbTxBuffer& buffer : ring.buffers) buffer = {};
    ring.next_to_use = ring.next_to_clean = 0;
    ring.fill->set(0);
    device_->bql_reset(ring.index);
}

void IgbVector::register_stats(sim::StatGroup& group) {
    group.counter("interrupts", "interrupts", "Interrupts of this vector.", interrupts);
    group.counter("itr_writes", "writes", "Times that the interval between interrupts was changed.",
                  itr_writes);
    group.formula("itr_value", "1", "The interval's register value at present.",
                  [this] { return static_cast<double>(itr); });
    group.distribution("itr_interval", "ps", "The interval aimed at, at each interrupt.",
                       itr_interval);
    group.distribution("received_per_poll", "packets", "Packets received by a poll.",
                       packets_per_poll);
}

}  // namespace nicsim::host
