// SPDX-License-Identifier: Apache-2.0
#include "models/i82599/tx_registers.h"

#include "models/common/descriptor_queue.h"

namespace nicsim::models::i82599 {
namespace {

constexpr std::uint32_t ring_index_mask = 0xffff;
constexpr std::uint32_t tdlen_mask = 0x000f'ff80;  ///< bits 19:7
constexpr std::uint32_t tdbal_mask = 0xffff'ff80;
constexpr std::uint32_t head_writeback_enable = 1U << 0;  ///< TDWBAL
constexpr std::uint32_t size_mask = 0x000f'fc00;          ///< TXPBSIZE: bytes, 1 KiB steps

constexpr std::uint32_t txpbsize_reset = 160 * 1024;
constexpr std::uint32_t txpbthresh_reset = 150;  ///< KiB
constexpr std::uint32_t dtxmxszrq_reset = 0x10;
constexpr std::uint32_t dtxmxszrq_unit = 256;  ///< bytes
constexpr std::uint32_t dtxtcpflgl_reset = 0x0F76'0FF6;
constexpr std::uint32_t dtxtcpflgh_reset = 0x0000'0F7F;
constexpr std::uint32_t dmatxctl_reset = 0x8100'0000;  ///< VLAN EtherType

RegisterSpec spec(const char* name, std::uint32_t offset, std::uint32_t reset = 0,
                  unsigned count = 1) {
    RegisterSpec s;
    s.name = name;
    s.offset = offset;
    s.reset = reset;
    s.count = count;
    return s;
}

}  // namespace

TxRegisters::TxRegisters(RegisterFile& file, unsigned queues, TxSettings& settings,
                         TxRegisterSink& sink)
    : queues_(queues), settings_(settings), sink_(sink) {
    map_common(file);
    map_queues(file);
}

void TxRegisters::map_common(RegisterFile& file) {
    const auto add = [this, &file](RegisterSpec s) {
        s.write = WriteHook::to<&TxRegisters::on_setting>(this);
        return &file.add(s);
    };
    dmatxctl_ = add(spec("DMATXCTL", reg::DMATXCTL, dmatxctl_reset));
    rttdcs_ = add(spec("RTTDCS", reg::RTTDCS));
    mtqc_ = add(spec("MTQC", reg::MTQC));
    dtxmxszrq_ = add(spec("DTXMXSZRQ", reg::DTXMXSZRQ, dtxmxszrq_reset));
    txpbsize_ = add(spec("TXPBSIZE", reg::TXPBSIZE, 0, traffic_classes));
    txpbthresh_ = add(spec("TXPBTHRESH", reg::TXPBTHRESH, 0, traffic_classes));
    dtxtcpflgl_ = add(spec("DTXTCPFLGL", reg::DTXTCPFLGL, dtxtcpflgl_reset));
    dtxtcpflgh_ = add(spec("DTXTCPFLGH", reg::DTXTCPFLGH, dtxtcpflgh_reset));
    file.add(spec("TIPG", 0x0CB00));
}

void TxRegisters::map_queues(RegisterFile& file) {
    const auto add = [&file](RegisterSpec s) {
        s.count = max_queues;
        s.stride = reg::queue_stride;
        return &file.add(s);
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
    add(spec("DCA_TXCTRL", reg::DCA_TXCTRL, 0x0000'2A00));
    s = spec("TDT", reg::TDT);
    s.write_mask = ring_index_mask;
    s.write = WriteHook::to<&TxRegisters::on_tdt>(this);
    tdt_ = add(s);
    s = spec("TXDCTL", reg::TXDCTL);
    s.write_mask = ~dctl::SWFLSH;
    s.write = WriteHook::to<&TxRegisters::on_txdctl>(this);
    txdctl_ = add(s);
    tdwbal_ = add(spec("TDWBAL", reg::TDWBAL));
    tdwbah_ = add(spec("TDWBAH", reg::TDWBAH));
}

void TxRegisters::decode() {
    settings_.enabled =
        (dmatxctl_->get() & dmatxctl::TE) != 0 && (rttdcs_->get() & rttdcs::ARBDIS) == 0;
    settings_.outstanding_limit = (dtxmxszrq_->get() & 0xfff) * dtxmxszrq_unit;
    settings_.class_mode = mtqc_->get();
    for (unsigned tc = 0; tc < traffic_classes; ++tc) {
        settings_.buffer_bytes[tc] = txpbsize_->get(tc) & size_mask;
        settings_.threshold_bytes[tc] = (txpbthresh_->get(tc) & 0x3ff) * 1024;
    }
    settings_.tcp_flags.first = dtxtcpflgl_->get() & 0xfff;
    settings_.tcp_flags.middle = dtxtcpflgl_->get() >> 16 & 0xfff;
    settings_.tcp_flags.last = dtxtcpflgh_->get() & 0xfff;
    sink_.settings_changed();
}

void TxRegisters::on_txdctl(unsigned queue, std::uint32_t value) {
    if (queue >= queues_) {
        txdctl_->set(queue, txdctl_->get(queue) & ~dctl::ENABLE);
        return;
    }
    const bool enable = (value & dctl::ENABLE) != 0;
    if (!enable && enabled_[queue]) {
        tdh_->set(queue, sink_.head_of(queue));
        enabled_[queue] = false;
        sink_.queue_disabled(queue);
    }
    sink_.thresholds_changed(
        queue, {value & dctl::thresh_mask, value >> dctl::hthresh_shift & dctl::thresh_mask,
                value >> dctl::wthresh_shift & dctl::thresh_mask});
    if ((value & dctl::SWFLSH) != 0) sink_.flush_written(queue);
    if (!enable || enabled_[queue]) return;
    enabled_[queue] = true;
    TxRing ring;
    ring.base = tdbal_->get(queue) | std::uint64_t{tdbah_->get(queue)} << 32;
    ring.size = tdlen_->get(queue) / descriptor_bytes;
    ring.head = tdh_->get(queue);
    ring.tail = tdt_->get(queue);
    if ((tdwbal_->get(queue) & head_writeback_enable) != 0)
        ring.head_writeback =
            std::uint64_t{tdwbah_->get(queue)} << 32 | (tdwbal_->get(queue) & ~3U);
    sink_.queue_enabled(queue, ring);
}

void TxRegisters::on_tdt(unsigned queue, std::uint32_t value) {
    if (enabled_[queue]) sink_.tail_written(queue, value & ring_index_mask);
}

std::uint32_t TxRegisters::read_tdh(unsigned queue) {
    return enabled_[queue] ? sink_.head_of(queue) : tdh_->get(queue);
}

/// One packet buffer has it all until software splits it.
void TxRegisters::reload() {
    enabled_ = {};
    txpbsize_->set(0, txpbsize_reset);
    txpbthresh_->set(0, txpbthresh_reset);
    for (unsigned q = 0; q < queues_; ++q) on_txdctl(q, txdctl_->get(q));
    decode();
}

}  // namespace nicsim::models::i82599
