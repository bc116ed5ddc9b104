// SPDX-License-Identifier: Apache-2.0
#include "scenarios/kinds.h"

#include "scenarios/kinds_device.h"
#include "scenarios/kinds_dma_bench.h"

namespace nicsim::scenarios {

const std::vector<NicKind>& nic_kinds() {
    static const std::vector<NicKind> kinds{i210_nic(), i82599_nic(), ar8151_nic(), mikrotik_nic(),
                                            dma_bench_nic()};
    return kinds;
}

const std::vector<DriverKind>& driver_kinds() {
    static const std::vector<DriverKind> kinds{igb_driver(), ixgbe_driver(), atl1c_driver(),
                                               dma_bench_driver()};
    return kinds;
}

}  // namespace nicsim::scenarios
