// SPDX-License-Identifier: Apache-2.0
// With NICSIM_CHECK=1 in the environment, a protocol checker stands beside every PCIe link of a run
// and the run ends at the first violations, as an internal error that names them. For tests and for
// those who debug a model: a run takes longer with it and its result is the same.
// Not checked: that requests and credits have come back, since a run ends amid traffic.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "pcie/link.h"
#include "pcie/tlp_checker.h"

namespace nicsim::scenarios {

class BusCheck {
public:
    /// As the environment says. Throws InputError if it says something else than 0 or 1.
    BusCheck();
    explicit BusCheck(bool enabled) : enabled_(enabled) {}

    /// Nothing at all if it is not enabled. Before the simulation starts.
    void attach(const std::vector<pcie::Link*>& links);
    /// Throws pcie::ProtocolError with what has been violated, if anything has.
    void verify() const;

private:
    struct Watched {
        std::string link;
        pcie::TlpChecker checker{pcie::TlpChecker::Reaction::record};
    };
    bool enabled_ = false;
    std::deque<Watched> watched_;  ///< links keep a reference
};

}  // namespace nicsim::scenarios
