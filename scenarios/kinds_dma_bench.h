// SPDX-License-Identifier: Apache-2.0
// The DMA exerciser for the registry of kinds.
#pragma once

#include "scenarios/kinds.h"

namespace nicsim::scenarios {

NicKind dma_bench_nic();
DriverKind dma_bench_driver();
WorkloadKind dma_transfer();
/// Rules over the whole of a scenario with exercisers; empty for others.
std::vector<Fault> dma_bench_faults(const BoundBlock& scenario);
/// The cards' links as the result names them.
std::vector<std::string> exerciser_links(const BoundBlock& scenario);
std::unique_ptr<Machine> make_exerciser(const BoundBlock& scenario);

}  // namespace nicsim::scenarios
