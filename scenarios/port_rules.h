// SPDX-License-Identifier: Apache-2.0
// The rules of a scenario with several ports: which names there are, who is plugged in where.
#pragma once

#include <cstdint>
#include <vector>

#include "host_driver/far_end/traffic_generator.h"
#include "scenarios/bound.h"
#include "scenarios/grammar.h"

namespace nicsim::scenarios {

/// The lists `ports` and `generators`.
Field ports_field();
Field generators_field();

/// What is wrong with them and with the workloads that name ports.
std::vector<Fault> port_faults(const BoundBlock& scenario);

/// Bits per second on every cable: a cable has one rate, which is the speed of the device's link
/// (`nic.link_speed`). The device has a cable.
std::uint64_t cable_rate(const BoundBlock& scenario);

/// A generator with the rate of its cables.
host::TrafficGeneratorConfig generator_config(const BoundBlock& scenario,
                                              const BoundBlock& generator);

}  // namespace nicsim::scenarios
