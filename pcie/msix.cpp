// SPDX-License-Identifier: Apache-2.0
#include "pcie/msix.h"

namespace nicsim::pcie {
namespace {

constexpr std::uint32_t merge(std::uint32_t old, std::uint32_t value, unsigned byte_enables) {
    std::uint32_t mask = 0;
    for (unsigned i = 0; i < 4; ++i)
        if ((byte_enables >> i & 1U) != 0) mask |= 0xffU << (8U * i);
    return (old & ~mask) | (value & mask);
}

}  // namespace

std::uint32_t MsixTable::read_table(std::uint32_t offset) const {
    const Entry& e = entries_[offset / entry_bytes];
    switch (offset % entry_bytes / 4U) {
        case 0:
            return static_cast<std::uint32_t>(e.address);
        case 1:
            return static_cast<std::uint32_t>(e.address >> 32U);
        case 2:
            return e.data;
        default:
            return e.control;
    }
}

void MsixTable::write_table(std::uint32_t offset, std::uint32_t value, unsigned byte_enables) {
    Entry& e = entries_[offset / entry_bytes];
    const std::uint32_t merged = merge(read_table(offset), value, byte_enables);
    switch (offset % entry_bytes / 4U) {
        case 0:
            e.address = (e.address & ~0xffff'ffffULL) | (merged & ~3U);
            break;
        case 1:
            e.address = (e.address & 0xffff'ffffULL) | std::uint64_t{merged} << 32U;
            break;
        case 2:
            e.data = merged;
            break;
        default:
            e.control = merged & entry_mask;
            break;
    }
}

std::uint32_t MsixTable::read_pba(std::uint32_t offset) const {
    std::uint32_t bits = 0;
    for (unsigned i = 0; i < 32; ++i) {
        const std::size_t vector = std::size_t{offset} / 4U * 32U + i;
        if (vector < pending_.size() && pending_[vector]) bits |= 1U << i;
    }
    return bits;
}

std::optional<MsiMessage> MsixTable::raise(unsigned vector) {
    if (!masked(vector)) return MsiMessage{entries_[vector].address, entries_[vector].data};
    if (!pending_[vector]) {
        pending_[vector] = true;
        ++pending_count_;
    }
    return std::nullopt;
}

std::optional<MsiMessage> MsixTable::take_unmasked() {
    if (pending_count_ == 0 || function_mask_) return std::nullopt;
    for (unsigned v = 0; v < vectors(); ++v) {
        if (!pending_[v] || masked(v)) continue;
        pending_[v] = false;
        --pending_count_;
        return MsiMessage{entries_[v].address, entries_[v].data};
    }
    return std::nullopt;
}

void MsixTable::reset() {
    for (Entry& e : entries_) e = Entry{};
    pending_.assign(pending_.size(), false);
    pending_count_ = 0;
    function_mask_ = false;
}

}  // namespace nicsim::pcie
