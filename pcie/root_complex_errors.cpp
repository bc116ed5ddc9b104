// SPDX-License-Identifier: Apache-2.0
// The root complex when something goes wrong: checks of what arrives, error messages of devices,
// the errors of its ports and the loss of a link.
#include <stdexcept>

#include "pcie/root_complex_port.h"
#include "pcie/tlp_rules.h"

namespace nicsim::pcie {

const Aer& RootComplex::errors(unsigned port) const {
    return ports_.at(port)->errors();
}

bool RootComplex::acceptable(Port& port, const Tlp& tlp) {
    if (tlp.digest && tlp.ecrc_error && port.errors().checks_ecrc()) {
        ++counters_.ecrc_errors;
        port.report(AerError::ecrc, &tlp);
        return false;
    }
    if (malformed(tlp, static_cast<std::uint32_t>(port.config().max_payload))) {
        ++counters_.malformed;
        port.report(AerError::malformed_tlp, &tlp);
        return false;
    }
    return true;
}

void RootComplex::on_message(const Tlp& tlp) {
    count_message(tlp.message_code);
}

void RootComplex::count_message(std::uint8_t code) {
    switch (code) {
        case message::err_cor:
            ++counters_.err_cor;
            break;
        case message::err_nonfatal:
            ++counters_.err_nonfatal;
            break;
        case message::err_fatal:
            ++counters_.err_fatal;
            break;
        default:
            break;  // no other message means anything here
    }
}

/// A port's own errors count as messages without a TLP.
void RootComplex::Port::report(AerError error, const Tlp* tlp, bool advisory) {
    if (const auto code = errors_.report(error, tlp, advisory)) owner_.count_message(*code);
}

void RootComplex::Port::link_error(LinkError error) {
    switch (error) {
        case LinkError::receiver_error:
            return report(AerError::receiver_error, nullptr);
        case LinkError::bad_tlp:
            return report(AerError::bad_tlp, nullptr);
        case LinkError::bad_dllp:
            return report(AerError::bad_dllp, nullptr);
        case LinkError::replay_timeout:
            return report(AerError::replay_timeout, nullptr);
        case LinkError::replay_rollover:
            return report(AerError::replay_rollover, nullptr);
        case LinkError::surprise_down:
            return report(AerError::surprise_down, nullptr);
    }
}

void RootComplex::Port::link_down() {
    snoop_ = PortSnoop{};
    owner_.port_lost(*this);
}

}  // namespace nicsim::pcie
