// SPDX-License-Identifier: Apache-2.0
#include "models/common/statistics_registers.h"

#include <algorithm>

namespace nicsim::models {

std::uint32_t StatisticsRegisters::View::read(unsigned) {
    const std::uint64_t value = *source - base;
    switch (part) {
        case Part::low:
            return static_cast<std::uint32_t>(value);
        case Part::high:
            base = low->base = *source;
            return static_cast<std::uint32_t>(value >> 32);
        case Part::whole:
            break;
    }
    base = *source;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, 0xFFFF'FFFF));
}

StatisticsRegisters::View& StatisticsRegisters::add_view(const char* name, std::uint32_t offset,
                                                         const std::uint64_t& source, Part part) {
    View& view = views_.emplace_back();
    view.source = &source;
    view.part = part;
    file_.add({.name = name,
               .offset = offset,
               .access = Access::read_clear,
               .read = ReadHook::to<&View::read>(&view)});
    return view;
}

void StatisticsRegisters::add(const char* name, std::uint32_t offset, const std::uint64_t& source) {
    add_view(name, offset, source, Part::whole);
}

void StatisticsRegisters::add_pair(const char* low_name, const char* high_name,
                                   std::uint32_t offset, const std::uint64_t& source) {
    View& low = add_view(low_name, offset, source, Part::low);
    add_view(high_name, offset + 4, source, Part::high).low = &low;
}

void StatisticsRegisters::add_zeros(std::initializer_list<Zero> zeros) {
    for (const Zero& z : zeros)
        file_.add(
            {.name = z.name, .offset = z.offset, .access = Access::read_clear, .count = z.count});
}

void StatisticsRegisters::reset() {
    for (View& view : views_) view.base = *view.source;
}

}  // namespace nicsim::models
