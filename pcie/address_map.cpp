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

}  // namespace nicsim::pcie
