// SPDX-License-Identifier: Apache-2.0
// The host's side of a scenario as configuration structures, for every kind of machine.
#pragma once

#include <string>
#include <vector>

#include "host_driver/host.h"
#include "pcie/root_complex.h"
#include "scenarios/bound.h"
#include "sim/doors.h"

namespace nicsim::scenarios {

/// Of the whole scenario: `host`, and what firmware sets in devices from `pcie.link`.
host::HostConfig host_config(const BoundBlock& scenario);
/// Of the block `host.idle`.
host::IdleConfig idle_config(const BoundBlock& idle);
/// Of the block `pcie`: its `root_complex`, `cache` and `iommu`.
pcie::RootComplexConfig root_complex_config(const BoundBlock& pcie);
/// Of the block `pcie`: the link that a device hangs on. Firmware gives every function on the way
/// the payload that all of them can do.
pcie::LinkConfig bus_link(const BoundBlock& pcie, std::uint64_t device_max_payload);
/// What a user should know of a device whose read requests are shorter than the bus's payloads.
void add_read_request_warning(std::vector<std::string>& warnings, const std::string& link,
                              const sim::BusLimits& limits);

}  // namespace nicsim::scenarios
