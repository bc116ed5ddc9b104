// SPDX-License-Identifier: Apache-2.0
// Reference driver and control program of the DMA exerciser: allocates the window, brings the cache
// into the state that the measurement wants, programs the engine and takes its interrupt.
#pragma once

#include <cstdint>
#include <string>

#include "host_driver/host.h"
#include "host_driver/pci_bus.h"
#include "sim/param.h"
#include "sim/stat.h"

namespace nicsim::host {

enum class DmaMode : std::uint8_t { read, write, both, write_read };
enum class DmaPattern : std::uint8_t { sequential, random };
/// What the control program does to the window before the engine starts.
enum class WindowState : std::uint8_t {
    warm,  ///< reads all of it: it is in the cache as far as it fits
    cold,  ///< thrashes the cache
    left,  ///< leaves it alone
};

struct DmaTransferConfig {
    DmaMode mode = DmaMode::read;
    DmaPattern pattern = DmaPattern::sequential;
    WindowState window_state = WindowState::warm;
    std::uint64_t size = 64;      ///< bytes of a transaction
    std::uint64_t offset = 0;     ///< bytes from a cache line's start
    std::uint64_t window = 8192;  ///< bytes
    std::uint64_t in_flight = 1;  ///< transactions
    std::uint64_t count = 0;      ///< transactions; 0 until the run ends
    std::uint64_t interval = 0;   ///< ps between two starts
    std::uint64_t seed = 1;
    static const sim::ParamTable& params();
    /// Empty, or "key: what is wrong".
    [[nodiscard]] std::string check() const;
};

class DmaBenchDriver {
public:
    /// Drives the n-th exerciser of the machine.
    DmaBenchDriver(Host& host, unsigned n = 0) : host_(host), index_(n) {}
    DmaBenchDriver(const DmaBenchDriver&) = delete;
    DmaBenchDriver& operator=(const DmaBenchDriver&) = delete;

    // Called by code on a core; throw std::runtime_error.
    void probe(Core& core);
    void start(Core& core, const DmaTransferConfig& config);
    void stop(Core& core);

    [[nodiscard]] bool finished() const { return finished_; }
    [[nodiscard]] std::uint64_t window() const { return window_; }
    // As the device told when it had finished:
    [[nodiscard]] std::uint64_t transactions() const { return transactions_; }
    [[nodiscard]] std::uint64_t failed() const { return failed_; }
    [[nodiscard]] sim::Ps time() const { return time_; }
    void register_stats(sim::StatGroup& group);

private:
    void on_interrupt(Core& core);
    std::uint32_t rd(Core& core, std::uint32_t reg) const {
        return core.mmio_read32(registers_ + reg);
    }
    void wr(Core& core, std::uint32_t reg, std::uint32_t value) const {
        core.mmio_write32(registers_ + reg, value);
    }

    Host& host_;
    unsigned index_;
    const PciFunction* function_ = nullptr;
    std::uint64_t registers_ = 0;
    std::uint64_t window_ = 0;
    Job handler_{Job::Action::to<&DmaBenchDriver::on_interrupt>(this)};
    bool finished_ = false;
    std::uint64_t transactions_ = 0;
    std::uint64_t failed_ = 0;
    sim::Ps time_ = 0;
    std::uint64_t interrupts_ = 0;
};

}  // namespace nicsim::host
