// SPDX-License-Identifier: Apache-2.0
// atl1c: the device's counters (atl1c_update_hw_stats), read when somebody asks for those of the
// interface, and the stack's watchdog of stopped queues (dev_watchdog, atl1c_tx_timeout).
#include "host_driver/drivers/atl1c.h"
#include "host_driver/drivers/atl1c_events.h"
#include "host_driver/drivers/atl1c_regs.h"

namespace nicsim::host {

using namespace atl1c;
using namespace sim::literals;

namespace {
constexpr sim::Ps stopped_time = 5_s;  ///< AT_TX_WATCHDOG
}  // namespace

void Atl1cDriver::start_watching() {
    Core& core = host_.core(host_.core_for_interrupt(0));
    watchdog_timer_.emplace(core, Job::Action::to<&Atl1cDriver::watchdog>(this),
                            Timer::Context::soft);
    watchdog_timer_->at(core.local_time() + stopped_time);
    if (config_.statistics_interval != 0)
        statistics_task_.repeat(core, config_.statistics_interval, LinkTask::When::exact);
}

void Atl1cDriver::stop_watching() {
    if (watchdog_timer_) watchdog_timer_->cancel();
    statistics_task_.stop();
}

/// A queue that has stood still for the whole time means that the device has hung: it is reset.
void Atl1cDriver::watchdog(Core& core) {
    watchdog_timer_->at(core.local_time() + stopped_time);
    if (!up_ || !device_->carrier()) return;
    for (const auto& q : tx_) {
        if (!device_->queue(q->ring.index).frozen_or_stopped()) continue;
        if (core.local_time() < q->ring.last_sent + stopped_time) continue;
        ++tx_timeouts_;
        reset_event_ = true;
        core.wake(*events_);
        return;
    }
}

/// The counters are cleared by their read.
void Atl1cDriver::read_statistics(Core& core) {
    if (!up_) return;
    ++statistics_reads_;
    for (std::uint32_t n = 0; n < hardware_.rx.size(); ++n)
        hardware_.rx[n] += rd(core, MAC_RX_STATUS + 4 * n);
    for (std::uint32_t n = 0; n < hardware_.tx.size(); ++n)
        hardware_.tx[n] += rd(core, MAC_TX_STATUS + 4 * n);
}

void Atl1cDriver::register_hardware_stats(sim::StatGroup& g) {
    constexpr auto packets = "packets";
    auto& rx = hardware_.rx;
    auto& tx = hardware_.tx;
    g.counter("reads", "times", "Times that the device's counters were read.", statistics_reads_);
    g.counter("rx_ok", packets, "RX_OK, as read so far.", rx[0]);
    g.counter("rx_broadcast", packets, "RX_BCAST, as read so far.", rx[1]);
    g.counter("rx_multicast", packets, "RX_MCAST, as read so far.", rx[2]);
    g.counter("rx_fcs_errors", packets, "RX_FCS_ERR, as read so far.", rx[5]);
    g.counter("rx_bytes", "B", "RX_BYTE_CNT, as read so far.", rx[7]);
    g.counter("rx_runts", packets, "RX_RUNT, as read so far.", rx[8]);
    g.counter("rx_too_long", packets, "RX_SZ_OV, as read so far.", rx[17]);
    g.counter("rx_fifo_overflows", packets, "RX_RXF_OV, as read so far.", rx[18]);
    g.counter("rx_filtered", packets, "RX_ERR_ADDR, as read so far.", rx[23]);
    g.counter("tx_ok", packets, "TX_OK, as read so far.", tx[0]);
    g.counter("tx_broadcast", packets, "TX_BCAST, as read so far.", tx[1]);
    g.counter("tx_multicast", packets, "TX_MCAST, as read so far.", tx[2]);
    g.counter("tx_bytes", "B", "TX_BYTE_CNT, as read so far.", tx[7]);
}

}  // namespace nicsim::host
