// SPDX-License-Identifier: Apache-2.0
#include "models/common/register_file.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

namespace nicsim::models {

const char* name_of(Access access) {
    static constexpr std::array<const char*, 6> names = {
        "read/write", "read only", "write only", "read/clear", "write 1 to clear", "self clearing"};
    return names[static_cast<unsigned>(access)];
}

RegisterFile::RegisterFile(std::uint32_t size) : size_(size), slots_(size / 4) {}

RegisterFile::Slot& RegisterFile::claim(std::uint32_t offset, const std::string& name) {
    if (offset % 4 != 0 || offset >= size_)
        throw std::invalid_argument(fmt::format(
            "register {} at {:#x}: not a multiple of 4 below {:#x}", name, offset, size_));
    Slot& slot = slots_[offset / 4];
    if (slot.number != 0)
        throw std::invalid_argument(fmt::format("register {} at {:#x}: {} is there already", name,
                                                offset, registers_[slot.number - 1U].spec().name));
    return slot;
}

Register& RegisterFile::add(const RegisterSpec& spec) {
    for (unsigned i = 0; i < spec.count; ++i) {
        Slot& slot = claim(spec.offset + i * spec.stride, spec.name);
        slot.number = static_cast<std::uint16_t>(registers_.size() + 1);
        slot.index = static_cast<std::uint16_t>(i);
    }
    registers_.push_back(Register(spec));
    return registers_.back();
}

void RegisterFile::alias(std::uint32_t other, std::uint32_t offset, unsigned count,
                         std::uint32_t other_stride, std::uint32_t stride) {
    for (unsigned i = 0; i < count; ++i) {
        const Slot target = slots_.at((offset + i * stride) / 4);
        if (target.number == 0)
            throw std::invalid_argument(
                fmt::format("alias at {:#x}: no register at {:#x}", other, offset + i * stride));
        claim(other + i * other_stride, registers_[target.number - 1U].spec().name) = target;
    }
}

Register* RegisterFile::find(std::uint32_t offset) {
    if (offset % 4 != 0 || offset >= size_) return nullptr;
    const Slot slot = slots_[offset / 4];
    return slot.number == 0 ? nullptr : &registers_[slot.number - 1U];
}

std::uint32_t RegisterFile::read(std::uint32_t offset) {
    ++reads_;
    const Slot slot = slots_[offset / 4];
    if (slot.number == 0) {
        ++unmodelled_accesses_;
        UnmodelledAccess& access = unmodelled_[offset];
        ++access.reads;
        return access.value;
    }
    Register& r = registers_[slot.number - 1U];
    if (r.spec_.access == Access::write_only) return 0;
    const std::uint32_t value = r.spec_.read ? r.spec_.read(slot.index) : r.values_[slot.index];
    if (r.spec_.access == Access::read_clear) r.values_[slot.index] = 0;
    return value;
}

void RegisterFile::write(std::uint32_t offset, std::uint32_t value, std::uint32_t lanes) {
    ++writes_;
    value &= lanes;
    const Slot slot = slots_[offset / 4];
    if (slot.number == 0) {
        ++unmodelled_accesses_;
        UnmodelledAccess& access = unmodelled_[offset];
        ++access.writes;
        access.value = (access.value & ~lanes) | value;
        return;
    }
    Register& r = registers_[slot.number - 1U];
    std::uint32_t& stored = r.values_[slot.index];
    const std::uint32_t mask = r.spec_.write_mask;
    lanes_ = lanes;
    switch (r.spec_.access) {
        case Access::read_write:
            value |= stored & ~lanes;
            stored = (stored & ~mask) | (value & mask);
            break;
        case Access::write_only:
            stored = (stored & ~mask) | (value & mask);
            break;
        case Access::write_1_clear:
            stored &= ~(value & mask);
            break;
        case Access::read_only:
        case Access::read_clear:
        case Access::self_clearing:
            break;
    }
    if (r.spec_.write) r.spec_.write(slot.index, value);
}

std::uint32_t RegisterFile::peek(std::uint32_t offset) const {
    const Slot slot = slots_[offset / 4];
    if (slot.number == 0) {
        const auto found = unmodelled_.find(offset);
        return found == unmodelled_.end() ? 0 : found->second.value;
    }
    const Register& r = registers_[slot.number - 1U];
    if (r.spec_.read && r.spec_.pure_read) return r.spec_.read(slot.index);
    return r.values_[slot.index];
}

void RegisterFile::poke(std::uint32_t offset, std::uint32_t value) {
    const Slot slot = slots_[offset / 4];
    if (slot.number != 0) registers_[slot.number - 1U].values_[slot.index] = value;
}

void RegisterFile::reset() {
    for (Register& r : registers_) {
        if (r.spec_.sticky) continue;
        for (std::uint32_t& value : r.values_) value = r.spec_.reset;
    }
    for (auto& [offset, access] : unmodelled_) access.value = 0;
}

std::vector<UnmodelledOffset> RegisterFile::unmodelled_offsets() const {
    std::vector<UnmodelledOffset> list;
    list.reserve(unmodelled_.size());
    for (const auto& [offset, access] : unmodelled_)
        list.push_back({offset, access.reads, access.writes});
    return list;
}

}  // namespace nicsim::models
