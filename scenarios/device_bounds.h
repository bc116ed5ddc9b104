// SPDX-License-Identifier: Apache-2.0
// Settings that are right by themselves and more than the device of the scenario is able to:
// queues, places for descriptors, length of packets. What bounds what is declared beside the
// drivers (DriverKind::bounds); this is the one rule that compares them, before the run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/bound.h"
#include "scenarios/grammar.h"

namespace nicsim::scenarios {

/// The sum of `settings` is at most what the device has of `ability`.
struct DeviceBound {
    std::vector<std::string> settings;  ///< whole paths: `driver.queue_pairs`, `host.ip.mtu`
    std::string ability;                ///< a parameter of the device
    /// Completes "at most 4: ...", with {} for the ability: "it has {} queues".
    std::string has;
    std::uint64_t otherwise = 0;  ///< of a device without that parameter; 0: it has no such bound
    std::uint64_t overhead = 0;   ///< that is added to the settings
};

/// The settings of this scenario that its device does not bear.
std::vector<Fault> device_bound_faults(const BoundBlock& scenario);

}  // namespace nicsim::scenarios
