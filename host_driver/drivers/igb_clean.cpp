// SPDX-License-Identifier: Apache-2.0
// igb: interrupt handler, poll function, freeing of what was sent, and moderation.
#include <algorithm>
#include <string>

#include "host_driver/drivers/igb.h"
#include "host_driver/drivers/igb_regs.h"

namespace nicsim::host {

using namespace igb;

IgbVector::IgbVector(IgbDriver& owner, unsigned vector, unsigned rx, unsigned tx)
    : driver(owner),
      rx_queue(rx),
      tx_queue(tx),
      job(Job::Action::to<&IgbVector::interrupt>(this)),
      napi(Napi::Poll::to<&IgbVector::poll>(this)),
      vector_(vector) {}

IgbItrMode IgbVector::itr_mode() const {
    return receives() ? driver.config_.itr_mode : driver.config_.tx_itr_mode;
}

void IgbVector::reset_moderation() {
    const IgbConfig& config = driver.config_;
    const std::uint64_t interval = receives() ? config.itr_interval : config.tx_itr_interval;
    rx_work = tx_work = {};
    write_itr = true;
    itr = itr_start;
    switch (itr_mode()) {
        case IgbItrMode::off:
            itr = 0;
            break;
        case IgbItrMode::fixed:  // usecs << 2
            itr = static_cast<std::uint32_t>(interval / sim::ps_per_us) << 2;
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
    received = 0;
    const bool tx_done = !transmits() || driver.clean_tx(core, *this, driver.tx_[tx_queue]);
    if (receives()) {
        received =
            driver.rx_[rx_queue].clean(core, driver.memory_, *driver.device_, driver.buffers_,
                                       budget, driver.config_.rx_refill_batch, rx_work, driver.up_,
                                       {driver.life_cycle_, last_interrupt});
        packets_per_poll.record(received);
    }
    if (!tx_done || received >= budget) {
        received = budget;  // asks to be polled again
        return;
    }
    napi.complete();
    if (!driver.up_) return;
    const IgbItrMode mode = itr_mode();
    if (mode == IgbItrMode::dynamic || mode == IgbItrMode::dynamic_conservative)
        update_moderation();
    driver.wr(core, EIMS, eims_bit());
}

void IgbVector::update_moderation() {
    const bool gigabit = driver.link_mbit_ == 1000;
    const std::uint32_t wanted = ring_itr(itr, rx_work, tx_work, gigabit, itr_mode());
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
    }
    if (hung(core, ring)) return true;
    if (work.packets != 0) {
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
    if (receives())
        group.distribution("received_per_poll", "packets", "Packets received by a poll.",
                           packets_per_poll);
}

}  // namespace nicsim::host
