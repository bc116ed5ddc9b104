// SPDX-License-Identifier: Apache-2.0
#include "pcie/address_map.h"

#include "pcie/config_space.h"

namespace nicsim::pcie {
namespace {

constexpr std::uint32_t io_bar = 0x1;
constexpr std::uint32_t memory_flags = 0xf;
constexpr std::uint32_t type_mask = 0x6;
constexpr std::uint32_t type_64_bit = 0x4;
constexpr unsigned bars_end = config::bar0 + 6U * 4U;

}  // namespace

void BarSnoop::on_write(unsigned offset, std::uint32_t value, unsigned byte_enables) {
    if (offset == config::command && (byte_enables & 1U) != 0)
        memory_enabled_ = (value & config::command_memory) != 0;
    if (offset >= config::bar0 && offset < bars_end && byte_enables == 0xfU)
        bars_[(offset - config::bar0) / 4U].value = value;
}

void BarSnoop::on_read(unsigned offset, std::uint32_t value) {
    if (offset < config::bar0 || offset >= bars_end) return;
    Dword& bar = bars_[(offset - config::bar0) / 4U];
    if (bar.value == 0xffff'ffffU) bar.mask = value;
}

bool BarSnoop::claims(std::uint64_t address) const {
    if (!memory_enabled_) return false;
    for (unsigned i = 0; i < bars_.size(); ++i) {
        const Dword& low = bars_[i];
        if (low.mask == 0 || (low.mask & io_bar) != 0) continue;
        std::uint64_t base = low.value & ~memory_flags;
        std::uint64_t mask = low.mask & ~memory_flags;
        if ((low.mask & type_mask) == type_64_bit && i + 1 < bars_.size()) {
            base |= std::uint64_t{bars_[i + 1].value} << 32U;
            const std::uint32_t high = bars_[i + 1].mask;
            mask |= std::uint64_t{high == 0 ? ~0U : high} << 32U;  // 0: never sized
            ++i;
        } else {
            mask |= 0xffff'ffff'0000'0000ULL;
        }
        if (mask != 0 && (address & mask) == (base & mask)) return true;
    }
    return false;
}

namespace {

std::uint32_t merge(std::uint32_t old, std::uint32_t value, unsigned byte_enables) {
    std::uint32_t mask = 0;
    for (unsigned i = 0; i < 4; ++i)
        if ((byte_enables >> i & 1U) != 0) mask |= 0xffU << (8U * i);
    return (old & ~mask) | (value & mask);
}

constexpr std::uint64_t window_granularity = 0x10'0000;  // 1 MiB

bool in_window(std::uint32_t reg, std::uint64_t base_upper, std::uint64_t limit_upper,
               std::uint64_t address) {
    const std::uint64_t base = base_upper << 32U | std::uint64_t{reg & 0xfff0U} << 16U;
    const std::uint64_t limit = (limit_upper << 32U | (reg & 0xfff0'0000U)) + window_granularity;
    return address >= base && address < limit;
}

}  // namespace

void BridgeWindows::on_write(unsigned offset, std::uint32_t value, unsigned byte_enables) {
    constexpr std::uint32_t window_bits = 0xfff0'fff0;
    switch (offset) {
        case command_at:
            command_ = merge(command_, value, byte_enables & 3U) & 0x0547U;
            break;
        case buses_at:
            buses_ = merge(buses_, value, byte_enables & 7U) & 0x00ff'ffffU;
            break;
        case memory_at:
            memory_ = merge(memory_, value, byte_enables) & window_bits;
            break;
        case prefetchable_at:
            prefetchable_ = (merge(prefetchable_, value, byte_enables) & window_bits) | 0x0001'0001;
            break;
        case prefetchable_base_upper_at:
            base_upper_ = merge(base_upper_, value, byte_enables);
            break;
        case prefetchable_limit_upper_at:
            limit_upper_ = merge(limit_upper_, value, byte_enables);
            break;
        default:
            break;
    }
}

std::uint32_t BridgeWindows::read(unsigned offset) const {
    switch (offset) {
        case command_at:
            return command_;
        case buses_at:
            return buses_;
        case memory_at:
            return memory_;
        case prefetchable_at:
            return prefetchable_;
        case prefetchable_base_upper_at:
            return base_upper_;
        case prefetchable_limit_upper_at:
            return limit_upper_;
        default:
            return 0;
    }
}

bool BridgeWindows::claims(std::uint64_t address) const {
    return in_window(memory_, 0, 0, address) ||
           in_window(prefetchable_, base_upper_, limit_upper_, address);
}

void PortSnoop::on_read(unsigned offset, std::uint32_t value) {
    constexpr unsigned header_dw = config::header_type & ~3U;
    if (offset == header_dw) is_bridge_ = (value >> 16U & 0x7fU) == 1U;
    bars_.on_read(offset, value);
}

}  // namespace nicsim::pcie
