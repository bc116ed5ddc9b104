// SPDX-License-Identifier: Apache-2.0
// The modelled computer: memory, cores, interrupt controller and PCI enumeration. The root complex
// is attached from outside, since it belongs to the bus.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "host_driver/core.h"
#include "host_driver/host_memory.h"
#include "host_driver/interrupt_controller.h"
#include "host_driver/napi.h"
#include "host_driver/pci_bus.h"
#include "sim/param.h"
#include "sim/stat.h"

namespace nicsim::host {

struct HostConfig {
    std::uint64_t cores = 2;
    std::uint64_t memory = std::uint64_t{256} << 20;
    std::vector<std::uint64_t> interrupt_affinity = {0};
    CoreConfig core;  ///< with the idle states allowed
    NapiConfig napi;
    PciConfig pci;
    static const sim::ParamTable& params();  ///< without those of `core`, `napi` and `pci`
};

/// Code that runs once, in order, as a task: probing a driver, setting up disciplines, starting
/// workloads. An exception ends it and stops the simulation.
class Script final : public Task {
public:
    using Part = std::function<void(Core&)>;
    Script& then(Part part) {
        parts_.push_back(std::move(part));
        return *this;
    }
    bool step(Core& core) override;
    [[nodiscard]] bool done() const { return next_ == parts_.size() && !error_; }
    /// When the last part had ended.
    [[nodiscard]] sim::Ps done_at() const { return done_at_; }
    /// What a part threw, or null.
    [[nodiscard]] std::exception_ptr error() const { return error_; }

private:
    std::vector<Part> parts_;
    std::size_t next_ = 0;
    sim::Ps done_at_ = 0;
    std::exception_ptr error_;
};

class Host : public sc_core::sc_module {
public:
    Host(const sc_core::sc_module_name& name, const HostConfig& config);
    ~Host() override;

    /// The bus that the cores' accesses take; before the simulation starts.
    void attach(pcie::HostBusIf& bus);

    [[nodiscard]] HostMemory& memory() { return memory_; }
    [[nodiscard]] InterruptController& interrupts() { return interrupts_; }
    [[nodiscard]] Core& core(unsigned i = 0) { return *cores_.at(i); }
    [[nodiscard]] unsigned cores() const { return static_cast<unsigned>(cores_.size()); }
    [[nodiscard]] Softnet& softnet(const Core& core) { return *softnets_[core.id()]; }
    [[nodiscard]] PciBus& pci() { return pci_; }
    [[nodiscard]] const HostConfig& config() const { return config_; }
    /// The core that takes the n-th interrupt of a device, when the driver requests it.
    [[nodiscard]] unsigned core_for_interrupt(unsigned n) const {
        const auto& list = affinity_;
        return static_cast<unsigned>(list[n % list.size()]);
    }
    /// Interrupts requested from now on go to these cores; an empty list means the configuration's.
    void set_interrupt_affinity(const std::vector<std::uint64_t>& cores) {
        affinity_ = cores.empty() ? config_.interrupt_affinity : cores;
    }
    /// What runs on core 0 from time 0.
    [[nodiscard]] Script& script() { return script_; }
    void register_stats(sim::StatGroup& group);

private:
    void start_of_simulation() override;

    HostConfig config_;
    std::vector<std::uint64_t> affinity_;  ///< of interrupts requested now
    HostMemory memory_;
    InterruptController interrupts_;
    PciBus pci_;
    std::vector<std::unique_ptr<Core>> cores_;
    std::vector<std::unique_ptr<Softnet>> softnets_;
    Script script_;
};

}  // namespace nicsim::host
