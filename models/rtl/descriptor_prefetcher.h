// SPDX-License-Identifier: Apache-2.0
// Puts the RTL of the descriptor prefetcher (descriptor_prefetcher.sv, by Verilator) in the place
// of the rules in models::DescriptorQueue and DescriptorFetcher. Its clock is run on demand, see
// clock_edges.h. Finished descriptors and flushes are handed to it one per ring and clock.
#pragma once

#include <memory>

#include "models/common/descriptor_decisions.h"

namespace nicsim::models::rtl {

/// For at most four rings.
std::unique_ptr<DescriptorDecisionsIf> make_descriptor_prefetcher(DescriptorActionsIf& actions,
                                                                  unsigned cache);

}  // namespace nicsim::models::rtl
