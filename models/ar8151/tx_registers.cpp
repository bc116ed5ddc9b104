// SPDX-License-Identifier: Apache-2.0
#include "models/ar8151/tx_registers.h"

namespace nicsim::models::ar8151 {

namespace {
constexpr std::uint32_t index_mask = 0xFFFF;
constexpr unsigned high_half = 16;
constexpr std::uint32_t high_lanes = index_mask << high_half;
constexpr std::uint32_t ring_size_mask = 0xFFFF;
}  // namespace

TxRegisters::TxRegisters(RegisterFile& file, const Ar8151Config& config, TxRegisterSink& sink)
    : file_(file), queues_(config.tx_queues()), sink_(sink) {
    base_hi_ = &file.add({.name = "TX_BASE_ADDR_HI", .offset = reg::TX_BASE_ADDR_HI});
    base_lo_[1] = &file.add({.name = "TPD_PRI1_ADDR_LO", .offset = reg::TPD_PRI1_ADDR_LO});
    base_lo_[0] = &file.add({.name = "TPD_PRI0_ADDR_LO", .offset = reg::TPD_PRI0_ADDR_LO});
    ring_size_ = &file.add(
        {.name = "TPD_RING_SIZE", .offset = reg::TPD_RING_SIZE, .write_mask = ring_size_mask});
    txq_ctrl_ = &file.add({.name = "TXQ_CTRL",
                           .offset = reg::TXQ_CTRL,
                           .write = WriteHook::to<&TxRegisters::on_txq_ctrl>(this)});
    producers_01_ = &file.add({.name = "TPD_PIDX",
                               .offset = reg::TPD_PRI1_PIDX,
                               .write = WriteHook::to<&TxRegisters::on_producers_01>(this)});
    file.add({.name = "TPD_CIDX",
              .offset = reg::TPD_PRI1_CIDX,
              .access = Access::read_only,
              .read = ReadHook::to<&TxRegisters::read_consumers_01>(this),
              .pure_read = true});
    if (config.mikrotik()) map_mikrotik(file);
}

void TxRegisters::map_mikrotik(RegisterFile& file) {
    base_lo_[2] = &file.add({.name = "TPD_PRI2_ADDR_LO", .offset = reg::TPD_PRI2_ADDR_LO});
    base_lo_[3] = &file.add({.name = "TPD_PRI3_ADDR_LO", .offset = reg::TPD_PRI3_ADDR_LO});
    producers_23_ = &file.add({.name = "TPD_PIDX_23",
                               .offset = reg::TPD_PRI3_PIDX,
                               .write = WriteHook::to<&TxRegisters::on_producers_23>(this)});
    file.add({.name = "TPD_CIDX_23",
              .offset = reg::TPD_PRI3_CIDX,
              .access = Access::read_only,
              .read = ReadHook::to<&TxRegisters::read_consumers_23>(this),
              .pure_read = true});
}

TxRing TxRegisters::ring(unsigned queue) const {
    return {std::uint64_t{base_hi_->get()} << 32 | base_lo_[queue]->get(), ring_size_->get()};
}

/// Only the halves that the write carried are doorbells.
void TxRegisters::on_producers(unsigned first_queue, std::uint32_t value) {
    const std::uint32_t lanes = file_.lanes();
    if ((lanes & high_lanes) != 0 && first_queue < queues_)
        sink_.producer_written(first_queue, value >> high_half);
    if ((lanes & index_mask) != 0 && first_queue + 1 < queues_)
        sink_.producer_written(first_queue + 1, value & index_mask);
}

std::uint32_t TxRegisters::consumers(unsigned first_queue) const {
    std::uint32_t value = 0;
    if (first_queue < queues_) value |= sink_.consumer_of(first_queue) << high_half;
    if (first_queue + 1 < queues_) value |= sink_.consumer_of(first_queue + 1);
    return value;
}

void TxRegisters::clear_producers() {
    producers_01_->set(0);
    if (producers_23_ != nullptr) producers_23_->set(0);
}

void TxRegisters::reload() {
    const std::uint32_t value = txq_ctrl_->get();
    settings_.enabled = (value & txq::EN) != 0;
    settings_.tpd_burst = value & txq::tpd_burst_mask;
    settings_.data_burst = value >> txq::txf_burst_shift;
    sink_.settings_changed();
}

}  // namespace nicsim::models::ar8151
