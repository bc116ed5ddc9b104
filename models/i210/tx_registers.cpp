// SPDX-License-Identifier: Apache-2.0
#include "models/i210/tx_registers.h"

#include "models/common/descriptor_queue.h"

namespace nicsim::models::i210 {
namespace {

constexpr std::uint32_t ring_index_mask = 0xffff;
constexpr std::uint32_t tdlen_mask = 0x000f'ff80;  ///< bits 19:7
constexpr std::uint32_t tdbal_mask = 0xffff'ff80;
constexpr std::uint64_t slope_unit = 16'384;  ///< bit/s; igb: 61034 units are 1 Gbit/s
constexpr std::uint32_t hi_credit_zero = 0x8000'0000;
constexpr std::uint32_t hi_credit_unit = 0x7735;  ///< of one byte

constexpr std::uint32_t txpbsize_reset = 0x0400'0014;  // igb I210_TXPBSIZE_DEFAULT
constexpr std::uint32_t dtxmxpktsz_reset = 0x98;       // igb "default"
constexpr std::uint32_t tipg_reset = 0x0060'1008;
constexpr std::uint32_t dmctxth_reset = 0xE4;
constexpr std::uint32_t dtxtcpflgl_reset = 0x0F76'0FF6;
constexpr std::uint32_t dtxtcpflgh_reset = 0x0000'0F7F;

RegisterSpec spec(const char* name, std::uint32_t offset, std::uint32_t reset = 0) {
    RegisterSpec s;
    s.name = name;
    s.offset = offset;
    s.reset = reset;
    return s;
}

}  // namespace

TxRegisters::TxRegisters(RegisterFile& file, TxSettings& settings, TxRegisterSink& sink)
    : settings_(settings), sink_(sink) {
    map_common(file);
    map_queues(file);
}

void TxRegisters::map_common(RegisterFile& file) {
    const auto add_setting = [this, &file](const char* name, std::uint32_t offset,
                                           std::uint32_t reset = 0) {
        RegisterSpec s = spec(name, offset, reset);
        s.write = WriteHook::to<&TxRegisters::on_setting>(this);
        return &file.add(s);
    };
    tctl_ = add_setting("TCTL", reg::TCTL, tctl::PSP);
    txpbsize_ = add_setting("TXPBSIZE", reg::TXPBSIZE, txpbsize_reset);
    dtxmxpktsz_ = add_setting("DTXMXPKTSZ", reg::DTXMXPKTSZ, dtxmxpktsz_reset);
    tqavctrl_ = add_setting("TQAVCTRL", reg::TQAVCTRL);
    launch_os0_ = add_setting("LAUNCH_OS0", reg::LAUNCH_OS0);
    dtxtcpflgl_ = add_setting("DTXTCPFLGL", reg::DTXTCPFLGL, dtxtcpflgl_reset);
    dtxtcpflgh_ = add_setting("DTXTCPFLGH", reg::DTXTCPFLGH, dtxtcpflgh_reset);
    const auto add_shaper = [this, &file](const char* name, std::uint32_t offset,
                                          std::uint32_t reset) {
        RegisterSpec s = spec(name, offset, reset);
        s.count = sr_queues;
        s.stride = reg::queue_stride;
        s.write = WriteHook::to<&TxRegisters::on_shaper>(this);
        return &file.add(s);
    };
    tqavcc_ = add_shaper("TQAVCC", reg::TQAVCC, 0);
    tqavhc_ = add_shaper("TQAVHC", reg::TQAVHC, hi_credit_zero);
    file.add(spec("TIPG", reg::TIPG, tipg_reset));
    file.add(spec("TQAVARBCTRL", reg::TQAVARBCTRL));
    file.add(spec("DTXCTL", reg::DTXCTL));
    file.add(spec("DMCTXTH", reg::DMCTXTH, dmctxth_reset));
}

void TxRegisters::map_queues(RegisterFile& file) {
    const auto add = [&file](RegisterSpec s) {
        s.count = queues;
        s.stride = reg::queue_stride;
        Register& r = file.add(s);
        file.alias(reg::tx_alias + (s.offset - reg::TDBAL), s.offset, queues, reg::alias_stride,
                   reg::queue_stride);
        return &r;
    };
    RegisterSpec s = spec("TDBAL", reg::TDBAL);
    s.write_mask = tdbal_mask;
    tdbal_ = add(s);
    tdbah_ = add(spec("TDBAH", reg::TDBAH));
    s = spec("TDLEN", reg::TDLEN);
    s.write_mask = tdlen_mask;
    tdlen_ = add(s);
    s = spec("TDH", reg::TDH);
    s.write_mask = ring_index_mask;
    s.read = ReadHook::to<&TxRegisters::read_tdh>(this);
    s.pure_read = true;
    tdh_ = add(s);
    add(spec("TXCTL", reg::TXCTL));
    s = spec("TDT", reg::TDT);
    s.write_mask = ring_index_mask;
    s.write = WriteHook::to<&TxRegisters::on_tdt>(this);
    tdt_ = add(s);
    s = spec("TXDCTL", reg::TXDCTL);
    s.write = WriteHook::to<&TxRegisters::on_txdctl>(this);
    txdctl_ = add(s);
    add(spec("TDWBAL", reg::TDWBAL));
    add(spec("TDWBAH", reg::TDWBAH));
}

std::array<std::uint32_t, queues> TxRegisters::packet_buffer_bytes() const {
    std::array<std::uint32_t, queues> bytes{};
    for (unsigned q = 0; q < queues; ++q) bytes[q] = (txpbsize_->get() >> (6 * q) & 0x3f) * 1024;
    return bytes;
}

void TxRegisters::decode() {
    const std::uint32_t qav = tqavctrl_->get();
    settings_.enabled = (tctl_->get() & tctl::EN) != 0;
    settings_.qav = (qav & tqavctrl::TRANSMIT_MODE) != 0;
    settings_.fetch_most_empty = (qav & tqavctrl::DATA_FETCH_ARB) != 0;
    settings_.shaper = (qav & tqavctrl::DATA_TRAN_ARB) != 0;
    settings_.launch_time = (qav & tqavctrl::DATA_TRAN_TIM) != 0;
    settings_.sp_wait_sr = (qav & tqavctrl::SP_WAIT_SR) != 0;
    settings_.fetch_delta_ns = (qav >> tqavctrl::fetch_time_delta_shift) * 32;
    settings_.max_packet = (dtxmxpktsz_->get() & 0x1ff) * 64;
    settings_.launch_offset = launch_os0_->get();
    settings_.tcp_flags.first = dtxtcpflgl_->get() & 0xfff;
    settings_.tcp_flags.middle = dtxtcpflgl_->get() >> 16 & 0xfff;
    settings_.tcp_flags.last = dtxtcpflgh_->get() & 0xfff;
    sink_.settings_changed();
}

void TxRegisters::on_shaper(unsigned queue, std::uint32_t) {
    const std::uint32_t control = tqavcc_->get(queue);
    const std::uint32_t high = tqavhc_->get(queue);
    settings_.sr[queue] = (control & tqavcc::QUEUE_MODE) != 0;
    TxShaperSettings s;
    s.idle_slope = (control & tqavcc::idle_slope_mask) * slope_unit;
    s.hi_credit = high > hi_credit_zero ? (high - hi_credit_zero) / hi_credit_unit : 0;
    s.keep_credits = (control & tqavcc::KEEP_CREDITS) != 0;
    sink_.shaper_changed(queue, s);
}

void TxRegisters::on_txdctl(unsigned queue, std::uint32_t value) {
    const auto field = [value](unsigned shift) { return value >> shift & dctl::thresh_mask; };
    settings_.high_priority[queue] = (value & dctl::PRIORITY) != 0;
    const bool enable = (value & dctl::ENABLE) != 0;
    if (!enable && enabled_[queue]) {
        enabled_[queue] = false;
        sink_.queue_disabled(queue);
    }
    sink_.thresholds_changed(queue, {field(dctl::pthresh_shift), field(dctl::hthresh_shift),
                                     field(dctl::wthresh_shift)});
    if ((value & dctl::SWFLSH) != 0) {
        txdctl_->set(queue, value & ~dctl::SWFLSH);
        sink_.flush_written(queue);
    }
    if (!enable || enabled_[queue]) return;
    enabled_[queue] = true;
    TxRing ring;
    ring.base = tdbal_->get(queue) | std::uint64_t{tdbah_->get(queue)} << 32;
    ring.size = tdlen_->get(queue) / descriptor_bytes;
    ring.head = tdh_->get(queue);
    ring.tail = tdt_->get(queue);
    sink_.queue_enabled(queue, ring);
}

void TxRegisters::on_tdt(unsigned queue, std::uint32_t value) {
    if (enabled_[queue]) sink_.tail_written(queue, value & ring_index_mask);
}

std::uint32_t TxRegisters::read_tdh(unsigned queue) {
    return enabled_[queue] ? sink_.head_of(queue) : tdh_->get(queue);
}

void TxRegisters::reload() {
    enabled_ = {};
    for (unsigned q = 0; q < sr_queues; ++q) on_shaper(q, 0);
    for (unsigned q = 0; q < queues; ++q) on_txdctl(q, txdctl_->get(q));
    decode();
}

}  // namespace nicsim::models::i210
