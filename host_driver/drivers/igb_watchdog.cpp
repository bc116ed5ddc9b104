// SPDX-License-Identifier: Apache-2.0
// igb: what it looks after every two seconds (igb_watchdog_task): the link, the device's
// statistics, an interrupt of every queue so that nothing is left lying, and queues whose packets
// do not leave. Also the stack's own watchdog of stopped queues (dev_watchdog), which Linux runs
// apart.
#include <array>
#include <utility>

#include "host_driver/drivers/igb.h"
#include "host_driver/drivers/igb_regs.h"

namespace nicsim::host {

using namespace igb;
using namespace sim::literals;

namespace {

constexpr sim::Ps hang_time = 1_s;      ///< tx_timeout_factor at 100 and 1000 Mbit/s
constexpr sim::Ps hang_time_10 = 14_s;  ///< at 10 Mbit/s
constexpr sim::Ps stopped_time = 5_s;   ///< watchdog_timeo

/// CRCERRS, GPRC, ... in the order in which igb_update_stats reads them; reading clears them.
constexpr std::array<std::uint32_t, 63> statistics = {
    0x4000, 0x4074, 0x4088, 0x408c, 0x4078, 0x407c, 0x40ac, 0x405c, 0x4060, 0x4064, 0x4068,
    0x406c, 0x4070, 0x4008, 0x4038, MPC,    0x4014, 0x4018, 0x401c, 0x4020, 0x4030, 0x4040,
    0x4048, 0x404c, 0x4050, 0x4054, 0x4058, GPTC,   0x4090, 0x4094, RNBC,   0x40a4, 0x40a8,
    0x40b0, 0x40c4, 0x40cc, 0x40d0, 0x40d8, 0x40dc, 0x40e0, 0x40e4, 0x40e8, 0x40ec, 0x40f0,
    0x40f4, 0x40d4, 0x4028, 0x4004, 0x400c, 0x40f8, 0x40fc, 0x4100, 0x4124, 0x4104, 0x4108,
    0x410c, 0x4110, 0x4118, 0x411c, 0x4120, 0x40bc, 0x40b4, 0x40b8};

}  // namespace

void IgbDriver::watchdog(Core& core) {
    if (!up_) return;
    if (std::exchange(link_changed_, false)) (void)check_link(core);
    if (!config_.watchdog) return;
    ++watchdog_runs_;
    if (device_->carrier()) update_statistics(core);
    for (IgbTxRing& ring : tx_) {
        const bool lost = !device_->carrier() && ring.used() != 0;
        const bool timed_out = device_->carrier() &&
                               device_->queue(ring.index).frozen_or_stopped() &&
                               core.local_time() > ring.last_sent + stopped_time;
        if (lost || timed_out) {
            ++tx_timeouts_;
            reset_running(core);
            return;
        }
        ring.look_for_hang = true;
    }
    std::uint32_t all = 0;
    for (const auto& v : vectors_) all |= v->eims_bit();
    wr(core, EICS, all);
}

/// igb_update_stats
void IgbDriver::update_statistics(Core& core) {
    for (const IgbRxRing& ring : rx_) {
        const std::uint32_t reg = RX_RING(ring.index) + RQDPC;
        hardware_.dropped += rd(core, reg);
        wr(core, reg, 0);
    }
    for (const std::uint32_t reg : statistics) {
        const std::uint32_t value = rd(core, reg);
        if (reg == MPC) hardware_.missed += value;
        if (reg == RNBC) hardware_.no_buffer += value;
        if (reg == GPTC) hardware_.sent += value;
    }
    (void)rd(core, CTRL_EXT);
    (void)rd(core, MANC);
}

/// The end of igb_clean_tx_irq: true if the oldest packet left in the ring is overdue. The queue
/// then stands still until the stack's watchdog has the device reset.
bool IgbDriver::hung(Core& core, IgbTxRing& ring) {
    if (!std::exchange(ring.look_for_hang, false) || ring.used() == 0) return false;
    const SkbPtr& oldest = ring.buffers[ring.next_to_clean].skb;
    const sim::Ps limit = link_mbit_ == 10 ? hang_time_10 : hang_time;
    if (core.local_time() <= oldest->queued + limit) return false;
    if ((rd(core, STATUS) & STATUS_TXOFF) != 0) return false;  // paused by the link partner
    ++tx_hangs_;
    (void)rd(core, TX_RING(ring.index) + DHEAD);
    (void)rd(core, TX_RING(ring.index) + DTAIL);
    device_->stop_queue(ring.index);
    return true;
}

}  // namespace nicsim::host
