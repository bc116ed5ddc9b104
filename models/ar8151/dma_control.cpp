// SPDX-License-Identifier: Apache-2.0
#include "models/ar8151/dma_control.h"

#include <algorithm>

#include "models/ar8151/registers.h"

namespace nicsim::models::ar8151 {

namespace {
constexpr std::uint32_t smallest_block = 128;
constexpr std::uint32_t largest_block_code = 5;  ///< 4096 bytes

std::uint32_t block_bytes(std::uint32_t code) {
    return smallest_block << std::min(code & dma_ctrl::block_mask, largest_block_code);
}
}  // namespace

DmaControl::DmaControl(RegisterFile& registers, DmaEngine& dma, sim::Callback<> load)
    : dma_(dma), load_(load) {
    dma_ctrl_ = &registers.add({.name = "DMA_CTRL",
                                .offset = reg::DMA_CTRL,
                                .write = WriteHook::to<&DmaControl::on_written>(this)});
    registers.add({.name = "LOAD_PTR",
                   .offset = reg::LOAD_PTR,
                   .access = Access::self_clearing,
                   .write = WriteHook::to<&DmaControl::on_load>(this)});
    apply();
}

void DmaControl::add_channel(DmaEngine::Channel channel, unsigned reads) {
    channels_.push_back({channel, reads});
    apply();
}

void DmaControl::set_tx_burst(std::uint32_t bytes) {
    tx_burst_ = bytes;
    apply();
}

void DmaControl::apply() {
    const std::uint32_t value = dma_ctrl_->get();
    std::uint32_t read = block_bytes(value >> dma_ctrl::read_block_shift);
    if (tx_burst_ != 0) read = std::min(read, tx_burst_);
    dma_.set_max_read_bytes(read);
    dma_.set_max_write_bytes(block_bytes(value >> dma_ctrl::write_block_shift));
    const bool in_order = (value & dma_ctrl::order_mask) == dma_ctrl::order_in;
    for (const Limited& c : channels_)
        dma_.set_max_reads_in_flight(c.channel, in_order ? 1 : c.reads);
}

void DmaControl::on_load(unsigned, std::uint32_t value) {
    if ((value & 1U) != 0 && load_) load_();
}

}  // namespace nicsim::models::ar8151
