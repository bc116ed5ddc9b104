// SPDX-License-Identifier: Apache-2.0
// atl1c: transmit, interrupt handler and poll functions (atl1c_xmit_frame, atl1c_intr, atl1c_clean,
// atl1c_clean_tx). Every access to a register costs the core what the bus makes it cost.
#include "host_driver/drivers/atl1c.h"
#include "host_driver/drivers/atl1c_events.h"
#include "host_driver/drivers/atl1c_regs.h"

namespace nicsim::host {

using namespace atl1c;

// ---------------------------------------------------------------- transmit

/// A queue is only found full by the packet that does not fit any more.
bool Atl1cDriver::start_xmit(Core& core, const SkbPtr& skb, unsigned queue, bool more) {
    TxRing& ring = tx_[queue]->ring;
    if (!up_) return false;
    const bool batched = config_.doorbell == Atl1cDoorbell::batched;
    if (ring.unused() < TxRing::needed(*skb)) {
        ++ring.refusals;
        if (batched) ring.ring_doorbell(core, life_cycle_);
        device_->stop_queue(queue);
        return false;
    }
    ring.post(core, memory_, skb, life_cycle_);
    if (batched) {
        if (device_->bql_sent(queue, skb->length, more)) ring.ring_doorbell(core, life_cycle_);
        return true;
    }
    device_->bql_sent(queue, skb->length);
    ring.ring_doorbell(core, life_cycle_);
    return true;
}

// ---------------------------------------------------------------- interrupt

void Atl1cDriver::mask(Core& core, std::uint32_t causes) {
    interrupt_mask_ &= ~causes;
    wr(core, IMR, interrupt_mask_);
}

void Atl1cDriver::unmask(Core& core, std::uint32_t causes) {
    interrupt_mask_ |= causes;
    wr(core, IMR, interrupt_mask_);
}

void Atl1cDriver::schedule_causes(Core& core, std::uint32_t status) {
    Softnet& softnet = host_.softnet(core);
    for (const auto& q : rx_) {
        const std::uint32_t cause = ISR_RX(q->ring.index);
        if ((status & cause) == 0) continue;
        ++rx_causes_;
        if (q->napi.scheduled()) continue;
        mask(core, cause);
        softnet.schedule(q->napi);
    }
    for (const auto& q : tx_) {
        const std::uint32_t cause = ISR_TX[q->ring.index];
        if ((status & cause) == 0) continue;
        ++tx_causes_;
        if (q->napi.scheduled()) continue;
        mask(core, cause);
        softnet.schedule(q->napi);
    }
}

void Atl1cDriver::interrupt(Core& core) {
    constexpr int most_rounds = 5;
    ++interrupts_;
    last_interrupt_ = core.local_time();
    for (int round = 0; round < most_rounds; ++round) {
        const std::uint32_t status = rd(core, ISR) & interrupt_mask_;
        if (status == 0) break;
        ++interrupt_rounds_;
        if ((status & ISR_GPHY) != 0) (void)read_phy(core, PHY_ISR);  // clears it
        wr(core, ISR, status | ISR_DIS_INT);
        schedule_causes(core, status);
        if ((status & ISR_ERROR) != 0) {
            ++device_errors_;
            reset_event_ = true;
            core.wake(*events_);
            return;  // the reset lets interrupts through again
        }
        if ((status & ISR_OVER) != 0) ++overruns_;
        if ((status & (ISR_GPHY | ISR_MANUAL)) != 0) {
            link_interrupt(core);
            break;
        }
    }
    wr(core, ISR, 0);
}

// ---------------------------------------------------------------- poll functions

Atl1cTxQueue::Atl1cTxQueue(Atl1cDriver& owner, const std::string& interface, unsigned queue,
                           std::uint64_t size)
    : driver(owner), napi(Napi::Poll::to<&Atl1cTxQueue::poll>(this)) {
    ring.set_up(interface, queue, size);
    napi.set_threaded(owner.config().threaded_napi);
}

/// What the device has sent is freed whatever the budget; with less than that the cause is let
/// through again. A stopped queue runs as soon as anything was looked at.
void Atl1cTxQueue::poll(Core& core, unsigned budget, unsigned& freed) {
    ++polls;
    if (!driver.up_) {
        napi.complete();
        return;
    }
    std::uint32_t consumer = core.mmio_read16(driver.registers_ + TPD_CIDX[ring.index]);
    if (consumer >= ring.count) consumer = ring.next_to_clean;  // a device that is gone
    const TxRing::Cleaned cleaned =
        ring.clean(core, consumer, driver.last_interrupt_, driver.life_cycle_);
    freed_per_poll.record(cleaned.packets);
    driver.device_->bql_completed(core, ring.index, cleaned.packets, cleaned.bytes);
    if (driver.device_->carrier()) driver.device_->wake_queue(core, ring.index);
    if (cleaned.packets >= budget) {
        freed = budget;
        return;
    }
    freed = cleaned.packets;
    napi.complete();
    driver.unmask(core, ISR_TX[ring.index]);
}

void Atl1cTxQueue::register_stats(sim::StatGroup& group) {
    ring.register_stats(group);
    group.counter("polls", "polls", "Calls of the poll function.", polls);
    group.distribution("freed_per_poll", "packets", "Packets freed by a poll.", freed_per_poll);
}

Atl1cRxQueue::Atl1cRxQueue(Atl1cDriver& owner, unsigned queue, std::uint64_t size)
    : driver(owner), napi(Napi::Poll::to<&Atl1cRxQueue::poll>(this)) {
    ring.set_up(queue, size);
    napi.set_threaded(owner.config().threaded_napi);
}

void Atl1cRxQueue::poll(Core& core, unsigned budget, unsigned& received) {
    ++polls;
    if (!driver.up_) {
        napi.complete();
        return;
    }
    if (driver.device_->carrier())
        received = ring.clean(core, driver.memory_, *driver.device_, *driver.buffers_, budget,
                              driver.up_, {driver.life_cycle_, driver.last_interrupt_});
    received_per_poll.record(received);
    if (received >= budget) return;
    napi.complete();
    if (driver.up_) driver.unmask(core, ISR_RX(ring.index));
}

void Atl1cRxQueue::register_stats(sim::StatGroup& group) {
    ring.register_stats(group);
    group.counter("polls", "polls", "Calls of the poll function.", polls);
    group.distribution("received_per_poll", "packets", "Packets received by a poll.",
                       received_per_poll);
}

}  // namespace nicsim::host
