// SPDX-License-Identifier: Apache-2.0
// Which port leads to an address or a bus: learnt from the configuration traffic that passes, as
// software sizes and programs BARs, bus numbers and windows, so that nothing but software decides
// where a device's registers are.
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

/// The registers of a type-1 header that route: bus numbers and memory windows.
class BridgeWindows {
public:
    /// A configuration write of enabled bytes to the bridge's header.
    void on_write(unsigned offset, std::uint32_t value, unsigned byte_enables);
    [[nodiscard]] std::uint32_t read(unsigned offset) const;
    [[nodiscard]] bool claims(std::uint64_t address) const;
    [[nodiscard]] unsigned primary() const { return buses_ & 0xffU; }
    [[nodiscard]] unsigned secondary() const { return buses_ >> 8U & 0xffU; }
    [[nodiscard]] unsigned subordinate() const { return buses_ >> 16U & 0xffU; }
    /// Bus numbers are programmed and `bus` is one of those behind the bridge.
    [[nodiscard]] bool leads_to(unsigned bus) const {
        return secondary() != 0 && bus >= secondary() && bus <= subordinate();
    }
    [[nodiscard]] bool memory_enabled() const { return (command_ & 2U) != 0; }
    [[nodiscard]] bool bus_master() const { return (command_ & 4U) != 0; }

    // Offsets in the type-1 header (PCI-to-PCI Bridge Architecture Specification 1.2, 3.2).
    static constexpr unsigned command_at = 0x04, buses_at = 0x18, memory_at = 0x20,
                              prefetchable_at = 0x24, prefetchable_base_upper_at = 0x28,
                              prefetchable_limit_upper_at = 0x2c;

private:
    std::uint32_t command_ = 0;
    std::uint32_t buses_ = 0;
    std::uint32_t memory_ = 0x0000'fff0;        ///< base above limit: closed
    std::uint32_t prefetchable_ = 0x0001'fff1;  ///< the same, 64-bit decoding
    std::uint32_t base_upper_ = 0;
    std::uint32_t limit_upper_ = 0;
};

/// What lies behind a port: one type-0 function, or a bridge, as its header type says.
class PortSnoop {
public:
    void on_write(unsigned offset, std::uint32_t value, unsigned byte_enables) {
        bars_.on_write(offset, value, byte_enables);
        bridge_.on_write(offset, value, byte_enables);
    }
    void on_read(unsigned offset, std::uint32_t value);
    [[nodiscard]] bool claims(std::uint64_t address) const {
        return is_bridge_ ? bridge_.memory_enabled() && bridge_.claims(address)
                          : bars_.claims(address);
    }
    /// A bus behind the function at the other end of the port's link.
    [[nodiscard]] bool leads_to(unsigned bus) const { return is_bridge_ && bridge_.leads_to(bus); }
    /// The last bus behind it; 0 if there is none.
    [[nodiscard]] unsigned last_bus() const { return is_bridge_ ? bridge_.subordinate() : 0; }

private:
    BarSnoop bars_;
    BridgeWindows bridge_;
    bool is_bridge_ = false;
};

}  // namespace nicsim::pcie
