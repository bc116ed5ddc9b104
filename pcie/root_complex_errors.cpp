// SPDX-License-Identifier: Apache-2.0
// A port of the root complex as a function of its own, error messages, and the loss of a link.
#include "pcie/root_complex_port.h"

namespace nicsim::pcie {
namespace {

/// What a root port says it supports; the link has the last word.
constexpr std::uint64_t root_max_payload = 4096;

}  // namespace

RootComplex::Port::Port(RootComplex& owner, unsigned index)
    : owner_(owner),
      index_(index),
      space_(BridgeConfig::PortType::root, index + 1U, root_max_payload),
      errors_(space_.error_registers(), owner.counters_,
              sim::Callback<std::uint8_t>::to<&Port::own_message>(this)) {}

/// Bus numbers are the complex's own choice: the port leads to where its link leads.
std::uint32_t RootComplex::Port::read_config(unsigned offset) const {
    if (offset != BridgeWindows::buses_at) return space_.read(offset);
    return bus() << 8U | std::max(bus(), snoop_.last_bus()) << 16U;
}

const Aer& RootComplex::errors(unsigned port) const {
    return ports_.at(port)->errors();
}

void RootComplex::Port::on_message(std::uint8_t code, std::uint16_t requester_id) {
    RootComplexCounters& c = owner_.counters_;
    switch (code) {
        case message::err_cor:
            ++c.err_cor;
            break;
        case message::err_nonfatal:
            ++c.err_nonfatal;
            break;
        case message::err_fatal:
            ++c.err_fatal;
            break;
        default:
            return;  // no other message means anything here
    }
    space_.note_error_message(code, requester_id);
}

void RootComplex::Port::link_down() {
    snoop_ = PortSnoop{};
    owner_.port_lost(*this);
}

}  // namespace nicsim::pcie
