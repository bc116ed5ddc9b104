// SPDX-License-Identifier: Apache-2.0
// Which port leads to an address: learnt from the configuration traffic that passes, as software
// sizes and programs the BARs, so that nothing but software decides where a device's registers are.
#pragma once

#include <array>
#include <cstdint>

namespace nicsim::pcie {

/// The BARs of one type-0 function as seen from outside.
class BarSnoop {
public:
    /// A configuration write passes towards the function.
    void on_write(unsigned offset, std::uint32_t value, unsigned byte_enables);
    /// The answer of a configuration read passes back.
    void on_read(unsigned offset, std::uint32_t value);
    /// A BAR of the function claims the address, and memory decoding is on.
    [[nodiscard]] bool claims(std::uint64_t address) const;

private:
    struct Dword {
        std::uint32_t value = 0;  ///< as last written
        std::uint32_t mask = 0;   ///< what a read returned after all ones were written
    };
    std::array<Dword, 6> bars_{};
    bool memory_enabled_ = false;
};

}  // namespace nicsim::pcie
