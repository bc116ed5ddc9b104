// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/blocks.h"

#include <algorithm>

#if NICSIM_HAVE_RTL
#include "models/rtl/descriptor_prefetcher.h"
#include "models/rtl/interrupt_throttle.h"
#include "models/rtl/tx_packet_buffer.h"
#endif

namespace nicsim::models::rtl {

bool available() {
    return NICSIM_HAVE_RTL != 0;
}

const std::vector<std::string>& i210_block_names() {
    static const std::vector<std::string> names = {"tx_packet_buffer", "interrupt_throttle",
                                                   "descriptor_prefetcher"};
    return names;
}

i210::Blocks i210_blocks(const std::vector<std::string>& names) {
    i210::Blocks blocks;
#if NICSIM_HAVE_RTL
    const auto has = [&names](const char* name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (has("tx_packet_buffer")) blocks.tx_block = make_tx_packet_buffer;
    if (has("interrupt_throttle")) blocks.throttle = make_interrupt_throttle;
    if (has("descriptor_prefetcher"))
        blocks.tx_descriptors = blocks.rx_descriptors = make_descriptor_prefetcher;
#else
    (void)names;
#endif
    return blocks;
}

}  // namespace nicsim::models::rtl
