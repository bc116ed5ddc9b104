// SPDX-License-Identifier: Apache-2.0
// Packets from transmit packet descriptors (TPD): buffers, custom checksum, IPv4, TCP and UDP
// checksums, segmentation of TCP over IPv4 and IPv6 (with its extended descriptor), VLAN insertion.
// The flags of the packet's first descriptor count; the last one carries EOP.
// Assumed, as every known driver does it: the first buffer of a packet to be segmented ends with
// its TCP header.
// Not modelled: 802.3 frames with LLC headers, odd-byte padding of custom checksums.
#pragma once

#include "models/common/tx_packet.h"

namespace nicsim::models::ar8151 {

class TpdDecoder : public TxDecoder {
public:
    bool add(const Descriptor& raw, TxPacket& packet) override;
};

}  // namespace nicsim::models::ar8151
