// SPDX-License-Identifier: Apache-2.0
#include "pcie/switch.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "pcie/switch_port.h"
#include "pcie/tlp_rules.h"

namespace nicsim::pcie {

Switch::Switch(const sc_core::sc_module_name& name, const SwitchConfig& config)
    : sc_module(name), config_(config) {
    if (config_.ports == 0) throw std::invalid_argument("PCIe switch: it has no downstream port");
    all_.push_back(std::make_unique<Port>("upstream", *this, 0U));
    for (unsigned i = 0; i < config_.ports; ++i)
        all_.push_back(
            std::make_unique<Port>(fmt::format("downstream{}", i).c_str(), *this, i + 1U));
}

Switch::~Switch() = default;

LinkPartner& Switch::upstream() {
    return *all_[0];
}

LinkPartner& Switch::downstream(unsigned index) {
    if (index >= config_.ports)
        throw std::invalid_argument(
            fmt::format("PCIe switch: port {} of {} (the first is 0)", index, config_.ports));
    return *all_[index + 1];
}

std::size_t Switch::held() const {
    std::size_t n = 0;
    for (const auto& p : all_) n += p->held();
    return n;
}

// ---- routing ----

Switch::Port* Switch::route(Port& from, const Tlp& tlp) {
    switch (tlp.type) {
        case TlpType::MRd:
        case TlpType::MWr:
            return route_address(from, tlp.address);
        case TlpType::Cpl:
        case TlpType::CplD:
            return route_id(bdf_of(tlp.requester_id).bus);
        case TlpType::CfgRd0:
        case TlpType::CfgWr0:
            return from.is_upstream() ? config_owner(tlp) : nullptr;  // never goes upstream
        case TlpType::Msg:
            return from.is_upstream() ? nullptr : all_[0].get();
    }
    return nullptr;
}

Switch::Port* Switch::route_address(Port& from, std::uint64_t address) {
    const BridgeWindows& top = all_[0]->space().windows();
    const bool below = top.claims(address);
    if (from.is_upstream() && !(below && top.memory_enabled())) return nullptr;
    if (!from.is_upstream() && !from.space().windows().bus_master()) return nullptr;
    if (below) {
        for (std::size_t i = 1; i < all_.size(); ++i) {
            const BridgeWindows& w = all_[i]->space().windows();
            if (all_[i].get() != &from && w.memory_enabled() && w.claims(address))
                return all_[i].get();
        }
        return nullptr;
    }
    return from.is_upstream() || !top.bus_master() ? nullptr : all_[0].get();
}

Switch::Port* Switch::route_id(unsigned bus) {
    for (std::size_t i = 1; i < all_.size(); ++i)
        if (all_[i]->space().windows().leads_to(bus)) return all_[i].get();
    return all_[0].get();
}

/// The port that a configuration request means, or that leads to its target. The caller tells one
/// from the other by `answers`.
Switch::Port* Switch::config_owner(const Tlp& tlp) {
    const Bdf target = tlp.target;
    const BridgeWindows& top = all_[0]->space().windows();
    if (!top.leads_to(target.bus))  // it came over the link as a request for the link's own bus
        return target.device == 0 && target.function == 0 ? all_[0].get() : nullptr;
    if (target.bus == top.secondary())
        return target.device < config_.ports && target.function == 0
                   ? all_[target.device + 1U].get()
                   : nullptr;
    for (std::size_t i = 1; i < all_.size(); ++i) {
        const BridgeWindows& w = all_[i]->space().windows();
        if (!w.leads_to(target.bus)) continue;
        // A link has one device.
        return target.bus == w.secondary() && target.device != 0 ? nullptr : all_[i].get();
    }
    return nullptr;
}

/// From the last byte's arrival until the TLP may leave. Cutting through, the latency counts from
/// the header's arrival, unless the way out is faster than the way in and would run dry.
sim::Ps Switch::forwarding_delay(const Port& from, const Port* to, const Tlp& tlp) const {
    if (config_.forwarding == Forwarding::store_and_forward || to == nullptr || to == &from ||
        !to->connected() || to->link().byte_time_q32() < from.link().byte_time_q32())
        return config_.latency;
    const std::uint32_t header = tlp.header_bytes() + tlp_framing_bytes / 2U;
    const sim::Ps behind_header = from.link().wire_time(tlp.wire_bytes() - header);
    return config_.latency > behind_header ? config_.latency - behind_header : 0;
}

// ---- forwarding ----

void Switch::pump() {
    if (resetting_) return;  // what is inside is about to be lost
    if (pumping_) {
        again_ = true;
        return;
    }
    pumping_ = true;
    do {
        again_ = false;
        for (const auto& port : all_) again_ = port->forward() || again_;
    } while (again_);
    pumping_ = false;
}

/// The upstream link is lost.
void Switch::reset() {
    ++counters_.resets;
    resetting_ = true;
    for (std::size_t i = 1; i < all_.size(); ++i) all_[i]->hold_link();
    for (const auto& port : all_) counters_.reset_losses += port->forget();
    resetting_ = false;
}

void Switch::end_reset() {
    for (std::size_t i = 1; i < all_.size(); ++i) all_[i]->release_link();
}

void Switch::count(const Port& from, const Port& to) {
    if (to.is_upstream())
        ++counters_.to_host;
    else if (from.is_upstream())
        ++counters_.to_devices;
    else
        ++counters_.peer_to_peer;
}

void Switch::answer_config(Port& from, const Tlp& request) {
    ++counters_.config_accesses;
    Port& owner = *config_owner(request);
    const auto offset = static_cast<unsigned>(request.address);
    TlpPtr completion = tlp_pool().make();
    if (request.type == TlpType::CfgRd0) {
        completion->type = TlpType::CplD;
        completion->allocate(1);
        const std::uint32_t value = owner.space().read(offset);
        for (unsigned i = 0; i < 4; ++i)
            completion->data()[i] = static_cast<std::uint8_t>(value >> (8U * i));
    } else {
        completion->type = TlpType::Cpl;
        std::uint32_t value = 0;
        for (unsigned i = 0; i < 4; ++i) value |= std::uint32_t{request.data()[i]} << (8U * i);
        if (!request.poisoned) owner.space().write(offset, value, request.first_be);
    }
    completion->byte_count = 4;
    completion->requester_id = request.requester_id;
    completion->completer_id = id_of(request.target);
    completion->tag = request.tag;
    from.send(std::move(completion));
}

/// Nothing here leads to where the TLP wants to go.
void Switch::refuse(Port& from, const Tlp& tlp) {
    if (tlp.type == TlpType::Msg) return;  // a message of the root complex ends here
    ++counters_.unsupported;
    // Who asked and is told so reports it better (6.2.3.2.4.1).
    const bool answered = tlp.flow_class() == FlowClass::nonposted;
    from.errors().report(AerError::unsupported_request, &tlp, answered);
    if (!answered) return;
    from.send(completion_without_data(tlp, CompletionStatus::unsupported_request));
}

const Aer& Switch::errors(unsigned port) const {
    return all_.at(port)->errors().aer();
}

void Switch::register_stats(sim::StatGroup& group) {
    const SwitchCounters& c = counters_;
    group.counter("to_host", "1", "TLPs forwarded to the root complex.", c.to_host);
    group.counter("to_devices", "1", "TLPs forwarded from it.", c.to_devices);
    group.counter("peer_to_peer", "1", "TLPs from one downstream port to another.", c.peer_to_peer);
    group.counter("config_accesses", "1", "Configuration accesses of the switch's own ports.",
                  c.config_accesses);
    group.counter("unsupported_requests", "1", "TLPs that nothing behind the switch claims.",
                  c.unsupported);
    group.counter("malformed_tlps", "1", "TLPs dropped for their form.", c.malformed);
    group.counter("error_messages", "1", "Error messages of the switch's own ports.",
                  c.error_messages);
    for (std::size_t i = 0; i < all_.size(); ++i)
        errors(static_cast<unsigned>(i))
            .register_stats(group.group(i == 0 ? "aer_upstream" : fmt::format("aer{}", i - 1)));
    group.counter("resets", "1", "Resets of all of it, because the upstream link was lost.",
                  c.resets);
    group.counter("reset_losses", "1", "TLPs that were inside when it was reset.", c.reset_losses);
    group.counter("blocked", "1", "TLPs that had to wait for an egress queue.", c.blocked);
}

}  // namespace nicsim::pcie
