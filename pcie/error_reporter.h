// SPDX-License-Identifier: Apache-2.0
// What every end of a link does about errors: an endpoint, a root port, a port of a switch. It
// drops what is malformed or has a wrong ECRC, notes errors of transactions and of the link in its
// registers (pcie/aer.h), and has the message sent that they ask for.
#pragma once

#include <cstdint>

#include "pcie/aer.h"
#include "pcie/link.h"
#include "sim/callback.h"

namespace nicsim::pcie {

struct ErrorCounters {
    std::uint64_t malformed = 0;    ///< TLPs dropped for their form
    std::uint64_t ecrc_errors = 0;  ///< TLPs dropped for their ECRC
};

class ErrorReporter {
public:
    /// `send` is called with the code of every message that goes to the root complex. Several
    /// reporters may share `counters`.
    ErrorReporter(const AerRegisters& registers, ErrorCounters& counters,
                  sim::Callback<std::uint8_t> send)
        : aer_(registers), counters_(counters), send_(send) {}

    /// False if the TLP must be dropped; it is reported then. A dropped request is not answered:
    /// its requester times out (2.7.1, 2.3).
    [[nodiscard]] bool acceptable(const Tlp& tlp, std::uint32_t max_payload);
    void report(AerError error, const Tlp* tlp, bool advisory = false);
    void link_error(LinkError error);

    [[nodiscard]] Aer& aer() { return aer_; }
    [[nodiscard]] const Aer& aer() const { return aer_; }

private:
    Aer aer_;
    ErrorCounters& counters_;
    sim::Callback<std::uint8_t> send_;
};

}  // namespace nicsim::pcie
