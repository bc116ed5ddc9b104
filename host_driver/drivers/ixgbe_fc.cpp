// SPDX-License-Identifier: Apache-2.0
// ixgbe: link flow control (ixgbe_pbthresh_setup, ixgbe_fc_enable_generic). On a fibre nothing is
// negotiated: the mode asked for is the mode. Linux writes these registers from its service task
// when it has seen the link, here they are written in the wait after a reset, which hides the time
// it takes: runs that differ in the mode alone start at the same moment, and find the same
// registers by then. Not done: negotiation on a backplane or copper link, priority flow control.
#include "host_driver/drivers/ixgbe_fc.h"

#include "host_driver/drivers/ixgbe.h"
#include "host_driver/drivers/ixgbe_regs.h"

namespace nicsim::host {

using namespace ixgbe;

namespace {

constexpr std::uint32_t pause_time = 0xffff;  ///< IXGBE_DEFAULT_FCPAUSE
constexpr std::uint32_t max_frame = 1518;

}  // namespace

/// FCRTH of buffers without thresholds is set to their end, so that the
/// internal switch never waits for them.
void IxgbeDriver::enable_flow_control(Core& core) const {
    const bool obeys = config_.obeys_pause();
    const bool asks = config_.sends_pause();
    const std::uint32_t high = high_water(rd(core, RXPBSIZE(0)) >> 10, max_frame);
    std::uint32_t low = low_water(max_frame);
    if (low > high) low = 0;
    const std::uint32_t mflcn = rd(core, MFLCN) & ~(MFLCN_RFCE | MFLCN_RPFCE_MASK);
    const std::uint32_t fccfg = rd(core, FCCFG) & ~(FCCFG_TFCE_802_3X | FCCFG_TFCE_PRIORITY);
    wr(core, MFLCN, mflcn | MFLCN_DPF | (obeys ? MFLCN_RFCE : 0));
    wr(core, FCCFG, fccfg | (asks ? FCCFG_TFCE_802_3X : 0));
    for (unsigned n = 0; n < packet_buffers; ++n) {
        const bool used = asks && n == 0;
        wr(core, FCRTL(n), used ? low << 10 | FCRTL_XONE : 0);
        wr(core, FCRTH(n), used ? high << 10 | FCRTH_FCEN : rd(core, RXPBSIZE(n)) - 32);
    }
    for (unsigned n = 0; n < packet_buffers / 2; ++n) wr(core, FCTTV(n), pause_time * 0x10001);
    wr(core, FCRTV, pause_time / 2);
}

}  // namespace nicsim::host
