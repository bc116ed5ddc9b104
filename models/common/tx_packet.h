// SPDX-License-Identifier: Apache-2.0
// What transmit descriptors say: packets made of buffers, and the context that goes with them.
// Advanced data and context descriptors (I210 datasheet 7.2.2.2, 7.2.2.3) and legacy ones
// (7.2.2.1). Not modelled: SCTP checksums, IPsec, MACsec, the check bit of the context (CC), frames
// that bring their own FCS (IFCS off; the MAC always adds one).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/common/descriptor_queue.h"
#include "models/common/dma_engine.h"
#include "sim/pool.h"

namespace nicsim::models {

/// A context descriptor.
struct TxContext {
    bool is_ipv4 = false;
    std::uint8_t l4_type = 0;  ///< 0 UDP, 1 TCP, 2 SCTP
    std::uint16_t mac_length = 0;
    std::uint16_t ip_length = 0;
    std::uint16_t l4_length = 0;
    std::uint16_t mss = 0;
    std::uint16_t vlan = 0;
    std::uint32_t launch = 0;  ///< 32 ns units, before LAUNCH_OS0
};
namespace l4 {
constexpr std::uint8_t udp = 0;
constexpr std::uint8_t tcp = 1;
}  // namespace l4

enum class TxDescriptorKind { context, data, legacy };

/// A descriptor of either data layout.
struct TxDescriptor {
    TxDescriptorKind kind = TxDescriptorKind::legacy;
    DmaSegment buffer;
    bool end_of_packet = false;
    bool report = false;  ///< RS
    bool vlan_insert = false;
    bool tso = false;
    bool time_stamp = false;
    bool ip_checksum = false;
    bool l4_checksum = false;
    unsigned context_index = 0;
    std::uint32_t payload_length = 0;   ///< PAYLEN
    bool legacy_checksum = false;       ///< IC
    std::uint16_t checksum_offset = 0;  ///< CSO
    std::uint16_t checksum_start = 0;   ///< CSS
    std::uint16_t vlan = 0;             ///< legacy only
};
TxDescriptorKind kind_of(const Descriptor& raw);
TxDescriptor decode_data(const Descriptor& raw);
TxContext decode_context(const Descriptor& raw);
unsigned context_index(const Descriptor& raw);

/// A buffer of a packet, and how many of the packet's descriptors end with it.
struct TxBuffer {
    DmaSegment memory;
    unsigned descriptors = 0;
};

/// A packet as software posted it; one frame, or many with TSO.
class TxPacket : public sim::Pooled<TxPacket> {
public:
    void recycle();

    TxDescriptor first;  ///< of the first data descriptor, which speaks for all (7.2.2.3)
    TxContext context;
    std::uint64_t number = 0;  ///< n-th packet of the queue
    std::vector<TxBuffer> buffers;
    std::vector<std::uint8_t> reports;  ///< RS of each of its descriptors, contexts included
    std::uint32_t length = 0;           ///< bytes of all buffers
    unsigned consumed = 0;              ///< descriptors that have left the cache

    // TSO
    std::uint32_t header_length = 0;
    std::vector<std::uint8_t> header;  ///< as software wrote it; read once with the first segment

    // progress
    std::uint32_t frames = 1;  ///< it becomes
    std::uint32_t frames_requested = 0;
    std::uint32_t frames_arrived = 0;
    std::size_t next_buffer = 0;    ///< to be read next
    std::uint32_t next_offset = 0;  ///< in it
    bool bad = false;               ///< cannot be sent; its descriptors are finished all the same
};
using TxPacketPtr = sim::PoolPtr<TxPacket>;

/// Makes packets of the descriptors of a queue, in the format of a device.
class TxDecoder {
public:
    virtual ~TxDecoder() = default;
    /// Adds a descriptor, with an entry of `reports`, to the packet that began with the first one
    /// since the last was complete. True if it was the packet's last.
    virtual bool add(const Descriptor& raw, TxPacket& packet) = 0;
    /// As after power-up.
    virtual void reset() {}
};

/// Legacy and advanced descriptors, as above.
class IntelTxDecoder : public TxDecoder {
public:
    bool add(const Descriptor& raw, TxPacket& packet) override;
    void reset() override { contexts_ = {}; }

private:
    std::array<TxContext, 2> contexts_{};
};

}  // namespace nicsim::models
