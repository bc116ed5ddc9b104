// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host_driver/host_memory.h"
#include "host_driver/sk_buff.h"

namespace nicsim::host {

/// What becomes of the IP length of a packet that the device is to cut.
enum class TsoIpLength {
    clear,  ///< the device wants zero
    keep,   ///< it stays the whole packet's
};

/// Prepares the headers of a TCP/IPv4 packet that the device cuts: it fills in lengths and
/// checksums per segment and wants no IP checksum, and the TCP pseudo header sum without the
/// length.
void prepare_tso_headers(HostMemory& memory, const SkBuff& skb, TsoIpLength ip_length);

}  // namespace nicsim::host
