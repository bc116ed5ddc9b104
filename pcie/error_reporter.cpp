// SPDX-License-Identifier: Apache-2.0
#include "pcie/error_reporter.h"

#include "pcie/tlp_rules.h"

namespace nicsim::pcie {

bool ErrorReporter::acceptable(const Tlp& tlp, std::uint32_t max_payload) {
    if (tlp.digest && tlp.ecrc_error && aer_.checks_ecrc()) {
        ++counters_.ecrc_errors;
        report(AerError::ecrc, &tlp);
        return false;
    }
    if (malformed(tlp, max_payload)) {
        ++counters_.malformed;
        report(AerError::malformed_tlp, &tlp);
        return false;
    }
    return true;
}

void ErrorReporter::report(AerError error, const Tlp* tlp, bool advisory) {
    if (const auto code = aer_.report(error, tlp, advisory)) send_(*code);
}

void ErrorReporter::link_error(LinkError error) {
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

}  // namespace nicsim::pcie
