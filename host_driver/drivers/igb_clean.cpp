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
    received = driver.rx_[queue].clean(core, driver.memory_, *driver.device_, driver.buffers_,
                                       budget, driver.config_.rx_refill_batch, rx_work, driver.up_);
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

/// igb_clean_tx_irq. False if the work limit ended it.
bool IgbDriver::clean_tx(Core& core, IgbVector& vector, IgbTxRing& ring) {
    if (!up_) return true;
    const auto [work, finished] =
        ring.clean(core, memory_, config_.tx_work_limit, vector.last_interrupt, life_cycle_);
    if (work.packets != 0) {
        vector.tx_work.bytes += work.bytes;
        vector.tx_work.packets += work.packets;
        device_->bql_completed(core, ring.index, work.packets, work.bytes);
        if (device_->carrier() && ring.unused() >= config_.tx_wake)
            device_->wake_queue(core, ring.index);
    }
    return finished;
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
