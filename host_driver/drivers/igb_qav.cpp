// SPDX-License-Identifier: Apache-2.0
// igb: the I210's Qav mode (FQTSS), entered when the first etf or cbs offload is set up and left
// with the last (igb_setup_tx_mode, igb_config_tx_modes, igb_offload_apply).
#include <string>

#include "host_driver/drivers/igb.h"
#include "host_driver/drivers/igb_regs.h"

namespace nicsim::host {

using namespace igb;

namespace {

constexpr unsigned sr_queues = 2;  ///< only queues 0 and 1 can be stream reservation queues
constexpr std::uint32_t packet_size_unit = 64;
constexpr std::uint32_t packet_size_default = 0x98;  ///< 9728 bytes
// DS 7.2.7.5.2: slopes are in units of 16.384 kbit/s; full rate is 0x7735 at twice that scale.
constexpr std::uint64_t idleslope_scale = 61034;
constexpr std::uint32_t link_rate = 0x7735;
constexpr std::int64_t full_rate_kbit = 1'000'000;
constexpr std::int64_t largest_frame = 1514;

}  // namespace

void IgbDriver::modify(Core& core, std::uint32_t reg, std::uint32_t clear,
                       std::uint32_t set) const {
    wr(core, reg, (rd(core, reg) & ~clear) | set);
}

bool IgbDriver::any_cbs() const {
    for (const IgbTxRing& ring : tx_)
        if (ring.cbs) return true;
    return false;
}

bool IgbDriver::any_launch_time() const {
    for (const IgbTxRing& ring : tx_)
        if (ring.launch_time) return true;
    return false;
}

void IgbDriver::setup_tx_mode(Core& core) const {
    if (!qav_) {
        wr(core, RXPBSIZE, RXPBSIZE_DEFAULT);
        wr(core, TXPBSIZE, TXPBSIZE_DEFAULT);
        wr(core, DTXMXPKTSZ, packet_size_default);
        modify(core, TQAVCTRL, TQAVCTRL_XMIT_MODE, 0);
        return;
    }
    modify(core, TQAVCTRL, TQAVCTRL_DATAFETCHARB, TQAVCTRL_XMIT_MODE | TQAVCTRL_SP_WAIT_SR);
    std::uint32_t sizes = 0;
    for (unsigned q = 0; q < config_.tx_packet_buffer.size(); ++q)
        sizes |= static_cast<std::uint32_t>(config_.tx_packet_buffer[q] / 1024) << 6 * q;
    modify(core, TXPBSIZE, TXPBSIZE_MASK, sizes);
    wr(core, RXPBSIZE, RXPBSIZE_QAV);
    wr(core, DTXMXPKTSZ, static_cast<std::uint32_t>(config_.max_tx_packet / packet_size_unit));
    for (unsigned q = 0; q < sr_queues && q < tx_.size(); ++q) configure_tx_mode(core, q);
}

/// Credits of queue `q`. Queue 0 has to be a stream reservation queue in Qav mode (DS 8.12.19), so
/// without a shaper of its own it gets all the credits there are.
void IgbDriver::configure_credits(Core& core, unsigned queue) const {
    const IgbTxRing& ring = tx_[queue];
    if (!ring.cbs && queue != 0) {
        modify(core, TQAVCC(queue), TQAVCC_IDLESLOPE, 0);
        wr(core, TQAVHC(queue), 0);
        if (!any_cbs()) modify(core, TQAVCTRL, TQAVCTRL_DATATRANARB, 0);
        return;
    }
    const std::int64_t idleslope = ring.cbs ? ring.idleslope_kbit : full_rate_kbit;
    const std::int64_t hicredit = ring.cbs ? ring.hicredit : largest_frame;
    modify(core, TQAVCTRL, 0, TQAVCTRL_DATATRANARB);
    const std::uint64_t slope =
        (static_cast<std::uint64_t>(idleslope) * idleslope_scale + 999'999) / 1'000'000;
    modify(core, TQAVCC(queue), TQAVCC_IDLESLOPE, static_cast<std::uint32_t>(slope));
    wr(core, TQAVHC(queue), 0x8000'0000U + static_cast<std::uint32_t>(hicredit) * link_rate);
}

void IgbDriver::configure_tx_mode(Core& core, unsigned queue) const {
    const IgbTxRing& ring = tx_[queue];
    if (ring.cbs || ring.launch_time) {
        modify(core, I210_TXDCTL(queue), 0, TXDCTL_PRIORITY);
        modify(core, TQAVCC(queue), 0, TQAVCC_QUEUEMODE);
    } else {
        modify(core, I210_TXDCTL(queue), TXDCTL_PRIORITY, 0);
        modify(core, TQAVCC(queue), TQAVCC_QUEUEMODE, 0);
    }
    configure_credits(core, queue);
    if (ring.launch_time) {
        modify(core, TQAVCTRL, 0, TQAVCTRL_DATATRANTIM | TQAVCTRL_FETCHTIME_DELTA);
    } else if (!any_launch_time()) {
        modify(core, TQAVCTRL, TQAVCTRL_DATATRANTIM | TQAVCTRL_FETCHTIME_DELTA, 0);
    }
}

/// Entering or leaving Qav mode takes a reset of the whole device; Linux does it from a work item,
/// here the caller waits for it.
void IgbDriver::apply_offload(Core& core, unsigned queue) {
    const bool wanted = any_cbs() || any_launch_time();
    if (qav_) {
        if (up_) configure_tx_mode(core, queue);
        if (wanted) return;
    }
    qav_ = wanted;
    if (up_) reinitialise(core);
}

std::string IgbDriver::setup_etf(Core& core, unsigned queue, bool enable) {
    if (queue >= sr_queues || queue >= tx_.size())
        return "igb: launch time is a feature of transmit queues 0 and 1, not of queue " +
               std::to_string(queue);
    tx_[queue].launch_time = enable;
    apply_offload(core, queue);
    return {};
}

std::string IgbDriver::setup_cbs(Core& core, unsigned queue, const CbsSettings* settings) {
    if (queue >= sr_queues || queue >= tx_.size())
        return "igb: the credit shaper is a feature of transmit queues 0 and 1, not of queue " +
               std::to_string(queue);
    IgbTxRing& ring = tx_[queue];
    if (settings != nullptr) {
        if (settings->idleslope_kbit <= 0 || settings->idleslope_kbit > full_rate_kbit)
            return "igb: idleslope must be above 0 and at most 1 Gbit/s";
        if (settings->sendslope_kbit >= 0) return "igb: sendslope must be negative";
        if (settings->hicredit < 0 || settings->hicredit > 0xffff)
            return "igb: hicredit must be 0 to 65535 bytes";
    }
    if (queue == 1 && settings != nullptr && !tx_[0].cbs && !tx_[0].launch_time)
        return "igb: the shaper of queue 1 needs queue 0 to be a stream reservation queue first";
    if (queue == 0 && settings == nullptr && tx_.size() > 1 && tx_[1].cbs)
        return "igb: the shaper of queue 1 has to be removed before that of queue 0";
    ring.cbs = settings != nullptr;
    ring.idleslope_kbit = settings != nullptr ? settings->idleslope_kbit : 0;
    ring.hicredit = settings != nullptr ? settings->hicredit : 0;
    apply_offload(core, queue);
    return {};
}

}  // namespace nicsim::host
