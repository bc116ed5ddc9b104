// SPDX-License-Identifier: Apache-2.0
// ixgbe: what it looks after every two seconds (ixgbe_service_task): the link, the device's
// statistics, and an interrupt of every queue so that nothing is left lying. Not modelled:
// detection of queues that hang, temperature, module changes.
#include <array>
#include <utility>

#include "host_driver/drivers/ixgbe.h"
#include "host_driver/drivers/ixgbe_regs.h"

namespace nicsim::host {

using namespace ixgbe;

namespace {

constexpr unsigned statistics_counters = 16;
/// Where each of the packet buffers and each of the counters of queues has a register.
constexpr std::array<std::uint32_t, 4> of_buffers = {0x03fa0, 0x03f00, 0x03f20, 0x04140};
constexpr std::uint32_t QPRC = 0x01030, QPTC = 0x06030, queue_stride = 0x40;
constexpr std::uint32_t QBTC_L = 0x08700, octets_stride = 8;
/// GPRC, LXONRXCNT, ... in the order in which ixgbe_update_stats reads them.
constexpr std::array<std::uint32_t, 42> others = {
    0x04074, 0x041a4, 0x04088, 0x0408c, 0x04090, 0x04094, 0x040c0, 0x040c4, 0x0ee58,
    0x0ee5c, 0x05118, 0x0241c, 0x02428, 0x08784, 0x0242c, 0x08788, 0x04078, 0x0407c,
    0x040ac, 0x04040, 0x0405c, 0x04060, 0x04064, 0x04068, 0x0406c, 0x04070, 0x03f60,
    0x03f68, 0x04080, 0x040f0, 0x040a4, 0x040a8, 0x040b0, 0x040d0, 0x040d8, 0x040dc,
    0x040e0, 0x040e4, 0x040e8, 0x040ec, 0x040f4, 0x04000};

}  // namespace

void IxgbeDriver::service(Core& core) {
    if (!up_) return;
    if (std::exchange(link_changed_, false)) (void)check_link(core);
    if (!config_.service_task) return;
    ++service_runs_;
    if (device_->carrier()) update_statistics(core);
    wr(core, EICS_EX, static_cast<std::uint32_t>((std::uint64_t{1} << vectors_.size()) - 1));
}

/// ixgbe_update_stats; reading clears.
void IxgbeDriver::update_statistics(Core& core) const {
    for (unsigned n = 0; n < packet_buffers; ++n)
        for (const std::uint32_t reg : of_buffers) (void)rd(core, reg + 4 * n);
    for (unsigned n = 0; n < statistics_counters; ++n) {
        (void)rd(core, QPTC + queue_stride * n);
        (void)rd(core, QPRC + queue_stride * n);
        for (const std::uint32_t high : {0U, 4U}) (void)rd(core, QBTC_L + octets_stride * n + high);
        for (const std::uint32_t high : {4U, 8U}) (void)rd(core, QPRC + queue_stride * n + high);
    }
    for (const std::uint32_t reg : others) (void)rd(core, reg);
}

}  // namespace nicsim::host
