// SPDX-License-Identifier: Apache-2.0
// The smallest use of the installed libraries: build a device and ask who it is.
#include <cstdio>

#include "models/i210/i210.h"

int sc_main(int /*argc*/, char** /*argv*/) {
    const auto identity = nicsim::models::i210::i210_identity({});
    std::printf("an I210 of vendor %04x, device %04x\n", identity.vendor_id, identity.device_id);
    return identity.vendor_id == 0x8086 ? 0 : 1;
}
