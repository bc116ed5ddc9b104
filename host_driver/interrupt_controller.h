// SPDX-License-Identifier: Apache-2.0
// Delivers interrupt messages to cores, as the local APICs of a PC do: the address names the core,
// the data the vector. A message that comes while its vector is still pending is merged with it.
// Logical and lowest-priority delivery, remapping and masking by priority are not modelled.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "host_driver/core.h"
#include "pcie/host_ports.h"
#include "sim/stat.h"

namespace nicsim::host {

/// What a device has to write for an interrupt.
struct InterruptMessage {
    std::uint64_t address = 0;
    std::uint32_t data = 0;
};

class InterruptController final : public pcie::InterruptControllerIf {
public:
    /// Cores are numbered in the order in which they are added.
    void add_core(Core& core);

    /// Connects a handler to a free vector of a core (request_irq). Throws std::runtime_error if
    /// the core has none left.
    InterruptMessage request(unsigned core, Job& handler);
    void free(const InterruptMessage& message);

    void msi(std::uint64_t address, std::uint32_t data) override;
    [[nodiscard]] unsigned cores() const { return static_cast<unsigned>(targets_.size()); }
    void register_stats(sim::StatGroup& group);

private:
    static constexpr unsigned first_vector = 0x20;  ///< those below are the CPU's exceptions
    static constexpr unsigned vectors = 256;

    struct Target {
        Core* core = nullptr;
        std::array<Job*, vectors> handlers{};
    };
    std::vector<Target> targets_;
    std::uint64_t messages_ = 0;
    std::uint64_t merged_ = 0;
    std::uint64_t spurious_ = 0;
};

}  // namespace nicsim::host
