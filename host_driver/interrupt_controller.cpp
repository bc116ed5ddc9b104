// SPDX-License-Identifier: Apache-2.0
#include "host_driver/interrupt_controller.h"

#include <stdexcept>

namespace nicsim::host {
namespace {

// Intel SDM volume 3, 11.11: destination id in address bits 19:12, vector in data bits 7:0.
constexpr unsigned destination_shift = 12;
constexpr unsigned destination_mask = 0xff;
constexpr unsigned vector_mask = 0xff;

}  // namespace

void InterruptController::add_core(Core& core) {
    targets_.push_back({});
    targets_.back().core = &core;
}

InterruptMessage InterruptController::request(unsigned core, Job& handler) {
    Target& target = targets_.at(core);
    for (unsigned v = first_vector; v < vectors; ++v) {
        if (target.handlers[v] != nullptr) continue;
        target.handlers[v] = &handler;
        return {pcie::msi_base | (std::uint64_t{core} << destination_shift), v};
    }
    throw std::runtime_error("core " + std::to_string(core) + " has no interrupt vector left");
}

void InterruptController::free(const InterruptMessage& message) {
    const auto core =
        static_cast<unsigned>(message.address >> destination_shift) & destination_mask;
    targets_.at(core).handlers[message.data & vector_mask] = nullptr;
}

void InterruptController::msi(std::uint64_t address, std::uint32_t data) {
    ++messages_;
    const auto core = static_cast<unsigned>(address >> destination_shift) & destination_mask;
    Job* const handler =
        core < targets_.size() ? targets_[core].handlers[data & vector_mask] : nullptr;
    if (handler == nullptr) {
        ++spurious_;
        return;
    }
    if (handler->pending()) ++merged_;
    Target& target = targets_[core];
    target.core->hard_interrupt(*handler, target.core->config().interrupt_latency);
}

void InterruptController::register_stats(sim::StatGroup& group) {
    group.counter("messages", "interrupts", "Interrupt messages that reached the host.", messages_);
    group.counter("merged", "interrupts", "Messages whose vector was still pending.", merged_);
    group.counter("spurious", "interrupts", "Messages without a handler.", spurious_);
}

}  // namespace nicsim::host
