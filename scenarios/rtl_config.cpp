// SPDX-License-Identifier: Apache-2.0
#include "scenarios/rtl_config.h"

#include "models/rtl/blocks.h"

namespace nicsim::scenarios {

std::vector<Fault> rtl_faults(const std::vector<std::string>& names) {
    if (names.empty() || models::rtl::available()) return {};
    return {{"rtl",
             "this nicsim was built without RTL blocks; install Verilator and build again with "
             "-DNICSIM_RTL=ON"}};
}

}  // namespace nicsim::scenarios
