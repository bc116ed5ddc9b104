// SPDX-License-Identifier: Apache-2.0
#include "host_driver/drivers/dma_bench.h"

#include <fmt/format.h>

#include <stdexcept>

namespace nicsim::host {
namespace {

// Register map of the exerciser (BAR 0).
constexpr std::uint16_t vendor_id = 0x5ea1;
constexpr std::uint16_t device_id = 0xbe4c;
constexpr std::uint32_t reg_ctrl = 0x00, reg_status = 0x04, reg_base_low = 0x08,
                        reg_base_high = 0x0c, reg_window = 0x10, reg_size = 0x14, reg_offset = 0x18,
                        reg_mode = 0x1c, reg_pattern = 0x20, reg_in_flight = 0x24, reg_count = 0x28,
                        reg_seed = 0x2c, reg_interval = 0x30, reg_done = 0x40, reg_errors = 0x44,
                        reg_time_low = 0x50, reg_time_high = 0x54;
constexpr std::uint32_t ctrl_start = 1, ctrl_stop = 2;
constexpr std::uint32_t status_running = 1, status_done = 2;
constexpr std::uint64_t unit = 64;
constexpr std::uint64_t window_alignment = 4096;

}  // namespace

const sim::ParamTable& DmaTransferConfig::params() {
    using C = DmaTransferConfig;
    const sim::Source own = sim::assumed("a choice of the experiment");
    static const sim::ParamTable table =
        sim::ParamTableBuilder<C>()
            .add_choice("mode", &C::mode,
                        sim::ChoiceNames<DmaMode>{{DmaMode::read, "read"},
                                                  {DmaMode::write, "write"},
                                                  {DmaMode::both, "both"},
                                                  {DmaMode::write_read, "write_read"}},
                        {.sentence = "What a transaction does; `both` alternates reads and writes, "
                                     "`write_read` reads back what it has just written.",
                         .source = own})
            .add_choice("pattern", &C::pattern,
                        sim::ChoiceNames<DmaPattern>{{DmaPattern::sequential, "sequential"},
                                                     {DmaPattern::random, "random"}},
                        {.sentence = "Order of the addresses in the window.", .source = own})
            .add_choice("window_state", &C::window_state,
                        sim::ChoiceNames<WindowState>{{WindowState::warm, "warm"},
                                                      {WindowState::cold, "cold"},
                                                      {WindowState::left, "left"}},
                        {.sentence = "What the control program does before the start: read the "
                                     "window into the cache, thrash the cache, or nothing. Shows "
                                     "with `pcie.cache.model: modelled` only.",
                         .source = own})
            .add("size", &C::size,
                 {.unit = sim::Unit::bytes,
                  .min = 1,
                  .max = 65536,
                  .sentence = "Bytes of a transaction.",
                  .source = own})
            .add("offset", &C::offset,
                 {.unit = sim::Unit::bytes,
                  .max = 63,
                  .sentence = "Where a transaction starts in a cache line.",
                  .source = own})
            .add("window", &C::window,
                 {.unit = sim::Unit::bytes,
                  .min = 64,
                  .max = double(std::uint64_t{1} << 30),
                  .sentence = "Bytes of host memory that the addresses come from.",
                  .source = own})
            .add("in_flight", &C::in_flight,
                 {.min = 1,
                  .max = 1024,
                  .sentence = "Transactions begun and not ended at any time.",
                  .source = own})
            .add("count", &C::count,
                 {.max = 4294967295.0,
                  .sentence = "Transactions to make; 0 until the run ends.",
                  .source = own})
            .add("interval", &C::interval,
                 {.unit = sim::Unit::time,
                  .max = 4294967295.0,
                  .sentence = "Least time between two starts, if it is longer than the engine's.",
                  .source = own})
            .add("seed", &C::seed,
                 {.max = 4294967295.0,
                  .sentence = "Of the random order of addresses.",
                  .source = own})
            .build();
    return table;
}

std::string DmaTransferConfig::check() const {
    const std::uint64_t needed = (offset + size + unit - 1) / unit * unit;
    if (needed > window)
        return fmt::format("window: {} B do not hold one transaction of {} B at offset {}", window,
                           size, offset);
    return {};
}

void DmaBenchDriver::probe(Core& core) {
    function_ = host_.pci().find(vendor_id, device_id, index_);
    if (function_ == nullptr)
        throw std::runtime_error(fmt::format("DMA exerciser {} was not found", index_));
    registers_ = function_->bars[0].address;
    function_->enable_memory(core);
    function_->set_master(core, true);
    function_->enable_msix(core);
    function_->set_msix_entry(core, 0,
                              host_.interrupts().request(host_.core_for_interrupt(0), handler_));
    if ((rd(core, reg_status) & status_running) != 0)
        throw std::runtime_error(fmt::format("DMA exerciser {} runs already", index_));
}

void DmaBenchDriver::start(Core& core, const DmaTransferConfig& config) {
    if (window_ == 0) window_ = host_.memory().allocate(config.window, window_alignment);
    if (config.window_state == WindowState::warm) core.touch_cache(window_, config.window);
    if (config.window_state == WindowState::cold) core.thrash_cache();
    finished_ = false;
    const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
    wr(core, reg_base_low, low(window_));
    wr(core, reg_base_high, low(window_ >> 32U));
    wr(core, reg_window, low(config.window));
    wr(core, reg_size, low(config.size));
    wr(core, reg_offset, low(config.offset));
    wr(core, reg_mode, static_cast<std::uint32_t>(config.mode));
    wr(core, reg_pattern, static_cast<std::uint32_t>(config.pattern));
    wr(core, reg_in_flight, low(config.in_flight));
    wr(core, reg_count, low(config.count));
    wr(core, reg_seed, low(config.seed));
    wr(core, reg_interval, low(config.interval));
    wr(core, reg_ctrl, ctrl_start);
    const std::uint32_t status = rd(core, reg_status);
    if ((status & (status_running | status_done)) == 0 || rd(core, reg_errors) != 0)
        throw std::runtime_error(fmt::format("DMA exerciser {} refuses its program", index_));
}

void DmaBenchDriver::stop(Core& core) {
    wr(core, reg_ctrl, ctrl_stop);
}

void DmaBenchDriver::on_interrupt(Core& core) {
    ++interrupts_;
    if ((rd(core, reg_status) & status_done) == 0) return;
    transactions_ = rd(core, reg_done);
    failed_ = rd(core, reg_errors);
    time_ = rd(core, reg_time_low);
    time_ |= std::uint64_t{rd(core, reg_time_high)} << 32U;
    finished_ = true;
}

void DmaBenchDriver::register_stats(sim::StatGroup& group) {
    group.counter("interrupts", "1", "Interrupts that the driver took.", interrupts_);
    group.counter("transactions", "1", "Transactions of the last program that ended.",
                  transactions_);
    group.counter("failed", "1", "Transactions of it that ended with an error.", failed_);
}

}  // namespace nicsim::host
