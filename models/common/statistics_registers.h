// SPDX-License-Identifier: Apache-2.0
// Statistics registers: views of the units' counters that software sees grow from its last read.
// A read clears; 32-bit counters stick at all ones; an octet pair is cleared by the read of its
// high half. Not modelled: the width of octet pairs (36 bits on some devices) and their wrap.
#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>

#include "models/common/register_file.h"

namespace nicsim::models {

class StatisticsRegisters {
public:
    /// The counters shown must outlive this.
    explicit StatisticsRegisters(RegisterFile& file) : file_(file) {}

    void add(const char* name, std::uint32_t offset, const std::uint64_t& source);
    /// Low half at `offset`, high half behind it.
    void add_pair(const char* low_name, const char* high_name, std::uint32_t offset,
                  const std::uint64_t& source);
    struct Zero {
        const char* name = nullptr;
        std::uint32_t offset = 0;
        unsigned count = 1;
    };
    /// Counters of what cannot happen in the model: they read 0.
    void add_zeros(std::initializer_list<Zero> zeros);

    /// Everything reads 0 from here.
    void reset();

private:
    enum class Part : std::uint8_t { whole, low, high };
    struct View {
        const std::uint64_t* source = nullptr;
        Part part = Part::whole;
        std::uint64_t base = 0;  ///< of the source at the last clear
        View* low = nullptr;     ///< of a high half
        std::uint32_t read(unsigned);
    };
    View& add_view(const char* name, std::uint32_t offset, const std::uint64_t& source, Part part);

    RegisterFile& file_;
    std::deque<View> views_;
};

}  // namespace nicsim::models
