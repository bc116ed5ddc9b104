// SPDX-License-Identifier: Apache-2.0
// What a device's filters decided about a received frame.
#pragma once

#include <cstdint>

#include "models/common/packet_parser.h"

namespace nicsim::models {

struct RxVerdict {
    bool accepted = false;
    bool inexact = false;  ///< passed by hash or promiscuous mode only
    bool multicast = false;
    bool broadcast = false;
    bool strip_vlan = false;
    unsigned queue = 0;
    std::uint32_t rss_hash = 0;
    ParsedPacket packet;
    std::uint32_t info = 0;    ///< RSS type 3:0, packet type 16:4: dword 0 of the write-back
    std::uint32_t status = 0;  ///< checksum and VLAN bits of dword 2 (without DD, EOP)
    bool ip_error = false;     ///< checksum errors that `status` reports
    bool l4_error = false;
};

}  // namespace nicsim::models
