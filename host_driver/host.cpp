// SPDX-License-Identifier: Apache-2.0
#include "host_driver/host.h"

#include <stdexcept>

namespace nicsim::host {

const sim::ParamTable& HostConfig::params() {
    static const sim::ParamTable table =
        sim::ParamTableBuilder<HostConfig>()
            .add("cores", &HostConfig::cores,
                 {.min = 1,
                  .max = 64,
                  .sentence = "Cores of the host.",
                  .source = sim::assumed("two suffice to keep the application off the core that "
                                         "takes the interrupts")})
            .add("memory", &HostConfig::memory,
                 {.unit = sim::Unit::bytes,
                  .min = 4 << 20,
                  .max = double(std::uint64_t{2} << 30),
                  .sentence = "Host memory for rings, buffers and payload; a multiple of 4 KiB.",
                  .source = sim::assumed("what is not touched costs nothing")})
            .add("interrupt_affinity", &HostConfig::interrupt_affinity,
                 {.min = 0,
                  .max = 63,
                  .min_items = 1,
                  .max_items = 256,
                  .sentence = "Core that takes a device's first, second, ... interrupt; the list "
                              "repeats.",
                  .source = sim::assumed("as without irqbalance: all on the first core")})
            .build();
    return table;
}

bool Script::step(Core& core) {
    if (next_ == parts_.size() || error_) return false;
    try {
        parts_[next_](core);
        core.sync();
    } catch (const sc_core::sc_unwind_exception&) {
        throw;
    } catch (const std::exception&) {
        error_ = std::current_exception();
        sc_core::sc_stop();
        return false;
    }
    ++next_;
    done_at_ = core.local_time();
    core.charge(Op::syscall);
    return next_ < parts_.size();
}

Host::Host(const sc_core::sc_module_name& module_name, const HostConfig& config)
    : sc_module(module_name),
      config_(config),
      affinity_(config.interrupt_affinity),
      memory_(config.memory),
      pci_(config.pci) {
    for (const std::uint64_t c : config_.interrupt_affinity) {
        if (c >= config_.cores)
            throw std::invalid_argument("interrupt_affinity names core " + std::to_string(c) +
                                        ", but there are only " + std::to_string(config_.cores));
    }
    for (unsigned i = 0; i < config_.cores; ++i) {
        cores_.push_back(
            std::make_unique<Core>(("core" + std::to_string(i)).c_str(), config_.core, i));
        softnets_.push_back(std::make_unique<Softnet>(*cores_.back(), config_.napi));
        interrupts_.add_core(*cores_.back());
    }
}

Host::~Host() = default;

void Host::attach(pcie::HostBusIf& bus) {
    for (auto& core : cores_) core->attach(bus);
}

void Host::start_of_simulation() {
    core(0).wake(script_);
}

void Host::register_stats(sim::StatGroup& group) {
    for (unsigned i = 0; i < cores_.size(); ++i) {
        sim::StatGroup& g = group.group("core" + std::to_string(i));
        cores_[i]->register_stats(g);
        softnets_[i]->register_stats(g.group("napi"));
    }
    interrupts_.register_stats(group.group("interrupts"));
}

}  // namespace nicsim::host
