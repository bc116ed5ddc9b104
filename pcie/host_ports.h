// SPDX-License-Identifier: Apache-2.0
// What the bus needs of the host, and what the host sees of the bus.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace nicsim::pcie {

/// Host memory as the root complex reads and writes it. Addresses outside of it are reported by
/// `contains`; the root complex answers them as Unsupported Request.
class HostMemoryIf {
public:
    virtual ~HostMemoryIf() = default;
    [[nodiscard]] virtual bool contains(std::uint64_t address, std::uint64_t length) const = 0;
    virtual void read(std::uint64_t address, std::span<std::uint8_t> out) = 0;
    virtual void write(std::uint64_t address, std::span<const std::uint8_t> data) = 0;
};

/// Receives message-signalled interrupts: writes to `msi_base .. msi_base + msi_size`.
class InterruptControllerIf {
public:
    virtual ~InterruptControllerIf() = default;
    virtual void msi(std::uint64_t address, std::uint32_t data) = 0;
};

constexpr std::uint64_t msi_base = 0xfee0'0000;  ///< as on x86
constexpr std::uint64_t msi_size = 0x0010'0000;

/// Bus, device, function.
struct Bdf {
    std::uint8_t bus = 0;
    std::uint8_t device = 0;
    std::uint8_t function = 0;
    bool operator==(const Bdf&) const = default;
};

/// The root complex as the host's cores use it. Calls are made at simulated time (a core brings
/// its local time forward first). The read callbacks come when the completion has arrived at the
/// core; an Unsupported Request or a timeout reads as all ones, as on a PC.
class HostBusIf {
public:
    using ReadDone = std::function<void(std::uint64_t value)>;
    virtual ~HostBusIf() = default;

    /// Posted. size 1, 2, 4 or 8, naturally aligned.
    virtual void mmio_write(std::uint64_t address, unsigned size, std::uint64_t value) = 0;
    virtual void mmio_read(std::uint64_t address, unsigned size, ReadDone done) = 0;
    /// Configuration accesses are non-posted both ways. `offset` 0..4095, size 1, 2 or 4.
    virtual void config_read(Bdf function, unsigned offset, unsigned size, ReadDone done) = 0;
    virtual void config_write(Bdf function, unsigned offset, unsigned size, std::uint32_t value,
                              std::function<void()> done) = 0;
    /// What a write-combining buffer lets go: up to 64 bytes within one line, whole DWs, posted.
    virtual void mmio_write_line(std::uint64_t address, std::span<const std::uint8_t> bytes) {
        for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4)
            mmio_write(address + i, 4,
                       bytes[i] | std::uint64_t{bytes[i + 1]} << 8U |
                           std::uint64_t{bytes[i + 2]} << 16U | std::uint64_t{bytes[i + 3]} << 24U);
    }
    /// A core has read or written the range: it is in the cache that devices' reads look into.
    virtual void cache_touched(std::uint64_t address, std::uint64_t length) {
        (void)address, (void)length;
    }
    /// A core has thrashed the cache.
    virtual void cache_thrashed() {}
};

}  // namespace nicsim::pcie
