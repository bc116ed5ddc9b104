// SPDX-License-Identifier: Apache-2.0
// What a packet costs on the bus with three kinds of NIC and driver, after the public program
// pcie-bench/pcie-model (Neugebauer et al., SIGCOMM 2018): bytes per packet in each direction and
// the packet rate that the link allows. Registers are 4 bytes, descriptors 16, interrupts 4.
#pragma once

#include <cstdint>
#include <string>

#include "pcie/budget.h"

namespace nicsim::pcie {

enum class NicModel : std::uint8_t {
    simple,  ///< nothing is batched
    kernel,  ///< as a 10G NIC of 2010 with its kernel driver
    dpdk,    ///< the same with a polling driver
};
constexpr unsigned nic_models = 3;
const char* name_of(NicModel model);

/// Bytes on the wire for one packet; fractions where a cost is shared by several packets.
struct PacketBytes {
    double up = 0.0;
    double down = 0.0;
    PacketBytes& add(const WireBytes& bytes, double times);
};
struct NicBudget {
    PacketBytes transmit;
    PacketBytes receive;
    // bit/s of packet bytes:
    double transmit_rate = 0.0;
    double receive_rate = 0.0;
    double both_rate = 0.0;  ///< each way, sending and receiving at once
};

/// `size`: bytes of a frame without its FCS. `as_published` keeps a fault of the published program:
/// its receive path assigns the bytes of the packet write where it should add them, so that the
/// read request for the descriptor is lost.
NicBudget nic_budget(const LinkConfig& link, NicModel model, std::uint32_t size,
                     bool as_published = false, CompletionPolicy policy = CompletionPolicy::largest,
                     TlpOverhead o = {});

}  // namespace nicsim::pcie
