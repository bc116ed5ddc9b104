// SPDX-License-Identifier: Apache-2.0
// Protocol checkers around a device behind its own PCIe link: one for the TLM base protocol on each
// of its sockets, one for TLPs on the link. What they find fails the test that they are in.
#pragma once

#include <gtest/gtest.h>

#include "pcie/endpoint.h"
#include "pcie/link.h"
#include "pcie/tlp_checker.h"
#include "sim/tlm_base_checker.h"

namespace nicsim::test {

class ProtocolCheckers {
public:
    /// Binds the device's sockets to its endpoint, by way of the checkers.
    template <class Nic>
    ProtocolCheckers(Nic& nic, pcie::Endpoint& endpoint, pcie::Link& link) {
        nic.dma.bind(dma_.target);
        dma_.initiator.bind(endpoint.dma);
        endpoint.registers.bind(registers_.target);
        registers_.initiator.bind(nic.registers);
        link.observe(tlps_);
    }
    ~ProtocolCheckers() {
        for (const auto* found :
             {&dma_.violations(), &registers_.violations(), &tlps_.violations()})
            for (const std::string& violation : *found) ADD_FAILURE() << violation;
    }
    ProtocolCheckers(const ProtocolCheckers&) = delete;
    ProtocolCheckers& operator=(const ProtocolCheckers&) = delete;

private:
    sim::TlmBaseChecker dma_{"dma_checker", sim::TlmBaseChecker::Reaction::record};
    sim::TlmBaseChecker registers_{"register_checker", sim::TlmBaseChecker::Reaction::record};
    pcie::TlpChecker tlps_{pcie::TlpChecker::Reaction::record};
};

}  // namespace nicsim::test
